//! A page's markup (JSON-LD up to a NUL, then HTML), mapped; every tool called, with every choice its schema has.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use toolmark::call::{self, Outcome};
use toolmark::options::Options;
use toolmark::{json, read};

const PAGE: &str = "https://shop.example.com/p/1";

fuzz_target!(|text: &str| {
    let (block, html) = text.split_once('\0').unwrap_or((text, ""));
    let html = format!("<title>T</title>{html}<script type=\"application/ld+json\">{}</script>", block.replace("</", "<\\/"));
    let documents = [support::document(&html, PAGE)];
    let options = Options::default();
    let mut mapping = toolmark::map(&documents, &options);
    mapping.outline = Some(read::outline::build(&documents[0]));
    for tool in &mapping.tools {
        for input in support::trust::inputs(tool) {
            let parsed = json::parse(&input).expect("JSON of our own");
            let said = call::run(&mapping, &tool.name, &parsed.value);
            if let Outcome::Answer(answer) = &said {
                // A page's visible text may name an active URL in words.
                let check = if tool.source.kind() == "page" { support::trust::seen } else { support::trust::answer };
                check(answer, options.max_payload_bytes, &html);
            }
            assert_eq!(said, call::run(&mapping, &tool.name, &parsed.value), "a second call answers otherwise");
        }
    }
    // Mapping the same page again offers the same.
    assert_eq!(mapping.tools, toolmark::map(&documents, &options).tools);
});
