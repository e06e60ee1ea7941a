//! The page as the readers see it: a snapshot of the tree, taken in one pass, and the few questions a reader may ask.
//!
//! A snapshot may be sparse: elements that no reader could care about may be missing (their children stand in
//! their place), and text is there only where a reader may want it. The live page's snapshot is sparse, a parsed
//! document's is whole; readers must not be able to tell.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::text;

/// Resolves a reference against a base: WHATWG URL, serialised; `None` where it does not parse.
pub type Resolve = fn(reference: &str, base: &str) -> Option<String>;

/// A snapshot of one document.
pub struct Document {
    /// The document's own URL.
    pub url: String,
    /// What relative references are resolved against (`document.baseURI`).
    pub base_url: String,
    resolve: Resolve,
    nodes: Vec<Node>,
    attributes: Vec<(Span, Span)>,
    characters: String,
}

/// Nodes stand in document order, so a subtree is the range from a node to its `end`.
struct Node {
    parent: u32,
    end: u32,
    /// Empty for a text node.
    name: Span,
    text: Span,
    attributes: (u32, u32),
    kind: Kind,
}

/// What a node is, as far as readers must know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Html,
    /// An element of another namespace (SVG, MathML).
    Foreign,
}

#[derive(Clone, Copy)]
struct Span {
    from: u32,
    to: u32,
}

const NONE: u32 = u32::MAX;

/// Fills a [`Document`] in document order.
pub struct Builder {
    document: Document,
    open: Vec<u32>,
}

impl Builder {
    /// An empty snapshot of the document at `url`, whose references resolve against `base_url`.
    pub fn new(url: &str, base_url: &str, resolve: Resolve) -> Self {
        let document = Document {
            url: url.to_owned(),
            base_url: base_url.to_owned(),
            resolve,
            nodes: Vec::new(),
            attributes: Vec::new(),
            characters: String::new(),
        };
        Builder { document, open: Vec::new() }
    }

    fn keep(&mut self, text: &str) -> Span {
        let from = self.document.characters.len() as u32;
        self.document.characters.push_str(text);
        Span { from, to: self.document.characters.len() as u32 }
    }

    fn push(&mut self, kind: Kind, name: Span, text: Span) {
        let index = self.document.nodes.len() as u32;
        let attributes = self.document.attributes.len() as u32;
        let parent = self.open.last().copied().unwrap_or(NONE);
        self.document.nodes.push(Node { parent, end: index + 1, name, text, attributes: (attributes, attributes), kind });
        if kind != Kind::Text {
            self.open.push(index);
        }
    }

    /// Opens an element; its attributes follow, then its children. `name` is the local name, lower case in HTML.
    pub fn open(&mut self, name: &str, html: bool) {
        let span = self.keep(name);
        self.push(if html { Kind::Html } else { Kind::Foreign }, span, Span { from: 0, to: 0 });
    }

    /// An attribute of the element opened last.
    pub fn attribute(&mut self, name: &str, value: &str) {
        let (name, value) = (self.keep(name), self.keep(value));
        self.add_attribute(name, value);
    }

    fn add_attribute(&mut self, name: Span, value: Span) {
        self.document.attributes.push((name, value));
        let end = self.document.attributes.len() as u32;
        if let Some(node) = self.document.nodes.last_mut() {
            node.attributes.1 = end;
        }
    }

    /// A text node.
    pub fn text(&mut self, data: &str) {
        let span = self.keep(data);
        self.push(Kind::Text, Span { from: 0, to: 0 }, span);
    }

    /// Closes the element opened last that is still open.
    pub fn close(&mut self) {
        let end = self.document.nodes.len() as u32;
        if let Some(node) = self.open.pop().and_then(|index| self.document.nodes.get_mut(index as usize)) {
            node.end = end;
        }
    }

    /// The snapshot; what is still open is closed.
    pub fn finish(mut self) -> Document {
        while !self.open.is_empty() {
            self.close();
        }
        self.document
    }
}

/// Reads a packed snapshot (see [`Document::from_packed`]): lengths in, places in the string out.
struct Unpacker<'s> {
    shape: core::slice::Iter<'s, u32>,
    bytes: &'s [u8],
    at: u32,
    /// Every character is one byte, so that lengths need no counting.
    ascii: bool,
    /// Half of a character that two pieces share (a surrogate pair that the page split) is owed to the next piece.
    owed: u32,
}

impl Unpacker<'_> {
    fn word(&mut self) -> u32 {
        self.shape.next().copied().unwrap_or(0)
    }

    /// The place of the next `units` UTF-16 code units.
    fn take(&mut self, units: u32) -> Span {
        let from = self.at;
        if self.ascii {
            self.at = from.saturating_add(units).min(self.bytes.len() as u32);
            return Span { from, to: self.at };
        }
        let mut left = units.saturating_sub(self.owed);
        self.owed = self.owed.saturating_sub(units);
        while left > 0 {
            let (bytes, characters) = match self.bytes.get(self.at as usize) {
                None => break,
                Some(0..0x80) => (1, 1),
                Some(0x80..0xE0) => (2, 1),
                Some(0xE0..0xF0) => (3, 1),
                Some(_) => (4, 2),
            };
            self.at += bytes;
            self.owed += characters.max(left) - left;
            left = left.saturating_sub(characters);
        }
        Span { from, to: self.at }
    }
}

impl Document {
    /// A snapshot that the edge packed: every text in one string, kept as it is, and its shape in numbers.
    ///
    /// `shape` holds the lengths, in UTF-16 code units, of the pieces of `characters`: the document's URL, its base
    /// URL, the number of names and each name, then the tree. There a word's two low bits say what it is, the rest
    /// how much: 0 closes that many elements; 1 opens an HTML element and 2 another one, with that name, followed by
    /// the number of its attributes and for each the name and the length of the value; 3 is a text of that length.
    pub fn from_packed(characters: String, shape: &[u32], resolve: Resolve) -> Document {
        let mut builder = Builder::new("", "", resolve);
        let mut packed = Unpacker { shape: shape.iter(), bytes: characters.as_bytes(), at: 0, ascii: characters.is_ascii(), owed: 0 };
        let (url, base_url) = (packed.word(), packed.word());
        let (url, base_url) = (packed.take(url), packed.take(base_url));
        let names: Vec<Span> = (0..packed.word())
            .map(|_| {
                let length = packed.word();
                packed.take(length)
            })
            .collect();
        let none = Span { from: 0, to: 0 };
        let name = |index: u32| names.get(index as usize).copied().unwrap_or(none);
        while let Some(word) = packed.shape.next().copied() {
            let rest = word >> 2;
            match word & 3 {
                0 => (0..rest).for_each(|_| builder.close()),
                3 => {
                    let text = packed.take(rest);
                    builder.push(Kind::Text, none, text);
                }
                kind => {
                    builder.push(if kind == 1 { Kind::Html } else { Kind::Foreign }, name(rest), none);
                    for _ in 0..packed.word() {
                        let (attribute, length) = (packed.word(), packed.word());
                        let value = packed.take(length);
                        builder.add_attribute(name(attribute), value);
                    }
                }
            }
        }
        let mut document = builder.finish();
        document.characters = characters;
        document.url = document.span(url).to_owned();
        document.base_url = document.span(base_url).to_owned();
        document
    }

    fn span(&self, span: Span) -> &str {
        self.characters.get(span.from as usize..span.to as usize).unwrap_or("")
    }

    fn node(&self, index: u32) -> Option<&Node> {
        self.nodes.get(index as usize)
    }

    /// How many elements and texts the snapshot holds.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The document is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every element, in document order.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        (0..self.nodes.len() as u32).filter_map(|index| self.element(index))
    }

    /// The element with this number (see [`Element::index`]).
    pub fn element(&self, index: u32) -> Option<Element<'_>> {
        self.node(index).filter(|node| node.kind != Kind::Text).map(|_| Element { document: self, index })
    }

    /// The data of the text node with this number.
    pub fn text(&self, index: u32) -> Option<&str> {
        self.node(index).filter(|node| node.kind == Kind::Text).map(|node| self.span(node.text))
    }

    /// A document without content at the same place: what is left resolves references.
    pub fn without_content(&self) -> Document {
        Builder::new(&self.url, &self.base_url, self.resolve).finish()
    }

    /// An absolute URL for `reference`, resolved against the base URL (WHATWG URL), or `None`.
    pub fn resolve(&self, reference: &str) -> Option<String> {
        self.resolve_against(reference, &self.base_url)
    }

    /// The same against another base, e.g. a JSON-LD context's `@base`. References that are absolute and in normal
    /// form already are returned as they are, which spares the parser.
    pub fn resolve_against(&self, reference: &str, base: &str) -> Option<String> {
        let reference = reference.trim_matches(|c: char| c.is_ascii_whitespace());
        if is_normal(reference) {
            return Some(reference.to_owned());
        }
        (self.resolve)(reference, base)
    }
}

/// An absolute http(s) URL that a URL parser would give back unchanged.
fn is_normal(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return false;
    };
    let Some((host, path)) = rest.split_once('/') else {
        return false;
    };
    let label = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    // A host that ends in a digit may be an address in one of the URL parser's many spellings.
    host.bytes().all(|byte| label(byte) || byte.is_ascii_digit() || byte == b'.')
        && host.bytes().last().is_some_and(label)
        && !host.starts_with("xn--")
        && !text::contains(host, ".xn--")
        && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./~?=&%+#:@!$,;()*".contains(&byte))
        && !text::contains(path, "./")
        && !path.ends_with('.')
        && !text::contains(path, ".?")
        && !text::contains(path, ".#")
        && !text::contains(path, "%2e")
        && !text::contains(path, "%2E")
}

/// One element of a snapshot.
#[derive(Clone, Copy)]
pub struct Element<'d> {
    document: &'d Document,
    index: u32,
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && core::ptr::eq(self.document, other.document)
    }
}

impl<'d> Element<'d> {
    fn node(self) -> Option<&'d Node> {
        self.document.node(self.index)
    }

    /// Its place in document order, a number within its snapshot.
    pub fn index(self) -> u32 {
        self.index
    }

    /// The snapshot it belongs to.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// The local name; lower case for HTML elements.
    pub fn name(self) -> &'d str {
        self.node().map_or("", |node| self.document.span(node.name))
    }

    /// It is an element of the HTML namespace.
    pub fn is_html(self) -> bool {
        self.node().is_some_and(|node| node.kind == Kind::Html)
    }

    /// Name and value of each attribute.
    pub fn attributes(self) -> impl Iterator<Item = (&'d str, &'d str)> {
        let (from, to) = self.node().map_or((0, 0), |node| node.attributes);
        let document = self.document;
        let pairs = document.attributes.get(from as usize..to as usize).unwrap_or(&[]);
        pairs.iter().map(move |(name, value)| (document.span(*name), document.span(*value)))
    }

    /// The value of an attribute, if the element has it.
    pub fn attribute(self, name: &str) -> Option<&'d str> {
        self.attributes().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    /// It has the attribute.
    pub fn has(self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// The tokens of an attribute, split at white space.
    pub fn tokens(self, name: &str) -> impl Iterator<Item = &'d str> {
        self.attribute(name).unwrap_or("").split_ascii_whitespace()
    }

    /// The parent element.
    pub fn parent(self) -> Option<Element<'d>> {
        self.node().and_then(|node| self.document.element(node.parent))
    }

    /// The element itself and its ancestors, nearest first.
    pub fn ancestors(self) -> impl Iterator<Item = Element<'d>> {
        core::iter::successors(Some(self), |element| element.parent())
    }

    /// The number after the last one of its subtree.
    pub fn end(self) -> u32 {
        self.node().map_or(self.index, |node| node.end)
    }

    /// Its child elements.
    pub fn children(self) -> impl Iterator<Item = Element<'d>> {
        self.child_nodes().filter_map(|child| match child {
            Child::Element(element) => Some(element),
            Child::Text(_) => None,
        })
    }

    /// The elements below it, in document order.
    pub fn descendants(self) -> impl Iterator<Item = Element<'d>> {
        (self.index + 1..self.end()).filter_map(move |index| self.document.element(index))
    }

    /// Its child elements and texts.
    pub fn child_nodes(self) -> impl Iterator<Item = Child<'d>> {
        let (document, end) = (self.document, self.end());
        let mut next = self.index + 1;
        core::iter::from_fn(move || {
            let node = document.node(next).filter(|_| next < end)?;
            let index = core::mem::replace(&mut next, node.end);
            Some(match node.kind {
                Kind::Text => Child::Text(document.span(node.text)),
                _ => Child::Element(Element { document, index }),
            })
        })
    }

    /// All text below it, as it stands (`textContent`).
    pub fn raw_text(self) -> String {
        let nodes = self.document.nodes.get(self.index as usize..self.end() as usize).unwrap_or(&[]);
        nodes.iter().filter(|node| node.kind == Kind::Text).map(|node| self.document.span(node.text)).collect()
    }

    /// The language of its text: the nearest `lang` (or `xml:lang`) around it, if one says anything.
    pub fn language(self) -> Option<&'d str> {
        let language = self.ancestors().find_map(|element| element.attribute("lang").or_else(|| element.attribute("xml:lang")));
        language.map(str::trim).filter(|language| !language.is_empty())
    }
}

/// A child of an element.
#[derive(Clone, Copy)]
pub enum Child<'d> {
    /// An element.
    Element(Element<'d>),
    /// A text node's data.
    Text(&'d str),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_which_urls_need_no_parser() {
        for url in ["https://shop.example/p/1?x=2#y", "http://a.example/"] {
            assert!(is_normal(url), "{url}");
        }
        for url in
            ["https://shop.example", "https://Shop.example/", "https://a.example/../x", "https://a.example/x y", "/p", "https://127.1/"]
        {
            assert!(!is_normal(url), "{url}");
        }
    }

    /// Packs as `js/snapshot.js` does: `pieces` are URL, base URL, names, then values and texts in order.
    fn unpack(pieces: &[&str], names: u32, tree: &[u32]) -> Document {
        let lengths: Vec<u32> = pieces.iter().map(|piece| piece.encode_utf16().count() as u32).collect();
        let (head, named) = lengths.split_at(2);
        let shape = [head, &[names], named.split_at(names as usize).0, tree].concat();
        Document::from_packed(pieces.concat(), &shape, |_, _| None)
    }

    #[test]
    fn unpacks_what_the_edge_packed() {
        // <div lang="de">a<b>cé😀</b>d</div>
        let open = |name: u32| name << 2 | 1;
        let text = |length: u32| length << 2 | 3;
        let close = 1 << 2;
        let tree = [open(0), 1, 1, 2, text(1), open(2), 0, text(4), close, text(1), close];
        let document = unpack(&["https://a.example/", "https://b.example/", "div", "lang", "b", "de", "a", "cé😀", "d"], 3, &tree);
        assert_eq!((&*document.url, &*document.base_url), ("https://a.example/", "https://b.example/"));
        let div = document.element(0).map(|div| (div.name(), div.attribute("lang"), div.raw_text(), div.child_nodes().count()));
        assert_eq!(div, Some(("div", Some("de"), "acé😀d".into(), 3)));
        assert_eq!(document.elements().nth(1).map(Element::raw_text), Some("cé😀".into()));
    }

    #[test]
    fn unpacks_a_surrogate_pair_split_between_two_texts() {
        let tree = [1, 0, 2 << 2 | 3, 2 << 2 | 3, 4];
        let document = unpack(&["", "", "p", "a😀b"], 1, &tree);
        let texts: Vec<&str> = document.element(0).map_or(Vec::new(), |p| {
            p.child_nodes().filter_map(|child| if let Child::Text(text) = child { Some(text) } else { None }).collect()
        });
        assert_eq!(texts, ["a😀", "b"]);
    }

    #[test]
    fn a_packed_snapshot_that_is_cut_short_is_a_smaller_one() {
        let document = Document::from_packed("xy".into(), &[0, 0, 9, 1, u32::MAX, 0, 5, 7, 7, 7, 1000 << 2, 401], |_, _| None);
        assert!(document.elements().all(|element| element.name().len() <= 2));
    }

    #[test]
    fn walks_children_in_order() {
        let mut builder = Builder::new("https://a.example/", "https://a.example/", |_, _| None);
        builder.open("div", true);
        builder.attribute("lang", "de");
        builder.text("a");
        builder.open("b", true);
        builder.text("c");
        builder.close();
        builder.text("d");
        let document = builder.finish();
        let div = document.element(0).map(|div| (div.raw_text(), div.child_nodes().count(), div.children().count()));
        assert_eq!(div, Some(("acd".into(), 3, 1)));
        let language = document.elements().nth(1).and_then(Element::language);
        assert_eq!(language, Some("de"));
    }
}
