//! What a page says of itself outside its markup: title, canonical URL, language, description, author, dates.

use alloc::string::String;

use crate::dom::{Document, Element};
use crate::text;

/// The page's own words about itself; empty where it has none.
#[derive(Clone, Debug, Default)]
pub struct Meta {
    /// `<title>`, else OpenGraph's.
    pub title: String,
    /// `<link rel=canonical>`, else the document's URL.
    pub url: String,
    /// `<html lang>`, else what the head says.
    pub language: String,
    /// One or two sentences.
    pub description: String,
    /// A person's or an organisation's name.
    pub author: String,
    /// As written.
    pub published: String,
    /// As written.
    pub modified: String,
    /// Comma-separated.
    pub keywords: String,
}

type Field = fn(&mut Meta) -> &mut String;

/// The names of `meta` elements for each field, best first: HTML's own, OpenGraph's, Dublin Core's.
const NAMES: [(&[&str], Field); 7] = [
    (&["og:title", "dc.title", "dcterms.title", "twitter:title"], |meta| &mut meta.title),
    (&["content-language", "og:locale", "dc.language", "dcterms.language"], |meta| &mut meta.language),
    (&["description", "og:description", "dc.description", "dcterms.description", "dcterms.abstract", "twitter:description"], |meta| {
        &mut meta.description
    }),
    (&["author", "article:author", "og:article:author", "dc.creator", "dcterms.creator"], |meta| &mut meta.author),
    (
        &[
            "date",
            "datepublished",
            "pubdate",
            "article:published_time",
            "og:published_time",
            "dc.date.issued",
            "dcterms.issued",
            "dc.date",
            "dcterms.date",
            "dcterms.created",
        ],
        |meta| &mut meta.published,
    ),
    (
        &["last-modified", "datemodified", "revised", "article:modified_time", "og:updated_time", "dc.date.modified", "dcterms.modified"],
        |meta| &mut meta.modified,
    ),
    (&["keywords", "news_keywords", "dc.subject", "dcterms.subject"], |meta| &mut meta.keywords),
];

/// Reads the head.
pub fn read(document: &Document) -> Meta {
    let mut meta = Meta { url: document.url.clone(), ..Meta::default() };
    let mut title = String::new();
    let mut ranks = [usize::MAX; NAMES.len()];
    for element in document.elements() {
        match element.name() {
            "html" if meta.language.is_empty() => meta.language = element.attribute("lang").unwrap_or("").trim().into(),
            "title" if title.is_empty() && element.is_html() => title = clean(&element.raw_text()),
            "link" if element.tokens("rel").any(|rel| rel.eq_ignore_ascii_case("canonical")) => {
                if let Some(url) = element.attribute("href").and_then(|href| document.resolve(href)).filter(|url| url.starts_with("http")) {
                    meta.url = url;
                }
            }
            "meta" => read_meta(element, &mut meta, &mut ranks),
            _ => {}
        }
    }
    if !title.is_empty() {
        meta.title = title;
    }
    meta
}

fn clean(text: &str) -> String {
    text::collapse(&text::visible(text))
}

fn read_meta(element: Element<'_>, meta: &mut Meta, ranks: &mut [usize; NAMES.len()]) {
    // Inside markup a `meta` describes the item around it, not the page.
    if element.has("itemprop") {
        return;
    }
    let content = clean(element.attribute("content").unwrap_or(""));
    let names = ["name", "property", "http-equiv"];
    let Some(name) = names.into_iter().find_map(|name| element.attribute(name)).map(str::trim).filter(|_| !content.is_empty()) else {
        return;
    };
    for ((names, field), best) in NAMES.iter().zip(ranks.iter_mut()) {
        let Some(rank) = names.iter().position(|known| known.eq_ignore_ascii_case(name)) else { continue };
        let field = field(meta);
        // `article:author` is meant to hold a profile's address; that names nobody.
        let names_nobody = content.starts_with("http") && names.contains(&"author");
        if rank < *best && !names_nobody && (*best != usize::MAX || field.is_empty()) {
            (*best, *field) = (rank, content.clone());
        }
    }
}
