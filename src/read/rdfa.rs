//! RDFa 1.1 in HTML: <https://www.w3.org/TR/rdfa-core/> section 7.5 with <https://www.w3.org/TR/html-rdfa/>.
//!
//! Step numbers are those of RDFa Core. Beyond it: text is what a reader sees; `data` gives its `value`; link types
//! that mean nothing to an agent are no properties; `content` beside `href` inside an item speaks of the item.
//! Short of it: no `role`, no vocabulary expansion, no processor graph, XML literals as text.

use alloc::{borrow::Cow, rc::Rc, string::String, vec::Vec};

use super::anchors::OPEN_GRAPH;
use super::microdata::{self, MAX_TOKENS};
use super::{Format, Node, Value, reference, schema_name};
use crate::diagnostic::Diagnostic;
use crate::dom::{Document, Element};
use crate::json::number;
use crate::options::Options;
use crate::order;
use crate::text::{self, among};

/// Statements that patterns (`rdfa:copy`) may add, all together: every resource may copy the same pattern.
pub const MAX_COPIED: usize = 100_000;
/// Patterns that one resource may copy, directly or through others; pages that use patterns have a few.
pub const MAX_PATTERNS: usize = 100;
/// Prefixes in force at one place; each name is looked up among them.
pub const MAX_PREFIXES: usize = 200;

/// Appends the resources that the document describes, in document order.
pub fn read(document: &Document, options: &Options, nodes: &mut Vec<Node>, diagnostics: &mut Vec<Diagnostic>) {
    if !applies(document) {
        return;
    }
    let mut reader = Reader::new(document);
    reader.walk(options.max_depth);
    reader.unite();
    reader.copy();
    reader.describe(nodes);
    reader.report(diagnostics);
}

/// There may be RDFa that matters: [`RDFA_TEST`](super::anchors::RDFA_TEST), without selectors.
fn applies(document: &Document) -> bool {
    let mut index = 0;
    while (index as usize) < document.len() {
        let Some(element) = document.element(index) else {
            index += 1;
            continue;
        };
        index = if is_template(element) { element.end() } else { index + 1 };
        let found = element.attributes().any(|(name, value)| match name {
            "typeof" | "vocab" | "about" => true,
            "property" => element.name() != "meta" || text::has(value, b':') && !is_open_graph(value),
            "rel" => {
                text::has(value, b':') && !text::contains(value, "://")
                    || text::contains(value, "schema.org/")
                    || value.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case("license"))
            }
            "rev" => text::has(value, b':'),
            _ => false,
        });
        if found {
            return true;
        }
    }
    false
}

/// Open Graph and its kin.
fn is_open_graph(token: &str) -> bool {
    token.split_once(':').is_some_and(|(prefix, _)| among(OPEN_GRAPH, prefix))
}

fn is_template(element: Element<'_>) -> bool {
    element.name() == "template" && element.is_html()
}

/// The document itself, as a term.
const PAGE: u32 = 0;

const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const COPY: &str = "http://www.w3.org/ns/rdfa#copy";
const PATTERN: &str = "http://www.w3.org/ns/rdfa#Pattern";

/// A mention of something that has an IRI, or of an unnamed thing. Most are links that no statement is about:
/// references are resolved when all is read.
struct Term<'d> {
    element: u32,
    name: Name<'d>,
    /// The first mention of the same thing, once all is read.
    same: u32,
}

enum Name<'d> {
    /// A blank node without a label.
    Blank,
    /// A URL reference.
    Reference(&'d str),
    /// An IRI, or a blank node's label (`_:b`).
    Iri(Rc<str>),
}

enum Object {
    /// A resource.
    Thing(u32),
    /// What `href` or `src` of a property points at: an address first, a thing only if it is described.
    Link(u32),
    /// A literal.
    Value(Value),
}

struct Statement {
    subject: u32,
    name: Rc<str>,
    object: Object,
}

/// A `rel` or `rev` that waits for subjects inside its element.
struct Pending {
    name: Rc<str>,
    reverse: bool,
    /// The blank node that stands for its object has been stated.
    stated: bool,
}

/// What an element hands to its children.
#[derive(Clone, Copy)]
struct Frame<'d> {
    end: u32,
    subject: u32,
    object: u32,
    /// The object is an item with `typeof`.
    typed: bool,
    depth: usize,
    /// The part of `pending` that is open, and of `prefixes` that is in force.
    pending: (usize, usize),
    prefixes: usize,
    /// A number for what is in force of `prefixes`.
    scope: u32,
    vocab: Option<&'d str>,
    language: u32,
}

/// The attributes of one element.
#[derive(Default)]
struct Attributes<'d> {
    about: Option<&'d str>,
    resource: Option<&'d str>,
    href: Option<&'d str>,
    src: Option<&'d str>,
    r#typeof: Option<&'d str>,
    property: Option<&'d str>,
    rel: Option<&'d str>,
    rev: Option<&'d str>,
    content: Option<&'d str>,
    datatype: Option<&'d str>,
    datetime: Option<&'d str>,
    vocab: Option<&'d str>,
    prefix: Option<&'d str>,
    lang: Option<&'d str>,
    xmlns: bool,
    /// Some attribute is there that means something by itself.
    any: bool,
}

impl<'d> Attributes<'d> {
    fn of(element: Element<'d>) -> Self {
        let mut found = Attributes::default();
        for (name, value) in element.attributes() {
            let place = match name {
                "about" => &mut found.about,
                "resource" => &mut found.resource,
                "href" => &mut found.href,
                "src" => &mut found.src,
                "typeof" => &mut found.r#typeof,
                "property" => &mut found.property,
                "rel" => &mut found.rel,
                "rev" => &mut found.rev,
                "vocab" => &mut found.vocab,
                "prefix" => &mut found.prefix,
                "lang" => &mut found.lang,
                "xml:lang" if found.lang.is_none() => &mut found.lang,
                "content" => {
                    found.content = Some(value);
                    continue;
                }
                "datatype" => {
                    found.datatype = Some(value);
                    continue;
                }
                "datetime" => {
                    found.datetime = Some(value);
                    continue;
                }
                _ => {
                    if name.starts_with("xmlns:") {
                        (found.xmlns, found.any) = (true, true);
                    }
                    continue;
                }
            };
            *place = Some(value);
            found.any = true;
        }
        found
    }
}

struct Reader<'d> {
    document: &'d Document,
    terms: Vec<Term<'d>>,
    types: Vec<(u32, Rc<str>)>,
    statements: Vec<Statement>,
    pending: Vec<Pending>,
    /// In order of declaration; the last one of a name is in force.
    prefixes: Vec<(&'d str, &'d str)>,
    languages: Vec<Option<Rc<str>>>,
    names: Vec<Known<'d>>,
    moved: usize,
    too_deep: usize,
    left_out: usize,
}

/// What a token means where this vocabulary and these prefixes are in force.
struct Known<'d> {
    token: &'d str,
    vocab: Option<&'d str>,
    scope: u32,
    name: Option<Rc<str>>,
}

impl<'d> Reader<'d> {
    fn new(document: &'d Document) -> Self {
        Reader {
            document,
            terms: alloc::vec![Term { element: 0, name: Name::Reference(""), same: PAGE }],
            types: Vec::new(),
            statements: Vec::new(),
            pending: Vec::new(),
            prefixes: Vec::new(),
            languages: alloc::vec![None],
            names: Vec::new(),
            moved: 0,
            too_deep: 0,
            left_out: 0,
        }
    }

    fn walk(&mut self, max_depth: usize) {
        let mut frames: Vec<Frame<'d>> = Vec::new();
        let mut scopes = 0;
        let mut index = 0;
        while (index as usize) < self.document.len() {
            let Some(element) = self.document.element(index) else {
                index += 1;
                continue;
            };
            while frames.last().is_some_and(|frame| frame.end <= index) {
                frames.pop();
            }
            index += 1;
            if is_template(element) {
                index = element.end();
                continue;
            }
            let attributes = Attributes::of(element);
            if !attributes.any {
                continue;
            }
            let outer = frames.last().copied().unwrap_or(Frame {
                end: u32::MAX,
                subject: PAGE,
                object: PAGE,
                typed: false,
                depth: 0,
                pending: (0, 0),
                prefixes: 0,
                scope: 0,
                vocab: None,
                language: 0,
            });
            self.prefixes.truncate(outer.prefixes);
            self.pending.truncate(outer.pending.1);
            let mut inner = Frame { end: element.end(), ..outer };
            // Steps 2 to 4.
            if let Some(vocab) = attributes.vocab.map(str::trim) {
                inner.vocab = (!vocab.is_empty()).then_some(vocab);
            }
            if attributes.xmlns || attributes.prefix.is_some() {
                self.declare(element, attributes.prefix);
                if self.prefixes.len() > outer.prefixes {
                    scopes += 1;
                    (inner.prefixes, inner.scope) = (self.prefixes.len(), scopes);
                }
            }
            if let Some(language) = attributes.lang.map(text::clean) {
                inner.language = self.languages.len() as u32;
                self.languages.push((!language.is_empty()).then(|| language.into()));
            }
            let changed = self.element(element, &attributes, &outer, &mut inner);
            inner.depth += usize::from(inner.object != outer.object);
            if inner.depth > max_depth {
                self.too_deep += 1;
                index = element.end();
            } else if changed || attributes.lang.is_some() || attributes.vocab.is_some() || inner.scope != outer.scope {
                frames.push(inner);
            }
        }
    }

    /// Steps 5 to 13 for one element; `false` where its children find what it found.
    fn element(&mut self, element: Element<'d>, attributes: &Attributes<'d>, outer: &Frame<'d>, inner: &mut Frame<'d>) -> bool {
        let scope = *inner;
        let at = element.index();
        let lists = [attributes.property, attributes.r#typeof, attributes.rel, attributes.rev];
        self.left_out += usize::from(lists.into_iter().flatten().any(microdata::too_many));
        let property = attributes.property;
        // HTML+RDFa, 3.1: beside `property`, plain words in `rel` and `rev` are HTML's.
        let is_link = element.name() == "link";
        let usable = |token: &&str| match property {
            Some(_) => text::has(token, b':'),
            // A URL in a `link` is an extension link type, unless it is Schema.org's: WordPress has one in every head.
            None => !(is_link_type(token) || is_link && text::contains(token, "://") && schema_name(token).is_none()),
        };
        let tokens = |value: Option<&'d str>| value.unwrap_or("").split_ascii_whitespace().filter(usable).take(MAX_TOKENS);
        let has = |value: Option<&'d str>| value.is_some() && (property.is_none() || tokens(value).next().is_some());
        let has_rel = has(attributes.rel) || has(attributes.rev);
        let is_root = element.name() == "html" && element.parent().is_none();
        let about = attributes.about.and_then(|about| self.resource(at, about, &scope));
        let about = about.or(is_root.then_some(PAGE));
        let has_type = attributes.r#typeof.is_some();
        let is_literal = attributes.content.is_some() || attributes.datatype.is_some();
        let (mut object, mut typed) = (None, None);
        let subject;
        if has_rel {
            // Step 6.
            subject = about.unwrap_or(outer.object);
            object = self.target(at, attributes, &scope);
            if has_type && about.is_none() && object.is_none() {
                object = Some(self.term(at, Name::Blank));
            }
            if has_type {
                typed = if about.is_some() { about } else { object };
            }
        } else if property.is_some() && !is_literal {
            // Step 5.1.
            subject = about.unwrap_or(outer.object);
            if has_type {
                let target = about.or_else(|| self.target(at, attributes, &scope));
                let target = target.unwrap_or_else(|| self.term(at, Name::Blank));
                (object, typed) = (Some(target), Some(target));
            }
        } else {
            // Step 5.2.
            let named = attributes.about.is_some_and(|_| about.is_some());
            let links = attributes.href.is_some() || attributes.src.is_some();
            if property.is_some() && !named && !has_type && links && attributes.resource.is_none() && outer.typed {
                // The standard would have this say something of the link's target; authors mean the item.
                self.moved += 1;
                subject = outer.object;
            } else {
                let given = if named { about } else { self.target(at, attributes, &scope).or(about) };
                subject = match given {
                    Some(subject) => subject,
                    None if matches!(element.name(), "head" | "body") => outer.object,
                    None if has_type => self.term(at, Name::Blank),
                    None if property.is_none() => return false,
                    None => outer.object,
                };
            }
            if has_type {
                typed = Some(subject);
            }
        }
        // Step 7.
        if let (Some(typed), Some(tokens)) = (typed, attributes.r#typeof) {
            for token in tokens.split_ascii_whitespace().take(MAX_TOKENS) {
                if let Some(name) = self.name(token, &scope) {
                    self.types.push((typed, name));
                }
            }
        }
        // Steps 9 and 10.
        let from = self.pending.len();
        for (value, reverse) in [(attributes.rel, false), (attributes.rev, true)] {
            if !has_rel {
                break;
            }
            for token in tokens(value) {
                let Some(name) = self.name(token, &scope) else { continue };
                match object {
                    Some(object) if reverse => self.state(object, name, Object::Thing(subject)),
                    Some(object) if has_type || attributes.resource.is_some() => self.state(subject, name, Object::Thing(object)),
                    Some(object) => self.state(subject, name, Object::Link(object)),
                    None => self.pending.push(Pending { name, reverse, stated: false }),
                }
            }
        }
        let pending = (from, self.pending.len());
        if object.is_none() && pending.1 > from {
            object = Some(self.term(at, Name::Blank));
        }
        // Step 11.
        if let Some(property) = property {
            let typed = typed.filter(|_| attributes.about.is_none());
            self.properties(element, property, attributes, has_rel, subject, typed, &scope);
        }
        // Step 12.
        for at in outer.pending.0..outer.pending.1 {
            let Some(pending) = self.pending.get_mut(at) else { continue };
            if subject == outer.object && core::mem::replace(&mut pending.stated, true) {
                continue;
            }
            let (name, reverse) = (pending.name.clone(), pending.reverse);
            let (from, to) = if reverse { (subject, outer.subject) } else { (outer.subject, subject) };
            self.state(from, name, Object::Thing(to));
        }
        // Step 13.
        inner.subject = subject;
        inner.object = object.unwrap_or(subject);
        inner.typed = typed == Some(inner.object) || inner.object == outer.object && outer.typed;
        inner.pending = pending;
        true
    }

    /// Step 11: what the element says of the subject.
    #[allow(clippy::too_many_arguments)]
    fn properties(
        &mut self,
        element: Element<'d>,
        property: &'d str,
        attributes: &Attributes<'d>,
        has_rel: bool,
        subject: u32,
        typed: Option<u32>,
        scope: &Frame<'d>,
    ) {
        let is_meta = element.name() == "meta";
        let mut object = None;
        for token in property.split_ascii_whitespace().take(MAX_TOKENS) {
            if is_meta && self.is_metadata(token) {
                continue;
            }
            let Some(name) = self.name(token, scope) else { continue };
            let object = object.get_or_insert_with(|| self.object(element, property, attributes, has_rel, typed, scope));
            let object = match object {
                Object::Thing(term) => Object::Thing(*term),
                Object::Link(term) => Object::Link(*term),
                Object::Value(value) => Object::Value(value.clone()),
            };
            self.state(subject, name, object);
        }
    }

    fn object(
        &mut self,
        element: Element<'d>,
        property: &str,
        attributes: &Attributes<'d>,
        has_rel: bool,
        typed: Option<u32>,
        scope: &Frame<'d>,
    ) -> Object {
        let language = || self.languages.get(scope.language as usize).cloned().flatten();
        let literal = |text: Cow<'_, str>, language| Object::Value(Value::Text { text: text.into(), language });
        if let Some(datatype) = attributes.datatype {
            let text = attributes.content.or(attributes.datetime).map_or_else(|| text::borrowed(element), text::clean);
            return literal(text, if datatype.trim().is_empty() { language() } else { None });
        }
        if let Some(content) = attributes.content {
            return literal(text::clean(content), language());
        }
        if let Some(datetime) = attributes.datetime {
            return literal(text::clean(datetime), None);
        }
        if let Some(typed) = typed {
            return Object::Thing(typed);
        }
        let literal_language = language();
        if !has_rel && let Some(target) = self.target(element.index(), attributes, scope) {
            let is_link = !matches!(attributes.resource.map(str::trim), Some(resource) if resource != "[]");
            return if is_link { Object::Link(target) } else { Object::Thing(target) };
        }
        let text = match element.name() {
            "data" => element.attribute("value").map(text::clean),
            "input" | "select" | "textarea" if microdata::is_control_name(property) => {
                Some(text::clean(&microdata::control(element)).into_owned().into())
            }
            _ => None,
        };
        literal(text.unwrap_or_else(|| text::borrowed(element)), literal_language)
    }

    fn state(&mut self, subject: u32, name: Rc<str>, object: Object) {
        self.statements.push(Statement { subject, name, object });
    }

    fn term(&mut self, element: u32, name: Name<'d>) -> u32 {
        let term = self.terms.len() as u32;
        self.terms.push(Term { element, name, same: term });
        term
    }

    /// What `resource`, `href` or `src` names.
    fn target(&mut self, element: u32, attributes: &Attributes<'d>, scope: &Frame<'d>) -> Option<u32> {
        let resource = attributes.resource.and_then(|resource| self.resource(element, resource, scope));
        resource.or_else(|| {
            let reference = attributes.href.or(attributes.src)?;
            Some(self.term(element, Name::Reference(reference)))
        })
    }

    /// What a value of `about` or `resource` names: a safe CURIE, a CURIE or a URL.
    fn resource(&mut self, element: u32, value: &'d str, scope: &Frame<'d>) -> Option<u32> {
        let value = value.trim();
        let safe = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
        let curie = safe.unwrap_or(value);
        let name = if curie.starts_with("_:") {
            Name::Iri(curie.into())
        } else if let Some(iri) = self.curie(curie, scope) {
            Name::Iri(reference::verbatim(&iri))
        } else if safe.is_none() {
            Name::Reference(value)
        } else {
            return None;
        };
        Some(self.term(element, name))
    }

    /// Steps 3: prefixes from `xmlns:` and `prefix`, which wins.
    fn declare(&mut self, element: Element<'d>, prefix: Option<&'d str>) {
        let mut found = Vec::new();
        for (name, value) in element.attributes() {
            if let Some(name) = name.strip_prefix("xmlns:") {
                found.push((name, value.trim()));
            }
        }
        let mut tokens = prefix.unwrap_or("").split_ascii_whitespace();
        while let Some(token) = tokens.next() {
            match token.split_once(':') {
                Some((name, "")) => found.extend(tokens.next().map(|iri| (name, iri))),
                // The space was forgotten.
                Some((name, iri)) if text::contains(iri, "//") => found.push((name, iri)),
                _ => {}
            }
        }
        found.retain(|(name, iri)| {
            let in_force = self.prefixes.iter().rev().find(|(known, _)| known == name);
            !name.is_empty() && *name != "_" && in_force.is_none_or(|(_, known)| known != iri)
        });
        let fit = found.len().min(MAX_PREFIXES.saturating_sub(self.prefixes.len()));
        self.left_out += found.len() - fit;
        found.truncate(fit);
        self.prefixes.append(&mut found);
    }

    fn prefix(&self, prefix: &str, scope: &Frame<'d>) -> Option<&'d str> {
        if prefix.is_empty() {
            return Some(XHV);
        }
        let declared = self.prefixes.get(..scope.prefixes).unwrap_or(&[]);
        let declared = declared.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(prefix)).map(|(_, iri)| *iri);
        declared.or_else(|| {
            let mut pairs = INITIAL_CONTEXT.split_ascii_whitespace();
            while let (Some(name), Some(iri)) = (pairs.next(), pairs.next()) {
                if name.eq_ignore_ascii_case(prefix) {
                    return Some(iri);
                }
            }
            None
        })
    }

    /// The IRI of a CURIE whose prefix is known.
    fn curie(&self, token: &str, scope: &Frame<'d>) -> Option<String> {
        let (prefix, rest) = token.split_once(':')?;
        if rest.starts_with("//") {
            return None;
        }
        self.prefix(prefix, scope).map(|iri| [iri, rest].concat())
    }

    /// What a type's or property's token means here: a bare name of Schema.org, or an IRI.
    fn name(&mut self, token: &'d str, scope: &Frame<'d>) -> Option<Rc<str>> {
        const KNOWN: usize = 128;
        let same = |known: &&Known<'d>| known.token == token && known.scope == scope.scope && known.vocab == scope.vocab;
        if let Some(known) = self.names.iter().find(same) {
            return known.name.clone();
        }
        let name = self.meaning(token, scope);
        if self.names.len() < KNOWN {
            self.names.push(Known { token, vocab: scope.vocab, scope: scope.scope, name: name.clone() });
        }
        name
    }

    fn meaning(&self, token: &str, scope: &Frame<'d>) -> Option<Rc<str>> {
        if token.starts_with("_:") {
            return None;
        }
        let iri = if text::has(token, b':') {
            self.curie(token, scope).unwrap_or_else(|| token.into())
        } else if let Some(vocab) = scope.vocab {
            if is_schema(vocab) {
                return Some(text::visible(token.strip_suffix('/').unwrap_or(token)).into());
            }
            let vocab = if reference::has_scheme(vocab) { Some(vocab.into()) } else { reference::resolve(self.document, vocab) };
            [&vocab?, token].concat()
        } else {
            match &*token.to_ascii_lowercase() {
                "license" => [XHV, "license"].concat(),
                "role" => [XHV, "role"].concat(),
                "describedby" => "http://www.w3.org/2007/05/powder-s#describedby".into(),
                _ => return None,
            }
        };
        Some(text::visible(schema_name(&iri).unwrap_or(&iri)).into())
    }

    /// A property of `meta` for search engines and social networks, whose prefix is Open Graph's or nobody's.
    fn is_metadata(&self, token: &str) -> bool {
        let declared = |prefix: &str| self.prefixes.iter().any(|(name, _)| name.eq_ignore_ascii_case(prefix));
        is_open_graph(token)
            || token.split_once(':').is_some_and(|(prefix, rest)| {
                !rest.starts_with("//")
                    && !declared(prefix)
                    && !INITIAL_CONTEXT.split_ascii_whitespace().any(|name| name.eq_ignore_ascii_case(prefix))
                    && !prefix.is_empty()
            })
    }

    /// Finds out which mentions are of the same thing.
    fn unite(&mut self) {
        let mut used: Vec<u32> = self.types.iter().map(|(term, _)| *term).collect();
        for statement in &self.statements {
            used.push(statement.subject);
            if let Object::Thing(term) | Object::Link(term) = statement.object {
                used.push(term);
            }
        }
        order::sort(&mut used);
        used.dedup();
        let document = self.document;
        let mut named: Vec<(Rc<str>, u32)> = Vec::new();
        for index in used {
            let Some(term) = self.terms.get_mut(index as usize) else { continue };
            if let Name::Reference(written) = term.name {
                // What is no URL stays as it is: it still tells two things apart.
                let iri = reference::resolve(document, written).unwrap_or_else(|| reference::verbatim(written));
                // The base has no fragment.
                let iri = if index == PAGE { iri.split('#').next().unwrap_or("").into() } else { iri };
                term.name = Name::Iri(iri);
            }
            if let Name::Iri(iri) = &term.name {
                named.push((iri.clone(), index));
            }
        }
        order::sort(&mut named);
        let mut last: Option<(Rc<str>, u32)> = None;
        for (iri, index) in named {
            match &last {
                Some((same, first)) if *same == iri => {
                    if let Some(term) = self.terms.get_mut(index as usize) {
                        term.same = *first;
                    }
                }
                _ => last = Some((iri, index)),
            }
        }
    }

    fn same(&self, term: u32) -> u32 {
        self.terms.get(term as usize).map_or(term, |term| term.same)
    }

    /// HTML+RDFa, 3.5: a resource takes over the statements of the patterns that it copies.
    fn copy(&mut self) {
        let mut patterns: Vec<u32> = self.types.iter().filter(|(_, name)| **name == *PATTERN).map(|(term, _)| self.same(*term)).collect();
        order::sort(&mut patterns);
        let mut copies: Vec<(u32, u32)> = Vec::new();
        for statement in self.statements.iter().filter(|statement| *statement.name == *COPY) {
            if let Object::Thing(term) | Object::Link(term) = statement.object {
                let pattern = self.same(term);
                if patterns.binary_search(&pattern).is_ok() {
                    copies.push((self.same(statement.subject), pattern));
                }
            }
        }
        if copies.is_empty() {
            return;
        }
        order::sort(&mut copies);
        let mut by_subject: Vec<(u32, usize)> =
            self.statements.iter().enumerate().map(|(at, statement)| (self.same(statement.subject), at)).collect();
        order::sort(&mut by_subject);
        let mut types_of: Vec<(u32, usize)> = self.types.iter().enumerate().map(|(at, (term, _))| (self.same(*term), at)).collect();
        order::sort(&mut types_of);
        let mut copied: Vec<u32> = copies.iter().map(|(_, pattern)| *pattern).collect();
        order::sort(&mut copied);
        let mut budget = MAX_COPIED;
        let mut subjects: Vec<u32> = copies.iter().map(|(subject, _)| *subject).collect();
        subjects.dedup();
        for subject in subjects.into_iter().filter(|subject| patterns.binary_search(subject).is_err()) {
            let mut seen: Vec<u32> = Vec::new();
            let mut open = alloc::vec![subject];
            while let Some(term) = open.pop() {
                let from = copies.partition_point(|(other, _)| *other < term);
                let next = copies.get(from..).unwrap_or(&[]).iter().take_while(|(other, _)| *other == term);
                open.extend(next.map(|(_, pattern)| *pattern).filter(|pattern| !seen.contains(pattern)));
                if term == subject || seen.contains(&term) {
                    continue;
                }
                if budget == 0 || seen.len() >= MAX_PATTERNS {
                    self.left_out += 1;
                    continue;
                }
                seen.push(term);
                for at in of(&types_of, term) {
                    let name = self.types.get(at).map(|(_, name)| name.clone()).filter(|name| **name != *PATTERN);
                    self.types.extend(name.map(|name| (subject, name)));
                }
                for at in of(&by_subject, term) {
                    let Some(statement) = self.statements.get(at).filter(|statement| *statement.name != *COPY) else { continue };
                    let object = match &statement.object {
                        Object::Thing(term) => Object::Thing(*term),
                        Object::Link(term) => Object::Link(*term),
                        Object::Value(value) => Object::Value(value.clone()),
                    };
                    let name = statement.name.clone();
                    budget = budget.saturating_sub(1);
                    self.state(subject, name, object);
                }
                budget = budget.saturating_sub(1);
            }
        }
        let gone = |term: u32, terms: &[Term<'_>]| {
            let same = terms.get(term as usize).map_or(term, |term| term.same);
            copied.binary_search(&same).is_ok()
        };
        let terms = &self.terms;
        self.types.retain(|(term, _)| !gone(*term, terms));
        self.statements.retain(|statement| {
            let is_copy =
                *statement.name == *COPY && matches!(statement.object, Object::Thing(term) | Object::Link(term) if gone(term, terms));
            !is_copy && !gone(statement.subject, terms)
        });
    }

    /// Turns statements into nodes.
    fn describe(&mut self, nodes: &mut Vec<Node>) {
        // A thing is described where it first is a subject; a blank object is worth a node in any case.
        const NONE: u32 = u32::MAX;
        let mut described = alloc::vec![NONE; self.terms.len()];
        let mut describe = |terms: &[Term<'_>], term: u32| {
            let same = terms.get(term as usize).map_or(term, |term| term.same);
            if let Some(first) = described.get_mut(same as usize) {
                *first = term.min(*first);
            }
        };
        for (term, _) in &self.types {
            describe(&self.terms, *term);
        }
        for statement in &self.statements {
            describe(&self.terms, statement.subject);
            if let Object::Thing(term) | Object::Link(term) = statement.object
                && self.terms.get(term as usize).is_some_and(|term| term.is_blank())
            {
                describe(&self.terms, term);
            }
        }
        let mut order: Vec<(u32, u32)> =
            (0..).zip(&described).filter(|(_, first)| **first != NONE).map(|(term, first)| (*first, term)).collect();
        order::sort(&mut order);
        let start = nodes.len();
        for (first, term) in order {
            let element = self.terms.get(first as usize).map_or(0, |term| term.element);
            let mut node = Node::new(Format::Rdfa, element);
            node.id = self.terms.get(term as usize).and_then(Term::iri);
            if let Some(number) = described.get_mut(term as usize) {
                *number = nodes.len() as u32;
            }
            nodes.push(node);
        }
        let number = |term: u32, terms: &[Term<'_>]| {
            let same = terms.get(term as usize).map_or(term, |term| term.same);
            described.get(same as usize).copied().filter(|number| *number != NONE)
        };
        for (term, name) in core::mem::take(&mut self.types) {
            let node = number(term, &self.terms).and_then(|number| nodes.get_mut(number as usize));
            self.left_out += usize::from(node.is_some_and(|node| !add_type(node, name)));
        }
        for statement in core::mem::take(&mut self.statements) {
            let Some(subject) = number(statement.subject, &self.terms) else { continue };
            let value = match statement.object {
                Object::Value(value) => value,
                Object::Thing(term) | Object::Link(term) => {
                    let is_link = matches!(statement.object, Object::Link(_));
                    let iri = self.terms.get(term as usize).and_then(Term::iri);
                    if let (RDF_TYPE, Some(iri), Some(node)) = (&*statement.name, &iri, nodes.get_mut(subject as usize)) {
                        let name = schema_name(iri).map_or_else(|| iri.clone(), Rc::from);
                        self.left_out += usize::from(!add_type(node, name));
                        continue;
                    }
                    match (number(term, &self.terms), iri) {
                        (Some(number), Some(iri)) if is_link && (number == subject || is_address(&statement.name)) => Value::Url(iri),
                        (Some(number), _) => Value::Node(number),
                        (None, Some(iri)) if is_link => Value::Url(iri),
                        (None, Some(iri)) => Value::Reference(iri),
                        (None, None) => continue,
                    }
                }
            };
            let node = nodes.get_mut(start..).and_then(|nodes| nodes.get_mut((subject as usize).checked_sub(start)?));
            if node.is_none_or(|node| !microdata::add(node, &statement.name, value)) {
                self.left_out += 1;
            }
        }
    }

    fn report(&self, diagnostics: &mut Vec<Diagnostic>) {
        let mut warn = |count: usize, code, sentence: &str| {
            if count > 0 {
                diagnostics.push(Diagnostic::warn(code, [&number(count), sentence].concat()));
            }
        };
        warn(
            self.too_deep,
            "depth-limit",
            " RDFa resources are nested deeper than `maxDepth` and were left out. Nest less, or raise `maxDepth`.",
        );
        warn(
            self.left_out,
            "property-limit",
            " times RDFa was left out because there is too much of it in one place: more than 500 properties or 100 patterns of a resource, 50 words in an attribute or 200 prefixes. Use the vocabulary's names, and copy fewer patterns.",
        );
        if self.moved > 0 {
            let sentence = " elements have `property` and `content` beside a link. RDFa would have them speak of the link's target; they were taken to speak of the item around them. Put the link on an element of its own.";
            diagnostics.push(Diagnostic::info("rdfa-content-link", [&number(self.moved), sentence].concat()));
        }
    }
}

impl Term<'_> {
    fn is_blank(&self) -> bool {
        match &self.name {
            Name::Blank => true,
            Name::Reference(_) => false,
            Name::Iri(iri) => iri.starts_with("_:"),
        }
    }

    /// Its IRI. Blank nodes are told apart by number, so that their labels stay within their document.
    fn iri(&self) -> Option<Rc<str>> {
        match &self.name {
            Name::Iri(iri) if !iri.starts_with("_:") => Some(iri.clone()),
            _ => None,
        }
    }
}

/// Adds a type, unless it would be one too many.
fn add_type(node: &mut Node, name: Rc<str>) -> bool {
    let known = node.types.contains(&name);
    let fits = known || node.types.len() < MAX_TOKENS;
    if fits && !known {
        node.types.push(name);
    }
    fits
}

/// The entries of one term in a sorted index.
fn of(index: &[(u32, usize)], term: u32) -> impl Iterator<Item = usize> {
    let from = index.partition_point(|(other, _)| *other < term);
    index.get(from..).unwrap_or(&[]).iter().take_while(move |(other, _)| *other == term).map(|(_, at)| *at)
}

/// The vocabulary is Schema.org, in whatever spelling.
fn is_schema(vocab: &str) -> bool {
    let rest = text::split_once(vocab, "//").map_or(vocab, |(_, rest)| rest);
    let host = rest.trim_end_matches('/');
    host.eq_ignore_ascii_case("schema.org") || host.eq_ignore_ascii_case("www.schema.org")
}

/// Its values are addresses, even if the page describes what is there.
fn is_address(name: &str) -> bool {
    matches!(name, "url" | "sameAs" | "mainEntityOfPage" | "contentUrl" | "embedUrl" | "thumbnailUrl" | "downloadUrl")
}

/// A link type of HTML that says how to use a link, not what it is about.
fn is_link_type(token: &str) -> bool {
    const LINK_TYPES: &str = "alternate amphtml appendix apple-touch-icon bookmark canonical chapter contents \
        copyright dns-prefetch edituri external first glossary icon index last manifest mask-icon me modulepreload \
        next nofollow noopener noreferrer opener pingback preconnect prefetch preload prev shortcut shortlink \
        sponsored start stylesheet tag ugc up wlwmanifest";
    among(LINK_TYPES, &token.to_ascii_lowercase())
}

const XHV: &str = "http://www.w3.org/1999/xhtml/vocab#";

/// <https://www.w3.org/2011/rdfa-context/rdfa-1.1>
const INITIAL_CONTEXT: &str = "\
    as https://www.w3.org/ns/activitystreams# cc http://creativecommons.org/ns# csvw http://www.w3.org/ns/csvw# \
    ctag http://commontag.org/ns# dc http://purl.org/dc/terms/ dc11 http://purl.org/dc/elements/1.1/ dcat http://www.w3.org/ns/dcat# \
    dcterms http://purl.org/dc/terms/ dqv http://www.w3.org/ns/dqv# duv https://www.w3.org/ns/duv# foaf http://xmlns.com/foaf/0.1/ \
    gr http://purl.org/goodrelations/v1# grddl http://www.w3.org/2003/g/data-view# ical http://www.w3.org/2002/12/cal/icaltzd# \
    jsonld http://www.w3.org/ns/json-ld# ldp http://www.w3.org/ns/ldp# ma http://www.w3.org/ns/ma-ont# oa http://www.w3.org/ns/oa# \
    odrl http://www.w3.org/ns/odrl/2/ og http://ogp.me/ns# org http://www.w3.org/ns/org# owl http://www.w3.org/2002/07/owl# \
    prov http://www.w3.org/ns/prov# qb http://purl.org/linked-data/cube# rdf http://www.w3.org/1999/02/22-rdf-syntax-ns# \
    rdfa http://www.w3.org/ns/rdfa# rdfs http://www.w3.org/2000/01/rdf-schema# rev http://purl.org/stuff/rev# rif http://www.w3.org/2007/rif# \
    rr http://www.w3.org/ns/r2rml# schema http://schema.org/ sd http://www.w3.org/ns/sparql-service-description# sioc http://rdfs.org/sioc/ns# \
    skos http://www.w3.org/2004/02/skos/core# skosxl http://www.w3.org/2008/05/skos-xl# sosa http://www.w3.org/ns/sosa/ ssn http://www.w3.org/ns/ssn/ \
    time http://www.w3.org/2006/time# v http://rdf.data-vocabulary.org/# vcard http://www.w3.org/2006/vcard/ns# void http://rdfs.org/ns/void# \
    wdr http://www.w3.org/2007/05/powder# wdrs http://www.w3.org/2007/05/powder-s# xhv http://www.w3.org/1999/xhtml/vocab# \
    xml http://www.w3.org/XML/1998/namespace xsd http://www.w3.org/2001/XMLSchema#";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Builder;

    fn resources(build: impl FnOnce(&mut Builder)) -> (Vec<Node>, Vec<Diagnostic>) {
        let mut builder = Builder::new("https://a.example/", "https://a.example/", |reference, base| Some([base, reference].concat()));
        build(&mut builder);
        let (mut nodes, mut diagnostics) = (Vec::new(), Vec::new());
        read(&builder.finish(), &Options::default(), &mut nodes, &mut diagnostics);
        (nodes, diagnostics)
    }

    fn open(page: &mut Builder, name: &str, attributes: &[(&str, &str)]) {
        page.open(name, true);
        attributes.iter().for_each(|(name, value)| page.attribute(name, value));
    }

    #[test]
    fn open_graph_describes_nothing() {
        let (nodes, _) = resources(|page| {
            for (property, name) in [("og:title", "meta"), ("fb:app_id", "meta"), ("ia:markup_url", "meta")] {
                open(page, name, &[("property", property), ("content", "x")]);
                page.close();
            }
            open(page, "link", &[("rel", "https://api.w.org/"), ("href", "/x")]);
        });
        assert_eq!(nodes, []);
    }

    #[test]
    fn depth_has_its_limit_and_links_cost_little() {
        let (nodes, diagnostics) = resources(|page| {
            for _ in 0..100_000 {
                open(
                    page,
                    "div",
                    &[("typeof", "schema:Thing"), ("property", "schema:part"), ("prefix", "a: http://b.example/"), ("lang", "de")],
                );
            }
        });
        // The page, as the subject of the outermost property, 64 levels, and one of which nothing inside is read.
        assert_eq!((nodes.len(), diagnostics.len()), (66, 1));
        let (nodes, _) = resources(|page| {
            open(page, "div", &[("vocab", "http://schema.org/"), ("typeof", "Thing")]);
            for _ in 0..100_000 {
                open(page, "a", &[("href", "/x")]);
                page.close();
            }
        });
        assert_eq!(nodes.len(), 1);
    }

    #[test]
    fn what_is_too_much_is_told() {
        let many = |word: &str| (0..300).map(|place| [word, &number(place), " "].concat()).collect::<String>();
        let prefixes = (0..300).map(|place| ["p", &number(place), ": http://b.example/ "].concat()).collect::<String>();
        let copies = |page: &mut Builder| {
            for place in 0..300 {
                open(page, "link", &[("property", "rdfa:copy"), ("href", &["#", &number(place)].concat())]);
                page.close();
            }
        };
        let left_out = |build: &dyn Fn(&mut Builder)| {
            let (_, diagnostics) = resources(|page| build(page));
            diagnostics.iter().map(|found| found.message.split(' ').next().unwrap_or("").into()).collect::<Vec<String>>()
        };
        assert_eq!(left_out(&|page| open(page, "p", &[("typeof", &many("schema:T"))])), ["1"]);
        assert_eq!(left_out(&|page| open(page, "p", &[("property", &many("schema:p")), ("content", "x")])), ["1"]);
        assert_eq!(left_out(&|page| open(page, "p", &[("typeof", "schema:T"), ("prefix", &prefixes)])), ["100"]);
        let patterns = left_out(&|page| {
            for place in 0..300 {
                open(page, "p", &[("typeof", "rdfa:Pattern"), ("resource", &["#", &number(place)].concat())]);
                page.close();
            }
            open(page, "p", &[("typeof", "schema:T")]);
            copies(page);
        });
        assert_eq!(patterns, ["200"]);
    }

    #[test]
    fn copied_patterns_do_not_grow_without_bound() {
        let (nodes, diagnostics) = resources(|page| {
            open(page, "div", &[("vocab", "http://schema.org/")]);
            open(page, "p", &[("typeof", "rdfa:Pattern"), ("resource", "_:p")]);
            for _ in 0..1_000 {
                open(page, "meta", &[("property", "name"), ("content", "x")]);
                page.close();
            }
            page.close();
            for _ in 0..1_000 {
                open(page, "p", &[("typeof", "Thing")]);
                open(page, "link", &[("property", "rdfa:copy"), ("href", "_:p")]);
                page.close();
                open(page, "link", &[("property", "rdfa:copy"), ("resource", "_:p")]);
                page.close();
                page.close();
            }
        });
        assert_eq!(nodes.len(), 1_000);
        assert!(diagnostics.iter().any(|diagnostic| diagnostic.code == "property-limit"));
        let values = nodes.iter().flat_map(|node| &node.properties).map(|property| property.values.len()).sum::<usize>();
        assert!(values < MAX_COPIED + 10_000, "{values}");
    }
}
