//! The text of one JSON-LD block.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use toolmark::options::Options;
use toolmark::read::json_ld;

fuzz_target!(|text: &str| {
    let document = support::document("", "https://shop.example/p/1");
    support::invariants::check(&json_ld::read_block(text, &document, &Options::default(), 0).nodes, text);
});
