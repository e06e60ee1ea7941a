//! The manifest of the Web Agent Semantic Protocol: a site's own index of a page, and ours in its format.
//!
//! A site's manifest gives names to places; what stands there is always read from the page itself.

use alloc::{string::String, vec::Vec};

use super::meta::Meta;
use super::outline::Outline;
use crate::diagnostic::Diagnostic;
use crate::json::{self, Json, Writer};
use crate::{search, text};

/// Chunks of a site's manifest that are used; one page has tens.
const MAX_CHUNKS: usize = 500;

/// What a site says of one of its pages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// What the page is about.
    pub summary: String,
    /// Comma-separated.
    pub keywords: String,
    chunks: Vec<Chunk>,
}

#[derive(Clone, Debug, PartialEq)]
struct Chunk {
    id: String,
    heading: String,
    anchor: String,
}

/// Reads `/.well-known/wasp.json`, one manifest or several, and takes the one of the page at `url`; none if the file
/// is about other pages.
///
/// # Errors
/// A diagnostic for the site where the file is not what it should be.
pub fn read(source: &str, url: &str) -> Result<Option<Manifest>, Diagnostic> {
    let bad = |problem: &str| {
        let message = ["The site's /.well-known/wasp.json was left aside: ", problem, ". Correct the file or take it away."].concat();
        Diagnostic::warn("wasp-manifest", message)
    };
    let parsed =
        json::parse(source.trim_start_matches('\u{feff}')).map_err(|error| bad(&["it is not JSON (", error.problem, ")"].concat()))?.value;
    let one = [parsed];
    let list = match &one[0] {
        Json::Array(list) => list,
        other => other.get("pages").and_then(Json::as_array).unwrap_or(&one),
    };
    if !list.iter().any(|manifest| manifest.get("chunks").and_then(Json::as_array).is_some()) {
        return Err(bad("it has no `chunks`"));
    }
    let text = |value: &Json<'_>, name: &str| text::collapse(&text::visible(value.get(name).and_then(Json::as_str).unwrap_or("")));
    let Some(found) = list.iter().find(|manifest| covers(manifest.get("url").and_then(Json::as_str).unwrap_or(""), url)) else {
        return Ok(None);
    };
    let keywords: Vec<String> = match found.get("keywords") {
        Some(Json::Array(words)) => words.iter().filter_map(Json::as_str).map(text::collapse).collect(),
        _ => Vec::new(),
    };
    let chunks = found.get("chunks").and_then(Json::as_array).unwrap_or(&[]).iter().take(MAX_CHUNKS);
    let chunks =
        chunks.map(|chunk| Chunk { id: text(chunk, "id"), heading: text(chunk, "heading"), anchor: text(chunk, "anchor") }).collect();
    Ok(Some(Manifest { summary: text(found, "summary"), keywords: keywords.join(", "), chunks }))
}

/// The same page: fragments, a slash at the end and the scheme make no difference.
fn covers(manifest: &str, url: &str) -> bool {
    fn page(url: &str) -> &str {
        let url = url.split('#').next().unwrap_or("");
        let url = text::split_once(url, "://").map_or(url, |(_, rest)| rest);
        url.trim_end_matches('/')
    }
    !manifest.is_empty() && page(manifest) == page(url)
}

/// Lets a site's names lead to sections too, and its summary stand where the page describes itself with nothing.
pub fn adopt(manifest: &Manifest, outline: &mut Outline, meta: &mut Meta) {
    for (field, value) in [(&mut meta.description, &manifest.summary), (&mut meta.keywords, &manifest.keywords)] {
        if field.is_empty() {
            field.clone_from(value);
        }
    }
    let mut headings: Vec<(String, u32)> =
        outline.sections().iter().enumerate().map(|(at, section)| (plain(outline.heading(section)), at as u32)).collect();
    crate::order::sort(&mut headings);
    for chunk in &manifest.chunks {
        let by_heading = || {
            let heading = plain(&chunk.heading);
            let at = headings.partition_point(|(other, _)| *other < heading);
            headings.get(at).filter(|(other, _)| *other == heading && !heading.is_empty()).map(|(_, section)| *section)
        };
        let section = outline.section_of_element(chunk.anchor.trim_start_matches('#')).or_else(by_heading);
        if let Some(section) = section.filter(|_| !chunk.id.is_empty()) {
            outline.names.push((chunk.id.clone(), section));
        }
    }
}

/// A heading's words, folded.
fn plain(heading: &str) -> String {
    let mut out = String::new();
    search::words(heading, false, &mut |word, _, _| {
        out.push_str(word);
        out.push(' ');
    });
    out
}

/// Writes this page's own manifest, for a site to publish.
pub fn write(outline: &Outline, meta: &Meta, out: &mut Writer) {
    out.object(|out| {
        out.field("wasp").string("1.0");
        out.field("url").string(&meta.url);
        out.field("title").string(&meta.title);
        out.field("summary").string(&meta.description);
        out.field("keywords").array(|out| {
            meta.keywords.split(',').map(str::trim).filter(|word| !word.is_empty()).for_each(|word| out.string(word));
        });
        if !meta.language.is_empty() {
            out.field("language").string(&meta.language);
        }
        out.field("chunks").array(|out| {
            for (order, section) in outline.sections().iter().filter(|section| !section.landmark.is_boilerplate()).enumerate() {
                let heading = outline.heading(section);
                out.object(|out| {
                    out.field("id").string(&section.id);
                    out.field("heading").string(heading);
                    // Where no element has an id, a text fragment leads there.
                    let anchor = if section.is_anchor { ["#", &section.id].concat() } else { ["#:~:text=", &escape(heading)].concat() };
                    out.field("anchor").string(&anchor);
                    out.field("depth").number(section.depth as usize + 1);
                    out.field("tokens").number(section.tokens as usize);
                    out.field("order").number(order);
                });
            }
        });
        out.field("generated").string("client");
    });
}

/// Text in a URL's fragment: everything but plain letters and digits as percent-encoded UTF-8.
fn escape(text: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for digit in [byte >> 4, byte & 15] {
                out.push(char::from(DIGITS.get(digit as usize).copied().unwrap_or(b'0')));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_manifest_of_this_page() {
        let source = r#"{"pages": [{"url": "https://a.example/b", "chunks": []}, {"url": "https://a.example/c/", "summary": "See", "keywords": ["x", "y"],
            "chunks": [{"id": "wasp-001", "heading": "One", "anchor": "\#one"}]}]}"#.replace("\\#", "#");
        let found = read(&source, "https://a.example/c#part").ok().flatten();
        assert_eq!(
            found.as_ref().map(|found| (found.summary.as_str(), found.keywords.as_str(), found.chunks.len())),
            Some(("See", "x, y", 1))
        );
        assert_eq!(read(&source, "https://a.example/d"), Ok(None));
    }

    #[test]
    fn a_bad_file_is_a_diagnostic() {
        for source in ["", "<!doctype html>", "[]", "{\"wasp\": 1}", "null"] {
            assert_eq!(read(source, "https://a.example/").err().map(|found| found.code), Some("wasp-manifest"), "{source}");
        }
    }
}
