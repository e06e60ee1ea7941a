//! What the keys and names of a block mean: active contexts (JSON-LD 1.1, sections 4 and 5 of its API).

use alloc::{borrow::Cow, borrow::ToOwned, rc::Rc, string::String, vec::Vec};

use super::super::{reference, reference::has_scheme, schema_name, without_controls};
use super::Reader;
use crate::json::{self, Json};
use crate::order;
use crate::text;
use crate::vocabulary;

/// Contexts within contexts that are kept; deeper ones are ignored. Pages have one, rarely three.
const MAX_LAYERS: usize = 32;
/// Terms that are defined by terms that are defined by terms.
const MAX_TERM_CHAIN: usize = 16;
/// Unknown contexts named in a diagnostic.
const MAX_NAMED: usize = 3;

const SCHEMA: &str = "http://schema.org/";

/// Prefixes that schema.org's context declares, as far as they occur on pages (release 30.0).
const SCHEMA_PREFIXES: [(&str, &str); 12] = [
    ("schema", SCHEMA),
    ("dc", "http://purl.org/dc/elements/1.1/"),
    ("dcat", "http://www.w3.org/ns/dcat#"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("foaf", "http://xmlns.com/foaf/0.1/"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("prov", "http://www.w3.org/ns/prov#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("void", "http://rdfs.org/ns/void#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

/// A keyword, as far as it matters what it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    Graph,
    Id,
    Included,
    Language,
    List,
    Nest,
    Reverse,
    Set,
    Type,
    Value,
    Other,
}

/// What a key stands for.
pub(super) enum Key<'j> {
    Keyword(Keyword),
    Property(Rc<str>, Term<'j>),
}

/// How a term's strings are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text.
    Plain,
    /// A URL by the vocabulary.
    Url,
    /// `"@type": "@id"`
    Id,
    /// `"@type": "@vocab"`
    Vocab,
    /// `"@type": "@json"`
    Json,
    /// Another datatype.
    Typed,
}

/// What a term's objects are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// Nothing special; lists and sets are values in order anyway.
    None,
    Language,
    /// Index, id, type and graph maps: their keys say nothing here.
    Map,
}

#[derive(Clone)]
pub(super) struct Term<'j> {
    /// Nothing where the term is to be ignored.
    iri: Option<Rc<str>>,
    pub kind: Kind,
    pub container: Container,
    pub reverse: bool,
    /// `Some(None)`: no language, whatever the default.
    pub language: Option<Option<Rc<str>>>,
    /// Its own context, for what is in it.
    pub context: Option<&'j Json<'j>>,
    prefix: bool,
}

impl Term<'_> {
    fn new(iri: Option<&str>) -> Self {
        Term {
            iri: iri.map(Rc::from),
            kind: Kind::Plain,
            container: Container::None,
            reverse: false,
            language: None,
            context: None,
            prefix: false,
        }
    }
}

#[derive(Clone, Default, PartialEq)]
enum Base {
    #[default]
    Document,
    Url(Rc<str>),
    None,
}

struct Layer<'j> {
    /// Sorted; nothing where the definition is invalid.
    terms: Vec<(&'j str, Option<Term<'j>>)>,
    /// schema.org's own terms.
    schema: bool,
    outer: Option<Rc<Layer<'j>>>,
}

/// An active context.
#[derive(Clone, Default)]
pub(super) struct Context<'j> {
    base: Base,
    vocab: Option<Rc<str>>,
    pub language: Option<Rc<str>>,
    layer: Option<Rc<Layer<'j>>>,
    layers: usize,
    /// Some context was given.
    pub given: bool,
    /// A context that is not built in holds: what its terms mean is not known.
    pub opaque: bool,
    /// Some term has a context of its own.
    pub scoped: bool,
}

impl<'j> Context<'j> {
    /// With schema.org's terms.
    pub fn with_schema(&self) -> Self {
        let mut context = self.clone();
        (context.vocab, context.given) = (Some(SCHEMA.into()), true);
        if !context.layer.as_ref().is_some_and(|layer| layer.schema) {
            context.push(Vec::new(), true);
        }
        context
    }

    fn push(&mut self, terms: Vec<(&'j str, Option<Term<'j>>)>, schema: bool) {
        self.layers += 1;
        self.layer = Some(Rc::new(Layer { terms, schema, outer: self.layer.take() }));
    }

    /// Nothing is defined but schema.org's own terms.
    fn is_plain(&self) -> bool {
        self.speaks_schema() && self.layers == 1 && self.layer.as_ref().is_some_and(|layer| layer.schema)
    }

    fn speaks_schema(&self) -> bool {
        self.vocab.as_deref() == Some(SCHEMA)
    }

    /// What a term is defined as; `Some(None)` where it is defined and invalid.
    fn term(&self, name: &str) -> Option<Option<Term<'j>>> {
        let mut next = self.layer.as_ref();
        while let Some(layer) = next {
            if layer.schema {
                if let Some(term) = schema_term(name) {
                    return Some(Some(term));
                }
            } else if let Ok(at) = layer.terms.binary_search_by(|(other, _)| (*other).cmp(name)) {
                return layer.terms.get(at).map(|(_, term)| term.clone());
            }
            next = layer.outer.as_ref();
        }
        None
    }
}

/// What schema.org's context defines beside types and properties.
fn schema_alias<'j>(name: &str) -> Option<Term<'j>> {
    match name {
        "type" => return Some(Term::new(Some("@type"))),
        "id" => return Some(Term::new(Some("@id"))),
        _ => {}
    }
    let (_, iri) = SCHEMA_PREFIXES.iter().find(|(prefix, _)| *prefix == name)?;
    Some(Term { prefix: true, ..Term::new(Some(iri)) })
}

/// The terms of schema.org's context, as far as it says more of them than their name.
fn schema_term<'j>(name: &str) -> Option<Term<'j>> {
    if let Some(alias) = schema_alias(name) {
        return Some(alias);
    }
    let url = vocabulary::is_url_property(name);
    if url || vocabulary::type_name(name) == Some(name) {
        let kind = if url { Kind::Url } else { Kind::Plain };
        return Some(Term { kind, ..Term::new(Some(&[SCHEMA, name].concat())) });
    }
    None
}

fn keyword(name: &str) -> Option<Keyword> {
    Some(match name {
        "@graph" => Keyword::Graph,
        "@id" => Keyword::Id,
        "@included" => Keyword::Included,
        "@language" => Keyword::Language,
        "@list" => Keyword::List,
        "@nest" => Keyword::Nest,
        "@reverse" => Keyword::Reverse,
        "@set" => Keyword::Set,
        "@type" => Keyword::Type,
        "@value" => Keyword::Value,
        "@base" | "@container" | "@context" | "@direction" | "@import" | "@index" | "@json" | "@none" | "@prefix" | "@propagate"
        | "@protected" | "@version" | "@vocab" => Keyword::Other,
        _ => return None,
    })
}

/// Letters and digits alone, as in all names of Schema.org but two.
fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Reserved by the standard: `@` and letters.
fn like_keyword(name: &str) -> bool {
    name.strip_prefix('@').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// schema.org's context in the spellings that pages use: with or without scheme (or with two), `www.`, slashes, the
/// context's own file, a type's page. White space and case do not count.
fn is_schema_context(url: &str) -> bool {
    let lower = url.trim().to_ascii_lowercase();
    let mut rest = &*lower;
    while let Some(shorter) = ["https:", "http:", "/"].iter().find_map(|prefix| rest.strip_prefix(prefix)) {
        rest = shorter;
    }
    let Some(path) = rest.strip_prefix("www.").unwrap_or(rest).strip_prefix("schema.org") else { return false };
    let file = path.trim_matches('/');
    (path.is_empty() || path.starts_with('/'))
        && (matches!(file, "docs/jsonldcontext.json" | "docs/jsonldcontext.jsonld") || file.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// A context object while its terms are being defined.
pub(super) struct Terms<'j> {
    /// Sorted by key.
    members: Vec<(&'j str, &'j Json<'j>, Progress<'j>)>,
    chain: usize,
}

#[derive(Clone)]
enum Progress<'j> {
    Waiting,
    Begun,
    Done(Option<Term<'j>>),
}

impl Reader<'_> {
    /// The context inside something with this `@context`.
    pub(super) fn enter<'j>(&mut self, outer: &Rc<Context<'j>>, json: &'j Json<'j>) -> Rc<Context<'j>> {
        let mut context = Context::clone(outer);
        let (mut usable, mut unknown) = (false, false);
        for json in json.each() {
            match json {
                Json::Null => {
                    context = Context { given: true, ..Context::default() };
                    usable = true;
                }
                Json::String(url) if url.trim().is_empty() => {}
                Json::String(url) if is_schema_context(url) => {
                    context = context.with_schema();
                    usable = true;
                }
                Json::String(url) => {
                    unknown = true;
                    let url = super::quote(url);
                    if self.unknown.len() < MAX_NAMED && !self.unknown.contains(&url) {
                        self.unknown.push(url);
                    }
                }
                Json::Object(members) => {
                    usable = true;
                    self.define_all(&mut context, members);
                }
                _ => {}
            }
            if context.layers > MAX_LAYERS {
                self.too_deep = true;
                return outer.clone();
            }
        }
        if unknown {
            context.given = true;
            context.opaque = true;
            if !usable {
                // It may have redefined every term.
                self.only_unknown = true;
                (context.vocab, context.layer, context.layers, context.scoped) = (None, None, 0, false);
            }
        }
        Rc::new(context)
    }

    /// The contexts of a node's types, which hold for its own keys.
    pub(super) fn enter_types<'j>(&mut self, context: &Rc<Context<'j>>, members: &'j [(Cow<'j, str>, Json<'j>)]) -> Rc<Context<'j>> {
        let mut scoped = context.clone();
        for (key, json) in members {
            if !matches!(self.key(context, key), Some(Key::Keyword(Keyword::Type))) {
                continue;
            }
            let mut names: Vec<&str> = json.each().iter().filter_map(Json::as_str).collect();
            order::sort(&mut names);
            for name in names {
                if let Some(json) = context.term(name).flatten().and_then(|term| term.context) {
                    scoped = self.enter(&scoped, json);
                }
            }
        }
        scoped
    }

    fn define_all<'j>(&mut self, context: &mut Context<'j>, members: &'j [(Cow<'j, str>, Json<'j>)]) {
        context.given = true;
        let get = |name: &str| json::member(members, name);
        match get("@base") {
            Some(Json::Null) => context.base = Base::None,
            Some(Json::String(base)) => context.base = Base::Url(self.resolve(context, base).into()),
            _ => {}
        }
        match get("@vocab") {
            Some(Json::Null) => context.vocab = None,
            Some(Json::String(vocab)) => {
                let slash = [vocab.trim(), "/"].concat();
                let iri = if schema_name(&[&slash, "x"].concat()) == Some("x") {
                    Some(SCHEMA.to_owned())
                } else {
                    self.expand(context, None, vocab, true, true)
                };
                context.vocab = iri.map(|iri| if schema_name(&[&iri, "x"].concat()) == Some("x") { SCHEMA.into() } else { iri.into() });
            }
            _ => {}
        }
        match get("@language") {
            Some(Json::Null) => context.language = None,
            Some(Json::String(language)) => context.language = Some(self.name(language)),
            _ => {}
        }
        let mut terms: Vec<_> = members
            .iter()
            .filter(|(key, _)| !key.is_empty() && !like_keyword(key))
            .map(|(key, json)| (&**key, json, Progress::Waiting))
            .collect();
        if terms.is_empty() {
            return;
        }
        order::sort_by_key(&mut terms, |(key, ..)| *key);
        let mut terms = Terms { members: terms, chain: 0 };
        for index in 0..terms.members.len() {
            self.define(context, &mut terms, index);
        }
        let terms: Vec<_> = terms
            .members
            .into_iter()
            .map(|(key, _, progress)| (key, if let Progress::Done(term) = progress { term } else { None }))
            .collect();
        context.scoped |= terms.iter().any(|(_, term)| term.as_ref().is_some_and(|term| term.context.is_some()));
        context.push(terms, false);
    }

    fn define<'j>(&mut self, context: &Context<'j>, terms: &mut Terms<'j>, index: usize) {
        let Some((key, json, progress)) = terms.members.get_mut(index) else { return };
        if !matches!(progress, Progress::Waiting) {
            return;
        }
        let (key, json) = (*key, *json);
        *progress = Progress::Begun;
        terms.chain += 1;
        self.too_deep |= terms.chain > MAX_TERM_CHAIN;
        let term = if terms.chain > MAX_TERM_CHAIN { None } else { self.definition(context, terms, key, json) };
        terms.chain -= 1;
        if let Some((_, _, progress)) = terms.members.get_mut(index) {
            *progress = Progress::Done(term);
        }
    }

    fn definition<'j>(&mut self, context: &Context<'j>, terms: &mut Terms<'j>, key: &'j str, json: &'j Json<'j>) -> Option<Term<'j>> {
        let ignored = Term::new(None);
        let mut term = ignored.clone();
        let own_name = |reader: &mut Self, terms: &mut Terms<'j>| {
            // Its own name, not as a term (that is being defined), but as a compact IRI or a word of the vocabulary.
            match key.find(':') {
                Some(at) if at > 0 => reader.expand(context, Some(terms), key, false, false),
                _ if text::has(key, b'/') => reader.expand(context, Some(terms), key, false, true),
                _ => context.vocab.as_ref().map(|vocab| [vocab, key].concat()),
            }
        };
        let members = match json {
            Json::Null => return Some(ignored),
            Json::String(iri) => {
                let iri = if iri == key { own_name(self, terms) } else { self.expand(context, Some(terms), iri, true, false) };
                let iri = iri.filter(|iri| iri.contains([':', '@']))?;
                term.prefix = iri.ends_with([':', '/', '?', '#', '[', ']', '@']) || iri.starts_with("_:");
                term.iri = Some(iri.into());
                return Some(term);
            }
            Json::Object(members) => members,
            _ => return None,
        };
        let get = |name: &str| json::member(members, name);
        let iri = match (get("@reverse"), get("@id")) {
            (Some(Json::String(iri)), _) => {
                term.reverse = true;
                self.expand(context, Some(terms), iri, true, false)
            }
            (_, Some(Json::Null)) => return Some(ignored),
            // Reserved: as if nothing had been said.
            (_, Some(Json::String(iri))) if like_keyword(iri) && keyword(iri).is_none() => own_name(self, terms),
            (_, Some(Json::String(iri))) if iri != key => self.expand(context, Some(terms), iri, true, false),
            (_, None | Some(Json::String(_))) => own_name(self, terms),
            _ => None,
        };
        term.iri = Some(iri.filter(|iri| iri.contains([':', '@']) && *iri != "@context")?.into());
        term.prefix = get("@prefix") == Some(&Json::Bool(true));
        term.kind = match get("@type").and_then(Json::as_str) {
            None | Some("@none") => Kind::Plain,
            Some("@id") => Kind::Id,
            Some("@vocab") => Kind::Vocab,
            Some("@json") => Kind::Json,
            Some(_) => Kind::Typed,
        };
        term.language = match get("@language") {
            Some(Json::String(language)) => Some(Some(self.name(language))),
            Some(Json::Null) => Some(None),
            _ => None,
        };
        for container in get("@container").map_or(&[][..], Json::each).iter().filter_map(Json::as_str) {
            match container {
                "@language" => term.container = Container::Language,
                "@list" | "@set" => {}
                _ => term.container = Container::Map,
            }
        }
        term.context = get("@context");
        Some(term)
    }

    /// What a name means: while a context is being defined, by the definitions in it first.
    fn lookup<'j>(&mut self, context: &Context<'j>, terms: Option<&mut Terms<'j>>, name: &str) -> Option<Option<Term<'j>>> {
        if let Some(terms) = terms
            && let Ok(index) = terms.members.binary_search_by(|(key, ..)| (*key).cmp(name))
        {
            self.define(context, terms, index);
            if let Some((_, _, Progress::Done(term))) = terms.members.get(index) {
                return Some(term.clone());
            }
            return Some(None);
        }
        context.term(name)
    }

    /// Makes an absolute IRI (or a keyword) of a name: as a term where `vocab` is set, as a compact IRI, against the
    /// vocabulary, and where `relative` is set against the base. Nothing where it is to be ignored.
    pub(super) fn expand<'j>(
        &mut self,
        context: &Context<'j>,
        mut terms: Option<&mut Terms<'j>>,
        name: &str,
        vocab: bool,
        relative: bool,
    ) -> Option<String> {
        if like_keyword(name) {
            return keyword(name).map(|_| name.to_owned());
        }
        if vocab
            && let Some(term) = self.lookup(context, terms.as_deref_mut(), name)
            && let Some(term) = term
        {
            return term.iri.map(|iri| (*iri).to_owned());
        }
        if let Some((prefix, suffix)) = name.split_once(':').filter(|(prefix, _)| !prefix.is_empty()) {
            if prefix == "_" {
                return Some(name.to_owned());
            }
            if !suffix.starts_with("//")
                && let Some(Some(Term { iri: Some(iri), prefix: true, .. })) = self.lookup(context, terms, prefix)
            {
                return Some([&*iri, suffix].concat());
            }
            if has_scheme(name) {
                // Only references are resolved; names are compared as they are.
                return Some(if vocab { name.to_owned() } else { self.resolve(context, name) });
            }
        }
        if vocab && let Some(vocab) = &context.vocab {
            return Some([vocab, name].concat());
        }
        Some(if relative { self.resolve(context, name) } else { name.to_owned() })
    }

    /// A reference against the base; a URL template keeps its braces.
    fn resolve(&self, context: &Context<'_>, reference: &str) -> String {
        let reference = reference.trim();
        let absolute = has_scheme(reference);
        let web = absolute && ["http:", "https:"].iter().any(|scheme| starts_with(reference, scheme));
        let base = match &context.base {
            _ if absolute && !web => None,
            Base::Url(base) => Some(&**base),
            Base::None if !absolute => None,
            _ => Some(&*self.document.base_url),
        };
        let resolved = base.and_then(|base| reference::resolve_against(self.document, reference, base));
        resolved.unwrap_or_else(|| without_controls(reference).into_owned())
    }

    /// A type's name: bare for Schema.org's, the IRI for others; nothing where it means nothing.
    pub(super) fn type_name<'j>(&mut self, context: &Context<'j>, written: &str) -> Option<Rc<str>> {
        let written = written.trim();
        if context.is_plain() && is_word(written) && schema_alias(written).is_none() {
            return Some(self.name(written));
        }
        let iri = self.expand(context, None, written, true, !context.opaque)?;
        (text::has(&iri, b':') || !context.opaque).then(|| self.compact(&iri))
    }

    /// What a key of a node or value object stands for; nothing where it means nothing.
    pub(super) fn key<'j>(&mut self, context: &Context<'j>, key: &str) -> Option<Key<'j>> {
        if like_keyword(key) {
            return keyword(key).map(Key::Keyword);
        }
        let schema = context.speaks_schema();
        let word = schema && is_word(key);
        // By far the most frequent case.
        let term = if word && context.is_plain() { schema_alias(key) } else { context.term(key).flatten() };
        if term.is_none() && word {
            let (name, url) = self.property_name(key);
            return Some(Key::Property(name, Term { kind: if url { Kind::Url } else { Kind::Plain }, ..Term::new(None) }));
        }
        let iri = match &term {
            Some(term) => (**term.iri.as_ref()?).to_owned(),
            None => self.expand(context, None, key, true, false)?,
        };
        if let Some(keyword) = keyword(&iri) {
            return Some(Key::Keyword(keyword));
        }
        if !text::has(&iri, b':') {
            return None;
        }
        let name = self.compact(&iri);
        let term = term.unwrap_or_else(|| {
            let mut term = Term::new(None);
            // `schema:image` is no term of schema.org's context, and means the same property.
            if schema && self.property_name(&name).1 {
                term.kind = Kind::Url;
            }
            term
        });
        Some(Key::Property(name, term))
    }
}
