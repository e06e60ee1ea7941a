//! What a site answers to an action, as an agent gets it.

// Parses pages natively; what the browser reads is tested in tests/browser.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Value as Json, json};
use toolmark::options::Options;
use toolmark::results::{Body, Range, answer};

const URL: &str = "https://shop.example/?s=bag";

fn read(body: &Body<'_>, range: Range, options: &Options) -> Json {
    let text = answer(body, URL, range, options);
    assert!(text.len() <= options.max_payload_bytes, "{} bytes", text.len());
    let answer: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(answer.is_object(), "{text}");
    answer
}

fn page_part(html: &str, range: Range) -> Json {
    read(&Body::Page(&support::document(html, URL)), range, &Options::default())
}

fn page(html: &str) -> Json {
    page_part(html, Range::default())
}

/// A page around the results: what sites put around everything.
fn around(results: &str) -> String {
    let menu: String = (0..40).map(|number| format!("<li><a href='/category/{number}'>Category number {number}</a></li>")).collect();
    format!(
        "<!doctype html><title>Search: bag - Shop</title><style>.a{{}}</style><body><header><a href=/>Shop</a><ul>{menu}</ul></header>
        <nav><ul>{menu}</ul></nav><div class=mega><ul>{menu}</ul></div>
        <h1>Results for bag</h1>{results}
        <aside><h2>Popular</h2><ul>{menu}</ul></aside><footer><ul>{menu}</ul>Imprint</footer><script>var results = 'not this';</script>"
    )
}

fn title_and_url(answer: &Json) -> Vec<(&str, &str)> {
    let results = answer["results"].as_array().unwrap_or_else(|| panic!("no results in {answer}"));
    results.iter().map(|result| (result["title"].as_str().unwrap_or(""), result["url"].as_str().unwrap_or(""))).collect()
}

/// The lines of an answer that is text.
fn lines(answer: &Json) -> &str {
    assert_eq!(answer["content"][0]["type"], "text");
    answer["content"][0]["text"].as_str().unwrap()
}

#[test]
fn finds_the_list_in_the_shapes_that_sites_use() {
    for (shape, results) in [
        (
            "articles, as WordPress writes them",
            "<main><article class='post-1 post'><header><h2 class=entry-title><a href=/one/>Bag one</a></h2><time>1 May</time></header><div><p>The first <b>bag</b> of all. <a href=/one/#more>Read more</a></p></div></article>
             <article class='post-2 post'><header><h2><a href=/two/>Bag two</a></h2></header><p>The second bag of all.</p></article></main>",
        ),
        (
            "an ordered list",
            "<ol class=results><li><a href=/one/>Bag one</a><p>The first bag of all.</p></li><li><a href=/two/>Bag two</a><p>The second bag of all.</p></li></ol>",
        ),
        (
            "boxes with classes of their own",
            "<div id=search-results><div class='hit hit-1'><h3><a href=/one/>Bag one</a></h3><p>The first bag of all.</p></div><div class='hit hit-2'><h3><a href='/two/'>Bag two</a></h3><p>The second bag of all.</p></div></div>",
        ),
        (
            "headings and what follows them",
            "<div class=results><h3><a href=/one/>Bag one</a></h3><p>The first bag of all.</p><hr><h3><a href=/two/>Bag two</a></h3><p>The second bag of all.</p></div>",
        ),
        (
            "a table",
            "<table class=results><thead><tr><th>Name<th>About</tr></thead><tbody><tr><td><a href=/one/>Bag one</a><td>The first bag of all.</tr><tr><td><a href=/two/>Bag two</a><td>The second bag of all.</tr></tbody></table>",
        ),
        (
            "cards that are links",
            "<div class=results><a class=card href=/one/><img src=1.png alt='a picture'><h3>Bag one</h3><p>The first bag of all.</p></a><a class=card href=/two/><h3>Bag two</h3><p>The second bag of all.</p></a></div>",
        ),
        (
            "pictures with links first",
            "<ul class=results><li><a href=/one/><img src=1.png></a><a href=/one/>Bag one</a><span>The first bag of all.</span></li><li><a href=/two/><img src=2.png></a><a href=/two/>Bag two</a><span>The second bag of all.</span></li></ul>",
        ),
    ] {
        let answer = page(&around(results));
        assert_eq!(title_and_url(&answer), [("Bag one", "https://shop.example/one/"), ("Bag two", "https://shop.example/two/")], "{shape}: {answer}");
        assert!(answer["results"][0]["text"].as_str().is_some_and(|text| text.contains("The first bag of all.")), "{shape}: {answer}");
        assert_eq!((&answer["page"], &answer["title"]), (&json!(URL), &json!("Results for bag")), "{shape}");
        assert!(answer.get("more").is_none(), "{shape}");
    }
}

#[test]
fn reads_products_with_prices_out_of_rows() {
    let product = |number: usize| {
        format!(
            "<div class=col><div class=card><a href=/p/{number}><img src=x.png></a><h3><a href=/p/{number}>Bag {number}</a></h3><span class=product-price>€ {number}9,90</span><button>Add</button></div></div>"
        )
    };
    let rows: String =
        (0..4).map(|row| format!("<div class=row>{}</div>", (1..4).map(|column| product(row * 3 + column)).collect::<String>())).collect();
    let answer = page_part(&around(&format!("<div class=products>{rows}</div>")), Range { offset: 0, limit: Some(12) });
    assert_eq!(answer["results"].as_array().map(Vec::len), Some(12), "{answer}");
    assert_eq!(answer["results"][11], json!({"title": "Bag 12", "url": "https://shop.example/p/12", "price": "€ 129,90", "text": "Add"}));
    let list = "<ul class=results><li><a href=/a>A fine bag</a> only 12,50 EUR today</li><li><a href=/b>A better bag</a> now $99.00 for you</li><li><a href=/c>No bag</a> for 12 people</li></ul>";
    let answer = page(&around(list));
    let prices: Vec<&Json> = answer["results"].as_array().unwrap().iter().map(|result| &result["price"]).collect();
    assert_eq!(prices, [&json!("12,50 EUR"), &json!("$99.00"), &Json::Null]);
}

#[test]
fn one_result_is_a_result_where_the_page_says_so() {
    let answer = page(&around(
        "<div class=search-results><article><h2><a href=/one/>Bag one</a></h2><p>The only bag of all bags in this shop.</p></article></div>",
    ));
    assert_eq!(title_and_url(&answer)[0], ("Bag one", "https://shop.example/one/"), "{answer}");
}

#[test]
fn reads_the_page_s_own_markup_first() {
    let item = |number: usize| json!({"@type": "ListItem", "position": number, "item": {"@type": "Product", "name": format!("Bag {number}"), "url": format!("https://shop.example/p/{number}"), "offers": {"@type": "Offer", "price": format!("{number}9.90"), "priceCurrency": "EUR"}}});
    let list = json!({"@context": "https://schema.org", "@type": "ItemList", "itemListElement": (1..6).map(item).collect::<Vec<_>>()});
    let html = around(&format!(
        "<script type=application/ld+json>{list}</script><ul class=results><li><a href=/x>Something</a> else that is here</li><li><a href=/y>More</a> of what is here</li></ul>"
    ));
    let answer = page(&html);
    assert_eq!(answer["page"], URL);
    let text = answer.to_string();
    assert!(text.contains("Bag 5") && text.contains("59.90") && !text.contains("Something"), "{text}");
    let product = json!({"@context": "https://schema.org", "@type": "Product", "name": "The bag", "sku": "B1", "offers": {"@type": "Offer", "price": "9.90", "priceCurrency": "EUR"}});
    let site = json!({"@context": "https://schema.org", "@type": "WebSite", "name": "Shop"});
    let text = page(&around(&format!("<script type=application/ld+json>{product}</script>"))).to_string();
    assert!(text.contains("The bag") && text.contains("9.90"), "{text}");
    let answer = page(&around(&format!(
        "<script type=application/ld+json>{site}</script><ul class=results><li><a href=/x>Bag X</a> a bag that is here</li><li><a href=/y>Bag Y</a> another bag</li></ul>"
    )));
    assert_eq!(title_and_url(&answer)[0].0, "Bag X", "what describes the site is no result: {answer}");
}

#[test]
fn else_tells_what_the_page_says() {
    let answer = page("<h1>Nothing found</h1><p>first\nsecond</p>\n<a\nhref='/x'>go</a>");
    let text = answer["sections"][0]["text"].as_str().unwrap();
    assert!(text.contains("first second") && text.contains("go"), "{answer}");
    let answer = page(
        &around("<p>No results for bag.</p><p>Try other words.</p>")
            .replace("<li>", "")
            .replace("<a href", "<b title")
            .replace("</a>", "</b>"),
    );
    assert!(answer["sections"].to_string().contains("No results for bag."), "{answer}");
    let answer = page(&around("<p>No results for bag.</p><p>Try other words.</p>"));
    assert!(answer["sections"].to_string().contains("No results for bag."), "menus are no results: {answer}");
    assert_eq!(page("<script>x</script>")["sections"], json!([]));
    assert!(page("RESULT ONE")["sections"][0]["text"] == "RESULT ONE");
}

#[test]
fn text_with_links_is_text() {
    let text = "<p>This is a long paragraph of an article in which there is a <a href=/a>link to something</a> and more.</p>".repeat(6);
    let list = "<li>Take some flour, which you have to buy before you begin, see <a href=/a>here</a> for more of it</li>".repeat(4);
    let answer = page(&format!("<main><article><h1>An article</h1>{text}<ul>{list}</ul></article></main>"));
    assert!(answer["sections"].to_string().contains("long paragraph"), "{answer}");
}

#[test]
fn a_long_page_is_told_in_parts() {
    let items: String = (0..120)
        .map(|number| format!("<li><a href=/{number}>Result number {number}</a> with some words about it, as results have</li>"))
        .collect();
    let html = around(&format!("<ul class=results>{items}</ul>"));
    let mut told = 0;
    let mut offset = 0;
    loop {
        let answer = page_part(&html, Range { offset, limit: None });
        assert!(answer.to_string().len() < 2_600, "{}", answer.to_string().len());
        let results = title_and_url(&answer).len();
        assert!(results >= 3);
        told += results;
        match answer.get("more") {
            Some(more) => {
                assert_eq!(more["total"], 120);
                offset = more["offset"].as_u64().unwrap() as usize;
                assert_eq!(offset, told);
            }
            None => break,
        }
    }
    assert_eq!(told, 120);
    let answer = page_part(&html, Range { offset: 100, limit: Some(50) });
    assert_eq!(title_and_url(&answer).len(), 20);
    let answer = page_part(&html, Range { offset: 500, limit: None });
    assert_eq!(answer["results"], json!([]));
    let words = "word ".repeat(20_000);
    let answer = page(&format!("<h1>Text</h1><p>{words}"));
    assert!(answer["more"]["total"].as_u64().unwrap() > 50 && answer.to_string().len() < 6_000, "{answer}");
}

#[test]
fn passes_json_on_in_its_shape() {
    for (json, data) in [
        (
            json!({"hits": [{"id": 1, "name": "A", "gone": null, "none": [], "empty": {}, "blank": " "}, {"id": 2}], "took": 5}),
            json!({"hits": [{"id": 1, "name": "A"}, {"id": 2}], "took": 5}),
        ),
        (
            json!([{"title": {"rendered": "Bag &amp; <b>more</b>"}, "content": "<p>first</p><p>second</p>"}, 2]),
            json!([{"title": {"rendered": "Bag & more"}, "content": "first\nsecond"}, 2]),
        ),
        (json!({"url": "https://shop.example/?a=1&copy=2", "ok": true}), json!({"url": "https://shop.example/?a=1&copy=2", "ok": true})),
        (json!("text"), json!("text")),
        (json!([]), json!([])),
        (json!({"a": {"b": {"c": {"d": {"e": [1, 2, 3]}}}}}), json!({"a": {"b": {"c": {"d": {"e": [1, 2, 3]}}}}})),
    ] {
        let text = json.to_string();
        let answer = read(&Body::Json(&text), Range::default(), &Options::default());
        assert_eq!(answer, json!({"page": URL, "data": data}), "{json}");
    }
    let kept = answer(&Body::Json(r#"{"price": 129.90, "id": 12345678901234567890}"#), URL, Range::default(), &Options::default());
    assert!(kept.contains("129.90") && kept.contains("12345678901234567890"), "{kept}");
}

#[test]
fn tells_long_json_in_parts_and_always_whole() {
    let hits: Vec<Json> =
        (0..300).map(|number| json!({"id": number, "title": format!("Result number {number}"), "body": "words ".repeat(50)})).collect();
    let text = json!({"facets": ["a", "b", "c"], "results": {"hits": hits}, "total": 300}).to_string();
    let part = read(&Body::Json(&text), Range::default(), &Options::default());
    let told = part["data"]["results"]["hits"].as_array().unwrap().len();
    assert!((3..20).contains(&told) && part["more"] == json!({"offset": told, "total": 300}) && part["data"]["total"] == 300, "{part}");
    let part = read(&Body::Json(&text), Range { offset: 295, limit: Some(10) }, &Options::default());
    assert_eq!(part["data"]["results"]["hits"].as_array().unwrap().len(), 5);
    assert_eq!(part["data"]["results"]["hits"][0]["id"], 295);
    let huge = json!({"one": {"text": "words ".repeat(20_000), "more": (0..500).map(|number| json!({"x": "y".repeat(number)})).collect::<Vec<_>>()}}).to_string();
    let small = Options { max_payload_bytes: 3_000, ..Options::default() };
    for options in [&Options::default(), &small] {
        let part = read(&Body::Json(&huge), Range::default(), options);
        assert!(part["data"]["one"]["text"].as_str().unwrap().ends_with('…'), "{part}");
    }
    let keys: serde_json::Map<String, Json> = (0..2_000).map(|number| (format!("key-number-{number}"), json!(number))).collect();
    let part = read(&Body::Json(&Json::Object(keys).to_string()), Range::default(), &small);
    assert_eq!(part["error"]["code"], "too_large", "{part}");
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    assert!(read(&Body::Json(&deep), Range::default(), &Options::default())["data"].is_array());
    assert_eq!(lines(&read(&Body::Json("{no json"), Range::default(), &Options::default())), "{no json");
}

#[test]
fn keeps_the_lines_of_a_text() {
    let answer = read(&Body::Text("name,price\r\nBag one,10\n\nBag\ttwo,20\n\n"), Range::default(), &Options::default());
    assert_eq!((lines(&answer), &answer["page"]), ("name,price\nBag one,10\n\nBag\ttwo,20", &json!(URL)));
    let long: String = (0..1_000).map(|number| format!("row {number},with,some,values\n")).collect();
    let answer = read(&Body::Text(&long), Range { offset: 990, limit: None }, &Options::default());
    assert!(lines(&answer).starts_with("row 990,") && answer.get("more").is_none());
    let answer = read(&Body::Text(&long), Range::default(), &Options::default());
    assert!(lines(&answer).len() < 2_100 && answer["more"]["total"] == 1_000, "{answer}");
    let line = "x".repeat(100_000);
    let answer = read(&Body::Text(&line), Range::default(), &Options::default());
    assert!(lines(&answer).len() < 4_000 && answer["more"]["total"] == 100, "{answer}");
    assert_eq!(lines(&read(&Body::Text("a\u{202e}b\u{0}c"), Range::default(), &Options::default())), "abc");
}

#[test]
fn hostile_pages_end() {
    let deep = ["<div class=price>".repeat(3_000), "<a href=/x>link</a>".into()].concat();
    let wide: String = (0..50_000).map(|number| format!("<li><a href=/{number}>{number} result</a>")).collect();
    let kinds: String = (0..20_000).map(|number| format!("<div class=c{number}x><a href=/{number}>{number} result</a></div>")).collect();
    for html in [deep, format!("<ul>{wide}"), kinds] {
        let document = support::document(&html, URL);
        let answer = read(&Body::Page(&document), Range::default(), &Options::default());
        assert!(answer.is_object(), "{answer}");
    }
}
