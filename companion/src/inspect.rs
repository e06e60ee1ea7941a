//! `toolmark inspect` and `toolmark doctor`: what an agent would get from a page, and whether it works.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use toolmark::read::outline::tokens;
use toolmark::tools::Source;

use crate::fetch::{self, Fetcher, Refusal, Scope};
use crate::page::{self, Choices, Page, Reply, failure};

/// Characters of an answer in the report for people; `--json` has all of it.
const SHOWN: usize = 600;

/// Fetches or reads a page and maps it: `source` is an address, or the path of a saved page.
pub async fn open(source: &str, fetcher: &Fetcher, choices: &Choices) -> Result<Page, Refusal> {
    let (url, text) = load(source, fetcher).await?;
    Ok(Page::new(&text, &url, choices))
}

/// The address and text of a page that is fetched or saved.
pub async fn load(source: &str, fetcher: &Fetcher) -> Result<(String, String), Refusal> {
    if !is_address(source) {
        return fetch::file(source);
    }
    let fetched = fetcher.get(source, Scope::Anywhere).await?;
    if fetched.kind() != page::Kind::Html {
        return Err(failure(
            "invalid_parameter",
            &format!("'{source}' is no page ({}).", fetched.content_type),
            "Pass the address of an HTML page.",
        ));
    }
    Ok((fetched.url.clone(), fetched.text.clone()))
}

/// An address and no path.
pub fn is_address(source: &str) -> bool {
    source.starts_with("http://") || source.starts_with("https://")
}

/// Everything there is to say about a page.
pub fn report(page: &Page) -> Value {
    let definitions = page.definitions();
    let mut answers = Map::new();
    let mut answer_tokens = 0;
    for tool in page.mapping.tools.iter().filter(|tool| page::reads_freely(tool)) {
        if let Reply::Answer(answer) = page.call(&tool.name, &json!({})) {
            answer_tokens += tokens(&answer);
            answers.insert(tool.name.clone(), serde_json::from_str(&answer).unwrap_or(Value::Null));
        }
    }
    let text: usize = page.mapping.outline.iter().flat_map(|outline| outline.sections()).map(|section| section.tokens as usize).sum();
    json!({
        "url": page.url,
        "tokens": { "definitions": tokens(&Value::Array(definitions.clone()).to_string()), "answers": answer_tokens, "text": text },
        "tools": definitions,
        "answers": answers,
        "diagnostics": page.diagnostics(),
    })
}

/// The same for people.
pub fn in_words(report: &Value) -> String {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let list = |name: &str| report.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let number = |path: &str| report.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}", text(report, "url"));
    let tools = list("tools");
    let _ = writeln!(
        out,
        "  {} tools, about {} tokens of definitions; answers about {}, the page's text about {}",
        tools.len(),
        number("/tokens/definitions"),
        number("/tokens/answers"),
        number("/tokens/text")
    );
    for tool in &tools {
        let parameters: Vec<String> =
            tool.pointer("/inputSchema/properties").and_then(Value::as_object).map(|all| all.keys().cloned().collect()).unwrap_or_default();
        let _ = writeln!(out, "\n  {}({})  {}", text(tool, "name"), parameters.join(", "), text(tool, "description"));
        if let Some(answer) = report.get("answers").and_then(|answers| answers.get(text(tool, "name"))) {
            let answer = answer.to_string();
            let short: String = answer.chars().take(SHOWN).collect();
            let _ = writeln!(out, "    {short}{}", if short.len() < answer.len() { "…" } else { "" });
        }
    }
    let diagnostics = list("diagnostics");
    if !diagnostics.is_empty() {
        let _ = writeln!(out);
    }
    for found in diagnostics {
        let _ = writeln!(out, "  {} {}: {}", text(&found, "level"), text(&found, "code"), text(&found, "message"));
    }
    out
}

/// Tries each tool of a page once: `declared`, `confirmed` or `failed`, and what to do.
pub async fn doctor(page: &Page, fetcher: &Fetcher, choices: &Choices, query: Option<&str>) -> Value {
    let word = query.map(str::to_owned).or_else(|| page.likely_word());
    let mut tools = Vec::new();
    for tool in &page.mapping.tools {
        let (state, message) = match &tool.source {
            Source::Action(_) => try_action(page, tool, fetcher, choices, word.as_deref()).await,
            Source::Control(_) => ("declared", "It acts on the live page; try it with `toolmark connect`.".to_owned()),
            Source::Page(_) if tool.parameters.iter().any(|parameter| parameter.required) => {
                let input = if tool.parameters.iter().any(|parameter| parameter.name == "query") {
                    json!({ "query": word.as_deref().unwrap_or("the") })
                } else {
                    json!({ "section": first_section(page) })
                };
                judge(&page.call(&tool.name, &input))
            }
            _ => judge(&page.call(&tool.name, &json!({}))),
        };
        tools.push(json!({ "tool": tool.name, "state": state, "message": message }));
    }
    json!({ "url": page.url, "tools": tools, "diagnostics": page.diagnostics() })
}

fn first_section(page: &Page) -> String {
    let section = page.mapping.outline.iter().flat_map(|outline| outline.sections()).next();
    section.map(|section| section.id.clone()).unwrap_or_default()
}

fn judge(reply: &Reply) -> (&'static str, String) {
    let Reply::Answer(answer) = reply else { return ("declared", String::new()) };
    judge_answer(answer)
}

fn judge_answer(answer: &str) -> (&'static str, String) {
    let answer: Value = serde_json::from_str(answer).unwrap_or(Value::Null);
    match answer.get("error") {
        Some(error) => {
            let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or("");
            ("failed", format!("{} {}", part("message"), part("hint")).trim().to_owned())
        }
        None => ("confirmed", String::new()),
    }
}

/// Only what looks for something is tried: other actions may do what nobody asked for.
async fn try_action(
    page: &Page,
    tool: &toolmark::tools::Tool,
    fetcher: &Fetcher,
    choices: &Choices,
    word: Option<&str>,
) -> (&'static str, String) {
    let required: Vec<&str> =
        tool.parameters.iter().filter(|parameter| parameter.required).map(|parameter| parameter.name.as_str()).collect();
    let (Some(word), [parameter], true) = (word, required.as_slice(), tool.annotations.read_only) else {
        return (
            "declared",
            "Not tried: it takes more than one word, or does more than look for something. Pass --query WORD for a search.".to_owned(),
        );
    };
    let (url, offset, limit) = match page.call(&tool.name, &json!({ *parameter: word })) {
        Reply::Answer(answer) => return judge_answer(&answer),
        Reply::Fetch { url, offset, limit } => (url, offset, limit),
    };
    let fetched = match fetcher.get(&url, Scope::Within(&page.url, &choices.allow_hosts)).await {
        Ok(fetched) => fetched,
        Err(refusal) => {
            let (state, message) = judge_answer(&refusal.to_string());
            return (state, format!("{url}: {message} Correct the urlTemplate or the form's address."));
        }
    };
    let answer = page.read_results(&fetched.text, fetched.kind(), &fetched.url, offset, limit);
    let (state, message) = judge_answer(&answer);
    if state == "failed" {
        return (state, message);
    }
    // A page that answers whatever one asks is no search.
    if has_word(&answer, word) {
        ("confirmed", format!("{url} answers with results for '{word}'."))
    } else {
        (
            "failed",
            format!(
                "{url} answers, but nothing there has the word '{word}'. Check that the address is a search; try --query with a word that has results."
            ),
        )
    }
}

/// The word stands in the results themselves; the address that was asked has it in any case.
fn has_word(answer: &str, word: &str) -> bool {
    let mut answer: Value = serde_json::from_str(answer).unwrap_or(Value::Null);
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("url");
        fields.remove("page");
    }
    answer.to_string().to_lowercase().contains(&word.to_lowercase())
}

/// The same for people.
pub fn doctor_in_words(report: &Value) -> String {
    let mut out = String::new();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let _ = writeln!(out, "{}", text(report, "url"));
    for tool in report.get("tools").and_then(Value::as_array).into_iter().flatten() {
        let _ = writeln!(out, "  {:<9} {}  {}", text(tool, "state"), text(tool, "tool"), text(tool, "message"));
    }
    for found in report.get("diagnostics").and_then(Value::as_array).into_iter().flatten() {
        let _ = writeln!(out, "  {} {}: {}", text(found, "level"), text(found, "code"), text(found, "message"));
    }
    out
}
