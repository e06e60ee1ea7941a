//! Bad and hostile input: nothing panics, loops, costs more than its size is worth, or leaves a control character in
//! what an agent reads.

// Parses pages natively; what the browser reads is tested in tests/browser.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::string_slice)]

mod support;

use support::invariants::check;
use toolmark::dom::Document;
use toolmark::options::Options;
use toolmark::read::{self, json_ld};

const PAGE: &str = "https://shop.example/p/1";

fn blank() -> Document {
    support::document("", PAGE)
}

fn read_block(text: &str) -> json_ld::Block {
    json_ld::read_block(text, &blank(), &Options::default(), 0)
}

/// A small generator of our own: the same inputs on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// `seed` with a few changes: characters that mean something somewhere put in, parts left out or doubled.
    fn mutate(&mut self, seed: &str) -> String {
        const PIECES: [&str; 32] = [
            "\"", "'", "{", "}", "[", "]", ",", ":", "\\", "\\u00", "\\ud800", "//", "/*", "*/", "<!--", "-->", "<", ">", "&quot;", "&#0;",
            "\u{0}", "\u{7f}", "\u{85}", "\u{202e}", "\u{feff}", "\r\n", "@id", "@context", "@reverse", "1e999", "null", "é",
        ];
        let mut text: Vec<char> = seed.chars().collect();
        for _ in 0..1 + self.below(4) {
            let at = self.below(text.len() + 1);
            let length = self.below(12).min(text.len() - at);
            match self.below(4) {
                0 => drop(text.drain(at..at + length)),
                1 => {
                    let copy: Vec<char> = text[at..at + length].to_vec();
                    text.splice(at..at, copy);
                }
                _ => {
                    let piece = PIECES[self.below(PIECES.len())];
                    text.splice(at..at, piece.chars());
                }
            }
        }
        text.into_iter().collect()
    }
}

const BLOCKS: [&str; 5] = [
    r##"{"@context":["https://schema.org",{"ex":"http://ex.example/#","label":{"@id":"ex:label","@container":"@language"},"rated":{"@reverse":"schema:itemReviewed"}}],"@type":["Product","ex:Thing"],"@id":"#p","name":"A \"b\" \u00e9\n","url":"/x","image":["a.png",{"@type":"ImageObject","url":"b.png"}],"offers":{"@type":"Offer","price":129.90,"seller":{"@id":"#o"}},"label":{"en":"x","de":["y","z"]},"rated":{"@type":"Review","author":"C"}}"##,
    r##"[{"@context":"http://schema.org","@graph":[{"@type":"WebSite","@id":"#o","potentialAction":{"@type":"SearchAction","target":"/find/{q}?p={page}","query-input":"required name=q"}},{"@id":"_:b1","isPartOf":{"@id":"_:b1"}}]},{"@type":"Recipe","recipeIngredient":["1 egg","2 eggs"]}]"##,
    r##"{"@context":{"@vocab":"http://schema.org/","@base":"http://base.example/a/","@language":"en","t":{"@id":"name","@type":"@id","@context":{"u":"ex:u"}},"n":null},"t":{"u":1,"@value":"x"},"@nest":{"name":"y"},"@included":[{"@id":"z","name":"w"}],"steps":{"@list":[1,[2,{"@set":["3"]}]]}}"##,
    "<!-- { // note\n'name': 'it's \"so\"', \"@type\": \"Product\", \"a\": \"line\nbreak\",, \"b\": [1,2,], c: ,} -->",
    r##"{&quot;@context&quot;:&quot;https://schema.org&quot;,&quot;@type&quot;:&quot;Event&quot;,&quot;name&quot;:&quot;A &amp;amp; B&quot;}"##,
];

#[test]
fn mutated_blocks_are_read_or_reported() {
    let mut random = Random(1);
    let (mut read, mut lost) = (0, 0);
    for round in 0..4000 {
        let text = random.mutate(BLOCKS[round % BLOCKS.len()]);
        let block = read_block(&text);
        check(&block.nodes, &text);
        match block.nodes.is_empty() {
            true => lost += 1,
            false => read += 1,
        }
    }
    println!("{read} of {} mutated blocks gave nodes", read + lost);
    assert!(read > 800 && lost > 100, "{read} read, {lost} lost: the mutations do not test what they should");
}

/// What the fuzzers start from (`tests/fuzz/corpus`), as it is and mutated.
#[test]
fn the_corpus_of_the_fuzzers_is_read() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus");
    let seeds = |name: &str| {
        let mut paths: Vec<_> = std::fs::read_dir(corpus.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("seed-"));
        paths.sort();
        paths.into_iter().map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()).collect::<Vec<String>>()
    };
    let (blocks, pages) = (seeds("json_ld"), seeds("html"));
    println!("{} blocks and {} pages in the corpus", blocks.len(), pages.len());
    assert!(blocks.len() >= 30 && pages.len() >= 20, "the corpus is incomplete");
    let mut random = Random(3);
    for text in &blocks {
        for text in [text.clone(), random.mutate(text), random.mutate(text)] {
            check(&read_block(&text).nodes, &text);
        }
    }
    for html in &pages {
        for html in [html.clone(), random.mutate(html)] {
            let documents = support::documents(&html, PAGE);
            let (page, diagnostics) = read::page(&documents, &Options::default());
            check(&page.nodes, &html);
            let items = read::items_json(&page, &diagnostics);
            assert!(serde_json::from_str::<serde_json::Value>(&items).is_ok(), "{items}");
        }
    }
}

const HTML: [&str; 3] = [
    r##"<base href="/b/"><div itemscope itemtype="https://schema.org/Product" itemref="r"><b itemprop="name">A</b><a itemprop="url" href="x">u</a><span itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="5.00"></span></div><p id="r" itemprop="description">d<br>e</p><div vocab="https://schema.org/" typeof="Person" resource="#me"><span property="name">N</span><a rel="knows" href="#you">Y</a></div>"##,
    r##"<title>t</title><h1>H</h1><p>text<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"A"}</script><form action="/s"><input name="q" type="search"></form><button data-tool="b">Go</button><ul><li>a<li>b</ul><table><tr><td itemscope itemtype="https://schema.org/Thing"><i itemprop="name">x</i></table>"##,
    r##"<body prefix="ex: http://ex.example/ schema: http://schema.org/"><div about="#a" typeof="schema:Event ex:E" property="schema:location"><span property="schema:name" content="c">d</span><div rel="schema:performer"><p typeof="schema:Person"></p></div><time property="schema:startDate" datetime="2026-01-01">then</time></div><svg><script>x</script></svg><template><div itemscope></div></template>"##,
];

#[test]
fn mutated_pages_are_mapped() {
    let mut random = Random(2);
    for round in 0..500 {
        let html = random.mutate(HTML[round % HTML.len()]);
        let documents = [support::document(&html, PAGE)];
        let (page, diagnostics) = read::page(&documents, &Options::default());
        check(&page.nodes, &html);
        let items = read::items_json(&page, &diagnostics);
        assert!(serde_json::from_str::<serde_json::Value>(&items).is_ok(), "{items}");
        toolmark::map(&documents, &Options::default());
    }
}

/// Runs one case of a size at which a step that is not linear would not end in minutes. No clock: machines are busy.
fn ends<T>(name: &str, run: impl FnOnce() -> T) -> T {
    println!("{name}");
    run()
}

fn has(block: &json_ld::Block, code: &str) -> bool {
    block.diagnostics.iter().any(|diagnostic| diagnostic.code == code)
}

#[test]
fn large_blocks_cost_what_their_size_is_worth() {
    let schema = r#""@context":"https://schema.org""#;
    let keys = |key: &dyn Fn(usize) -> String| {
        format!(
            "{{{schema},\"@type\":\"Product\",{}}}",
            (0..50_000).map(|index| format!("\"{}\":1", key(index))).collect::<Vec<_>>().join(",")
        )
    };
    let block = ends("50,000 keys", || read_block(&keys(&|index| format!("key{index}"))));
    assert_eq!(block.nodes.first().map(|node| node.properties.len()), Some(50_000));
    let block = ends("one key 50,000 times", || read_block(&keys(&|_| "name".to_owned())));
    assert!(has(&block, "repeated-key") && block.nodes[0].properties.len() == 1);
    let block = ends("one property under 50,000 prefixed keys", || {
        read_block(&keys(&|index| format!("{}name", if index % 2 == 0 { "" } else { "schema:" })))
    });
    assert_eq!(block.nodes[0].properties.len(), 1);

    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{{{schema},\"@type\":\"Product\",\"name\":\"A\",\"b\":{}1{}}}", open.repeat(500_000), close.repeat(500_000));
        let block = ends("500,000 levels", || read_block(&text));
        assert!(has(&block, "depth-limit") && &*block.nodes[0].types[0] == "Product");
        assert!(block.nodes.len() <= toolmark::json::MAX_DEPTH);
        let block = ends("500,000 levels, broken", || read_block(&format!("{text};")));
        assert!(has(&block, "depth-limit") && has(&block, "json-repaired"));
        ends("500,000 levels, cut off", || read_block(&text[..text.len() / 2]));
    }

    let product = r##"{"@type":"Product","@id":"#p%","name":"Product with a name of some length","image":["https://shop.example/i/1.jpg","/i/2.jpg"],"offers":{"@type":"Offer","price":129.90,"priceCurrency":"EUR","availability":"https://schema.org/InStock"}}"##;
    let products = (0..5_000).map(|index| product.replace('%', &index.to_string())).collect::<Vec<_>>().join(",");
    let text = format!("{{{schema},\"@graph\":[{products}]}}");
    let block = ends(&format!("{} KB of products", text.len() >> 10), || read_block(&text));
    assert_eq!(block.nodes.len(), 10_000);
    let block = ends("the same with a trailing comma", || read_block(&text.replace("]}", ",]}")));
    assert_eq!(block.nodes.len(), 10_000);
    assert!(has(&read_block(&" ".repeat(json_ld::MAX_BLOCK_BYTES + 1)), "too-large"));
}

#[test]
fn contexts_cost_what_their_size_is_worth() {
    let terms = (0..50_000).map(|index| format!("\"t{index}\":\"t{}:x\"", index + 1)).collect::<Vec<_>>().join(",");
    ends("50,000 terms in a chain", || read_block(&format!("{{\"@context\":{{{terms}}},\"t0\":1,\"t0:a\":2}}")));
    let contexts = (0..50_000).map(|index| format!("{{\"t{index}\":\"http://e.example/{index}\"}}")).collect::<Vec<_>>().join(",");
    let block = ends("50,000 contexts", || read_block(&format!("{{\"@context\":[{contexts}],\"t0\":1}}")));
    assert!(has(&block, "depth-limit"));
    let nested = format!("{}1{}", "{\"@context\":{\"a\":\"http://e.example/a\"},\"a\":".repeat(60), "}".repeat(60));
    let many = vec![nested; 500].join(",");
    ends("500 times 60 contexts within each other", || read_block(&format!("[{many}]")));
}

#[test]
fn broken_blocks_cost_what_their_size_is_worth() {
    for piece in [
        "\"",
        "\",'",
        "\", \"",
        "\",\"a\"x",
        "'",
        "<!-- {",
        "<!-- -->",
        "-->",
        "//",
        "/*",
        "/**/",
        "{",
        "[",
        "}",
        ";",
        ",",
        "\\",
        "&quot;",
        "&",
        "{\"a\":\"b\"}",
        "\u{feff}",
        "{\"a\":\"",
        "\"   ",
    ] {
        for start in ["", "{\"a\":\"", "['", "{&quot;"] {
            let text = [start, &piece.repeat(100_000 / piece.len())].concat();
            ends(&format!("{start}{piece}{piece}…"), || check(&read_block(&text).nodes, piece));
        }
    }
}

#[test]
fn items_do_not_explode() {
    // Each level refers twice to the next: written out in full it would be 2 to the power of 60.
    let level = |index: usize| {
        format!(
            "{{\"@id\":\"#{index}\",\"name\":\"n\",\"isPartOf\":[{{\"@id\":\"#{}\"}},{{\"@id\":\"#{0}\",\"alternateName\":\"m\"}}]}}",
            index + 1
        )
    };
    let graph = |count: usize, level: &dyn Fn(usize) -> String| {
        let nodes = (0..count).map(level).collect::<Vec<_>>().join(",");
        format!("<script type=application/ld+json>{{\"@context\":\"https://schema.org\",\"@graph\":[{nodes}]}}</script>")
    };
    let items = |html: &str| {
        let (page, diagnostics) = read::page(&[support::document(html, PAGE)], &Options::default());
        read::items_json(&page, &diagnostics)
    };
    let json = ends("a shared thing in a shared thing …", || items(&graph(60, &level)));
    assert!(json.len() < 2 * read::MAX_REPEATED_BYTES && json.contains("items-cut"), "{} bytes", json.len());
    let chain = |index: usize| format!("{{\"@id\":\"#{index}\",\"isPartOf\":{{\"@id\":\"#{}\"}}}}", index + 1);
    let json = ends("a chain of 20,000", || items(&graph(20_000, &chain)));
    assert!(json.contains("#19999") && json.contains("items-cut"));
    let same = |index: usize| format!("{{\"@id\":\"#same\",\"name\":\"n{index}\"}}");
    let json = ends("20,000 descriptions of one thing", || items(&graph(20_000, &same)));
    assert_eq!(json.matches("#same").count(), 1);
    let shared = |index: usize| format!("{{\"@id\":\"#{index}\",\"brand\":{{\"@id\":\"#0\"}},\"name\":\"{}\"}}", "n".repeat(200));
    let json = ends("20,000 things that share one", || items(&graph(20_000, &shared)));
    assert!(json.contains("#19999"));
}

#[test]
fn control_characters_of_a_context_reach_no_value() {
    let text = r##"{"@context":{"@vocab":"http://e.example/\u0001\n","p":"http://p.example/\u0002#","v":{"@type":"@vocab"},"i":{"@type":"@id"}},"@id":"p:x","@type":"T","v":"w","i":"p:y","q":{"@id":"p:z"}}"##;
    let block = read_block(text);
    check(&block.nodes, text);
    assert_eq!(block.nodes[0].properties.len(), 3);
}
