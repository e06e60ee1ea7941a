//! Reading: from snapshots of a page to the nodes its markup describes, exactly as the author meant them.
//!
//! Nodes are flat and point at each other by number: markup is a graph, may be cyclic, and may nest as deep as it
//! likes without any recursion here.

pub mod anchors;
pub mod controls;
pub mod json_ld;
pub mod meta;
pub mod microdata;
mod names;
pub mod outline;
pub mod rdfa;
mod reference;
mod repair;
pub mod wasp;

use alloc::{borrow::Cow, rc::Rc, string::String, vec::Vec};

use crate::diagnostic::Diagnostic;
use crate::dom::Document;
use crate::options::Options;
use crate::order;

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
    /// The number of that snapshot: 0 is the page itself.
    pub document: u32,
}

impl Node {
    /// A node without types or properties.
    pub fn new(format: Format, element: u32) -> Self {
        Node { id: None, types: Vec::new(), properties: Vec::new(), format, element, document: 0 }
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
    page_again(documents, options, &mut json_ld::Known::default())
}

/// The same for a page that was read before, with these options: what is `known` and still the same is not read again.
pub fn page_again(documents: &[Document], options: &Options, known: &mut json_ld::Known) -> (Page, Vec<Diagnostic>) {
    let mut page = Page::default();
    let mut diagnostics = Vec::new();
    if let Some(document) = documents.first() {
        page.meta = meta::read(document);
    }
    known.begin();
    for (format, wanted) in [(Format::JsonLd, options.json_ld), (Format::Microdata, options.microdata), (Format::Rdfa, options.rdfa)] {
        for (number, document) in (0..).zip(documents).filter(|_| wanted) {
            let from = page.nodes.len();
            match format {
                Format::JsonLd => json_ld::read(document, options, known, &mut page.nodes, &mut diagnostics),
                Format::Microdata => microdata::read(document, options, &mut page.nodes, &mut diagnostics),
                Format::Rdfa => rdfa::read(document, options, &mut page.nodes, &mut diagnostics),
            }
            for node in page.nodes.iter_mut().skip(from) {
                node.document = number;
                clean_names(node);
            }
        }
    }
    (page, diagnostics)
}

/// Names and addresses hold no control characters, whatever the markup says.
fn clean_names(node: &mut Node) {
    let clean = |name: &mut Rc<str>| {
        if let Cow::Owned(clean) = without_controls(name) {
            *name = clean.into();
        }
    };
    node.id.iter_mut().chain(&mut node.types).for_each(clean);
    for property in &mut node.properties {
        clean(&mut property.name);
        for value in &mut property.values {
            if let Value::Url(name) | Value::Reference(name) | Value::Number(name) = value {
                clean(name);
            }
        }
    }
}

/// The text without control characters, line breaks and tabs included.
fn without_controls(name: &str) -> Cow<'_, str> {
    if name.contains(char::is_control) {
        return Cow::Owned(name.chars().filter(|character| !character.is_control()).collect());
    }
    Cow::Borrowed(name)
}

/// The name of a Schema.org type or property, if `iri` is one: `http(s)://[www.]schema.org/NAME`, the host in any
/// case, an old hosted extension (`auto.schema.org`) folded, a trailing slash forgiven.
pub fn schema_name(iri: &str) -> Option<&str> {
    let (scheme, rest) = crate::text::split_once(iri, "://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let (host, name) = rest.split_once('/')?;
    let hosts = ["schema.org", "www.schema.org", "auto.schema.org", "bib.schema.org", "health-lifesci.schema.org", "pending.schema.org"];
    let name = name.strip_suffix('/').unwrap_or(name);
    let known = hosts.iter().any(|known| host.eq_ignore_ascii_case(known));
    (known && !name.is_empty() && !name.contains(['/', '#', '?'])).then_some(name)
}

/// Levels of nesting that [`items_json`] writes: readers of the result may recurse, and markup may be a chain as
/// long as it likes. What lies deeper stands at the top level.
pub const MAX_ITEM_DEPTH: usize = 64;

/// Bytes that [`items_json`] spends on writing things in full again where they are referenced again: things that
/// share things that share things would grow without bound. After that such a reference is `{"id"}` alone.
pub const MAX_REPEATED_BYTES: usize = 1_000_000;

/// Items as `toolmark.read()` gives them, before merging and mapping: `{items, diagnostics}` as JSON.
///
/// A described thing stands in full wherever it is referenced, except inside itself. The top level holds what nothing
/// else refers to, and of a closed cycle the first.
pub fn items_json(page: &Page, diagnostics: &[Diagnostic]) -> String {
    let mut items = Items::new(&page.nodes);
    let mut out = crate::json::Writer::new();
    out.object(|out| {
        out.field("items").array(|out| {
            let unreferenced = |items: &Items<'_>, thing: usize| items.things.get(thing).is_some_and(|thing| !thing.referenced);
            for pass in [true, false] {
                for thing in 0..items.things.len() {
                    if items.is_first(thing) && (!pass || unreferenced(&items, thing)) && !items.is_written(thing) {
                        items.write(thing, 0, out);
                    }
                }
            }
        });
        out.field("diagnostics").array(|out| {
            diagnostics.iter().for_each(|diagnostic| diagnostic.write(out));
            if items.cut {
                let message = "Some items were not nested in full: they nest too deep, or refer to each other too often. They stand at the top level, or once.";
                Diagnostic::info("items-cut", message).write(out);
            }
        });
    });
    out.into_string()
}

/// Nodes on their way out.
struct Items<'n> {
    nodes: &'n [Node],
    /// One per node; nodes of the same id share the first one's.
    things: Vec<Thing>,
    /// Nodes with ids, sorted by id and number.
    by_id: Vec<(&'n str, u32)>,
    repeated: usize,
    cut: bool,
}

#[derive(Default)]
struct Thing {
    first: u32,
    referenced: bool,
    written: bool,
    open: bool,
}

impl<'n> Items<'n> {
    fn new(nodes: &'n [Node]) -> Self {
        let mut by_id: Vec<(&str, u32)> = (0..).zip(nodes).filter_map(|(index, node)| Some((node.id.as_deref()?, index))).collect();
        order::sort(&mut by_id);
        let mut things: Vec<Thing> = (0..nodes.len() as u32).map(|first| Thing { first, ..Thing::default() }).collect();
        let mut last: Option<(&str, u32)> = None;
        for (id, index) in &by_id {
            match last {
                Some((same, first)) if same == *id => {
                    if let Some(thing) = things.get_mut(*index as usize) {
                        thing.first = first;
                    }
                }
                _ => last = Some((*id, *index)),
            }
        }
        let mut items = Items { nodes, things, by_id, repeated: 0, cut: false };
        for index in 0..nodes.len() {
            let values = nodes.get(index).into_iter().flat_map(|node| &node.properties).flat_map(|property| &property.values);
            for target in values.filter_map(|value| items.target(value)).collect::<Vec<_>>() {
                if target != items.first(index)
                    && let Some(thing) = items.things.get_mut(target)
                {
                    thing.referenced = true;
                }
            }
        }
        items
    }

    fn first(&self, index: usize) -> usize {
        self.things.get(index).map_or(index, |thing| thing.first as usize)
    }

    fn is_first(&self, index: usize) -> bool {
        self.first(index) == index
    }

    fn is_written(&self, index: usize) -> bool {
        self.things.get(index).is_some_and(|thing| thing.written)
    }

    /// The described thing that a value points at.
    fn target(&self, value: &Value) -> Option<usize> {
        match value {
            Value::Node(index) => Some(self.first(*index as usize)),
            Value::Reference(id) => {
                let at = self.by_id.partition_point(|(other, _)| *other < &**id);
                self.by_id.get(at).filter(|(other, _)| *other == &**id).map(|(_, index)| *index as usize)
            }
            _ => None,
        }
    }

    /// The nodes that describe a thing, in document order.
    fn descriptions(&self, thing: usize) -> Vec<&'n Node> {
        let Some(node) = self.nodes.get(thing) else { return Vec::new() };
        let Some(id) = node.id.as_deref() else { return alloc::vec![node] };
        let from = self.by_id.partition_point(|(other, _)| *other < id);
        let same = self.by_id.get(from..).unwrap_or(&[]).iter().take_while(|(other, _)| *other == id);
        same.filter_map(|(_, index)| self.nodes.get(*index as usize)).collect()
    }

    fn write(&mut self, thing: usize, depth: usize, out: &mut crate::json::Writer) {
        if let Some(state) = self.things.get_mut(thing) {
            (state.written, state.open) = (true, true);
        }
        let nodes = self.descriptions(thing);
        out.object(|out| {
            out.field("type").array(|out| {
                let mut types: Vec<&str> = Vec::new();
                for name in nodes.iter().flat_map(|node| &node.types) {
                    if !types.contains(&&**name) {
                        types.push(name);
                        out.string(name);
                    }
                }
            });
            if let Some(id) = nodes.first().and_then(|node| node.id.as_deref()) {
                out.field("id").string(id);
            }
            out.field("props").object(|out| {
                for (name, values) in merged(&nodes) {
                    let before = out.len();
                    let mut some = false;
                    out.field(name).array(|out| values.iter().for_each(|value| some |= self.write_value(value, depth, out)));
                    if !some {
                        out.truncate(before);
                    }
                }
            });
            out.field("format").string(nodes.first().map_or("", |node| node.format.name()));
        });
        if let Some(state) = self.things.get_mut(thing) {
            state.open = false;
        }
    }

    /// Writes a value; `false` where nothing of it may be written.
    fn write_value(&mut self, value: &Value, depth: usize, out: &mut crate::json::Writer) -> bool {
        match value {
            Value::Text { text, .. } | Value::Url(text) => out.string(text),
            Value::Number(digits) if survives_javascript(digits) => out.raw(digits),
            Value::Number(digits) => out.string(digits),
            Value::Boolean(value) => out.bool(*value),
            Value::Node(_) | Value::Reference(_) => {
                let thing = self.target(value);
                let state = thing.and_then(|thing| self.things.get(thing).map(|state| (thing, state.open, state.written)));
                let mut id = match value {
                    Value::Reference(id) => Some(&**id),
                    _ => None,
                };
                if let Some((thing, open, written)) = state {
                    let too_much = depth + 1 >= MAX_ITEM_DEPTH || (written && self.repeated >= MAX_REPEATED_BYTES);
                    self.cut |= too_much && !open;
                    if !open && !too_much {
                        let before = out.len();
                        self.write(thing, depth + 1, out);
                        if written {
                            self.repeated += out.len() - before;
                        }
                        return true;
                    }
                    id = self.nodes.get(thing).and_then(|node| node.id.as_deref());
                }
                match id {
                    // A blank label that nothing describes says nothing.
                    Some(id) if !id.starts_with("_:") || state.is_some() => out.object(|out| out.field("id").string(id)),
                    _ => return false,
                }
            }
        }
        true
    }
}

/// The properties of all descriptions of a thing: a later description adds only what the earlier ones do not have.
/// Sorted twice, so that a thing with thousands of descriptions costs no more than its size.
fn merged<'n>(nodes: &[&'n Node]) -> Vec<(&'n str, Vec<&'n Value>)> {
    if let [node] = nodes {
        return node.properties.iter().map(|property| (&*property.name, property.values.iter().collect())).collect();
    }
    struct Entry<'n> {
        name: &'n str,
        value: &'n Value,
        description: usize,
        place: usize,
    }
    let mut entries: Vec<Entry<'n>> = Vec::new();
    for (description, node) in nodes.iter().enumerate() {
        for (property, value) in node.properties.iter().flat_map(|property| property.values.iter().map(move |value| (property, value))) {
            entries.push(Entry { name: &property.name, value, description, place: entries.len() });
        }
    }
    let key = |entry: &Entry<'n>| (entry.name, sort_key(entry.value));
    order::sort_by_key(&mut entries, |entry| (key(entry), entry.place));
    let mut kept: Vec<Entry<'n>> = Vec::new();
    let mut first = None;
    for entry in entries {
        if first.is_none_or(|(same, _)| same != key(&entry)) {
            first = Some((key(&entry), entry.description));
        }
        if first.is_some_and(|(_, description)| description == entry.description) {
            kept.push(entry);
        }
    }
    order::sort_by_key(&mut kept, |entry| (entry.name, entry.place));
    let mut runs: Vec<&[Entry<'n>]> = kept.chunk_by(|a, b| a.name == b.name).collect();
    order::sort_by_key(&mut runs, |run| run.first().map(|entry| entry.place));
    runs.into_iter().filter_map(|run| Some((run.first()?.name, run.iter().map(|entry| entry.value).collect()))).collect()
}

/// Equal for values that say the same.
fn sort_key(value: &Value) -> (u8, &str, u32) {
    match value {
        Value::Text { text, .. } => (0, text, 0),
        Value::Number(digits) => (1, digits, 0),
        Value::Boolean(value) => (2, "", u32::from(*value)),
        Value::Url(url) => (3, url, 0),
        Value::Reference(id) => (4, id, 0),
        Value::Node(index) => (5, "", *index),
    }
}

/// JavaScript reads and writes this number without changing a digit.
fn survives_javascript(digits: &str) -> bool {
    if digits == "-0" {
        return false;
    }
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    whole.len() + fraction.len() <= 15
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && !fraction.ends_with('0')
        // Smaller ones are written with an exponent.
        && (whole != "0" || fraction.bytes().take_while(|byte| *byte == b'0').count() <= 5)
}
