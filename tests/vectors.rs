//! The vectors of the standards' suites and our own: what a right reader finds on a page. They lie outside this
//! repository; without them this test says so and does nothing.

// Parses pages natively; what the browser reads is tested in tests/browser.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::string_slice)]

mod support;

use serde_json::Value as Json;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use support::canon::{Compare, same};
use toolmark::options::Options;
use toolmark::read;

/// Of each suite: cases that pass, which may not become fewer, of how many. Of these every case passes or is listed in
/// `vectors-not-followed.json`, with the reason; cases beyond them are only counted. The run in Chromium
/// (`tests/e2e/vectors.test.mjs`) is held to the same.
fn recorded() -> BTreeMap<String, (usize, usize)> {
    serde_json::from_str(include_str!("vectors-recorded.json")).unwrap()
}

/// Blocks of the saved pages that nothing can be made of.
const GIVEN_UP: usize = 0;

fn shared() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("TOOLMARK_SHARED").map_or(beside, PathBuf::from).join("vectors");
    shared.is_dir().then_some(shared)
}

fn suite(path: &std::path::Path) -> Vec<Json> {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The items that one page holds in these formats.
fn items(html: &str, url: &str, formats: &[&str]) -> Json {
    let has = |name| formats.contains(&name);
    let options = Options { json_ld: has("jsonld"), microdata: has("microdata"), rdfa: has("rdfa"), ..Options::default() };
    let (page, diagnostics) = read::page(&support::documents(html, url), &options);
    let read: Json = serde_json::from_str(&read::items_json(&page, &diagnostics)).unwrap();
    read["items"].clone()
}

fn case_items(case: &Json) -> Json {
    let formats: Vec<&str> = case["formats"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
    items(case["html"].as_str().unwrap(), case["base_url"].as_str().unwrap(), &formats)
}

fn passes(case: &Json, items: &Json) -> bool {
    let compare = Compare {
        order: case["order"] == Json::Bool(true),
        drop_empty: !case["suite"].as_str().unwrap().starts_with("own"),
        schema_only: false,
    };
    let accepted = case.get("also_accepted").and_then(Json::as_array).into_iter().flatten();
    case["expected"].is_null() || std::iter::once(&case["expected"]).chain(accepted).any(|expected| same(expected, items, compare))
}

/// `TOOLMARK_CASE=own/ld-basic` shows one case: the page, what is expected, what was read. `TOOLMARK_RESULTS=file`
/// writes all items for the vectors' own `judge.mjs`.
#[test]
fn vectors() {
    // Pages nest deep, and the comparison is recursive.
    std::thread::Builder::new().stack_size(256 << 20).spawn(run).unwrap().join().unwrap();
}

fn run() {
    let Some(folder) = shared() else {
        println!("vectors: skipped, there is no ../shared/vectors");
        return;
    };
    let not_followed: BTreeMap<String, String> = serde_json::from_str(include_str!("vectors-not-followed.json")).unwrap();
    let (wanted, results) = (std::env::var("TOOLMARK_CASE").ok(), std::env::var("TOOLMARK_RESULTS").ok());
    let mut all = serde_json::Map::new();
    let mut wrong = Vec::new();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name == "schemaorg-examples" {
            wrong.extend(examples(&suite(&path), &mut all));
            continue;
        }
        let cases = suite(&path);
        let mut failed = Vec::new();
        for case in &cases {
            let id = case["id"].as_str().unwrap();
            let items = case_items(case);
            let ok = passes(case, &items);
            if wanted.as_deref() == Some(id) {
                println!(
                    "{}\n{:#}\nread: {items:#}\n{}",
                    case["html"].as_str().unwrap(),
                    case["expected"],
                    if ok { "passes" } else { "fails" }
                );
            }
            if !ok {
                failed.push(id);
            } else if not_followed.contains_key(id) {
                wrong.push(format!("{id} passes: take it off vectors-not-followed.json"));
            }
            all.insert(id.to_owned(), items);
        }
        let unlisted: Vec<&&str> = failed.iter().filter(|id| !not_followed.contains_key(**id)).collect();
        println!(
            "{name:20} {} of {}   {}",
            cases.len() - failed.len(),
            cases.len(),
            unlisted.iter().map(|id| **id).collect::<Vec<_>>().join(" ")
        );
        if recorded().get(&name).is_some_and(|(_, of)| *of == cases.len()) {
            wrong.extend(unlisted.iter().map(|id| format!("{id} fails")));
        }
        wrong.extend(below_record(&name, cases.len() - failed.len()));
    }
    if let Some(path) = results {
        std::fs::write(path, Json::Object(all).to_string()).unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn below_record(suite: &str, passed: usize) -> Option<String> {
    let recorded = recorded().get(suite).map_or(0, |(recorded, _)| *recorded);
    (passed < recorded).then(|| format!("{suite}: {passed} cases pass, {recorded} did"))
}

/// Schema.org's own examples: each syntax against what two independent readers of different syntaxes agree on
/// (confirmed) and what the reference reader found (all); then our three readings against each other.
fn examples(cases: &[Json], all: &mut serde_json::Map<String, Json>) -> Vec<String> {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut failed: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut count = |name: String, ok: bool, id: &'static str| {
        let entry = counts.entry(name.clone()).or_default();
        *entry = (entry.0 + usize::from(ok), entry.1 + 1);
        if !ok {
            failed.entry(name).or_default().push(id);
        }
    };
    let compare = Compare { drop_empty: true, ..Compare::default() };
    for case in cases {
        let id: &'static str = case["id"].as_str().unwrap().to_owned().leak();
        let mut ours = Vec::new();
        let agreed: HashSet<&str> = case["pairs"]
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, agreement)| *agreement == "exact")
            .flat_map(|(pair, _)| pair.split('='))
            .collect();
        for syntax in ["microdata", "rdfa", "jsonld"] {
            let Some(html) = case.get(format!("{syntax}_html")).and_then(Json::as_str) else { continue };
            let items = items(html, case["base_url"].as_str().unwrap(), &[syntax]);
            let reference = case.get("read_by_oracles").and_then(|read| read.get(syntax)).or_else(|| case.get("expected"));
            if let Some(reference) = reference.filter(|reference| !reference.is_null()) {
                let ok = same(reference, &items, compare);
                count(format!("examples {syntax} all"), ok, id);
                if agreed.contains(syntax) {
                    count(format!("examples {syntax} confirmed"), ok, id);
                }
            }
            all.insert(format!("{id} {syntax}"), items.clone());
            ours.push(items);
        }
        if case["agreement"] == "exact" {
            let ok = ours[0] != Json::Array(Vec::new()) && ours.windows(2).all(|pair| same(&pair[0], &pair[1], compare));
            count("examples agreement".to_owned(), ok, id);
        }
    }
    for (name, (passed, total)) in &counts {
        println!("{name:28} {passed} of {total}   {}", failed.get(name).map(|ids| ids.join(" ")).unwrap_or_default());
    }
    counts.iter().filter_map(|(name, (passed, _))| below_record(name, *passed)).collect()
}

/// Every JSON-LD block of the saved pages: how many are repaired, how many are given up, by what they say.
/// `TOOLMARK_BROKEN=1` shows each.
#[test]
fn broken_blocks() {
    let Some(folder) = shared().map(|vectors| vectors.with_file_name("pages").join("html")).filter(|folder| folder.is_dir()) else {
        println!("broken blocks: skipped, there is no ../shared/pages");
        return;
    };
    let show = std::env::var_os("TOOLMARK_BROKEN").is_some();
    let (mut blocks, mut repaired, mut given_up) = (0, 0, 0);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let html = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let mut rest = &*html;
        while let Some(at) = rest.find("<script") {
            rest = &rest[at..];
            let (Some(from), Some(to)) = (rest.find('>').map(|at| at + 1), rest.find("</script")) else { break };
            let (tag, text) = (&rest[..from], rest.get(from..to).unwrap_or(""));
            rest = &rest[to.max(from)..];
            if !tag.contains("application/ld+json") {
                continue;
            }
            let document = support::document("", "https://page.example/");
            let block = read::json_ld::read_block(text, &document, &Options::default(), 0);
            blocks += 1;
            for diagnostic in &block.diagnostics {
                match diagnostic.code {
                    "json-repaired" => repaired += 1,
                    "json-parse-error" => given_up += 1,
                    _ => continue,
                }
                if show {
                    println!("{}: {}", path.file_name().unwrap().display(), diagnostic.message);
                    println!("    {:?}", block.nodes);
                }
            }
        }
    }
    println!("broken blocks: {repaired} of {} repaired, {blocks} blocks in all", repaired + given_up);
    assert!(given_up <= GIVEN_UP, "{given_up} blocks were given up, {GIVEN_UP} were");
}
