//! Data that a site answers with, in its own shape, less what says nothing.

use alloc::string::String;

use super::{ANSWER, FRAME, Range, fit, more, short};
use crate::call;
use crate::json::{self, Json, Writer};
use crate::options::Options;
use crate::text;

/// How much of a value is told. The first that makes the answer fit is taken.
#[derive(Clone, Copy)]
struct Measure {
    /// Characters of a string.
    text: usize,
    /// Values of an array that is not the list of results.
    values: usize,
    /// Levels of nesting.
    depth: usize,
}

const MEASURES: [Measure; 4] = [
    Measure { text: 600, values: 50, depth: 12 },
    Measure { text: 300, values: 12, depth: 8 },
    Measure { text: 120, values: 5, depth: 6 },
    Measure { text: 60, values: 2, depth: 4 },
];

/// Levels down to which the list of results is looked for.
const LIST_DEPTH: usize = 4;

/// The answer, or nothing if the text is no JSON.
pub fn answer(text: &str, url: &str, range: Range, options: &Options) -> Option<String> {
    let parsed = json::parse(text).ok()?;
    let value = &parsed.value;
    let list = list(value, LIST_DEPTH);
    let hard = options.max_payload_bytes.saturating_sub(FRAME);
    for measure in MEASURES {
        let told = Told { measure, list, offset: range.offset, until: 0 };
        let items = list.and_then(Json::as_array).unwrap_or(&[]);
        let mut until = 0;
        if !items.is_empty() {
            // What stands around the list must fit as well.
            let around = told.size(value);
            let room = Options { max_payload_bytes: (hard + FRAME).saturating_sub(around), ..Options::default() };
            until = fit(items, range, &room, |item| told.size(item)).0;
        }
        let told = Told { until, ..told };
        let mut out = Writer::new();
        out.object(|out| {
            out.field("page").string(url);
            told.write(value, 0, out.field("data"));
            if range.offset < items.len() || range.offset > 0 {
                more(until, items.len(), out);
            }
        });
        // One thing in full may take a few times what a list aims at.
        let aim = if list.is_some() { hard } else { hard.min(4 * ANSWER) };
        if out.len() <= aim {
            return Some(out.into_string());
        }
    }
    Some(call::error("too_large", "The site's answer is too large to pass on.", "Ask for something more specific."))
}

/// The longest array of several values that is not in another array.
fn list<'j>(value: &'j Json<'j>, depth: usize) -> Option<&'j Json<'j>> {
    match value {
        Json::Array(items) => (items.len() > 1).then_some(value),
        Json::Object(members) if depth > 0 => {
            let length = |value: &Json<'_>| value.as_array().map_or(0, <[_]>::len);
            let lists = members.iter().filter_map(|(_, value)| list(value, depth - 1));
            // Of equals the first: what comes first is what was asked for.
            lists.reduce(|best, value| if length(value) > length(best) { value } else { best })
        }
        _ => None,
    }
}

struct Told<'j> {
    measure: Measure,
    /// The list of results, of which a part is told.
    list: Option<&'j Json<'j>>,
    offset: usize,
    until: usize,
}

impl Told<'_> {
    fn size(&self, value: &Json<'_>) -> usize {
        let mut out = Writer::new();
        self.write(value, 1, &mut out);
        out.len() + 1
    }

    fn write(&self, value: &Json<'_>, depth: usize, out: &mut Writer) {
        match value {
            Json::Null => out.raw("null"),
            Json::Bool(value) => out.bool(*value),
            Json::Number(digits) => out.raw(digits),
            Json::String(text) => out.string(&self.string(text)),
            _ if depth > self.measure.depth => out.string("…"),
            Json::Array(items) => {
                let (from, until) = match self.list {
                    Some(list) if core::ptr::eq(list, value) => (self.offset, self.until),
                    _ => (0, self.measure.values),
                };
                out.array(|out| items.iter().take(until).skip(from).for_each(|item| self.write(item, depth + 1, out)));
            }
            Json::Object(members) => out.object(|out| {
                for (name, value) in members {
                    let empty = match value {
                        Json::Null => true,
                        Json::String(text) => text.trim().is_empty(),
                        Json::Array(items) => items.is_empty(),
                        Json::Object(members) => members.is_empty(),
                        _ => false,
                    };
                    if !empty {
                        self.write(value, depth + 1, out.field(&text::visible(name)));
                    }
                }
            }),
        }
    }

    fn string(&self, text: &str) -> String {
        // An address is no markup, whatever it holds.
        let address = text.starts_with("http") || text.starts_with('/');
        let text = if text::has(text, b'<') && !address { text::plain(text) } else { text::visible(text).into_owned() };
        short(text.trim(), self.measure.text)
    }
}
