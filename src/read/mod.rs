//! Reading: from snapshots of a page to the nodes its markup describes, exactly as the author meant them.
//!
//! Nodes are flat and point at each other by number: markup is a graph, may be cyclic, and may nest as deep as it
//! likes without any recursion here.

pub mod anchors;
pub mod json_ld;
pub mod meta;
pub mod microdata;
pub mod outline;
pub mod rdfa;
mod repair;

use alloc::{rc::Rc, string::String, vec::Vec};

use crate::diagnostic::Diagnostic;
use crate::dom::Document;
use crate::options::Options;

/// The syntax that a node was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// JSON-LD 1.1 in a `script`.
    JsonLd,
    /// WHATWG microdata.
    Microdata,
    /// RDFa 1.1.
    Rdfa,
}

impl Format {
    /// As in the public interface: `json-ld`, `microdata`, `rdfa`.
    pub fn name(self) -> &'static str {
        match self {
            Format::JsonLd => "json-ld",
            Format::Microdata => "microdata",
            Format::Rdfa => "rdfa",
        }
    }
}

/// A value of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text, with its language where one is known. Line breaks and markup as the author wrote them (JSON-LD) or
    /// collapsed (microdata, RDFa).
    Text {
        /// The text.
        text: Rc<str>,
        /// Its language tag.
        language: Option<Rc<str>>,
    },
    /// A number, digits as written.
    Number(Rc<str>),
    /// A boolean.
    Boolean(bool),
    /// An absolute URL (or a URL template, kept verbatim) that stands as a value.
    Url(Rc<str>),
    /// A thing that is described elsewhere, or nowhere: its absolute IRI.
    Reference(Rc<str>),
    /// A node of the same page, by number.
    Node(u32),
}

/// A property and its values, in document order.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The bare name for Schema.org properties, the full IRI (in microdata the token as written) for others.
    pub name: Rc<str>,
    /// At least one value.
    pub values: Vec<Value>,
}

/// One thing as one piece of markup describes it: a JSON-LD node object, a microdata item, an RDFa resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The absolute IRI that names it. A blank-node label is made unique for its block and starts with `_:`.
    pub id: Option<Rc<str>>,
    /// Bare names for Schema.org types, full IRIs for others, in source order.
    pub types: Vec<Rc<str>>,
    /// In order of first appearance.
    pub properties: Vec<Property>,
    /// What it was written in.
    pub format: Format,
    /// The number of the element that holds it (`script`, item or resource element) in its snapshot.
    pub element: u32,
}

impl Node {
    /// A node without types or properties.
    pub fn new(format: Format, element: u32) -> Self {
        Node { id: None, types: Vec::new(), properties: Vec::new(), format, element }
    }

    /// Adds a value to a property.
    pub fn push(&mut self, name: &Rc<str>, value: Value) {
        match self.properties.iter_mut().find(|property| property.name == *name) {
            Some(property) => property.values.push(value),
            None => self.properties.push(Property { name: name.clone(), values: alloc::vec![value] }),
        }
    }
}

/// Everything that was read from a page.
#[derive(Default)]
pub struct Page {
    /// The nodes in document order, JSON-LD first, then microdata, then RDFa.
    pub nodes: Vec<Node>,
    /// What the page says of itself outside its markup.
    pub meta: meta::Meta,
}

/// Reads every syntax that `options` asks for from each of the page's documents (the page itself, then
/// shadow roots' and frames' content where they are snapshots of their own).
pub fn page(documents: &[Document], options: &Options) -> (Page, Vec<Diagnostic>) {
    let mut page = Page::default();
    let mut diagnostics = Vec::new();
    if let Some(document) = documents.first() {
        page.meta = meta::read(document);
    }
    type Reader = fn(&Document, &Options, &mut Vec<Node>, &mut Vec<Diagnostic>);
    let readers: [(bool, Reader); 3] =
        [(options.json_ld, json_ld::read), (options.microdata, microdata::read), (options.rdfa, rdfa::read)];
    for (_, read) in readers.into_iter().filter(|(wanted, _)| *wanted) {
        for document in documents {
            read(document, options, &mut page.nodes, &mut diagnostics);
        }
    }
    (page, diagnostics)
}

/// The name of a Schema.org type or property, if `iri` is one: `http(s)://[www.]schema.org/NAME`, the host in any
/// case, an old hosted extension (`auto.schema.org`) folded, a trailing slash forgiven.
pub fn schema_name(iri: &str) -> Option<&str> {
    let (scheme, rest) = iri.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let (host, name) = rest.split_once('/')?;
    let hosts = ["schema.org", "www.schema.org", "auto.schema.org", "bib.schema.org", "health-lifesci.schema.org", "pending.schema.org"];
    let name = name.strip_suffix('/').unwrap_or(name);
    let known = hosts.iter().any(|known| host.eq_ignore_ascii_case(known));
    (known && !name.is_empty() && !name.contains(['/', '#', '?'])).then_some(name)
}

/// Items as `toolmark.read()` gives them, before merging and mapping: `{items, diagnostics}` as JSON.
pub fn items_json(page: &Page, diagnostics: &[Diagnostic]) -> String {
    let _ = page;
    let mut out = crate::json::Writer::new();
    out.object(|out| {
        out.field("items").array(|_| {});
        out.field("diagnostics").array(|out| diagnostics.iter().for_each(|diagnostic| diagnostic.write(out)));
    });
    out.into_string()
}
