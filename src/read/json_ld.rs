//! JSON-LD 1.1 in `script` elements: node objects to nodes. Nothing is fetched: schema.org's context is built in,
//! another remote one is reported and its terms mean nothing.
//!
//! What the standard leaves out here, because it is not used with Schema.org: graph, id and type maps (read as index
//! maps), lists of lists (flattened), `@direction`, `@protected`, `@import`.

mod context;

use alloc::{borrow::Cow, rc::Rc, string::String, vec::Vec};

use self::context::{Container, Context, Key, Keyword, Kind, Term};
use super::{Format, Node, Property, Value, repair, without_controls};
use crate::diagnostic::{Diagnostic, Level};
use crate::dom::Document;
use crate::json::{self, Json};
use crate::options::Options;
use crate::order;
use crate::text;
use crate::vocabulary;

/// Bytes of one block that are read; the largest that was found on a real page has 1 MB.
pub const MAX_BLOCK_BYTES: usize = 16 << 20;

/// Foreign text quoted in a diagnostic, in characters.
const MAX_QUOTE: usize = 60;

/// Bytes of blocks that are remembered from one reading of a page to the next, and how many of them: pages with more are
/// read anew.
pub const MAX_KNOWN_BYTES: usize = 4 << 20;
/// See [`MAX_KNOWN_BYTES`].
pub const MAX_KNOWN: usize = 500;

/// Blocks as they were read last time: one that is there again is not parsed again. By default nothing is remembered.
#[derive(Default)]
pub struct Known {
    room: usize,
    last: Vec<KnownBlock>,
    now: Vec<KnownBlock>,
    bytes: usize,
    /// How many were parsed in the last reading.
    pub parsed: usize,
}

struct KnownBlock {
    text: String,
    base_url: String,
    block: Block,
}

impl Known {
    /// Remembers what it is shown.
    pub fn remembering() -> Self {
        Known { room: MAX_KNOWN_BYTES, ..Known::default() }
    }

    /// A page is about to be read again, with the same options.
    pub fn begin(&mut self) {
        self.last = core::mem::take(&mut self.now);
        (self.bytes, self.parsed) = (0, 0);
    }

    fn block(&mut self, text: String, document: &Document, options: &Options) -> Block {
        let same = |known: &KnownBlock| known.text == text && known.base_url == document.base_url;
        let known = match self.last.iter().position(same) {
            // In order: the next one is mostly the first that is left, and each look may compare long texts.
            Some(at) => self.last.remove(at),
            None => {
                self.parsed += 1;
                KnownBlock { block: read_block(&text, document, options, 0), text, base_url: document.base_url.clone() }
            }
        };
        self.bytes += known.text.len();
        if self.bytes > self.room || self.now.len() >= MAX_KNOWN {
            return known.block;
        }
        let block = known.block.clone();
        self.now.push(known);
        block
    }
}

/// What one block says.
#[derive(Clone, Default)]
pub struct Block {
    /// Its nodes; [`Value::Node`] counts from the first one. Blank labels are as written.
    pub nodes: Vec<Node>,
    /// What was lost or repaired; messages continue "JSON-LD block 1 ".
    pub diagnostics: Vec<Diagnostic>,
}

/// Appends the nodes of this syntax in document order.
pub fn read(document: &Document, options: &Options, known: &mut Known, nodes: &mut Vec<Node>, diagnostics: &mut Vec<Diagnostic>) {
    let (mut count, mut inert) = (0, 0);
    for element in document.elements().filter(|element| matches!(element.name(), "script" | "template")) {
        if element.index() < inert {
            continue;
        }
        if element.name() == "template" {
            inert = element.end();
        } else if is_json_ld(element.attribute("type").unwrap_or("")) {
            count += 1;
            let block = known.block(element.raw_text(), document, options);
            append(block, element.index(), count, nodes, diagnostics);
        }
    }
}

/// The media type, whatever its parameters.
fn is_json_ld(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or("");
    essence.trim_matches(|c: char| c.is_ascii_whitespace()).eq_ignore_ascii_case("application/ld+json")
}

/// Adds the nodes of the block in an element to the page's: numbers shift, and blank labels become the block's own.
fn append(block: Block, element: u32, count: usize, nodes: &mut Vec<Node>, diagnostics: &mut Vec<Diagnostic>) {
    let offset = nodes.len() as u32;
    let own = ["_:", &json::number(nodes.len()), "."].concat();
    let label = |id: &mut Rc<str>| {
        if let Some(label) = id.strip_prefix("_:") {
            *id = [&*own, label].concat().into();
        }
    };
    for mut node in block.nodes {
        node.element = element;
        node.id.as_mut().into_iter().for_each(label);
        for value in node.properties.iter_mut().flat_map(|property| &mut property.values) {
            match value {
                Value::Node(index) => *index += offset,
                Value::Reference(id) => label(id),
                _ => {}
            }
        }
        nodes.push(node);
    }
    for mut diagnostic in block.diagnostics {
        diagnostic.message = ["JSON-LD block ", &json::number(count), " ", &diagnostic.message].concat();
        diagnostics.push(diagnostic);
    }
}

/// Reads the text of one block, alone. Relative references resolve against the document.
pub fn read_block(text: &str, document: &Document, options: &Options, element: u32) -> Block {
    let mut diagnostics = Vec::new();
    if text.len() > MAX_BLOCK_BYTES {
        let message =
            ["is larger than ", &json::number(MAX_BLOCK_BYTES >> 20), " MB and was not read. Describe only what the page is about."];
        diagnostics.push(Diagnostic::warn("too-large", message.concat()));
        return Block { nodes: Vec::new(), diagnostics };
    }
    let repaired;
    let parsed = match json::parse(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Nothing but white space, a comment or a byte order mark says nothing.
            let Some(result) = repair::repair(text) else {
                return Block::default();
            };
            repaired = result;
            let again = repaired.as_ref().map_err(|failed| *failed).and_then(|repaired| json::parse(&repaired.text).map_err(|_| error));
            match again {
                Ok(parsed) => {
                    if let Ok(repaired) = &repaired {
                        diagnostics.push(Diagnostic::info(
                            "json-repaired",
                            ["was no valid JSON and was read with ", &*repaired.summary, ". Correct it at its source."].concat(),
                        ));
                    }
                    parsed
                }
                Err(error) => {
                    let place = repair::place(text, error.at);
                    let message = ["is no valid JSON and was not read: ", error.problem, ", ", &place, ". Correct it at its source."];
                    diagnostics.push(Diagnostic::warn("json-parse-error", message.concat()));
                    return Block { nodes: Vec::new(), diagnostics };
                }
            }
        }
    };
    let mut reader = Reader {
        document,
        max_depth: options.max_depth,
        element,
        nodes: Vec::new(),
        names: [const { None }; NAMES],
        too_deep: parsed.too_deep,
        unknown: Vec::new(),
        only_unknown: false,
        read_as_schema: false,
        without_context: false,
        unresolved: None,
    };
    reader.top(&Rc::new(Context::default()), &parsed.value, 0);
    reader.report(parsed.repeated_key, &mut diagnostics);
    let mut nodes = reader.nodes;
    drop_hollow(&mut nodes);
    Block { nodes, diagnostics }
}

/// Slots for names that were met before; pages use some dozens.
const NAMES: usize = 128;

struct Reader<'d> {
    document: &'d Document,
    max_depth: usize,
    element: u32,
    nodes: Vec<Node>,
    names: [Option<(Rc<str>, bool)>; NAMES],
    too_deep: bool,
    /// Remote contexts that are not built in.
    unknown: Vec<String>,
    only_unknown: bool,
    read_as_schema: bool,
    without_context: bool,
    /// What stands as a URL and looks like none, with its property.
    unresolved: Option<(Rc<str>, String)>,
}

impl<'d> Reader<'d> {
    fn report(&self, repeated_key: bool, diagnostics: &mut Vec<Diagnostic>) {
        let mut say = |level, code, parts: &[&str]| diagnostics.push(Diagnostic { level, code, message: parts.concat() });
        if self.too_deep {
            say(
                Level::Warn,
                "depth-limit",
                &["nests deeper than is read; what lies deeper was left out. Give things an @id and refer to them."],
            );
        }
        if !self.unknown.is_empty() {
            let names = self.unknown.join(", ");
            if self.only_unknown {
                say(
                    Level::Warn,
                    "unknown-context",
                    &[
                        "uses a @context that is not built in (",
                        &names,
                        "): its terms mean nothing here. Use https://schema.org, or define the terms in the block.",
                    ],
                );
            } else {
                say(
                    Level::Info,
                    "unknown-context",
                    &["uses a @context beside others that is not built in (", &names, "); the terms that it defines are not known."],
                );
            }
        }
        if self.read_as_schema {
            say(
                Level::Warn,
                "no-context",
                &["has no @context and was read as Schema.org because it uses Schema.org types. Add \"@context\": \"https://schema.org\"."],
            );
        }
        if self.without_context {
            say(Level::Warn, "no-context", &["has no @context, so its terms mean nothing. Add \"@context\": \"https://schema.org\"."]);
        }
        if repeated_key {
            say(
                Level::Info,
                "repeated-key",
                &["repeats a key within one object; the last value counts. Write several values as an array."],
            );
        }
        if let Some((name, written)) = &self.unresolved {
            say(
                Level::Info,
                "relative-url",
                &[
                    "has a URL that is probably none: '",
                    name,
                    "' is '",
                    written,
                    "', which was resolved against the page's address. Write absolute URLs.",
                ],
            );
        }
    }

    /// A name shared by all that use it.
    fn name(&mut self, name: &str) -> Rc<str> {
        self.property_name(name).0
    }

    /// The same, and whether it is a property whose strings are URLs.
    fn property_name(&mut self, name: &str) -> (Rc<str>, bool) {
        let hash = name.bytes().fold(name.len(), |hash, byte| hash.wrapping_mul(31) ^ usize::from(byte));
        let new = || (name.into(), vocabulary::is_url_property(name));
        let Some(slot) = self.names.get_mut(hash % NAMES) else { return new() };
        match slot {
            Some(known) if *known.0 == *name => known.clone(),
            _ => slot.insert(new()).clone(),
        }
    }

    /// Members of a top-level array or of a `@graph`: nodes count, anything else floats freely and does not.
    fn top<'j>(&mut self, context: &Rc<Context<'j>>, json: &'j Json<'j>, depth: usize) {
        match json {
            Json::Array(items) => items.iter().for_each(|item| self.top(context, item, depth)),
            Json::Object(members) => {
                self.object(context, members, None, depth, &mut Vec::new());
            }
            _ => {}
        }
    }

    /// The values that a property's JSON stands for.
    fn values<'j>(&mut self, place: Place<'_, 'j>, json: &'j Json<'j>, depth: usize, out: &mut Vec<Value>) {
        match json {
            Json::Null => {}
            Json::Array(items) => items.iter().for_each(|item| self.values(place, item, depth, out)),
            Json::Object(_) if place.term.kind == Kind::Json => out.push(text(&to_text(json), None)),
            Json::Object(members) => match place.term.container {
                Container::Language if is_map(members) => {
                    for (language, words) in members {
                        let language = (!language.starts_with('@')).then(|| self.name(language));
                        for words in words.each().iter().filter_map(Json::as_str) {
                            out.push(text(words, language.clone()));
                        }
                    }
                }
                Container::Map if is_map(members) => members.iter().for_each(|(_, json)| self.values(place, json, depth, out)),
                _ => {
                    let scoped = place.term.context.map(|context| self.enter(place.nested, context));
                    self.object(scoped.as_ref().unwrap_or(place.nested), members, Some(place), depth, out);
                }
            },
            Json::String(words) => out.extend(self.string(place, words)),
            Json::Number(digits) => out.push(Value::Number((&**digits).into())),
            Json::Bool(value) => out.push(Value::Boolean(*value)),
        }
    }

    fn string(&mut self, place: Place<'_, '_>, words: &str) -> Option<Value> {
        let Place { context, term, .. } = place;
        match term.kind {
            Kind::Plain => {
                let language = term.language.clone().unwrap_or_else(|| context.language.clone());
                Some(text(words, language))
            }
            // An empty string is no address; resolved, it would name the page.
            Kind::Url if words.trim().is_empty() => None,
            Kind::Id | Kind::Url => {
                let url = self.expand(context, None, words, false, true)?;
                if term.kind == Kind::Url && self.unresolved.is_none() && looks_unlike_url(words) {
                    self.unresolved = Some((place.name.clone(), quote(words)));
                }
                // A label of the block's own is no address.
                Some(if url.starts_with("_:") { Value::Reference(self.name(&url)) } else { Value::Url(without_controls(&url).into()) })
            }
            Kind::Vocab => Some(Value::Url(without_controls(&self.expand(context, None, words, true, true)?).into())),
            Kind::Json | Kind::Typed => Some(text(words, None)),
        }
    }

    /// An object: a node, a value object, a list or a set. `place` is where it is a value; `None` at the top level.
    fn object<'j>(
        &mut self,
        outer: &Rc<Context<'j>>,
        members: &'j [(Cow<'j, str>, Json<'j>)],
        place: Option<Place<'_, 'j>>,
        depth: usize,
        out: &mut Vec<Value>,
    ) {
        let own = json::member(members, "@context");
        let mut context = own.map_or_else(|| outer.clone(), |own| self.enter(outer, own));
        if !context.given && place.is_none() {
            context = self.without_context(&context, members);
        }
        // Contexts of types hold for this node's keys alone.
        let scoped = if context.scoped { self.enter_types(&context, members) } else { context.clone() };
        let keys: Vec<(Key<'j>, &'j Json<'j>)> = members.iter().filter_map(|(key, json)| Some((self.key(&scoped, key)?, json))).collect();
        let find = |wanted| keys.iter().find(|(key, _)| matches!(key, Key::Keyword(keyword) if *keyword == wanted)).map(|(_, json)| *json);

        if let Some(value) = find(Keyword::Value) {
            if place.is_some() {
                out.extend(self.value_object(value, find(Keyword::Type), find(Keyword::Language)));
            }
            return;
        }
        if let Some(json) = find(Keyword::List).or_else(|| find(Keyword::Set)) {
            match place {
                Some(place) => self.values(Place { nested: &context, ..place }, json, depth, out),
                None if find(Keyword::List).is_none() => self.top(&context, json, depth),
                None => {}
            }
            return;
        }
        if keys.len() == 1 && find(Keyword::Language).is_some() {
            return;
        }
        let id = find(Keyword::Id).and_then(Json::as_str).and_then(|id| self.expand(&context, None, id, false, true));
        let id = id.map(|id| self.name(&without_controls(&id)));
        let says_nothing = |(key, _): &(Key<'_>, &Json<'_>)| {
            matches!(key, Key::Keyword(Keyword::Id | Keyword::Other | Keyword::Language | Keyword::Graph | Keyword::Included))
        };
        let bare = keys.iter().all(says_nothing);
        if bare && find(Keyword::Id).is_some() && place.is_some() {
            out.extend(id.map(Value::Reference));
        } else if bare && place.is_none() {
            // Only what is in its @graph counts.
        } else if depth >= self.max_depth {
            self.too_deep = true;
            out.extend(id.map(Value::Reference));
            return;
        } else {
            let index = self.nodes.len() as u32;
            out.push(Value::Node(index));
            self.nodes.push(Node::new(Format::JsonLd, self.element));
            let mut node = Node { id, ..Node::new(Format::JsonLd, self.element) };
            self.members(&scoped, &context, &keys, index, &mut node, depth);
            merge_repeated(&mut node.properties);
            if let Some(slot) = self.nodes.get_mut(index as usize) {
                // Something that lies inside it and points back may have added to it already.
                node.properties.append(&mut slot.properties);
                merge_repeated(&mut node.properties);
                *slot = node;
            }
        }
        for more in [find(Keyword::Graph), find(Keyword::Included)].into_iter().flatten() {
            self.top(&context, more, depth);
        }
    }

    /// Reads what a node object says of its node.
    fn members<'j>(
        &mut self,
        context: &Rc<Context<'j>>,
        nested: &Rc<Context<'j>>,
        keys: &[(Key<'j>, &'j Json<'j>)],
        index: u32,
        node: &mut Node,
        depth: usize,
    ) {
        for (key, json) in keys {
            match key {
                Key::Keyword(Keyword::Type) => {
                    for name in json.each().iter().filter_map(Json::as_str) {
                        let name = self.type_name(context, name);
                        if let Some(name) = name.filter(|name| !node.types.contains(name)) {
                            node.types.push(name);
                        }
                    }
                }
                Key::Keyword(Keyword::Nest) => {
                    for object in json.each() {
                        if let Json::Object(members) = object {
                            let keys: Vec<_> = members.iter().filter_map(|(key, json)| Some((self.key(context, key)?, json))).collect();
                            self.members(context, nested, &keys, index, node, depth);
                        }
                    }
                }
                Key::Keyword(Keyword::Reverse) => {
                    if let Json::Object(members) = json {
                        for (key, json) in members {
                            if let Some(Key::Property(name, term)) = self.key(context, key) {
                                let place = Place { name: &name, term: &term, context, nested };
                                // What is reversed twice points the way it says.
                                self.property(place, json, !term.reverse, index, node, depth);
                            }
                        }
                    }
                }
                Key::Keyword(_) => {}
                Key::Property(name, term) => {
                    let place = Place { name, term, context, nested };
                    self.property(place, json, term.reverse, index, node, depth);
                }
            }
        }
    }

    fn property<'j>(&mut self, place: Place<'_, 'j>, json: &'j Json<'j>, reverse: bool, index: u32, node: &mut Node, depth: usize) {
        let mut values = Vec::new();
        self.values(place, json, depth + 1, &mut values);
        if !reverse {
            if !values.is_empty() {
                node.properties.push(Property { name: place.name.clone(), values });
            }
            return;
        }
        for value in values {
            match value {
                Value::Node(other) => {
                    if let Some(other) = self.nodes.get_mut(other as usize) {
                        other.push(place.name, Value::Node(index));
                    }
                }
                Value::Reference(id) | Value::Url(id) => {
                    let mut other = Node::new(Format::JsonLd, self.element);
                    other.id = Some(id);
                    other.push(place.name, Value::Node(index));
                    self.nodes.push(other);
                }
                // Text has no properties.
                _ => {}
            }
        }
    }

    fn value_object(&mut self, value: &Json<'_>, datatype: Option<&Json<'_>>, language: Option<&Json<'_>>) -> Option<Value> {
        match value {
            Json::String(words) => {
                let language = language.and_then(Json::as_str).map(|language| self.name(language));
                Some(text(words, language))
            }
            Json::Number(digits) => Some(Value::Number((&**digits).into())),
            Json::Bool(value) => Some(Value::Boolean(*value)),
            Json::Null => None,
            Json::Array(_) | Json::Object(_) => (datatype.and_then(Json::as_str) == Some("@json")).then(|| text(&to_text(value), None)),
        }
    }

    /// A node of a block without `@context`: Schema.org's words are read as such, others mean nothing.
    fn without_context<'j>(&mut self, context: &Rc<Context<'j>>, members: &[(Cow<'_, str>, Json<'_>)]) -> Rc<Context<'j>> {
        let mut types = json::member(members, "@type").map_or(&[][..], Json::each).iter().filter_map(Json::as_str);
        if types.any(|name| vocabulary::type_name(super::schema_name(name).unwrap_or(name)).is_some()) {
            self.read_as_schema = true;
            return Rc::new(context.with_schema());
        }
        self.without_context |= members.iter().any(|(key, _)| !key.starts_with('@') && !text::has(key, b':'));
        context.clone()
    }

    /// An IRI as a name: bare for Schema.org's.
    fn compact(&mut self, iri: &str) -> Rc<str> {
        match super::schema_name(iri) {
            Some(name) => self.name(&without_controls(name)),
            None => self.name(&without_controls(iri)),
        }
    }
}

/// Where a value stands.
#[derive(Clone, Copy)]
struct Place<'p, 'j> {
    name: &'p Rc<str>,
    term: &'p Term<'j>,
    /// What strings mean here.
    context: &'p Rc<Context<'j>>,
    /// What holds for nodes in it.
    nested: &'p Rc<Context<'j>>,
}

/// A language or index map, and not a node or value object in its place.
fn is_map(members: &[(Cow<'_, str>, Json<'_>)]) -> bool {
    members.iter().all(|(key, _)| !key.starts_with('@') || key == "@none")
}

fn text(words: &str, language: Option<Rc<str>>) -> Value {
    Value::Text { text: Rc::from(&*clean(words)), language }
}

/// Text without control characters, but for those that part lines and columns.
fn clean(words: &str) -> Cow<'_, str> {
    // U+0080 to U+009F begin with the byte 0xC2, as do many others.
    let suspicious = |byte: u8| (byte < b' ' && byte != b'\n' && byte != b'\t') || byte == 0x7f || byte == 0xc2;
    if !words.bytes().any(suspicious) {
        return Cow::Borrowed(words);
    }
    let mut out = String::with_capacity(words.len());
    let mut characters = words.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' => out.push('\n'),
            '\u{b}' | '\u{c}' => out.push(' '),
            '\n' | '\t' => out.push(character),
            _ if character.is_control() => {}
            _ => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// The start of a foreign text, for a diagnostic.
fn quote(words: &str) -> String {
    without_controls(words).chars().take(MAX_QUOTE).collect()
}

/// A name or a host where a URL should stand (`www.example.com`, `acozykitchen`); a file name is none of these.
fn looks_unlike_url(words: &str) -> bool {
    let words = words.trim();
    let relative = !words.contains([':', '/', '.', '#', '?', '{']);
    relative || words.starts_with("www.")
}

/// JSON as text.
fn to_text(json: &Json<'_>) -> String {
    let mut out = json::Writer::new();
    json.write(&mut out);
    out.into_string()
}

/// Makes one property of those of the same name; the first keeps its place.
fn merge_repeated(properties: &mut Vec<Property>) {
    let repeated = order::repeated(properties.len(), &|index| properties.get(index).map_or("", |property| &property.name));
    for (index, first) in &repeated {
        let mut values = properties.get_mut(*index).map(|property| core::mem::take(&mut property.values)).unwrap_or_default();
        if let Some(property) = properties.get_mut(*first) {
            property.values.append(&mut values);
        }
    }
    if !repeated.is_empty() {
        properties.retain(|property| !property.values.is_empty());
    }
}

/// Takes out nodes that say nothing. What refers to one refers to its name; one without a name stays where it is
/// somebody's value.
fn drop_hollow(nodes: &mut Vec<Node>) {
    let hollow = |node: &Node| node.types.is_empty() && node.properties.is_empty();
    if !nodes.iter().any(hollow) {
        return;
    }
    let names: Vec<Option<Rc<str>>> = nodes.iter().map(|node| node.id.clone().filter(|_| hollow(node))).collect();
    let mut kept: Vec<bool> = nodes.iter().map(|node| !hollow(node)).collect();
    for value in nodes.iter_mut().flat_map(|node| &mut node.properties).flat_map(|property| &mut property.values) {
        if let Value::Node(index) = value {
            match names.get(*index as usize) {
                Some(Some(name)) => *value = Value::Reference(name.clone()),
                _ => kept.get_mut(*index as usize).into_iter().for_each(|kept| *kept = true),
            }
        }
    }
    let mut next = 0;
    let mut number = |kept: &bool| {
        next += u32::from(*kept);
        next - u32::from(*kept)
    };
    let numbers: Vec<u32> = kept.iter().map(&mut number).collect();
    let mut keep = kept.into_iter();
    nodes.retain(|_| keep.next() == Some(true));
    for value in nodes.iter_mut().flat_map(|node| &mut node.properties).flat_map(|property| &mut property.values) {
        if let Value::Node(index) = value {
            *index = numbers.get(*index as usize).copied().unwrap_or(*index);
        }
    }
}
