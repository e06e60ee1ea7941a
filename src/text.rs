//! What text of a page may look like when an agent gets it: one space between words, line breaks only where they
//! mean something, no tags, no entities, nothing invisible.

use alloc::{borrow::Cow, string::String};

use crate::dom::{Child, Element};

/// The element's text as a reader of the page would take it: script, style and template left out, one space at
/// block boundaries and line breaks, white space collapsed, trimmed.
pub fn of(element: Element<'_>) -> String {
    let mut out = String::new();
    // A stack of our own: pages nest as deep as they like.
    let mut stack = alloc::vec![element.child_nodes().collect::<alloc::vec::Vec<_>>().into_iter()];
    while let Some(children) = stack.last_mut() {
        match children.next() {
            None => {
                stack.pop();
                out.push(' ');
            }
            Some(Child::Text(data)) => out.push_str(data),
            Some(Child::Element(child)) => match child.name() {
                "script" | "style" | "template" | "noscript" => {}
                "br" => out.push(' '),
                name => {
                    if is_inline(name) {
                        inline(child, &mut out);
                    } else {
                        out.push(' ');
                        stack.push(child.child_nodes().collect::<alloc::vec::Vec<_>>().into_iter());
                    }
                }
            },
        }
    }
    collapse(&out)
}

fn inline(element: Element<'_>, out: &mut String) {
    // Inline content without block children is the common case; anything else is walked again by `of`.
    let text = of(element);
    let raw = element.raw_text();
    if raw.starts_with(char::is_whitespace) {
        out.push(' ');
    }
    out.push_str(&text);
    if raw.ends_with(char::is_whitespace) {
        out.push(' ');
    }
}

fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr" | "b" | "bdi" | "bdo" | "cite" | "code" | "data" | "del" | "dfn" | "em" | "font" | "i" | "ins" | "kbd"
            | "label" | "mark" | "meta" | "link" | "q" | "s" | "samp" | "small" | "span" | "strong" | "sub" | "sup" | "time" | "tt" | "u" | "var" | "wbr"
    )
}

/// Runs of white space (U+00A0 included) become one space; the ends are trimmed.
pub fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// White space, the no-break kinds included.
pub fn is_space(character: char) -> bool {
    character.is_whitespace()
}

/// Characters that a person cannot see and a model can: controls, zero-width, bidirectional marks, tag characters.
pub fn is_invisible(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The text without invisible characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_invisible) {
        Cow::Owned(text.chars().filter(|character| !is_invisible(*character)).collect())
    } else {
        Cow::Borrowed(text)
    }
}
