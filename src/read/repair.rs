//! Repairs of JSON-LD that people really break; tried only after strict parsing failed.
//!
//! One pass reads the text with some tolerance and writes JSON. A string that parses keeps its ends, no value is made
//! up, and what can be read in two ways is left alone.

use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::{json, text};

/// Bytes of a bare word at most; a longer one is no identifier.
const MAX_WORD: usize = 200;

/// Characters around a fault that are told.
const CONTEXT: usize = 24;

/// A text that was repaired.
pub struct Repaired {
    /// JSON: an array of what the text holds.
    pub text: String,
    /// What was done and where.
    pub summary: String,
}

/// Kinds of repairs, as they are told.
const KINDS: [&str; 12] = [
    "comment or CDATA marks around it",
    "odd spaces",
    "raw line breaks or control characters in strings",
    "superfluous commas",
    "comments",
    "stray semicolons or brackets",
    "several values in a row",
    "HTML-encoded quotes",
    "unescaped quotes in strings",
    "escapes that JSON does not know",
    "single quotes or bare keys",
    "keys without a value",
];
const WRAPPER: usize = 0;
const SPACE: usize = 1;
const CONTROL: usize = 2;
const COMMA: usize = 3;
const COMMENT: usize = 4;
const STRAY: usize = 5;
const SEVERAL: usize = 6;
const ENCODED: usize = 7;
const QUOTE: usize = 8;
const ESCAPE: usize = 9;
const UNQUOTED: usize = 10;
const VALUELESS: usize = 11;

/// Makes JSON of a text that is nearly JSON; nothing where the text says nothing at all.
///
/// # Errors
/// The first place that cannot be understood, or that can be understood in two ways.
pub fn repair(text: &str) -> Option<Result<Repaired, json::Error>> {
    let decoded = decode(text);
    let mut repair = Repair {
        text: &decoded,
        at: 0,
        out: String::with_capacity(decoded.len() + 2),
        open: Vec::new(),
        values: 0,
        comment: false,
        odd: false,
        found: [(0, 0); KINDS.len()],
    };
    if matches!(decoded, Cow::Owned(_)) {
        repair.note(ENCODED);
    }
    repair.out.push('[');
    if let Err(error) = repair.run() {
        return Some(Err(error));
    }
    repair.out.push(']');
    if repair.values == 0 {
        return None;
    }
    let mut summary = String::new();
    for (kind, (count, first)) in KINDS.iter().zip(repair.found).filter(|(_, (count, _))| *count > 0) {
        let comma = if summary.is_empty() { "" } else { "; " };
        let times = if count == 1 { " (at " } else { " (first at " };
        summary.push_str(&[comma, kind, times, &position(&decoded, first), ")"].concat());
    }
    Some(Ok(Repaired { text: repair.out, summary }))
}

/// The text, decoded once if even its quotes are HTML-encoded.
fn decode(text: &str) -> Cow<'_, str> {
    let inside = text.trim_start_matches(|c: char| c.is_whitespace() || c == '{' || c == '[');
    if inside.len() == text.trim_start().len() || !inside.starts_with('&') {
        return Cow::Borrowed(text);
    }
    // Some pretty-printers part the characters of a reference (`& #34;`).
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        joined.push_str(before);
        joined.push('&');
        rest = after;
        if let Some(digits) = after.trim_start().strip_prefix('#').map(str::trim_start)
            && digits.starts_with(|c: char| c.is_ascii_digit() || c == 'x')
        {
            joined.push('#');
            rest = digits;
        }
    }
    joined.push_str(rest);
    Cow::Owned(text::decode(&joined).into_owned())
}

/// Line and column of a byte, counted from 1.
fn position(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
    ["line ", &json::number(line), ", column ", &json::number(column)].concat()
}

/// Where a byte is, in words: line, column and the text around it.
pub fn place(text: &str, at: usize) -> String {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let mut around: Vec<char> = before.chars().rev().take(CONTEXT).collect();
    around.reverse();
    around.extend(after.chars().take(CONTEXT));
    let around: String = around.into_iter().collect();
    ["at ", &position(text, at), ", near '", &text::collapse(&around.replace(char::is_control, " ")), "'"].concat()
}

/// Where a string stands, which says what may follow it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Key,
    Member,
    Element,
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A value of an array or of the whole text.
    Value,
    /// The value of a member.
    Member,
    Key,
    Colon,
    Comma,
}

struct Repair<'t> {
    text: &'t str,
    at: usize,
    out: String,
    /// Brackets that are open.
    open: Vec<u8>,
    /// Values of the whole text.
    values: usize,
    /// An HTML comment around all is open.
    comment: bool,
    /// A string with an odd number of unescaped quotes was met.
    odd: bool,
    found: [(usize, usize); KINDS.len()],
}

impl<'t> Repair<'t> {
    fn note(&mut self, kind: usize) {
        if let Some((count, first)) = self.found.get_mut(kind) {
            if *count == 0 {
                *first = self.at;
            }
            *count += 1;
        }
    }

    fn fail<T>(&self, problem: &'static str) -> Result<T, json::Error> {
        Err(json::Error { at: self.at, problem })
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn run(&mut self) -> Result<(), json::Error> {
        let mut next = Next::Value;
        // A comma that is written only when something follows.
        let mut comma = false;
        loop {
            self.skip()?;
            let byte = self.byte(self.at);
            if self.at >= self.text.len() {
                return match self.open.is_empty() && !self.comment {
                    true => Ok(()),
                    false => self.fail("the text ends too early"),
                };
            }
            let inside = self.open.last().copied();
            if next == Next::Comma {
                match byte {
                    b',' => {
                        comma = true;
                        next = if inside == Some(b'{') { Next::Key } else { Next::Value };
                        self.at += 1;
                    }
                    b'}' | b']' => next = self.close(byte, inside)?,
                    _ => return self.fail("a comma or a closing bracket was expected"),
                }
                continue;
            }
            if next == Next::Colon {
                if byte != b':' {
                    return self.fail("a colon was expected after the key");
                }
                self.at += 1;
                self.out.push(':');
                next = Next::Member;
                continue;
            }
            match byte {
                b',' if next != Next::Member => {
                    self.note(if inside.is_none() { SEVERAL } else { COMMA });
                    self.at += 1;
                    continue;
                }
                b'}' | b']' if next != Next::Member && inside.is_some() => {
                    if comma {
                        self.note(COMMA);
                    }
                    comma = false;
                    next = self.close(byte, inside)?;
                    continue;
                }
                b'}' | b']' if inside.is_none() => {
                    self.note(STRAY);
                    self.at += 1;
                    continue;
                }
                b',' | b'}' => {
                    self.note(VALUELESS);
                    self.out.push_str("null");
                    next = Next::Comma;
                    continue;
                }
                b'{' | b'[' => {}
                _ if inside.is_none() => return self.fail("an object or an array was expected"),
                _ => {}
            }
            if core::mem::take(&mut comma) || (inside.is_none() && self.values > 0) {
                self.out.push(',');
            }
            if inside.is_none() {
                self.values += 1;
                if self.values == 2 {
                    self.note(SEVERAL);
                }
            }
            next = if next == Next::Key { self.key(byte)? } else { self.value(byte, next)? };
        }
    }

    fn close(&mut self, byte: u8, inside: Option<u8>) -> Result<Next, json::Error> {
        if inside != Some(if byte == b'}' { b'{' } else { b'[' }) {
            return self.fail("a bracket closes what it did not open");
        }
        self.at += 1;
        self.out.push(char::from(byte));
        self.open.pop();
        Ok(if self.open.is_empty() { Next::Value } else { Next::Comma })
    }

    fn key(&mut self, byte: u8) -> Result<Next, json::Error> {
        if byte == b'"' || byte == b'\'' {
            self.string(byte, Place::Key)?;
            return Ok(Next::Colon);
        }
        let word = word(self.rest());
        if word.is_empty() {
            return self.fail("a key in double quotes was expected");
        }
        self.note(UNQUOTED);
        self.out.push_str(&["\"", word, "\""].concat());
        self.at += word.len();
        Ok(Next::Colon)
    }

    fn value(&mut self, byte: u8, next: Next) -> Result<Next, json::Error> {
        match byte {
            b'{' | b'[' => {
                self.open.push(byte);
                self.out.push(char::from(byte));
                self.at += 1;
                return Ok(if byte == b'{' { Next::Key } else { Next::Value });
            }
            b'"' | b'\'' => self.string(byte, if next == Next::Member { Place::Member } else { Place::Element })?,
            b'-' | b'0'..=b'9' => {
                let length = self.rest().bytes().take_while(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)).count();
                let number = self.rest().get(..length).unwrap_or("");
                if json::parse(number).is_err() {
                    return self.fail("this is no number");
                }
                self.out.push_str(number);
                self.at += length;
            }
            _ => {
                let word = word(self.rest());
                if !matches!(word, "true" | "false" | "null") {
                    return self.fail("a value was expected");
                }
                self.out.push_str(word);
                self.at += word.len();
            }
        }
        Ok(Next::Comma)
    }

    /// Steps over what parts tokens, and over what should not be there.
    fn skip(&mut self) -> Result<(), json::Error> {
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else { return Ok(()) };
            match first {
                ' ' | '\t' | '\n' | '\r' => self.at += 1,
                ';' if self.open.is_empty() => {
                    self.note(STRAY);
                    self.at += 1;
                }
                '/' if rest.starts_with("//") => {
                    let line = rest.split(['\n', '\r']).next().unwrap_or(rest);
                    let said = line.trim_start_matches('/').trim_start();
                    self.note(COMMENT);
                    // Marks for old HTML and XML parsers hide behind `//`.
                    self.at += if said.starts_with("<!") || said.starts_with("-->") { line.len() - said.len() } else { line.len() };
                }
                '/' if rest.starts_with("/*") => {
                    let Some(end) = text::find(rest, "*/") else { return self.fail("a comment is not closed") };
                    self.note(COMMENT);
                    self.at += end + 2;
                }
                '<' if rest.starts_with("<!--") => self.html_comment(rest)?,
                '-' if rest.starts_with("-->") && self.comment && self.open.is_empty() => {
                    self.comment = false;
                    self.at += 3;
                }
                '<' if rest.starts_with("<![CDATA[") => {
                    self.note(WRAPPER);
                    self.at += 9;
                }
                ']' if rest.starts_with("]]>") && self.open.is_empty() => self.at += 3,
                _ if first.is_whitespace() || text::is_invisible(first) => {
                    self.note(SPACE);
                    self.at += first.len_utf8();
                }
                _ => return Ok(()),
            }
        }
    }

    /// An HTML comment beside the data, or the one that holds all of it.
    fn html_comment(&mut self, rest: &str) -> Result<(), json::Error> {
        let said = rest.get(4..).unwrap_or("");
        let Some((inside, after)) = text::split_once(said, "-->") else { return self.fail("a comment is not closed") };
        let around = self.open.is_empty() && self.values == 0 && inside.contains(['{', '[']) && !after.contains(['{', '[']);
        if around && text::contains(after, "-->") {
            return self.fail("a comment around the block ends within it");
        }
        self.note(if around { WRAPPER } else { COMMENT });
        self.comment |= around;
        self.at += if around { 4 } else { 4 + inside.len() + 3 };
        Ok(())
    }

    fn string(&mut self, quote: u8, place: Place) -> Result<(), json::Error> {
        const UNCLEAR: &str = "a quote may end the string or belong to it";
        if quote == b'\'' {
            self.note(UNQUOTED);
        }
        let start = self.at;
        self.at += 1;
        self.out.push('"');
        let (mut from, mut inner, mut inches, mut doubtful, mut parted) = (self.at, 0, 0, None, false);
        loop {
            let byte = self.byte(self.at);
            let special = byte < b' ' || matches!(byte, b'"' | b'\\') || byte == quote;
            if !special {
                self.at += 1;
                continue;
            }
            self.out.push_str(self.text.get(from..self.at).unwrap_or(""));
            match byte {
                _ if byte == quote => {
                    let Some(after) = self.after(self.at + 1) else { return self.fail("the text ends too early") };
                    if self.ends(place, after) {
                        self.at += 1;
                        self.out.push('"');
                        break;
                    }
                    let follows = self.byte(after);
                    let beyond = if follows == b',' { self.after(after + 1).map_or(0, |next| self.byte(next)) } else { 0 };
                    // `"a": "b, "c": "d"`: the quote may begin the next key's value as well. `"a": "b", "c" "d"`: the
                    // string ends where it should; it is what follows that is broken.
                    let ended = doubtful.is_none() && (matches!(follows, b'}' | b']') || matches!(beyond, b'"' | b'\'' | b':'));
                    if place == Place::Key || follows == b':' || ended {
                        self.at = doubtful.unwrap_or(self.at);
                        return self.fail(UNCLEAR);
                    }
                    doubtful = doubtful.or(Some(self.at));
                    parted |= beyond == quote;
                    inner += usize::from(quote == b'"');
                    inches += usize::from(self.byte(self.at.wrapping_sub(1)).is_ascii_digit());
                    if quote == b'"' {
                        self.note(QUOTE);
                        self.out.push('\\');
                    }
                    self.out.push(char::from(quote));
                    self.at += 1;
                }
                b'"' => {
                    self.out.push_str("\\\"");
                    self.at += 1;
                }
                b'\\' => self.escape()?,
                _ if self.at >= self.text.len() => {
                    self.at = start;
                    return self.fail("a string is not closed");
                }
                _ => {
                    self.note(CONTROL);
                    let high = if byte < 16 { '0' } else { '1' };
                    let low = char::from_digit(u32::from(byte & 15), 16).unwrap_or('0');
                    self.out.push_str("\\u00");
                    self.out.extend([high, low]);
                    self.at += 1;
                }
            }
            from = self.at;
        }
        // Quotes come in pairs, but for the sign of inches. One that is left over may part strings in another way.
        if inner % 2 == 1 && (inches == 0 || parted) {
            if self.odd || parted || place == Place::Element {
                self.at = doubtful.unwrap_or(start);
                return self.fail(UNCLEAR);
            }
            self.odd = true;
        }
        Ok(())
    }

    /// The first byte at or after `at` that can be seen; nothing at the end of the text.
    fn after(&self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        rest.find(|c: char| !c.is_whitespace() && !text::is_invisible(c)).map(|skipped| at + skipped)
    }

    /// What begins at `after` can follow a string in this place.
    fn ends(&self, place: Place, after: usize) -> bool {
        let byte = self.byte(after);
        let comment = |at: usize| self.text.get(at..).is_some_and(|rest| rest.starts_with("//") || rest.starts_with("/*"));
        match place {
            Place::Key => return byte == b':' || comment(after),
            Place::Member if byte == b'}' => return true,
            Place::Element if byte == b']' => return true,
            _ => {}
        }
        if byte != b',' {
            return comment(after);
        }
        let Some(next) = self.after(after + 1) else { return false };
        let rest = self.text.get(next..).unwrap_or("");
        let byte = self.byte(next);
        if comment(next) || byte == b',' {
            return true;
        }
        match place {
            Place::Element => {
                matches!(byte, b'"' | b'\'' | b'{' | b'[' | b']' | b'-' | b'0'..=b'9') || matches!(word(rest), "true" | "false" | "null")
            }
            _ if matches!(byte, b'"' | b'\'') => {
                let mut escaped = false;
                let key = rest.bytes().skip(1).position(|other| {
                    let end = other == byte && !escaped;
                    escaped = other == b'\\' && !escaped;
                    end
                });
                key.and_then(|length| self.after(next + length + 2)).is_some_and(|colon| self.byte(colon) == b':')
            }
            _ => {
                let word = word(rest).len();
                byte == b'}' || (word > 0 && self.after(next + word).is_some_and(|colon| self.byte(colon) == b':'))
            }
        }
    }

    fn escape(&mut self) -> Result<(), json::Error> {
        let mut rest = self.rest().chars();
        rest.next();
        let escaped = rest.next();
        match escaped {
            Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => self.out.push_str(self.rest().get(..2).unwrap_or("")),
            Some('u') => {
                let digits = self.rest().get(2..6).unwrap_or("");
                if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return self.fail("an escape is not one of JSON's");
                }
                self.out.push_str("\\u");
            }
            // A letter may stand for something else, or for itself after a backslash (`C:\Data`).
            Some(letter) if text::is_word(letter) => return self.fail("an escape is not one of JSON's"),
            Some(sign) if !sign.is_control() => {
                self.note(ESCAPE);
                self.out.push(sign);
            }
            // JavaScript continues a string on the next line so.
            Some('\n') => self.note(ESCAPE),
            _ => return self.fail("an escape is not one of JSON's"),
        }
        self.at += 1 + escaped.map_or(0, char::len_utf8);
        Ok(())
    }
}

/// The identifier that a text begins with; `@` and `-` count, as in JSON-LD's keywords and Schema.org's `query-input`.
fn word(text: &str) -> &str {
    if !text.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$' | '@')) {
        return "";
    }
    let end = text.bytes().take(MAX_WORD).position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'$' | b'@' | b'-'));
    text.get(..end.unwrap_or(text.len().min(MAX_WORD))).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read, without the array around it.
    fn read(text: &str) -> Option<String> {
        let repaired = repair(text)?.ok()?;
        json::parse(&repaired.text).ok()?;
        Some(repaired.text.strip_prefix('[')?.strip_suffix(']')?.into())
    }

    #[test]
    fn repairs_what_has_one_reading() {
        for (text, expected) in [
            ("<!-- {\"a\":1} -->", r#"{"a":1}"#),
            ("<!-- made by hand -->\n{\"a\":1}", r#"{"a":1}"#),
            ("//<![CDATA[\n{\"a\":1}\n//]]>", r#"{"a":1}"#),
            ("//<![CDATA[ {\"a\":1} //]]>", r#"{"a":1}"#),
            ("/*<![CDATA[*/ {\"a\":1} /*]]>*/", r#"{"a":1}"#),
            ("<![CDATA[{\"a\":1}]]>", r#"{"a":1}"#),
            ("\u{feff}\u{a0}{\u{2028}\"a\"\u{200b}:1}", r#"{"a":1}"#),
            ("{\"a\":\"b\nc\td\u{1}\"}", r#"{"a":"b\u000ac\u0009d\u0001"}"#),
            ("{\"a\":[1,,2,],,\"b\":3,}", r#"{"a":[1,2],"b":3}"#),
            ("{ // one\n\"a\":/* two */\"http://x//y\" // three\n}", r#"{"a":"http://x//y"}"#),
            ("{\"a\":1};", r#"{"a":1}"#),
            ("{\"a\":1}}]", r#"{"a":1}"#),
            ("{\"a\":1},\n{\"a\":2} [3]", r#"{"a":1},{"a":2},[3]"#),
            ("{&quot;a&quot;:&quot;b &amp;quot;c&amp;quot;&quot;}", r#"{"a":"b &quot;c&quot;"}"#),
            ("[{& #34;a&# 34;:1}]", r#"[{"a":1}]"#),
            (r#"{"a":"The "best" one","b":1}"#, r#"{"a":"The \"best\" one","b":1}"#),
            (r#"{"a":"5"","b":"say "yes", "no" or "c""}"#, r#"{"a":"5\"","b":"say \"yes\", \"no\" or \"c\""}"#),
            (r#"{"a":"it\'s 5\% \- off"}"#, r#"{"a":"it's 5% - off"}"#),
            (r#"{'a':'it's "so"', b_c: [true,'x'], "@id": null}"#, r#"{"a":"it's \"so\"","b_c":[true,"x"],"@id":null}"#),
            (r#"{"a":,"b":}"#, r#"{"a":null,"b":null}"#),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn leaves_alone_what_has_two_readings() {
        for (text, at) in [
            (r#"{"a":"b" "c":"d"}"#, 7),
            (r#"{"a":"b, "c":"d"}"#, 9),
            (r#"{"a":"x "b", "c":"y" z","d":1}"#, 19),
            (r#"["he said "yes", "no" and left", "b"]"#, 10),
            (r#"{"a":"x", "b: "y", "c":1}"#, 7),
            (r#"{"a":"x","b" "y"}"#, 7),
            (r#"{"a":"x","b"="y"}"#, 7),
            (r#"{"a":"x",:"y"}"#, 7),
            (r#"{"a":["x","y"},"b":"z"]}"#, 12),
            (r#"{"a":"x"],"b":"y"}"#, 7),
            (r#"{"a":"C:\Data"}"#, 8),
            (r#"{"a":undefined}"#, 5),
            (r#"{"a":1,299}"#, 7),
            (r#"{"a":"b","c":{"d":"e"#, 18),
            (r#"{"a":[1}"#, 7),
            ("<!-- {\"a\":1}", 0),
            ("{\"a\":1} -->", 8),
            ("<!-- {\"a\":\"<!-- -->\"} -->", 0),
            ("{{ product | json }}", 1),
            ("var a = {}", 0),
        ] {
            assert_eq!(repair(text).map(|repaired| repaired.map_err(|error| error.at).err()), Some(Some(at)), "{text}");
        }
        assert!(repair("\u{feff} <!-- nothing -->").is_none());
    }

    #[test]
    fn says_what_and_where() {
        let summary = repair("{\n  \"a\": 1,\n}").and_then(Result::ok).map(|repaired| repaired.summary);
        assert_eq!(summary.as_deref(), Some("superfluous commas (at line 3, column 1)"));
        assert_eq!(place("{\n \"a\" 1}", 7), "at line 2, column 6, near '{ \"a\" 1}'");
    }

    /// Random JSON with everything that a string may hold.
    fn random_json(seed: &mut u64, depth: usize, out: &mut String) {
        let mut next = |below: u64| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 33) % below
        };
        let kind = next(if depth > 4 { 6 } else { 10 });
        let string = |next: &mut dyn FnMut(u64) -> u64, out: &mut String| {
            const PARTS: [&str; 16] = ["a", "\\\"", ",", ":", "}", "]", "//", "/*", "'", " ", "\\u00e9", "<!--", "-->", "{", ";", "\\n"];
            out.push('"');
            for _ in 0..next(6) {
                out.push_str(PARTS[next(16) as usize]);
            }
            out.push('"');
        };
        match kind {
            0..=3 => string(&mut next, out),
            4 => out.push_str("-1.50e+3"),
            5 => out.push_str("null"),
            _ => {
                let array = kind > 7;
                let count = next(4);
                out.push(if array { '[' } else { '{' });
                for index in 0..count {
                    out.push_str(if index > 0 { ", " } else { " " });
                    if !array {
                        string(&mut next, out);
                        out.push_str(" : ");
                    }
                    let mut inner = next(u64::MAX);
                    random_json(&mut inner, depth + 1, out);
                }
                out.push_str(if array { " ]" } else { "\n}" });
            }
        }
    }

    #[test]
    fn reads_what_strict_parsing_accepts_alike() {
        for seed in 0..3000 {
            let mut text = String::from("[");
            random_json(&mut { seed }, 0, &mut text);
            text.push(']');
            let strict = json::parse(&text).map(|parsed| parsed.value);
            assert!(strict.is_ok(), "{text}");
            let lenient = read(&text).unwrap_or_default();
            assert_eq!(json::parse(&lenient).map(|parsed| parsed.value), strict, "{text}");
        }
    }
}
