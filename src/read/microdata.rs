//! Microdata: <https://html.spec.whatwg.org/multipage/microdata.html>, and what pages do beyond it.
//!
//! Beyond it: `content` counts on any element; text is what a reader sees ([`text::of`]); a form control may stand
//! for an action's input; an item that has `itemprop` but belongs to no other is kept.

use alloc::{borrow::Cow, rc::Rc, string::String, vec::Vec};

use super::names::Names;
use super::{Format, Node, Value, reference, schema_name};
use crate::diagnostic::Diagnostic;
use crate::dom::{Document, Element};
use crate::json::number;
use crate::options::Options;
use crate::order;
use crate::text;

/// Values that items may take from elsewhere through `itemref`, all items together. Each item may name the same
/// part of the page, so without a limit the result would grow with the square of the page.
pub const MAX_REFERRED_VALUES: usize = 200_000;
/// Properties of different names on one item. No type has a tenth of it, and each value looks its property up.
pub const MAX_PROPERTIES: usize = 500;
/// Tokens of one `itemprop` or `itemtype` that are read: each is compared with those before it.
pub const MAX_TOKENS: usize = 50;

/// Appends the items of the document, in document order.
pub fn read(document: &Document, options: &Options, nodes: &mut Vec<Node>, diagnostics: &mut Vec<Diagnostic>) {
    let mut reader = Reader::new(document);
    reader.walk(options.max_depth);
    if reader.items.is_empty() {
        return;
    }
    reader.number = nodes.len() as u32;
    reader.describe();
    reader.assign();
    reader.report(diagnostics);
    nodes.append(&mut reader.nodes);
}

const NONE: u32 = u32::MAX;

/// An element with `itemscope`.
struct Item<'d> {
    element: Element<'d>,
    itemref: &'d str,
}

/// An element with `itemprop`.
struct Property<'d> {
    element: Element<'d>,
    names: &'d str,
    /// The item around it.
    owner: u32,
    /// The item that it is itself.
    item: u32,
    /// Its place in `languages`.
    language: u32,
    value: Option<Value>,
    used: bool,
}

struct Reader<'d> {
    document: &'d Document,
    /// In document order, like `nodes` and `properties`.
    items: Vec<Item<'d>>,
    nodes: Vec<Node>,
    properties: Vec<Property<'d>>,
    /// The page's default first.
    languages: Vec<Option<Rc<str>>>,
    names: Names<'d>,
    types: Names<'d>,
    /// The number that the first item has among the page's nodes.
    number: u32,
    findings: [Finding; KINDS.len()],
}

/// How often something was found, and its first instance.
#[derive(Clone, Default)]
struct Finding {
    count: usize,
    first: String,
}

/// What may have to be reported: index in `findings`, code, sentence after the number, whether anything is lost.
const KINDS: [(&str, &str, bool); 8] = [
    ("depth-limit", " items are nested deeper than `maxDepth` and were left out. Nest less, or raise `maxDepth`.", true),
    ("itemref-unknown", " ids in `itemref` name no element and were ignored. Give the element that id, or drop the reference.", true),
    ("itemref-limit", " items name so much of the page in `itemref` that some values were left out. Let fewer items share a part.", true),
    (
        "orphan-item",
        " items have `itemprop` but belong to no item; they were kept as items of their own. Drop `itemprop`, or put them into an item.",
        false,
    ),
    (
        "orphan-property",
        " elements have `itemprop` but belong to no item and were ignored. Put them into an element with `itemscope`.",
        false,
    ),
    ("type-not-absolute", " types in `itemtype` are no absolute URLs. Write them as `https://schema.org/Product`.", false),
    (
        "missing-url",
        " elements have `itemprop` but lack the URL attribute that would be its value; their text, or nothing, was taken. Add `href` or `src`.",
        false,
    ),
    (
        "property-limit",
        " items or attributes have too many names; what is beyond the limit (500 properties of an item, 50 names in an attribute) was left out. Use the vocabulary's names.",
        true,
    ),
];
const DEPTH: usize = 0;
const UNKNOWN: usize = 1;
const REFERRED: usize = 2;
const ORPHAN_ITEM: usize = 3;
const ORPHAN: usize = 4;
const TYPE: usize = 5;
const URL: usize = 6;
const PROPERTIES: usize = 7;

impl<'d> Reader<'d> {
    fn new(document: &'d Document) -> Self {
        Reader {
            document,
            items: Vec::new(),
            nodes: Vec::new(),
            properties: Vec::new(),
            languages: alloc::vec![None],
            names: Names::default(),
            types: Names::default(),
            number: 0,
            findings: Default::default(),
        }
    }

    fn find(&mut self, kind: usize, instance: &str) {
        if let Some(finding) = self.findings.get_mut(kind) {
            finding.count += 1;
            if finding.count == 1 {
                finding.first = text::clean(instance).into_owned();
            }
        }
    }

    /// Finds items and properties, and for each property the item and the language around it.
    fn walk(&mut self, max_depth: usize) {
        // End and number of what is open.
        let mut items: Vec<(u32, u32)> = Vec::new();
        let mut languages: Vec<(u32, u32)> = Vec::new();
        let mut index = 0;
        while (index as usize) < self.document.len() {
            let Some(element) = self.document.element(index) else {
                index += 1;
                continue;
            };
            while items.last().is_some_and(|(end, _)| *end <= index) {
                items.pop();
            }
            while languages.last().is_some_and(|(end, _)| *end <= index) {
                languages.pop();
            }
            index += 1;
            let (mut itemscope, mut itemprop, mut itemref, mut lang) = (false, "", "", None);
            for (name, value) in element.attributes() {
                match name {
                    "itemscope" => itemscope = true,
                    "itemprop" => itemprop = value,
                    "itemref" => itemref = value,
                    "lang" => lang = Some(value),
                    "xml:lang" if lang.is_none() => lang = Some(value),
                    "http-equiv" if value.eq_ignore_ascii_case("content-language") && element.name() == "meta" => {
                        // The pragma gives a default language, unless it names several.
                        let mut tokens = element.tokens("content");
                        if let (Some(token), None, Some(default)) = (tokens.next(), tokens.next(), self.languages.first_mut()) {
                            *default = (!text::has(token, b',')).then(|| text::clean(token).into());
                        }
                    }
                    _ => {}
                }
            }
            if element.name() == "template" && element.is_html() {
                index = element.end();
                continue;
            }
            if let Some(lang) = lang {
                languages.push((element.end(), self.languages.len() as u32));
                let lang = text::clean(lang);
                self.languages.push((!lang.is_empty()).then(|| lang.into()));
            }
            if itemscope && items.len() >= max_depth {
                self.find(DEPTH, itemprop);
                index = element.end();
                continue;
            }
            let owner = items.last().map_or(NONE, |(_, item)| *item);
            let item = if itemscope { self.items.len() as u32 } else { NONE };
            if !itemprop.trim_ascii().is_empty() {
                let language = languages.last().map_or(0, |(_, language)| *language);
                self.properties.push(Property { element, names: itemprop, owner, item, language, value: None, used: false });
            }
            if itemscope {
                items.push((element.end(), item));
                self.items.push(Item { element, itemref });
            }
        }
    }

    /// Types and ids of the items.
    fn describe(&mut self) {
        for at in 0..self.items.len() {
            let Some(element) = self.items.get(at).map(|item| item.element) else { continue };
            let mut node = Node::new(Format::Microdata, element.index());
            if element.attribute("itemtype").is_some_and(too_many) {
                self.find(PROPERTIES, "itemtype");
            }
            for token in element.tokens("itemtype").take(MAX_TOKENS) {
                let absolute = reference::has_scheme(token);
                if !absolute {
                    self.find(TYPE, token);
                }
                let name = self.types.get(token, |token| text::visible(&type_name(token)).into());
                if !node.types.contains(&name) {
                    node.types.push(name);
                }
            }
            let itemid = element.attribute("itemid").map(str::trim).filter(|id| !id.is_empty());
            node.id = itemid.and_then(|id| reference::resolve(self.document, id));
            self.nodes.push(node);
        }
    }

    /// Gives each property to its items.
    fn assign(&mut self) {
        for at in 0..self.properties.len() {
            let owner = self.properties.get(at).map_or(NONE, |property| property.owner);
            if self.items.get(owner as usize).is_some_and(|item| item.itemref.is_empty()) {
                self.give(at, owner);
            }
        }
        let targets = self.targets();
        let mut budget = MAX_REFERRED_VALUES;
        for at in 0..self.items.len() {
            let Some((element, itemref)) = self.items.get(at).map(|item| (item.element, item.itemref)) else { continue };
            if itemref.is_empty() {
                continue;
            }
            let mut found = Vec::new();
            self.gather(element, at as u32, &mut found, &mut usize::MAX.clone());
            for id in itemref.split_ascii_whitespace() {
                let known = targets.binary_search_by(|(other, _)| (*other).cmp(id));
                match known.ok().and_then(|place| targets.get(place)).and_then(|(_, target)| *target) {
                    Some(target) => self.gather(target, NONE, &mut found, &mut budget),
                    None => self.find(UNKNOWN, id),
                }
            }
            if budget == 0 {
                self.find(REFERRED, itemref);
            }
            // Document order, each element once, the item itself never.
            order::sort(&mut found);
            found.dedup();
            for property in found {
                if self.properties.get(property).is_some_and(|property| property.element != element) {
                    self.give(property, at as u32);
                }
            }
        }
        self.infer_urls();
        for at in 0..self.properties.len() {
            let Some(property) = self.properties.get(at) else { continue };
            if !property.used && property.owner == NONE {
                let kind = if property.item == NONE { ORPHAN } else { ORPHAN_ITEM };
                self.find(kind, property.names);
            }
        }
    }

    /// The ids that items refer to, sorted, each with the first element that has it.
    fn targets(&self) -> Vec<(&'d str, Option<Element<'d>>)> {
        let ids = self.items.iter().flat_map(|item| item.itemref.split_ascii_whitespace());
        let mut targets: Vec<(&str, Option<Element<'d>>)> = ids.map(|id| (id, None)).collect();
        order::sort_by_key(&mut targets, |(id, _)| *id);
        targets.dedup_by_key(|(id, _)| *id);
        if !targets.is_empty() {
            for element in self.document.elements() {
                let known = element.attribute("id").and_then(|id| targets.binary_search_by(|(other, _)| (*other).cmp(id)).ok());
                if let Some((_, target)) = known.and_then(|place| targets.get_mut(place)) {
                    target.get_or_insert(element);
                }
            }
        }
        targets
    }

    /// The properties that an item finds when it looks through `root`: its own element (`item`), or one that it
    /// refers to (`NONE`). Inner items are not entered.
    fn gather(&self, root: Element<'d>, item: u32, found: &mut Vec<usize>, budget: &mut usize) {
        let (start, end) = (root.index(), root.end());
        let from = |index: u32| self.properties.partition_point(|property| property.element.index() < index);
        let mut at = from(if item == NONE { start } else { start + 1 });
        while let Some(property) = self.properties.get(at).filter(|property| property.element.index() < end) {
            if *budget == 0 {
                return;
            }
            *budget -= 1;
            let outside = || self.items.get(property.owner as usize).is_none_or(|owner| owner.element.index() < start);
            if if item == NONE { property.element == root || outside() } else { property.owner == item } {
                found.push(at);
            }
            // A property that is an item may hold thousands.
            at = if property.item == NONE { at + 1 } else { from(property.element.end()).max(at + 1) };
        }
    }

    /// Adds a property's value to an item, under each of its names.
    fn give(&mut self, at: usize, item: u32) {
        let value = match self.properties.get(at).map(|property| property.value.clone()) {
            Some(Some(value)) => value,
            _ => self.value(at),
        };
        let Some(property) = self.properties.get_mut(at) else { return };
        property.value = Some(value.clone());
        property.used = true;
        let names = property.names;
        let Some(node) = self.nodes.get_mut(item as usize) else { return };
        let mut left_out = too_many(names);
        for (place, written) in names.split_ascii_whitespace().take(MAX_TOKENS).enumerate() {
            if names.split_ascii_whitespace().take(place).any(|earlier| earlier == written) {
                continue;
            }
            let name = self.names.get(written, |written| text::visible(schema_name(written).unwrap_or(written)).into());
            left_out |= !add(node, &name, value.clone());
        }
        if left_out {
            self.find(PROPERTIES, names);
        }
    }

    /// The value of a property: its item, or what its element says.
    fn value(&mut self, at: usize) -> Value {
        let Some(property) = self.properties.get(at) else { return Value::Boolean(false) };
        if property.item != NONE {
            return Value::Node(self.number + property.item);
        }
        let (element, names) = (property.element, property.names);
        let language = self.languages.get(property.language as usize).cloned().flatten();
        let said = |text: &str| Value::Text { text: text::clean(text).into(), language: language.clone() };
        if let Some(content) = element.attribute("content") {
            return said(content);
        }
        let name = if element.is_html() { element.name() } else { "" };
        match name {
            "meta" => return said(""),
            "data" | "meter" => return said(element.attribute("value").unwrap_or("")),
            "time" => {
                if let Some(datetime) = element.attribute("datetime") {
                    return said(datetime);
                }
            }
            "input" | "select" | "textarea" if is_control_name(names) => return said(&control(element)),
            _ => {}
        }
        if let Some(attribute) = url_attribute(name) {
            let written = element.attribute(attribute);
            if let Some(url) = written.and_then(|written| reference::resolve(self.document, written)) {
                return Value::Url(url);
            }
            self.find(URL, names);
            // A link that leads nowhere still says something.
            if written.is_some() || !matches!(name, "a" | "area") {
                return said("");
            }
        }
        Value::Text { text: text::borrowed(element).into(), language }
    }

    /// `<a itemprop=item itemscope href>`: the link is no value, as the element is the item, but says which page the
    /// item of a breadcrumb is.
    fn infer_urls(&mut self) {
        let url_name: Rc<str> = "url".into();
        for property in &self.properties {
            if property.item == NONE || !property.names.split_ascii_whitespace().any(|name| name == "item") {
                continue;
            }
            let Some(node) = self.nodes.get_mut(property.item as usize) else { continue };
            if node.id.is_some() || node.properties.iter().any(|property| property.name == url_name) {
                continue;
            }
            let attribute = url_attribute(property.element.name()).and_then(|attribute| property.element.attribute(attribute));
            if let Some(url) = attribute.and_then(|written| reference::resolve(self.document, written)) {
                node.push(&url_name, Value::Url(url));
            }
        }
    }

    fn report(&self, diagnostics: &mut Vec<Diagnostic>) {
        for (finding, (code, sentence, lost)) in self.findings.iter().zip(KINDS) {
            if finding.count == 0 {
                continue;
            }
            let mut message = [&number(finding.count), sentence].concat();
            if !finding.first.is_empty() {
                message.push_str(&[" First: \"", &short(&finding.first), "\"."].concat());
            }
            diagnostics.push(if lost { Diagnostic::warn(code, message) } else { Diagnostic::info(code, message) });
        }
    }
}

/// An attribute has more tokens than are read.
pub(super) fn too_many(tokens: &str) -> bool {
    tokens.len() > 2 * MAX_TOKENS && tokens.split_ascii_whitespace().nth(MAX_TOKENS).is_some()
}

/// Adds a value to a property, unless it would be one property too many.
pub(super) fn add(node: &mut Node, name: &Rc<str>, value: Value) -> bool {
    let fits = node.properties.len() < MAX_PROPERTIES || node.properties.iter().any(|property| property.name == *name);
    if fits {
        node.push(name, value);
    }
    fits
}

fn short(text: &str) -> Cow<'_, str> {
    const LENGTH: usize = 60;
    match text.char_indices().nth(LENGTH) {
        Some((at, _)) => [text.get(..at).unwrap_or(""), "…"].concat().into(),
        None => text.into(),
    }
}

/// A bare name for Schema.org's types, others as written. Addresses of Schema.org without a scheme are forgiven.
fn type_name(token: &str) -> Cow<'_, str> {
    if let Some(name) = schema_name(token) {
        return name.into();
    }
    let rest = token.strip_prefix("//").unwrap_or(token);
    if rest.starts_with("schema.org/") || rest.starts_with("www.schema.org/") {
        let absolute = ["https://", rest].concat();
        if let Some(name) = schema_name(&absolute) {
            return String::from(name).into();
        }
    }
    token.into()
}

/// The attribute that holds the element's value, where that is a URL.
fn url_attribute(name: &str) -> Option<&'static str> {
    match name {
        "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => Some("src"),
        "a" | "area" | "link" => Some("href"),
        "object" => Some("data"),
        _ => None,
    }
}

/// One of the names is that of an action's input or output: <https://schema.org/docs/actions.html>, part 4.
pub(super) fn is_control_name(names: &str) -> bool {
    names.split_ascii_whitespace().any(|name| name.ends_with("-input") || name.ends_with("-output"))
}

/// What a form control demands, in Schema.org's shorthand: `required maxlength=100 name=q`.
pub(super) fn control(element: Element<'_>) -> String {
    let mut words: Vec<Cow<'_, str>> = Vec::new();
    for name in ["required", "readonly", "multiple"] {
        if element.has(name) {
            words.push(name.into());
        }
    }
    for name in ["minlength", "maxlength", "pattern", "min", "max", "step", "value", "name"] {
        if let Some(value) = element.attribute(name).map(str::trim).filter(|value| !value.is_empty()) {
            let quote = if value.contains(char::is_whitespace) { "\"" } else { "" };
            words.push([name, "=", quote, value, quote].concat().into());
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Builder;

    fn items(build: impl FnOnce(&mut Builder)) -> (Vec<Node>, Vec<Diagnostic>) {
        let mut builder = Builder::new("https://a.example/", "https://a.example/", |reference, base| Some([base, reference].concat()));
        build(&mut builder);
        let (mut nodes, mut diagnostics) = (Vec::new(), Vec::new());
        read(&builder.finish(), &Options::default(), &mut nodes, &mut diagnostics);
        (nodes, diagnostics)
    }

    fn codes(diagnostics: &[Diagnostic]) -> Vec<&str> {
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn a_template_stays_one_and_a_relative_one_is_resolved() {
        let (nodes, _) = items(|page| {
            page.open("div", true);
            page.attribute("itemscope", "");
            for href in ["https://b.example/s?q={q}", "s/{q}{?p*}", "a b"] {
                page.open("a", true);
                page.attribute("itemprop", "target");
                page.attribute("href", href);
                page.close();
            }
        });
        let urls = ["https://b.example/s?q={q}", "https://a.example/s/{q}{?p*}", "https://a.example/a b"];
        let values = nodes.first().and_then(|node| node.properties.first()).map(|property| property.values.clone());
        assert_eq!(values, Some(urls.map(|url| Value::Url(url.into())).into()));
    }

    #[test]
    fn many_items_may_share_much_of_the_page() {
        let (nodes, diagnostics) = items(|page| {
            page.open("div", true);
            page.attribute("id", "shared");
            for _ in 0..2_000 {
                page.open("b", true);
                page.attribute("itemprop", "name");
                page.close();
            }
            page.close();
            for _ in 0..2_000 {
                page.open("i", true);
                page.attribute("itemscope", "");
                page.attribute("itemref", "shared none");
                page.close();
            }
        });
        let values = nodes.iter().flat_map(|node| &node.properties).map(|property| property.values.len()).sum::<usize>();
        assert_eq!((nodes.len(), values), (2_000, MAX_REFERRED_VALUES));
        assert_eq!(codes(&diagnostics), ["itemref-unknown", "itemref-limit"]);
    }

    #[test]
    fn depth_and_names_have_their_limits() {
        let (nodes, diagnostics) = items(|page| {
            for _ in 0..100_000 {
                page.open("div", true);
                page.attribute("itemscope", "");
                page.attribute("itemprop", "part");
                page.attribute("lang", "de");
            }
        });
        assert_eq!((nodes.len(), codes(&diagnostics)), (64, alloc::vec!["depth-limit", "orphan-item"]));
        let (nodes, diagnostics) = items(|page| {
            page.open("div", true);
            page.attribute("itemscope", "");
            page.attribute("itemtype", &"x:y ".repeat(100));
            for place in 0..10_000 {
                page.open("meta", true);
                page.attribute("itemprop", &["p", &number(place)].concat());
                page.close();
            }
        });
        assert_eq!(nodes.first().map(|node| node.properties.len()), Some(MAX_PROPERTIES));
        assert!(diagnostics.iter().all(|found| found.message.starts_with("9501 ")), "{diagnostics:?}");
        assert_eq!(codes(&diagnostics), ["property-limit"]);
    }

    #[test]
    fn nothing_read_holds_a_control_character() {
        let (nodes, _) = items(|page| {
            page.open("div", true);
            for (name, value) in
                [("itemscope", ""), ("itemtype", "https://schema.org/Pro\u{1}duct x\u{0}"), ("itemid", "x:{\u{1}\n}"), ("lang", "d\u{7}e")]
            {
                page.attribute(name, value);
            }
            for (name, value) in [("content", "a\u{2}\n\tb"), ("x", "")] {
                page.open("b", true);
                page.attribute("itemprop", "na\u{3}me");
                page.attribute(name, value);
                page.text("c\u{4}\r\nd");
                page.close();
            }
        });
        let all = alloc::format!("{nodes:?}");
        assert!(all.contains("Product") && all.contains("\"a b\"") && all.contains("\"c d\""), "{all}");
        assert!(!all.contains("\\u{") && !all.contains("\\n") && !all.contains("\\0"), "{all}");
    }
}
