//! Every folder of tests/pages: a page in, the tools and answers it must give. The format is in its README;
//! `BLESS=1` writes what came out into the folders, `TOOLMARK_CASE=name` runs one.

// Parses pages natively; what the browser reads is tested in tests/browser.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::{Map, Value as Json, json};
use std::path::{Path, PathBuf};
use toolmark::call::{self, Outcome};
use toolmark::json;
use toolmark::options::Options;
use toolmark::tools::{Source, Tool};

const URL: &str = "https://shop.example/page";

fn read(path: &Path) -> Option<Json> {
    let text = std::fs::read(path).ok()?;
    Some(serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn write(path: &Path, json: &Json) {
    std::fs::write(path, serde_json::to_string_pretty(json).unwrap() + "\n").unwrap();
}

struct Case {
    mapping: toolmark::Mapping,
    url: String,
}

impl Case {
    fn open(folder: &Path) -> Self {
        let page = ["page.html", "page.xhtml"].iter().find_map(|name| std::fs::read(folder.join(name)).ok());
        let page = page.unwrap_or_else(|| panic!("{}: there is no page.html", folder.display()));
        let mut given = read(&folder.join("options.json")).unwrap_or_else(|| json!({}));
        let fields = given.as_object_mut().expect("options.json is an object");
        let url = fields.remove("url").map_or_else(|| URL.to_owned(), |url| url.as_str().unwrap().to_owned());
        fields.entry("page").or_insert(Json::Bool(false));
        let text = given.to_string();
        let options = Options::from_json(&json::parse(&text).unwrap().value);
        let documents = support::documents(&String::from_utf8_lossy(&page), &url);
        let mut mapping = toolmark::map(&documents, &options);
        mapping.outline = documents.first().map(toolmark::read::outline::build);
        Case { mapping, url }
    }

    fn call(&self, tool: &str, input: &Json) -> Json {
        let text = input.to_string();
        match call::run(&self.mapping, tool, &json::parse(&text).unwrap().value) {
            Outcome::Answer(text) => {
                let answer: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{tool} answers no JSON ({error}): {text}"));
                assert!(answer.is_object(), "{tool} answers no object: {text}");
                answer
            }
            Outcome::Fetch { url, .. } => json!({ "fetch": url }),
            #[allow(unreachable_patterns)] // Outcomes that only the edge can carry out.
            _ => json!({ "act": tool }),
        }
    }

    fn definition(tool: &Tool) -> Json {
        let mut out = json::Writer::new();
        tool.write(&mut out);
        serde_json::from_str(&out.into_string()).unwrap()
    }

    /// What `expected.json` says of this page, all of it.
    fn result(&self) -> Json {
        let tools: Vec<Json> = self.mapping.tools.iter().map(Self::definition).collect();
        let readable = |tool: &&Tool| {
            matches!(tool.source, Source::Entity { .. } | Source::List { .. } | Source::Page(_))
                && !tool.parameters.iter().any(|parameter| parameter.required)
        };
        let answers: Map<String, Json> =
            self.mapping.tools.iter().filter(readable).map(|tool| (tool.name.clone(), self.call(&tool.name, &json!({})))).collect();
        let mut codes: Vec<&str> = self.mapping.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        codes.sort_unstable();
        json!({ "tools": tools, "answers": answers, "diagnostics": codes })
    }
}

/// Everything that `expected` says is so in `actual`; arrays are equal in length and order.
fn is_within(expected: &Json, actual: &Json) -> bool {
    match (expected, actual) {
        (Json::Object(expected), Json::Object(actual)) => {
            expected.iter().all(|(name, value)| actual.get(name).is_some_and(|actual| is_within(value, actual)))
        }
        (Json::Array(expected), Json::Array(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(expected, actual)| is_within(expected, actual))
        }
        _ => expected == actual,
    }
}

/// The differences between a case and what came out, in words.
fn differences(folder: &Path, bless: bool) -> Vec<String> {
    let case = Case::open(folder);
    let result = case.result();
    let mut wrong = Vec::new();
    let mut say = |what: &str, expected: &Json, actual: &Json| wrong.push(format!("{what}\n  expected {expected}\n  got      {actual}"));

    let path = folder.join("expected.json");
    if bless {
        let mut kept = result.clone();
        let before = read(&path).unwrap_or_default();
        for tool in kept["tools"].as_array_mut().unwrap() {
            let said = before["tools"].as_array().into_iter().flatten().find(|before| before["name"] == tool["name"]);
            tool.as_object_mut().unwrap().retain(|name, _| name == "name" || said.is_some_and(|said| said.get(name).is_some()));
        }
        write(&path, &kept);
    }
    let expected = read(&path).unwrap_or_else(|| panic!("{}: there is no expected.json; BLESS=1 writes one", folder.display()));
    if !is_within(&expected["tools"], &result["tools"]) {
        let names = |tools: &Json| tools.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect::<Json>();
        if names(&expected["tools"]) != names(&result["tools"]) {
            say("tools", &names(&expected["tools"]), &names(&result["tools"]));
        } else {
            say("definitions", &expected["tools"], &result["tools"]);
        }
    }
    for (tool, answer) in expected["answers"].as_object().into_iter().flatten() {
        let actual = result["answers"].get(tool).unwrap_or(&Json::Null);
        if actual != answer {
            say(tool, answer, actual);
        }
    }
    if expected.get("diagnostics").is_some_and(|codes| *codes != result["diagnostics"]) {
        say("diagnostics", &expected["diagnostics"], &result["diagnostics"]);
    }

    let path = folder.join("calls.json");
    if let Some(Json::Array(mut calls)) = read(&path) {
        for one in &mut calls {
            let answer = case.call(one["tool"].as_str().expect("a call names its tool"), &one["input"]);
            if bless {
                one["answer"] = answer;
            } else if one["answer"] != answer {
                say(&format!("{} {}", one["tool"], one["input"]), &one["answer"], &answer);
            }
        }
        if bless {
            write(&path, &Json::Array(calls));
        }
    }
    if !wrong.is_empty() {
        wrong.insert(0, format!("== {} ({})", folder.file_name().unwrap().to_string_lossy(), case.url));
    }
    wrong
}

#[test]
fn pages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let only = std::env::var("TOOLMARK_CASE").ok();
    let bless = std::env::var_os("BLESS").is_some();
    let entries = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.retain(|folder| only.as_ref().is_none_or(|only| folder.ends_with(only)));
    folders.sort();
    assert!(!folders.is_empty(), "there is no such case in {}", root.display());
    let wrong: Vec<String> = folders.iter().flat_map(|folder| differences(folder, bless)).collect();
    println!("pages: {} cases", folders.len());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
