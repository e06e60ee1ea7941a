//! URLs in attributes.

use alloc::{rc::Rc, string::String};

use crate::dom::Document;
use crate::text;

/// An absolute URL for what an attribute holds, or `None` where it is no URL.
pub(super) fn resolve(document: &Document, written: &str) -> Option<Rc<str>> {
    resolve_against(document, written, &document.base_url).map(Rc::from)
}

/// The same against another base. A URI template (RFC 6570) stays a template: absolute ones verbatim, relative ones
/// resolved around their braces, which a URL parser would encode.
pub(super) fn resolve_against(document: &Document, written: &str, base: &str) -> Option<String> {
    let written = written.trim_matches(|character: char| character.is_ascii_whitespace());
    if !text::has(written, b'{') {
        return document.resolve_against(written, base);
    }
    if has_scheme(written) {
        return Some(String::from(&*verbatim(written)));
    }
    // Lower-case letters pass through every part of a URL unchanged.
    const OPEN: &str = "zqopenzq";
    const CLOSE: &str = "zqclosezq";
    let resolved = document.resolve_against(&text::replace(&text::replace(written, "{", OPEN), "}", CLOSE), base)?;
    Some(text::replace(&text::replace(&resolved, OPEN, "{"), CLOSE, "}"))
}

/// What is no URL, or must not become one, as written: without the line breaks and controls that a URL parser drops.
pub(super) fn verbatim(written: &str) -> Rc<str> {
    let mut text = String::from(text::visible(written.trim()));
    text.retain(|character| !character.is_control());
    text.into()
}

/// It starts with a URL scheme.
pub(super) fn has_scheme(url: &str) -> bool {
    url.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}
