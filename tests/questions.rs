//! Natural questions over pages written for them: the right section must be among the first three results.

// Parses pages natively; what the browser reads is tested in tests/browser.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use serde_json::{Value, json};
use toolmark::options::Options;
use toolmark::read::outline;
use toolmark::tools::page::{self, PageTool};

#[test]
fn nine_of_ten_questions_find_their_section() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/questions/");
    let questions = std::fs::read_to_string(format!("{folder}questions.json")).expect("questions");
    let questions: Vec<Value> = serde_json::from_str(&questions).expect("JSON");
    assert!(questions.len() >= 50, "only {} questions", questions.len());
    let (mut found, mut first, mut pages) = (0, 0, std::collections::BTreeSet::new());
    for entry in &questions {
        let name = entry["page"].as_str().expect("a page");
        let section = entry["section"].as_str().expect("a section");
        pages.insert(name);
        let html = std::fs::read_to_string(format!("{folder}{name}.html")).expect("a page");
        let document = support::document(&html, "https://site.example/page");
        let outline = outline::build(&document);
        assert!(outline.sections().iter().any(|known| known.id == section), "{name} has no section {section}");
        let input = json!({"query": entry["question"]}).to_string();
        let input = toolmark::json::parse(&input).expect("JSON");
        let answer = page::answer(&outline, &Default::default(), PageTool::Search, &input.value, &Options::default());
        assert!(answer.chars().count() <= 1_300, "{} characters for {}", answer.chars().count(), entry["question"]);
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let ids: Vec<&str> =
            answer["results"].as_array().expect("results").iter().map(|result| result["section"].as_str().expect("an id")).collect();
        let place = ids.iter().position(|id| id.split('~').next() == Some(section));
        found += usize::from(place.is_some());
        first += usize::from(place == Some(0));
        if place != Some(0) {
            println!("{name}: {} → {ids:?}, wanted {section}", entry["question"]);
        }
    }
    println!("{found} of {} questions over {} pages found their section in the first three, {first} first", questions.len(), pages.len());
    assert!(pages.len() >= 20);
    assert!(found * 10 >= questions.len() * 9, "{found} of {}", questions.len());
}
