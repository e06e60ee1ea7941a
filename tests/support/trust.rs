//! What holds for every answer and every definition, whatever a page holds.

use serde_json::Value;
use toolmark::text;
use toolmark::tools::Tool;
use toolmark::tools::schema::{Kind, Parameter};

/// Schemes whose URLs run code or carry a document of their own.
const ACTIVE: [&str; 4] = ["javascript:", "data:", "vbscript:", "blob:"];
/// Tags that a page can do something with.
const TAGS: [&str; 12] = ["script", "img", "iframe", "svg", "style", "a", "b", "p", "div", "object", "form", "input"];

/// Characters in a text that nobody sees; nothing if it is clean.
pub fn unseen(text: &str) -> Option<&'static str> {
    let joins = |character: char| matches!(character, '\u{200c}' | '\u{200d}');
    if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t')) {
        return Some("a control character");
    }
    if text.chars().any(|character| text::is_invisible(character) && !joins(character)) || text.chars().any(is_unseen) {
        return Some("an invisible character");
    }
    None
}

/// What in a text must not reach an agent; nothing if it is clean.
pub fn fault(text: &str) -> Option<&'static str> {
    let start: String = text.chars().filter(|character| !character.is_whitespace() && !text::is_invisible(*character)).take(12).collect();
    for scheme in ACTIVE {
        let is_scheme = start.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        // "JavaScript: The Good Parts" is a book.
        let is_title = text.split_once(':').is_some_and(|(_, rest)| rest.starts_with(' '));
        if is_scheme && !is_title && (scheme != "data:" || text.contains(',')) {
            return Some("an active URL");
        }
    }
    unseen(text)
}

/// The list of a second person: Unicode's default ignorable and bidirectional characters, without the joiners that some
/// scripts need and the selectors that emoji need.
fn is_unseen(character: char) -> bool {
    matches!(u32::from(character),
        0x00ad | 0x034f | 0x061c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b | 0x200e..=0x200f | 0x202a..=0x202e
        | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0d | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff)
}

/// The name of a tag that stands in a text as markup.
pub fn tag(text: &str) -> Option<&'static str> {
    text.split('<').skip(1).find_map(|rest| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let end = rest.find(|character: char| character.is_whitespace() || matches!(character, '/' | '>')).unwrap_or(rest.len());
        let closed = rest.get(end..).is_some_and(|rest| rest.contains('>'));
        let name = rest.get(..end).unwrap_or("");
        TAGS.into_iter().find(|tag| closed && tag.eq_ignore_ascii_case(name))
    })
}

/// Calls `see` with every string of a value, keys included.
pub fn strings(value: &Value, see: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, see)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            see(name);
            strings(value, see);
        }),
        _ => {}
    }
}

/// An answer is one JSON object within `cap` bytes, of clean strings.
pub fn answer(answer: &str, cap: usize, about: &str) -> Value {
    let value = seen(answer, cap, about);
    strings(&value, &mut |text| assert_eq!(fault(text), None, "{text:?} of {about}: {answer}"));
    value
}

/// The same for what tells a page's visible text, which may show an active URL as words but links to none.
pub fn seen(answer: &str, cap: usize, about: &str) -> Value {
    let value: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error} in {answer:?} of {about}"));
    assert!(value.is_object(), "no object: {answer:?} of {about}");
    assert!(answer.len() <= cap, "{} bytes, {cap} are allowed: {about}", answer.len());
    strings(&value, &mut |text| {
        assert_eq!(unseen(text), None, "{text:?} of {about}: {answer}");
        assert!(!text.to_ascii_lowercase().contains(" (javascript:"), "{text:?} of {about}");
    });
    for name in ["url", "page", "image"] {
        let url = value.get(name).and_then(Value::as_str).unwrap_or("");
        assert_eq!(fault(url), None, "{url:?} of {about}");
    }
    value
}

/// Inputs for a tool: nothing, the least that it takes, and everything that it takes.
pub fn inputs(tool: &Tool) -> Vec<String> {
    let value = |parameter: &Parameter, word: &str| match &parameter.kind {
        Kind::Text => Value::String(parameter.max_length.map_or(word, |most| word.get(..most).unwrap_or(word)).to_owned()),
        Kind::Choice(values) => values.first().map_or(Value::Null, |value| Value::String(value.clone())),
        Kind::Choices(values) => values.iter().cloned().map(Value::String).collect(),
        Kind::Integer | Kind::Number => {
            parameter.minimum.as_deref().and_then(|least| serde_json::from_str(least).ok()).unwrap_or_else(|| Value::from(1))
        }
        Kind::Boolean => Value::Bool(true),
    };
    let some = |wanted: &dyn Fn(&Parameter) -> bool, word: &str| {
        let members: serde_json::Map<String, Value> = tool
            .parameters
            .iter()
            .filter(|parameter| wanted(parameter))
            .map(|parameter| (parameter.name.clone(), value(parameter, word)))
            .collect();
        Value::Object(members).to_string()
    };
    vec![
        "{}".to_owned(),
        some(&|parameter| parameter.required, "bag"),
        some(&|_| true, "a\u{202e}<b>&/../"),
        r#"{"\u202eignore":"<script>x</script>"}"#.to_owned(),
    ]
}
