//! What tools, resources and prompts of a page came to, as MCP has it: capped, and marked as somebody else's words.

use std::collections::VecDeque;
use std::sync::Mutex;

use serde_json::{Value, json};
use toolmark::text;

use super::part::{MAX_MEDIA, Part, unfit};
use super::{Failure, Page, Resource};

/// Bytes of text that one result has. Clients cut at about 25,000 tokens themselves, without saying how to go on.
pub const MAX_RESULT: usize = 50_000;
/// Parts of one result.
const MAX_PARTS: usize = 100;
/// Long results that can be read on.
const MAX_KEPT: usize = 16;
/// Bytes of all of them together.
const MAX_KEPT_BYTES: usize = 32_000_000;
/// Messages of a prompt.
const MAX_MESSAGES: usize = 50;

/// The first bytes of a text, at most this many, whole characters.
pub fn first(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or("")
}

/// Long results, the newest last: whoever was shown the beginning can read on without calling again.
#[derive(Default)]
pub struct Kept {
    shelf: Mutex<(u64, VecDeque<(String, String)>)>,
}

impl Kept {
    /// Keeps a text; its id, or nothing if it is too long to be kept.
    fn keep(&self, text: String) -> Option<String> {
        if text.len() > MAX_KEPT_BYTES {
            return None;
        }
        let mut shelf = self.shelf.lock().ok()?;
        let (number, texts) = &mut *shelf;
        *number += 1;
        let id = format!("r{number}");
        texts.push_back((id.clone(), text));
        while texts.len() > MAX_KEPT || texts.iter().map(|(_, text)| text.len()).sum::<usize>() > MAX_KEPT_BYTES {
            texts.pop_front();
        }
        Some(id)
    }

    /// Parts of a result: all of them, or the beginning and how to go on.
    fn capped(&self, parts: &[Part]) -> Vec<Value> {
        // The texts one after the other, as they are read on.
        let (mut whole, mut shown, mut cut) = (String::new(), 0usize, None);
        let mut content = Vec::new();
        for part in parts {
            let Some(text) = part.text() else {
                content.push(part.with(""));
                continue;
            };
            let before = whole.len();
            if before > 0 {
                whole.push('\n');
            }
            whole.push_str(&part.head());
            let start = whole.len();
            whole.push_str(text);
            if cut.is_some() {
                continue;
            }
            let fitting = first(text, MAX_RESULT.saturating_sub(shown));
            shown += fitting.len();
            if !fitting.is_empty() || text.is_empty() {
                content.push(part.with(fitting));
            }
            if fitting.len() < text.len() {
                cut = Some((if fitting.is_empty() { before } else { start + fitting.len() }, content.len()));
            }
        }
        if let Some((end, place)) = cut {
            let total = whole.len();
            let on = match self.keep(whole) {
                Some(id) => going_on(&id, end, total),
                None => {
                    format!("Only the first {end} of {total} bytes stand here, and the rest is too long to be kept: ask the tool for less.")
                }
            };
            // Beside what was cut.
            content.insert(place, json!({ "type": "text", "text": on }));
        }
        content
    }

    /// The next part of a result.
    pub fn read(&self, id: &str, from: usize) -> Result<Value, Failure> {
        let gone = || {
            Failure::new(
                "not_found",
                format!("There is no kept result '{id}'."),
                format!("The last {MAX_KEPT} long results are kept; call the tool again."),
            )
        };
        let shelf = self.shelf.lock().map_err(|_| gone())?;
        let (_, whole) = shelf.1.iter().find(|(known, _)| known == id).ok_or_else(gone)?;
        // An offset inside a character belongs to it.
        let from = (0..=from.min(whole.len())).rev().find(|at| whole.is_char_boundary(*at)).unwrap_or(0);
        let part = first(whole.get(from..).unwrap_or(""), MAX_RESULT);
        let end = from + part.len();
        let said = if end < whole.len() { going_on(id, end, whole.len()) } else { "This is the end.".to_owned() };
        Ok(json!({ "content": [{ "type": "text", "text": part }, { "type": "text", "text": said }], "isError": false }))
    }
}

fn going_on(id: &str, end: usize, total: usize) -> String {
    format!(
        "Cut at byte {end} of {total}. Go on with read_page_result {{\"result\": \"{id}\", \"offset\": {end}}}, or ask the tool for less."
    )
}

/// What a tool of a page returned.
pub fn of_tool(output: &Value, page: &Page, kept: &Kept) -> Value {
    let parts = output
        .get("content")
        .and_then(Value::as_array)
        .filter(|parts| parts.iter().all(|part| part.get("type").is_some_and(Value::is_string)));
    if let Some(parts) = parts {
        return of_envelope(output, parts, page, kept);
    }
    let (whole, structured) = match output {
        Value::String(text) => (text.clone(), None),
        other => (other.to_string(), other.is_object().then_some(other)),
    };
    let whole = Part::Text(text::visible(&whole).into_owned());
    let short = whole.text().is_some_and(|text| text.len() <= MAX_RESULT);
    let failed = output.get("error").is_some_and(|error| error.is_object() || error.is_string());
    let mut result = json!({ "content": kept.capped(&[whole]), "isError": failed });
    if let (Some(structured), false, true, Some(fields)) = (structured, failed, short, result.as_object_mut()) {
        fields.insert("structuredContent".into(), structured.clone());
    }
    result
}

/// A page that answers as MCP servers do.
fn of_envelope(output: &Value, raw: &[Value], page: &Page, kept: &Kept) -> Value {
    let mut parts: Vec<Part> = raw.iter().take(MAX_PARTS).map(|part| Part::read(part, page)).collect();
    if raw.len() > MAX_PARTS {
        parts.push(Part::Text(format!("[{} further parts left out]", raw.len() - MAX_PARTS)));
    }
    let content = kept.capped(&parts);
    let failed = output.get("isError").and_then(Value::as_bool).unwrap_or(false);
    let mut result = json!({ "content": content, "isError": failed });
    let structured =
        output.get("structuredContent").filter(|structured| structured.is_object() && structured.to_string().len() <= MAX_RESULT);
    if let (Some(structured), Some(fields)) = (structured, result.as_object_mut()) {
        fields.insert("structuredContent".into(), structured.clone());
    }
    result
}

/// What a resource holds.
pub fn of_resource(uri: &str, resource: &Resource, output: &Value) -> Value {
    let given = |name: &str| output.get(name).and_then(Value::as_str);
    let kind = |fallback: &str| {
        super::foreign::kind_of(output.get("mimeType"))
            .unwrap_or_else(|| if resource.mime_type.is_empty() { fallback.to_owned() } else { resource.mime_type.clone() })
    };
    if let Some(blob) = given("blob").filter(|blob| unfit(blob).is_none()) {
        return json!({ "contents": [{ "uri": uri, "mimeType": kind("application/octet-stream"), "blob": blob }] });
    }
    let (whole, kind) = match (output, given("text")) {
        (Value::String(text), _) => (text.clone(), kind("text/plain")),
        (_, Some(text)) => (text.to_owned(), kind("text/plain")),
        (other, _) => (other.to_string(), kind("application/json")),
    };
    let whole = text::visible(&whole).into_owned();
    let shown = first(&whole, MAX_MEDIA);
    let note = if shown.len() < whole.len() { format!("\n[cut at byte {} of {}]", shown.len(), whole.len()) } else { String::new() };
    json!({ "contents": [{ "uri": uri, "mimeType": kind, "text": format!("{shown}{note}") }] })
}

/// What a prompt of a page says.
pub fn of_prompt(description: &str, output: &Value, page: &Page) -> Result<Value, Failure> {
    let content = |raw: &Value| {
        let part = match raw {
            Value::String(text) => Part::Text(text::visible(text).into_owned()),
            Value::Object(fields) if fields.contains_key("type") => Part::read(raw, page),
            _ => Part::Text(text::visible(raw.get("text")?.as_str()?).into_owned()),
        };
        let text = part.text().unwrap_or("");
        let shown = first(text, MAX_RESULT);
        let note = if shown.len() < text.len() { format!("\n[cut at byte {} of {}]", shown.len(), text.len()) } else { String::new() };
        Some(part.with(&format!("{shown}{note}")))
    };
    let raw = match output.get("messages").unwrap_or(output) {
        Value::Array(messages) => messages.as_slice(),
        _ => &[],
    };
    let (mut messages, mut lost) = (Vec::new(), raw.len().saturating_sub(MAX_MESSAGES));
    for message in raw.iter().take(MAX_MESSAGES) {
        let role = if message.get("role").and_then(Value::as_str) == Some("assistant") { "assistant" } else { "user" };
        // A message has one part; some pages give several.
        let parts = match message.get("content") {
            Some(Value::Array(parts)) => parts.as_slice(),
            Some(part) => std::slice::from_ref(part),
            None => &[],
        };
        let before = messages.len();
        let room = MAX_MESSAGES.saturating_sub(before);
        messages.extend(parts.iter().take(room).filter_map(content).map(|content| json!({ "role": role, "content": content })));
        lost += parts.len().max(1) - (messages.len() - before);
    }
    if raw.is_empty() {
        messages.extend(content(output).map(|content| json!({ "role": "user", "content": content })));
    }
    if messages.is_empty() {
        return Err(Failure::new(
            "tool_failed",
            "The page gave no text for this prompt.",
            "Its function returns text, or {messages: [{role, content}]}.",
        ));
    }
    if lost > 0 {
        let note = format!("[{lost} of the page's messages left out: they have no content, or are more than {MAX_MESSAGES}]");
        messages.push(json!({ "role": "user", "content": { "type": "text", "text": note } }));
    }
    Ok(json!({ "description": description, "messages": messages }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page::new("tab-1", "https://a.example", "https://a.example/", "A")
    }

    #[test]
    fn a_long_result_is_read_on_to_its_end() {
        let kept = Kept::default();
        // Three bytes each, so that the cap falls inside one.
        let whole = "€".repeat(MAX_RESULT);
        let result = of_tool(&json!(whole), &page(), &kept);
        let mut got = result["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(result["content"][1]["text"].as_str().unwrap().contains("read_page_result {\"result\": \"r1\", \"offset\": 49998}"));
        while got.len() < whole.len() {
            let next = kept.read("r1", got.len()).unwrap();
            got += next["content"][0]["text"].as_str().unwrap();
        }
        assert_eq!(got, whole);
        assert_eq!(kept.read("r9", 0).unwrap_err().code, "not_found");
        assert!(result.get("structuredContent").is_none());
    }

    #[test]
    fn results_that_are_kept_have_a_limit() {
        let kept = Kept::default();
        for _ in 0..MAX_KEPT + 1 {
            kept.capped(&[Part::Text("x".repeat(3_000_000))]);
        }
        let shelf = kept.shelf.lock().unwrap();
        assert!(shelf.1.iter().map(|(_, text)| text.len()).sum::<usize>() <= MAX_KEPT_BYTES && !shelf.1.is_empty());
        drop(shelf);
        assert!(kept.capped(&[Part::Text("x".repeat(MAX_KEPT_BYTES + 1))])[1]["text"].as_str().unwrap().contains("ask the tool for less"));
    }

    #[test]
    fn what_pages_return_becomes_a_result() {
        let kept = Kept::default();
        let text = |value: &Value| value["content"][0]["text"].as_str().unwrap_or("").to_owned();
        assert_eq!(text(&of_tool(&json!("hi\u{202e}"), &page(), &kept)), "hi");
        let object = of_tool(&json!({ "a": 1 }), &page(), &kept);
        assert_eq!((text(&object), &object["structuredContent"]), ("{\"a\":1}".to_owned(), &json!({ "a": 1 })));
        let error = of_tool(&json!({ "error": { "code": "gone", "message": "It is gone." } }), &page(), &kept);
        assert_eq!((error["isError"].as_bool(), error.get("structuredContent")), (Some(true), None));
        assert!(text(&error).contains("It is gone."));
        let envelope = json!({ "content": [{ "type": "text", "text": "a" }, { "type": "image", "data": "QQ==", "mimeType": "image/png" }], "isError": true, "structuredContent": { "b": 2 } });
        let carried = of_tool(&envelope, &page(), &kept);
        assert_eq!(
            (text(&carried), carried["isError"].as_bool(), carried["content"][1]["type"].as_str()),
            ("a".into(), Some(true), Some("image"))
        );
        assert_eq!(text(&of_tool(&json!({ "content": "no envelope" }), &page(), &kept)), "{\"content\":\"no envelope\"}");
        assert_eq!(text(&of_tool(&json!(null), &page(), &kept)), "null");
    }

    #[test]
    fn prompts_are_text_or_messages() {
        assert_eq!(of_prompt("", &json!("Compare."), &page()).unwrap()["messages"][0]["content"]["text"], "Compare.");
        let said = of_prompt("", &json!({ "messages": [{ "role": "assistant", "content": "a" }, { "role": "system", "content": { "type": "text", "text": "b" } }, 3] }), &page()).unwrap();
        assert_eq!(
            (said["messages"][0]["role"].as_str(), said["messages"][1]["role"].as_str(), said["messages"].as_array().unwrap().len()),
            (Some("assistant"), Some("user"), 3)
        );
        assert!(said["messages"][2]["content"]["text"].as_str().unwrap().contains("1 of the page's messages left out"));
        assert!(of_prompt("", &json!(5), &page()).is_err());
    }

    #[test]
    fn parts_stay_what_they_are_in_their_order() {
        let kept = Kept::default();
        let image = json!({ "type": "image", "data": "QUJD", "mimeType": "image/png" });
        let resource = |text: &str| json!({ "type": "resource", "resource": { "uri": "test://r", "mimeType": "text/css", "text": text } });
        let own = "page://a.example/tab-1/embedded/test%3A%2F%2Fr";
        let result = of_tool(
            &json!({ "content": [{ "type": "text", "text": "a" }, image, resource("b\u{202e}"), { "type": "text", "text": "c" }] }),
            &page(),
            &kept,
        );
        let enclosed = json!({ "type": "resource", "resource": { "uri": own, "mimeType": "text/css", "text": "b" } });
        assert_eq!(result["content"], json!([{ "type": "text", "text": "a" }, image, enclosed, { "type": "text", "text": "c" }]));

        // All texts share the limit; what is cut off is read on, with its address.
        let long = "x".repeat(MAX_RESULT - 1);
        let result =
            of_tool(&json!({ "content": [{ "type": "text", "text": long }, resource("yz"), resource("w"), image] }), &page(), &kept);
        let parts = result["content"].as_array().unwrap();
        assert_eq!((parts.len(), parts[1]["resource"]["text"].as_str(), &parts[3]), (4, Some("y"), &image));
        let end = MAX_RESULT - 1 + 1 + format!("[{own}, text/css]\n").len() + 1;
        assert!(parts[2]["text"].as_str().unwrap().contains(&format!("\"offset\": {end}}}")), "{}", parts[2]);
        assert_eq!(kept.read("r1", end).unwrap()["content"][0]["text"], format!("z\n[{own}, text/css]\nw"));

        let many = vec![image; MAX_PARTS + 3];
        let result = of_tool(&json!({ "content": many }), &page(), &kept);
        assert_eq!(result["content"][MAX_PARTS]["text"], "[3 further parts left out]");
    }

    #[test]
    fn prompts_hold_images_and_resources() {
        let image = json!({ "type": "image", "data": "QUJD", "mimeType": "image/png" });
        let resource =
            json!({ "type": "resource", "resource": { "uri": "page://b.example/tab-2/resource/r", "text": "€".repeat(MAX_RESULT) } });
        let said = of_prompt("", &json!({ "messages": [{ "role": "user", "content": [image, resource] }] }), &page()).unwrap();
        assert_eq!(said["messages"][0], json!({ "role": "user", "content": image }));
        let enclosed = &said["messages"][1]["content"]["resource"];
        assert!(enclosed["uri"].as_str().unwrap().starts_with("page://a.example/tab-1/embedded/page%3A"));
        assert!(enclosed["text"].as_str().unwrap().ends_with("\n[cut at byte 49998 of 150000]"));
        assert_eq!(of_prompt("", &image, &page()).unwrap()["messages"][0]["content"], image);
        let many = json!({ "messages": [{ "content": vec![json!("a"); MAX_MESSAGES + 2] }, { "content": "b" }] });
        let said = of_prompt("", &many, &page()).unwrap();
        assert!(said["messages"][MAX_MESSAGES]["content"]["text"].as_str().unwrap().starts_with("[3 of the page's"));
    }
}
