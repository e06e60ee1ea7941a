//! What tools, resources and prompts of a page came to, as MCP has it: capped, and marked as somebody else's words.

use std::collections::VecDeque;
use std::sync::Mutex;

use serde_json::{Value, json};
use toolmark::text;

use super::{Failure, Resource};

/// Bytes of text that one result has. Clients cut at about 25,000 tokens themselves, without saying how to go on.
pub const MAX_RESULT: usize = 50_000;
/// Bytes of an image or a sound, as base64; more is left out, because half of one is nothing.
const MAX_MEDIA: usize = 4_000_000;
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
    fn keep(&self, text: &str) -> Option<String> {
        if text.len() > MAX_KEPT_BYTES {
            return None;
        }
        let mut shelf = self.shelf.lock().ok()?;
        let (number, texts) = &mut *shelf;
        *number += 1;
        let id = format!("r{number}");
        texts.push_back((id.clone(), text.to_owned()));
        while texts.len() > MAX_KEPT || texts.iter().map(|(_, text)| text.len()).sum::<usize>() > MAX_KEPT_BYTES {
            texts.pop_front();
        }
        Some(id)
    }

    /// A text as parts of a result: all of it, or the beginning and how to go on.
    pub fn capped(&self, whole: &str) -> Vec<Value> {
        if whole.len() <= MAX_RESULT {
            return vec![json!({ "type": "text", "text": whole })];
        }
        let beginning = first(whole, MAX_RESULT);
        let on = match self.keep(whole) {
            Some(id) => going_on(&id, beginning.len(), whole.len()),
            None => format!(
                "Only the first {} of {} bytes stand here, and the rest is too long to be kept: ask the tool for less.",
                beginning.len(),
                whole.len()
            ),
        };
        vec![json!({ "type": "text", "text": beginning }), json!({ "type": "text", "text": on })]
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

/// What a tool returned.
pub fn of_tool(output: &Value, kept: &Kept) -> Value {
    let parts = output
        .get("content")
        .and_then(Value::as_array)
        .filter(|parts| parts.iter().all(|part| part.get("type").is_some_and(Value::is_string)));
    if let Some(parts) = parts {
        return of_envelope(output, parts, kept);
    }
    let (whole, structured) = match output {
        Value::String(text) => (text.clone(), None),
        other => (other.to_string(), other.is_object().then_some(other)),
    };
    let whole = text::visible(&whole).into_owned();
    let failed = output.get("error").is_some_and(|error| error.is_object() || error.is_string());
    let mut result = json!({ "content": kept.capped(&whole), "isError": failed });
    if let (Some(structured), false, true, Some(fields)) = (structured, failed, whole.len() <= MAX_RESULT, result.as_object_mut()) {
        fields.insert("structuredContent".into(), structured.clone());
    }
    result
}

/// A page that answers as MCP servers do.
fn of_envelope(output: &Value, parts: &[Value], kept: &Kept) -> Value {
    let mut texts = Vec::new();
    let mut media = Vec::new();
    for part in parts.iter().take(MAX_PARTS) {
        let field = |name: &str| part.get(name).and_then(Value::as_str).unwrap_or("");
        match field("type") {
            "text" => texts.push(text::visible(field("text")).into_owned()),
            kind @ ("image" | "audio") if field("data").len() <= MAX_MEDIA => {
                media.push(json!({ "type": kind, "data": field("data"), "mimeType": field("mimeType") }));
            }
            kind @ ("image" | "audio") => {
                texts.push(format!("[{kind} left out: {} bytes, of which {MAX_MEDIA} are carried]", field("data").len()))
            }
            _ => texts.push(text::visible(&part.to_string()).into_owned()),
        }
    }
    if parts.len() > MAX_PARTS {
        texts.push(format!("[{} further parts left out]", parts.len() - MAX_PARTS));
    }
    let whole = texts.join("\n");
    let mut content = if texts.is_empty() { Vec::new() } else { kept.capped(&whole) };
    content.extend(media);
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
        let said = given("mimeType").map(|kind| super::foreign::line(kind, 100)).filter(|kind| kind.contains('/'));
        said.unwrap_or_else(|| if resource.mime_type.is_empty() { fallback.to_owned() } else { resource.mime_type.clone() })
    };
    if let Some(blob) = given("blob").filter(|blob| blob.len() <= MAX_MEDIA) {
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

/// What a prompt says.
pub fn of_prompt(description: &str, output: &Value) -> Result<Value, Failure> {
    let words = |content: &Value| {
        let text = content.as_str().or_else(|| content.get("text").and_then(Value::as_str))?;
        let text = text::visible(text);
        Some(json!({ "type": "text", "text": first(&text, MAX_RESULT) }))
    };
    let message = |raw: &Value| {
        let role = if raw.get("role").and_then(Value::as_str) == Some("assistant") { "assistant" } else { "user" };
        Some(json!({ "role": role, "content": words(raw.get("content")?)? }))
    };
    let messages: Vec<Value> = match output.get("messages").or(Some(output)).filter(|messages| messages.is_array()) {
        Some(messages) => messages.as_array().into_iter().flatten().take(MAX_MESSAGES).filter_map(message).collect(),
        None => words(output).map(|content| json!({ "role": "user", "content": content })).into_iter().collect(),
    };
    if messages.is_empty() {
        return Err(Failure::new(
            "tool_failed",
            "The page gave no text for this prompt.",
            "Its function returns text, or {messages: [{role, content}]}.",
        ));
    }
    Ok(json!({ "description": description, "messages": messages }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn a_long_result_is_read_on_to_its_end() {
        let kept = Kept::default();
        // Three bytes each, so that the cap falls inside one.
        let whole = "€".repeat(MAX_RESULT);
        let result = of_tool(&json!(whole), &kept);
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
            kept.capped(&"x".repeat(3_000_000));
        }
        let shelf = kept.shelf.lock().unwrap();
        assert!(shelf.1.iter().map(|(_, text)| text.len()).sum::<usize>() <= MAX_KEPT_BYTES && !shelf.1.is_empty());
        drop(shelf);
        assert!(kept.capped(&"x".repeat(MAX_KEPT_BYTES + 1))[1]["text"].as_str().unwrap().contains("ask the tool for less"));
    }

    #[test]
    fn what_pages_return_becomes_a_result() {
        let kept = Kept::default();
        let text = |value: &Value| value["content"][0]["text"].as_str().unwrap_or("").to_owned();
        assert_eq!(text(&of_tool(&json!("hi\u{202e}"), &kept)), "hi");
        let object = of_tool(&json!({ "a": 1 }), &kept);
        assert_eq!((text(&object), &object["structuredContent"]), ("{\"a\":1}".to_owned(), &json!({ "a": 1 })));
        let error = of_tool(&json!({ "error": { "code": "gone", "message": "It is gone." } }), &kept);
        assert_eq!((error["isError"].as_bool(), error.get("structuredContent")), (Some(true), None));
        assert!(text(&error).contains("It is gone."));
        let envelope = json!({ "content": [{ "type": "text", "text": "a" }, { "type": "image", "data": "QQ==", "mimeType": "image/png" }], "isError": true, "structuredContent": { "b": 2 } });
        let carried = of_tool(&envelope, &kept);
        assert_eq!(
            (text(&carried), carried["isError"].as_bool(), carried["content"][1]["type"].as_str()),
            ("a".into(), Some(true), Some("image"))
        );
        assert_eq!(text(&of_tool(&json!({ "content": "no envelope" }), &kept)), "{\"content\":\"no envelope\"}");
        assert_eq!(text(&of_tool(&json!(null), &kept)), "null");
    }

    #[test]
    fn prompts_are_text_or_messages() {
        assert_eq!(of_prompt("", &json!("Compare.")).unwrap()["messages"][0]["content"]["text"], "Compare.");
        let said = of_prompt("", &json!({ "messages": [{ "role": "assistant", "content": "a" }, { "role": "system", "content": { "type": "text", "text": "b" } }, 3] })).unwrap();
        assert_eq!(
            (said["messages"][0]["role"].as_str(), said["messages"][1]["role"].as_str(), said["messages"].as_array().unwrap().len()),
            (Some("assistant"), Some("user"), 2)
        );
        assert!(of_prompt("", &json!(5)).is_err());
    }
}
