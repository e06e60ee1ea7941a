//! Answers in parts: whole items, and where the next part starts.

use alloc::{string::String, vec::Vec};

use super::Out;
use crate::json::Writer;
use crate::text;

/// Characters of a text that are told in one piece; a longer one (the body of an article) goes over several answers.
const CHUNK: usize = 6_000;

/// Appends `"more":{"offset","total"}`.
pub fn more(offset: usize, total: usize, out: &mut Writer) {
    out.field("more").object(|out| {
        out.field("offset").number(offset);
        out.field("total").number(total);
    });
}

/// The part of `told` that starts at value `from` and fits in `soft` characters and `hard` bytes.
pub fn answer(told: Out<'_>, from: usize, soft: usize, hard: usize) -> String {
    let mut cut = Cut { at: 0, from, left: soft.min(hard.saturating_sub(80)), hard: hard.saturating_sub(80), taken: false, stop: None };
    let part = cut.take(&told);
    let mut out = Writer::new();
    out.object(|out| {
        if let Some(Out::Object(fields)) = &part {
            fields.iter().for_each(|(name, value)| value.write(out.field(&text::visible(name))));
        }
        if let Some(stop) = cut.stop {
            more(stop, cut.at, out);
        }
    });
    out.into_string()
}

/// `told`, or its start if it is more than `hard` bytes.
pub fn within(told: Out<'_>, hard: usize) -> Out<'_> {
    let mut cut = Cut { at: 0, from: 0, left: hard, hard, taken: false, stop: None };
    cut.take(&told).unwrap_or(told)
}

/// A walk over the single values of an answer, in order.
struct Cut {
    /// Values passed.
    at: usize,
    /// The first that is taken.
    from: usize,
    /// Characters that may still be taken.
    left: usize,
    /// Bytes that may still be taken.
    hard: usize,
    /// Something was taken.
    taken: bool,
    /// The first that did not fit.
    stop: Option<usize>,
}

impl Cut {
    fn one(&mut self, characters: usize, bytes: usize) -> bool {
        let at = self.at;
        self.at += 1;
        if at < self.from || self.stop.is_some() {
            return false;
        }
        if (characters > self.left && self.taken) || bytes > self.hard {
            self.stop = Some(at);
            return false;
        }
        self.left = self.left.saturating_sub(characters);
        self.hard -= bytes;
        self.taken = true;
        true
    }

    fn take<'m>(&mut self, told: &Out<'m>) -> Option<Out<'m>> {
        match told {
            Out::Text(text) if text.len() > CHUNK => {
                let mut part = String::new();
                for piece in pieces(text) {
                    if self.one(text::length(piece) + 2, escaped(piece)) {
                        part.push_str(piece);
                    }
                }
                (!part.is_empty()).then_some(Out::Text(part))
            }
            Out::Text(text) => self.one(text::length(text) + 3, escaped(text) + 3).then(|| told.clone()),
            Out::Raw(raw) => self.one(raw.len() + 1, raw.len() + 1).then(|| told.clone()),
            Out::List(items) => {
                let mut part = Vec::new();
                for item in items {
                    let before = (self.at, self.left, self.hard, self.taken, self.stop);
                    let taken = self.take(item);
                    // A whole item or none of it, unless nothing else is in this answer.
                    if before.4.is_none() && self.stop.is_some() && before.3 && before.0 >= self.from {
                        (self.left, self.hard, self.taken) = (before.1, before.2, before.3);
                        self.stop = Some(before.0);
                        continue;
                    }
                    part.extend(taken);
                }
                (!part.is_empty()).then_some(Out::List(part))
            }
            Out::Object(fields) => {
                let mut part = Vec::new();
                for (name, value) in fields {
                    let before = (self.left, self.hard);
                    if self.stop.is_none() {
                        self.left = self.left.saturating_sub(name.len() + 4);
                        self.hard = self.hard.saturating_sub(name.len() + 6);
                    }
                    match self.take(value) {
                        Some(value) => part.push((*name, value)),
                        // What an earlier answer told costs this one nothing.
                        None => (self.left, self.hard) = before,
                    }
                }
                (!part.is_empty()).then_some(Out::Object(part))
            }
        }
    }
}

/// A long text in pieces that end between words.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    core::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let mut end = text.char_indices().nth(CHUNK).map_or(text.len(), |(at, _)| at);
        if end < text.len() {
            let start = text.get(..end).unwrap_or(text);
            end = start.rfind(char::is_whitespace).filter(|at| *at > end / 2).map_or(end, |at| at + 1);
        }
        let (piece, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        text = rest;
        Some(piece)
    })
}

/// Bytes of the text in JSON.
fn escaped(text: &str) -> usize {
    text.len() + text.bytes().filter(|byte| matches!(byte, b'"' | b'\\' | b'\n' | b'\t' | b'\r')).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use alloc::{string::ToString, vec};

    fn text(text: &str) -> Out<'static> {
        Out::Text(text.into())
    }

    fn parts(told: &Out<'_>, soft: usize, hard: usize) -> Vec<String> {
        let mut from = 0;
        let mut parts = Vec::new();
        loop {
            let part = answer(told.clone(), from, soft, hard);
            assert!(part.len() <= hard, "{} bytes", part.len());
            let parsed = parse(&part).map(|parsed| parsed.value).unwrap();
            let next = parsed.get("more").and_then(|more| more.get("offset")?.as_usize());
            parts.push(part.clone());
            match next {
                Some(next) => {
                    assert!(next > from, "goes on");
                    from = next;
                }
                None => return parts,
            }
        }
    }

    #[test]
    fn what_fits_is_whole() {
        let told = Out::Object(vec![("name", text("Bag")), ("offers", Out::List(vec![Out::Raw("1".into()), text("2")]))]);
        assert_eq!(parts(&told, 1_000, 1_000), [r#"{"name":"Bag","offers":[1,"2"]}"#]);
    }

    #[test]
    fn items_are_told_whole_and_once() {
        let item = |number: usize| {
            Out::Object(vec![("name", text(&["Item ", &number.to_string()].concat())), ("price", Out::Raw(number.to_string().into()))])
        };
        let told = Out::Object(vec![("name", text("All")), ("items", Out::List((0..100).map(item).collect()))]);
        let parts = parts(&told, 300, 5_000);
        assert!(parts.len() > 5);
        let all = parts.concat();
        for number in 0..100 {
            let item = ["{\"name\":\"Item ", &number.to_string(), "\",\"price\":", &number.to_string(), "}"].concat();
            assert_eq!(all.matches(&item).count(), 1, "{item}");
        }
    }

    #[test]
    fn a_long_text_goes_on_where_it_stopped() {
        let long: String = (0..9_000).map(|number| ["w", &number.to_string(), " "].concat()).collect();
        let told = Out::Object(vec![("articleBody", text(long.trim()))]);
        let parts = parts(&told, 10_000, 20_000);
        let texts: String = parts
            .iter()
            .map(|part| {
                let parsed = parse(part).unwrap().value;
                String::from(parsed.get("articleBody").and_then(crate::json::Json::as_str).unwrap())
            })
            .collect();
        assert_eq!(texts, long.trim());
    }

    #[test]
    fn a_value_of_any_size_keeps_to_the_hard_cap() {
        let told = Out::Object(vec![("a", text(&"\"".repeat(50_000))), ("b", text("end"))]);
        assert!(parts(&told, 1_000, 13_000).concat().contains("\"b\":\"end\""));
    }
}
