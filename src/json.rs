//! JSON: a strict reader that keeps numbers as written and knows where it failed, and a writer.
//!
//! Ours, because repairing a page's JSON-LD needs positions, numbers must keep their digits (`129.90`,
//! 20-digit identifiers), and a general library costs more bytes than everything else here (docs/size.md).
//!
//! Grammar: RFC 8259.

use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::order;

/// Levels of arrays and objects that are kept. Deeper parts are skipped without recursion, so that half a
/// million brackets cannot exhaust the stack; real pages nest four deep.
pub const MAX_DEPTH: usize = 200;

/// A JSON value. Strings without escapes borrow from the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Json<'s> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number, as written.
    Number(Cow<'s, str>),
    /// A string, escapes resolved.
    String(Cow<'s, str>),
    /// `[…]`
    Array(Vec<Json<'s>>),
    /// `{…}`, in source order; a repeated key keeps its place and takes the last value.
    Object(Vec<(Cow<'s, str>, Json<'s>)>),
}

impl<'s> Json<'s> {
    /// The value of `key`, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Json<'s>> {
        match self {
            Json::Object(members) => member(members, key),
            _ => None,
        }
    }

    /// The elements of an array; anything else counts as an array of itself.
    pub(crate) fn each(&self) -> &[Json<'s>] {
        self.as_array().unwrap_or(core::slice::from_ref(self))
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if this is an array.
    pub fn as_array(&self) -> Option<&[Json<'s>]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Appends the value; what was read is written as it stood, less its white space.
    pub fn write(&self, out: &mut Writer) {
        match self {
            Json::Null => out.raw("null"),
            Json::Bool(value) => out.bool(*value),
            Json::Number(digits) => out.raw(digits),
            Json::String(text) => out.string(text),
            Json::Array(items) => out.array(|out| items.iter().for_each(|item| item.write(out))),
            Json::Object(members) => out.object(|out| members.iter().for_each(|(name, value)| value.write(out.field(name)))),
        }
    }

    /// The whole number, if this is one that fits.
    pub fn as_usize(&self) -> Option<usize> {
        match self {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

/// The value of a key among an object's members.
pub(crate) fn member<'j, 's>(members: &'j [(Cow<'s, str>, Json<'s>)], key: &str) -> Option<&'j Json<'s>> {
    members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// Where and why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// Bytes from the start of the text.
    pub at: usize,
    /// What was wrong, as the rest of a sentence ("a comma or a closing brace was expected").
    pub problem: &'static str,
}

/// A parsed text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<'s> {
    /// The value.
    pub value: Json<'s>,
    /// Something lay deeper than [`MAX_DEPTH`] and was left out.
    pub too_deep: bool,
    /// A key was given twice in one object; the last value was kept.
    pub repeated_key: bool,
}

/// Reads exactly one JSON value with white space around it (RFC 8259).
///
/// # Errors
/// The first place where the text is not JSON.
pub fn parse(text: &str) -> Result<Parsed<'_>, Error> {
    let mut parser = Parser { text, at: 0, too_deep: false, repeated_key: false };
    let value = parser.value(0)?;
    parser.white_space();
    if parser.at < text.len() {
        return Err(parser.error("text follows the value"));
    }
    Ok(Parsed { value, too_deep: parser.too_deep, repeated_key: parser.repeated_key })
}

/// Of members with the same key keeps the place of the first and the value of the last; `true` if there were any.
fn keep_last(members: &mut Vec<(Cow<'_, str>, Json<'_>)>) -> bool {
    let repeated = order::repeated(members.len(), &|index| members.get(index).map_or("", |(key, _)| key));
    let mut gone = repeated.iter().map(|(index, _)| *index).peekable();
    for (index, first) in &repeated {
        let value = members.get_mut(*index).map_or(Json::Null, |(_, value)| core::mem::replace(value, Json::Null));
        if let Some(member) = members.get_mut(*first) {
            member.1 = value;
        }
    }
    let mut index = 0;
    members.retain(|_| {
        index += 1;
        gone.next_if_eq(&(index - 1)).is_none()
    });
    !repeated.is_empty()
}

struct Parser<'s> {
    text: &'s str,
    at: usize,
    too_deep: bool,
    repeated_key: bool,
}

impl<'s> Parser<'s> {
    fn error(&self, problem: &'static str) -> Error {
        Error { at: self.at, problem }
    }

    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn slice(&self, from: usize, to: usize) -> &'s str {
        self.text.get(from..to).unwrap_or("")
    }

    fn white_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json<'s>, Error> {
        self.white_space();
        match self.peek() {
            b'{' | b'[' if depth >= MAX_DEPTH => {
                self.skip_container()?;
                self.too_deep = true;
                Ok(Json::Null)
            }
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => Ok(Json::String(self.string()?)),
            b'-' | b'0'..=b'9' => Ok(Json::Number(Cow::Borrowed(self.number()?))),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => Err(self.error("a value was expected")),
        }
    }

    fn word(&mut self, word: &'static str, value: Json<'s>) -> Result<Json<'s>, Error> {
        if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.error("a value was expected"))
    }

    fn object(&mut self, depth: usize) -> Result<Json<'s>, Error> {
        self.at += 1;
        let mut members: Vec<(Cow<'s, str>, Json<'s>)> = Vec::new();
        self.white_space();
        if self.eat(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.white_space();
            if self.peek() != b'"' {
                return Err(self.error("a key in double quotes was expected"));
            }
            let key = self.string()?;
            self.white_space();
            if !self.eat(b':') {
                return Err(self.error("a colon was expected after the key"));
            }
            let value = self.value(depth + 1)?;
            members.push((key, value));
            self.white_space();
            if self.eat(b'}') {
                self.repeated_key |= keep_last(&mut members);
                return Ok(Json::Object(members));
            }
            if !self.eat(b',') {
                return Err(self.error("a comma or a closing brace was expected"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json<'s>, Error> {
        self.at += 1;
        let mut items = Vec::new();
        self.white_space();
        if self.eat(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.white_space();
            if self.eat(b']') {
                return Ok(Json::Array(items));
            }
            if !self.eat(b',') {
                return Err(self.error("a comma or a closing bracket was expected"));
            }
        }
    }

    /// Steps over an array or object by counting brackets; strings are read so that brackets in them do not count.
    fn skip_container(&mut self) -> Result<(), Error> {
        let mut open = 0usize;
        loop {
            match self.peek() {
                b'{' | b'[' => open += 1,
                b'}' | b']' => open -= 1,
                b'"' => {
                    self.string()?;
                    continue;
                }
                0 if self.at >= self.text.len() => return Err(self.error("the text ends too early")),
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'s, str>, Error> {
        self.at += 1;
        let mut from = self.at;
        let mut owned: Option<String> = None;
        loop {
            match self.peek() {
                b'"' => {
                    let run = self.slice(from, self.at);
                    self.at += 1;
                    return Ok(match owned {
                        Some(mut text) => {
                            text.push_str(run);
                            Cow::Owned(text)
                        }
                        None => Cow::Borrowed(run),
                    });
                }
                b'\\' => {
                    let text = owned.get_or_insert_default();
                    text.push_str(self.text.get(from..self.at).unwrap_or(""));
                    let character = self.escape()?;
                    text.push(character);
                    from = self.at;
                }
                0 if self.at >= self.text.len() => return Err(self.error("a string is not closed")),
                0..=0x1f => return Err(self.error("a control character must be escaped in a string")),
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let start = self.at;
        self.at += 1;
        let simple = match self.peek() {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                let high = self.hex4(start)?;
                // A surrogate pair is one character; a lone surrogate cannot be text.
                if (0xd800..0xdc00).contains(&high) && self.slice(self.at, self.at + 2) == "\\u" {
                    let resume = self.at;
                    self.at += 2;
                    let low = self.hex4(start)?;
                    if (0xdc00..0xe000).contains(&low) {
                        let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                        return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    self.at = resume;
                }
                return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => {
                self.at = start;
                return Err(self.error("an escape is not one of JSON's"));
            }
        };
        self.at += 1;
        Ok(simple)
    }

    fn hex4(&mut self, start: usize) -> Result<u32, Error> {
        let digits = self.slice(self.at, self.at + 4);
        let bad = Error { at: start, problem: "an escape is not one of JSON's" };
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad);
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| bad)
    }

    fn number(&mut self) -> Result<&'s str, Error> {
        let from = self.at;
        self.eat(b'-');
        if !self.eat(b'0') && self.digits() == 0 {
            return Err(self.error("a digit was expected"));
        }
        if self.eat(b'.') && self.digits() == 0 {
            return Err(self.error("a digit was expected"));
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.error("a digit was expected"));
            }
        }
        Ok(self.slice(from, self.at))
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        self.at - from
    }
}

/// Writes compact JSON; commas look after themselves.
#[derive(Default)]
pub struct Writer {
    out: String,
    comma: bool,
}

impl Writer {
    /// An empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text written so far.
    pub fn into_string(self) -> String {
        self.out
    }

    /// Bytes written so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Forgets what was written since `len()` was `length`.
    pub fn truncate(&mut self, length: usize) {
        self.out.truncate(length);
        self.comma = !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[' | b':'));
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.push(',');
        }
        self.comma = true;
    }

    /// `{` what `body` writes `}`
    pub fn object(&mut self, body: impl FnOnce(&mut Self)) {
        self.container('{', '}', body);
    }

    /// `[` what `body` writes `]`
    pub fn array(&mut self, body: impl FnOnce(&mut Self)) {
        self.container('[', ']', body);
    }

    fn container(&mut self, open: char, close: char, body: impl FnOnce(&mut Self)) {
        self.open(open);
        body(self);
        self.close(close);
    }

    // Apart from `container`, so that they are compiled once and not for each body.
    #[inline(never)]
    fn open(&mut self, bracket: char) {
        self.separate();
        self.out.push(bracket);
        self.comma = false;
    }

    #[inline(never)]
    fn close(&mut self, bracket: char) {
        self.out.push(bracket);
        self.comma = true;
    }

    /// `"name":`; the next value written is its value.
    #[inline(never)]
    pub fn field(&mut self, name: &str) -> &mut Self {
        self.separate();
        escape(&mut self.out, name);
        self.out.push(':');
        self.comma = false;
        self
    }

    /// A string, escaped.
    #[inline(never)]
    pub fn string(&mut self, text: &str) {
        self.separate();
        escape(&mut self.out, text);
    }

    /// A boolean.
    #[inline(never)]
    pub fn bool(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// A whole number.
    pub fn number(&mut self, value: usize) {
        self.separate();
        push_number(&mut self.out, value);
    }

    /// Text that is JSON already.
    #[inline(never)]
    pub fn raw(&mut self, json: &str) {
        self.separate();
        self.out.push_str(json);
    }
}

/// Appends a whole number in decimal digits.
pub fn push_number(out: &mut String, value: usize) {
    if value >= 10 {
        push_number(out, value / 10);
    }
    out.push(char::from(b'0' + (value % 10) as u8));
}

/// A whole number in decimal digits.
pub fn number(value: usize) -> String {
    let mut out = String::new();
    push_number(&mut out, value);
    out
}

fn escape(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.push_str(text.get(from..at).unwrap_or(""));
        from = at + 1;
        out.push('\\');
        match byte {
            b'\n' => out.push('n'),
            b'\r' => out.push('r'),
            b'\t' => out.push('t'),
            b'"' | b'\\' => out.push(char::from(byte)),
            _ => {
                out.push_str("u00");
                for digit in [byte >> 4, byte & 15] {
                    out.push(char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }));
                }
            }
        }
    }
    out.push_str(text.get(from..).unwrap_or(""));
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_numbers_as_written() {
        let parsed = parse("[129.90, 12345678901234567890, -0.5e+3]").map(|parsed| parsed.value);
        let numbers = ["129.90", "12345678901234567890", "-0.5e+3"];
        assert_eq!(parsed, Ok(Json::Array(numbers.map(|digits| Json::Number(digits.into())).into())));
    }

    #[test]
    fn says_where_a_text_is_not_json() {
        for (text, at) in [("", 0), ("{\"a\":1,}", 7), ("[1 2]", 3), ("\"\u{1}\"", 1), ("{} x", 3), ("01", 1), ("\"\\q\"", 1)] {
            assert_eq!(parse(text).map_err(|error| error.at), Err(at), "{text}");
        }
    }

    #[test]
    fn keeps_the_last_of_repeated_keys_in_the_first_place() {
        let parsed = parse(r#"{"b":1,"a":2,"b":3,"c":4,"b":5}"#);
        let number = |digits: &'static str| Json::Number(digits.into());
        let members = alloc::vec![("b".into(), number("5")), ("a".into(), number("2")), ("c".into(), number("4"))];
        assert_eq!(parsed, Ok(Parsed { value: Json::Object(members), too_deep: false, repeated_key: true }));
    }

    #[test]
    fn resolves_escapes() {
        let parsed = parse(r#""\ud83d\ude00 \u00e9\n\ud800""#).map(|parsed| parsed.value);
        assert_eq!(parsed, Ok(Json::String("\u{1f600} é\n\u{fffd}".into())));
    }

    #[test]
    fn survives_half_a_million_brackets() {
        let text = ["[".repeat(500_000), "]".repeat(500_000)].concat();
        assert_eq!(parse(&text).map(|parsed| parsed.too_deep), Ok(true));
    }

    #[test]
    fn writes_what_it_reads() {
        let mut out = Writer::new();
        out.object(|out| {
            out.field("a\"").string("x\u{7}\n");
            out.field("b").array(|out| {
                out.number(120);
                out.bool(true);
            });
        });
        assert_eq!(out.into_string(), r#"{"a\"":"x\u0007\n","b":[120,true]}"#);
    }
}
