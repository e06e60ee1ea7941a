//! What a page says of itself outside its markup: title, canonical URL, language, description.

use alloc::string::String;

use crate::dom::Document;
use crate::text;

/// The page's own words about itself; empty where it has none.
#[derive(Clone, Debug, Default)]
pub struct Meta {
    /// `<title>`
    pub title: String,
    /// `<link rel=canonical>`, else the document's URL.
    pub url: String,
    /// `<html lang>`
    pub language: String,
}

/// Reads the head.
pub fn read(document: &Document) -> Meta {
    let mut meta = Meta { url: document.url.clone(), ..Meta::default() };
    for element in document.elements() {
        match element.name() {
            "html" => meta.language = element.attribute("lang").unwrap_or("").trim().into(),
            "title" if meta.title.is_empty() && element.is_html() => meta.title = text::collapse(&element.raw_text()),
            "link" if element.tokens("rel").any(|rel| rel.eq_ignore_ascii_case("canonical")) => {
                if let Some(url) = element.attribute("href").and_then(|href| document.resolve(href)) {
                    meta.url = url;
                }
            }
            _ => {}
        }
    }
    meta
}
