//! A page that is mapped again is not parsed again where it is the same, and nobody can tell from what comes out.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use toolmark::json::Writer;
use toolmark::options::Options;
use toolmark::read::json_ld::{Known, MAX_KNOWN};
use toolmark::{graph, map, map_again};

const URL: &str = "https://shop.example/p/1";

fn block(json: &str) -> String {
    format!("<script type=application/ld+json>{json}</script>")
}

fn product(name: &str) -> String {
    block(&format!(r#"{{"@context":"https://schema.org","@id":"_:p","@type":"Product","name":"{name}","url":"/{name}"}}"#))
}

/// All that a mapping tells.
fn told(mapping: &toolmark::Mapping) -> String {
    let mut out = Writer::new();
    out.array(|out| {
        mapping.tools.iter().for_each(|tool| tool.write(out));
        mapping.diagnostics.iter().for_each(|found| found.write(out));
    });
    out.into_string() + &graph::entities_json(&mapping.graph)
}

/// Maps with what is known and anew, which must give the same; tells how many blocks were parsed.
fn again(html: &str, url: &str, known: &mut Known) -> usize {
    let documents = support::documents(html, url);
    let options = Options::default();
    assert_eq!(told(&map_again(&documents, &options, known)), told(&map(&documents, &options)), "{html}");
    known.parsed
}

#[test]
fn only_what_changed_is_parsed() {
    let mut known = Known::remembering();
    let broken = block(r#"{"@context":"https://schema.org","@type":"Organization","name":"Ace",}"#);
    let page = |names: &[&str]| names.iter().map(|name| product(name)).collect::<String>() + &broken;
    assert_eq!(again(&page(&["a", "b", "c"]), URL, &mut known), 4);
    assert_eq!(again(&page(&["a", "b", "c"]), URL, &mut known), 0);
    assert_eq!(again(&page(&["a", "x", "c"]), URL, &mut known), 1, "one of them changed");
    assert_eq!(again(&page(&["c", "a", "x"]), URL, &mut known), 0, "another order, other numbers in diagnostics and blank labels");
    assert_eq!(again(&page(&["c", "c", "x"]), URL, &mut known), 1, "the same one twice");
    assert_eq!(again(&page(&["a"]), URL, &mut known), 1, "what was gone is forgotten");
    assert_eq!(again(&format!("<p>new</p>{}", page(&["a"])), URL, &mut known), 0, "elsewhere in the page");
    assert_eq!(again(&page(&["a"]), "https://other.example/", &mut known), 2, "its relative addresses mean something else");
}

#[test]
fn a_page_of_more_blocks_than_are_remembered_is_read_all_the_same() {
    let mut known = Known::remembering();
    let page: String = (0..MAX_KNOWN + 20).map(|number| product(&number.to_string())).collect();
    assert_eq!(again(&page, URL, &mut known), MAX_KNOWN + 20);
    assert_eq!(again(&page, URL, &mut known), 20);
}

#[test]
fn pages_after_each_other_leave_nothing_of_themselves() {
    let mut known = Known::remembering();
    let mut count = 0;
    for entry in std::fs::read_dir("tests/pages").unwrap() {
        let file = entry.unwrap().path().join("page.html");
        let Ok(html) = std::fs::read_to_string(&file) else { continue };
        again(&html, URL, &mut known);
        again(&html, URL, &mut known);
        assert_eq!(known.parsed, 0, "{}", file.display());
        count += 1;
    }
    assert!(count > 10, "{count}");
}
