//! A page, through the whole flow.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use toolmark::options::Options;
use toolmark::{json, read};

fuzz_target!(|html: &str| {
    let documents = support::documents(html, "https://shop.example/p/1");
    let (page, diagnostics) = read::page(&documents, &Options::default());
    support::invariants::check(&page.nodes, html);
    assert!(json::parse(&read::items_json(&page, &diagnostics)).is_ok());
    toolmark::map(&documents, &Options::default());
});
