//! Measures what agents get from saved pages: `cargo run --profile measure --no-default-features --features measure --example measure -- FOLDER [--jsonl FILE]`.
//!
//! FOLDER holds `manifest.jsonl` (`{"id", "file", "url"}` a line) and, to say what is missing and what it costs beside the
//! page's text, `index.jsonl` (`vertical`, `markup`), `ref.jsonl` (`entities`) and `text.jsonl` (`main_tokens`).

#[path = "../support/mod.rs"]
mod support;
#[path = "table.rs"]
mod table;

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use toolmark::call::{self, Outcome};
use toolmark::json::{self as own, Writer};
use toolmark::options::Options;
use toolmark::{Mapping, map};

/// Answers that follow one call by `more.offset`, at most.
const PARTS: usize = 200;

fn call(mapping: &Mapping, tool: &str, input: &Value) -> Option<String> {
    let text = input.to_string();
    let parsed = own::parse(&text).ok()?;
    match call::run(mapping, tool, &parsed.value) {
        Outcome::Answer(answer) => Some(answer),
        _ => None,
    }
}

/// The answer to `input` and those that follow it.
fn all_parts(mapping: &Mapping, tool: &str, input: &Value) -> Vec<String> {
    let mut input = input.clone();
    let mut answers = Vec::new();
    while let Some(answer) = call(mapping, tool, &input) {
        let offset = serde_json::from_str::<Value>(&answer).ok().and_then(|answer| answer["more"]["offset"].as_u64());
        answers.push(answer);
        match offset {
            Some(offset) if input["offset"].as_u64() != Some(offset) && answers.len() < PARTS => input["offset"] = offset.into(),
            _ => break,
        }
    }
    answers
}

fn measure(id: &str, html: &str, url: &str) -> Value {
    let documents = support::documents(html, url);
    let options = Options { page: false, ..Options::default() };
    let start = Instant::now();
    let mapping = map(&documents, &options);
    let ms = start.elapsed().as_secs_f64() * 1000.0;
    if std::env::var_os("GRAPH").is_some() {
        eprintln!("{:#?}", mapping.graph.entities);
    }
    let mut tools = Vec::new();
    let mut reach = Vec::new();
    for tool in &mapping.tools {
        let mut out = Writer::new();
        tool.write(&mut out);
        let mut entry: Value = serde_json::from_str(&out.into_string()).expect("a definition is JSON");
        let kind = entry["source"]["kind"].take();
        entry.as_object_mut().expect("a definition is an object").remove("source");
        let required = entry["inputSchema"]["required"].as_array().is_some_and(|names| !names.is_empty());
        let output = if kind == "read" || (kind == "page" && !required) { call(&mapping, &tool.name, &json!({})) } else { None };
        if kind == "read" {
            reach.extend(all_parts(&mapping, &tool.name, &json!({})).into_iter().skip(1));
            for name in entry["inputSchema"]["properties"]["include"]["items"]["enum"].as_array().into_iter().flatten() {
                reach.extend(all_parts(&mapping, &tool.name, &json!({"include": [name]})));
            }
        }
        entry["kind"] = kind;
        entry["output"] = output.map_or(Value::Null, Value::String);
        tools.push(entry);
    }
    let diagnostics: Vec<Value> = mapping
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let mut out = Writer::new();
            diagnostic.write(&mut out);
            serde_json::from_str(&out.into_string()).expect("a diagnostic is JSON")
        })
        .collect();
    json!({"id": id, "tools": tools, "reach": reach, "diagnostics": diagnostics, "ms": ms})
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("a folder of pages");
    let mut jsonl = None;
    while let Some(argument) = arguments.next() {
        if argument == "--jsonl" {
            jsonl = Some(fs::File::create(arguments.next().expect("a file after --jsonl")).expect("the file can be written"));
        }
    }
    let folder = Path::new(&folder);
    // Lines of a further file by the page's id; none where there is no such file.
    let lines = |file: &str| -> HashMap<String, Value> {
        let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
        let parsed = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        parsed.map(|line| (line["id"].as_str().unwrap_or("").to_owned(), line)).collect()
    };
    let (index, reference, texts) = (lines("index.jsonl"), lines("ref.jsonl"), lines("text.jsonl"));
    let mut table = table::Table::new();
    let manifest = fs::read_to_string(folder.join("manifest.jsonl")).expect("manifest.jsonl in the folder");
    for line in manifest.lines().filter(|line| !line.trim().is_empty()) {
        let page: Value = serde_json::from_str(line).expect("a line of JSON");
        let html = fs::read(folder.join(page["file"].as_str().expect("a file name"))).expect("the page's file");
        let html = String::from_utf8_lossy(&html);
        let measured = measure(page["id"].as_str().unwrap_or(""), &html, page["url"].as_str().unwrap_or(""));
        let id = page["id"].as_str().unwrap_or("");
        let of = |lines: &HashMap<String, Value>, field: &str| lines.get(id).map_or(Value::Null, |line| line[field].clone());
        // A page without markup is not what this measures.
        if !of(&index, "markup").as_array().is_some_and(Vec::is_empty) {
            let kind = of(&index, "vertical").as_str().unwrap_or("page").to_owned();
            let text = of(&texts, "main_tokens").as_u64().unwrap_or(0) as usize;
            table.add(&kind, text, &of(&reference, "entities"), &measured);
        }
        if let Some(file) = &mut jsonl {
            writeln!(file, "{measured}").expect("the file can be written");
        }
    }
    table.print();
}
