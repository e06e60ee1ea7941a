//! When two values say the same.

use alloc::{borrow::Cow, borrow::ToOwned, string::String, vec::Vec};

use crate::read::{Value, schema_name};
use crate::text;

/// The text of a value that is none of the page's things.
pub fn literal(value: &Value) -> Option<&str> {
    match value {
        Value::Text { text, .. } | Value::Number(text) | Value::Url(text) | Value::Reference(text) => Some(text),
        Value::Boolean(value) => Some(if *value { "true" } else { "false" }),
        Value::Node(_) => None,
    }
}

/// Two values of a property that give the same key say the same: `5`, `"5"` and `" 5 "`; `InStock` and its full
/// IRI; an amount with and without its currency; a day with and without its hour.
pub fn key<'v>(property: &str, value: &'v Value) -> Option<Cow<'v, str>> {
    let written = literal(value)?;
    if let Value::Boolean(_) = value {
        return Some(Cow::Borrowed(written));
    }
    let shown = if written.contains(['&', '<']) { Cow::Owned(text::plain(written)) } else { Cow::Borrowed(written) };
    let collapsed = match shown.trim() {
        trimmed if !trimmed.contains(char::is_whitespace) => trimmed.to_owned(),
        trimmed => text::collapse(trimmed),
    };
    if is_amount(property)
        && let Some(amount) = decimal(&collapsed)
    {
        return Some(Cow::Owned(amount));
    }
    if let Some(day) = day(&collapsed).filter(|_| is_date(property)) {
        return Some(Cow::Owned(day.to_owned()));
    }
    if let Some(name) = schema_name(&collapsed) {
        return Some(Cow::Owned(name.to_owned()));
    }
    if let Some(bare) = ["True", "False"].into_iter().find(|word| *word == collapsed) {
        return Some(Cow::Owned(bare.to_ascii_lowercase()));
    }
    Some(if collapsed == written { Cow::Borrowed(written) } else { Cow::Owned(collapsed) })
}

fn is_amount(property: &str) -> bool {
    ["rice", "Value", "Count", "Rating", "position"].iter().any(|end| property.ends_with(end))
}

fn is_date(property: &str) -> bool {
    property.starts_with("date") || property.ends_with("Date")
}

/// The day of an ISO date.
pub fn day(text: &str) -> Option<&str> {
    let day = text.get(..10)?;
    let is_day = day.bytes().enumerate().all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() });
    (is_day && !text.as_bytes().get(10).is_some_and(u8::is_ascii_digit)).then_some(day)
}

/// An amount in plain digits, however it is written: `129.90`, `$129.90`, `1.299,00 €` → `129.9`, `129.9`, `1299`.
pub fn decimal(text: &str) -> Option<String> {
    let is_mark = |character: char| character == '.' || character == ',';
    let first = text.find(|character: char| character.is_ascii_digit())?;
    let rest = text.get(first..)?;
    let end = rest.find(|character: char| !(character.is_ascii_digit() || is_mark(character) || character == ' ' || character == '\''));
    let number = rest
        .get(..end.unwrap_or(rest.len()))?
        .trim_end_matches(|character: char| is_mark(character) || character == ' ' || character == '\'');
    // Two amounts ("10 - 20"), or a word with a digit in it, are no amount.
    let around = [text.get(..first)?, end.and_then(|end| rest.get(end..)).unwrap_or("")];
    if around.iter().any(|part| part.contains(|character: char| character.is_ascii_digit()) || text::length(part.trim()) > 4) {
        return None;
    }
    let cents = number.rfind(is_mark).filter(|at| {
        let behind = number.len() - at - 1;
        // `1.299` is a thousand in half of the world; a lone mark before other than three digits is decimal.
        let same = number.chars().filter(|character| is_mark(*character)).count() > 1
            && number.bytes().filter(|byte| number.as_bytes().get(*at) == Some(byte)).count() > 1;
        !same && (behind != 3 || (text == number && number.get(*at..).is_some_and(|rest| rest.starts_with('.'))))
    });
    let digits = |part: &str| part.chars().filter(char::is_ascii_digit).collect::<String>();
    let (whole, part) = number.split_at_checked(cents.unwrap_or(number.len()))?;
    let (whole, part) = (digits(whole), digits(part));
    let whole = whole.trim_start_matches('0');
    let part = part.trim_end_matches('0');
    let sign = if text.starts_with('-') { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if part.is_empty() { [sign, whole].concat() } else { [sign, whole, ".", part].concat() })
}

/// A name for comparing: no markup, one space between words, lower case, straight quotes.
pub fn name(written: &str) -> Option<String> {
    let plain = text::collapse(&text::plain(written));
    let straight = plain.chars().map(|character| match text::lower(character) {
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '–' | '—' => '-',
        other => other,
    });
    Some(straight.collect::<String>()).filter(|name| !name.is_empty())
}

/// Letters and digits only, the first ones: for telling whether two texts can mean the same at all.
pub fn loose(written: &str) -> String {
    const ENOUGH: usize = 64;
    // Markup can only make a text longer, so a bounded piece of it is enough, and long texts stay cheap.
    let piece = written.char_indices().nth(ENOUGH * 16).and_then(|(end, _)| written.get(..end)).unwrap_or(written);
    text::plain(piece).chars().filter(|character| text::is_word(*character)).map(text::lower).take(ENOUGH).collect()
}

/// A URL without what two spellings of one address differ in: scheme, `www.`, last slash, fragment.
pub fn address(url: &str) -> &str {
    let url = url.trim().split('#').next().unwrap_or("");
    let url = text::split_once(url, "://").map_or(url, |(_, rest)| rest);
    let url = url.strip_prefix("www.").unwrap_or(url);
    url.strip_suffix('/').unwrap_or(url)
}

/// Unused capacity is not worth keeping for a page's lifetime.
pub fn shrink<T>(mut list: Vec<T>) -> Vec<T> {
    list.shrink_to_fit();
    list
}
