//! From an entity to what an agent reads: lean, clean JSON, made when it is asked for.
//!
//! Nothing is told twice: an entity is told by the tool that owns it (`select::owners`), once; elsewhere its name
//! stands for it.

mod compact;
mod page;

use alloc::{borrow::Cow, rc::Rc, string::String, vec, vec::Vec};

use crate::Mapping;
use crate::graph::{Entity, Graph};
use crate::json::{Json, Writer};
use crate::order;
use crate::read::{Value, schema_name};
use crate::select;
use crate::text::{self, among, place};
use crate::tools::profiles::{Profile, Profiles, shows, starts, waits};
use crate::tools::{Source, Tool};
use crate::vocabulary;

/// Characters that an answer without `include` aims at; what does not fit is told by `more`.
pub const ANSWER: usize = 14_000;
/// The same for a list.
pub const LIST_ANSWER: usize = 10_000;
/// The same for a list of more than [`LONG_LIST`] items, and for what visitors say of the page's subject: nobody reads
/// all of it.
pub const LIST_START: usize = 1_500;
/// See [`LIST_START`].
pub const LONG_LIST: usize = 100;
/// Characters of a text that are told without `include`: an agent that wants the whole of it asks.
pub const TEXT: usize = 3_000;
/// The same in an item of a list.
pub const ITEM_TEXT: usize = 200;
/// The same in what visitors say of the page's subject.
pub const SAID_TEXT: usize = 60;
/// Values of a property that starts (`profiles::starts`), and characters of their texts.
pub const FEW: usize = 12;
/// See [`FEW`].
pub const FEW_TEXT: usize = 60;
/// Items up to which a list tells all that they have.
pub const SHORT_LIST: usize = 12;
/// Levels of things in things. Real pages need six; more is a page that repeats itself.
const DEPTH: usize = 9;
/// `include` names of our own: texts in every language, properties that no profile names.
pub const LANGUAGES: &str = "languages";
/// See [`LANGUAGES`].
pub const OTHERS: &str = "others";

/// A value on its way to JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Out<'m> {
    /// A string.
    Text(String),
    /// A number or boolean, as written.
    Raw(Cow<'m, str>),
    /// `[…]`
    List(Vec<Out<'m>>),
    /// `{…}`
    Object(Vec<(&'m str, Out<'m>)>),
}

impl Out<'_> {
    /// Appends it.
    pub fn write(&self, out: &mut Writer) {
        match self {
            Out::Text(text) => out.string(&text::visible(text)),
            Out::Raw(raw) => out.raw(raw),
            Out::List(items) => out.array(|out| items.iter().for_each(|item| item.write(out))),
            Out::Object(fields) => out.object(|out| fields.iter().for_each(|(name, value)| value.write(out.field(&text::visible(name))))),
        }
    }

    /// Its text, if it is one value.
    fn flat(&self) -> Option<&str> {
        match self {
            Out::Text(text) => Some(text),
            Out::Raw(raw) => Some(raw),
            _ => None,
        }
    }
}

/// The answer of a tool that reads the graph.
pub fn answer(mapping: &Mapping, tool: &Tool, input: &Json<'_>) -> String {
    let Some(place) = mapping.tools.iter().position(|other| other.name == tool.name) else { return "{}".into() };
    let include: Vec<&str> = input.get("include").and_then(Json::as_array).unwrap_or(&[]).iter().filter_map(Json::as_str).collect();
    let offset = input.get("offset").and_then(Json::as_usize).unwrap_or(0);
    let (profiles, _) = Profiles::new(&mapping.options);
    let mut reader = Reader {
        graph: &mapping.graph,
        page: select::bare(&mapping.meta.url),
        url: &mapping.meta.url,
        title: &mapping.meta.title,
        language: &mapping.meta.language,
        owner: owners(&mapping.graph, &mapping.tools),
        tools: &mapping.tools,
        tool: place as u16,
        profiles,
        images: include.contains(&"image"),
        links: include.contains(&"url"),
        languages: include.contains(&LANGUAGES),
        brief: false,
        text: TEXT,
        seen: vec![false; mapping.graph.entities.len()],
        open: Vec::new(),
    };
    let hard = mapping.options.max_payload_bytes;
    match &tool.source {
        Source::Entity { entity, parts } => {
            let told = reader.main(*entity, parts, &include);
            page::answer(Out::Object(told), offset, if include.is_empty() { ANSWER } else { 2 * ANSWER }, hard)
        }
        Source::List { entities, of, .. } => {
            let list = List { entities, of: *of, include: &include, offset, hard, limit: input.get("limit").and_then(Json::as_usize) };
            reader.list(&list, input.get("query").and_then(Json::as_str).unwrap_or(""))
        }
        _ => "{}".into(),
    }
}

/// Which tool tells each entity, by its place in `tools`.
pub fn owners(graph: &Graph, tools: &[Tool]) -> Vec<u16> {
    let mut roots: Vec<(u16, Vec<u32>)> = Vec::new();
    for (place, tool) in tools.iter().enumerate() {
        match &tool.source {
            Source::Entity { entity, parts } => {
                let mut own = vec![*entity];
                own.extend(parts.iter().map(|(_, part)| *part));
                roots.push((place as u16, own));
            }
            Source::List { entities, of, .. } => {
                let mut own = entities.clone();
                own.extend(of);
                roots.push((place as u16, own));
            }
            _ => {}
        }
    }
    select::owners(graph, roots.iter().map(|(place, own)| (*place, own.as_slice())))
}

struct List<'a> {
    entities: &'a [u32],
    of: Option<u32>,
    include: &'a [&'a str],
    offset: usize,
    limit: Option<usize>,
    hard: usize,
}

struct Reader<'m> {
    graph: &'m Graph,
    page: &'m str,
    url: &'m str,
    title: &'m str,
    language: &'m str,
    owner: Vec<u16>,
    tools: &'m [Tool],
    tool: u16,
    profiles: Profiles,
    images: bool,
    links: bool,
    languages: bool,
    /// Of people and organizations only the name is told.
    brief: bool,
    /// Characters of a text.
    text: usize,
    /// Told in this answer.
    seen: Vec<bool>,
    /// Being told: what is in this is told further up.
    open: Vec<u32>,
}

impl<'m> Reader<'m> {
    /// An entity with its parts, as its own tool tells it.
    fn main(&mut self, entity: u32, parts: &'m [(&'static str, u32)], include: &[&str]) -> Vec<(&'m str, Out<'m>)> {
        let Some(found) = self.graph.entity(entity) else { return Vec::new() };
        self.enter(entity);
        let profile = self.profile(entity);
        let mut fields = Vec::new();
        if let Some(name) = own_type(&found.types, &profile) {
            fields.push(("type", Out::Text(name.into())));
        }
        let mut later = Vec::new();
        let mut told: Vec<&str> = Vec::new();
        let names: Vec<&'m str> = order(&found.properties, &profile.first).chain(parts.iter().map(|(name, _)| *name)).collect();
        for name in names {
            if told.contains(&name) || select::is_never(name) {
                continue;
            }
            told.push(name);
            let asked = include.contains(&name) || (include.contains(&OTHERS) && !crate::tools::profiles::names(Some(&profile), name));
            let heavy = waits(name) || among(&profile.heavy, name);
            let mut values: Vec<Value> = found.values(name).to_vec();
            values.extend(parts.iter().filter(|(part, _)| *part == name).map(|(_, part)| Value::Node(*part)));
            if heavy && !asked {
                continue;
            }
            let few = starts(name) && !asked;
            if few {
                values.truncate(FEW);
            }
            let wanted = self.links || asked || self.own_link(name, &values);
            let links = core::mem::replace(&mut self.links, wanted);
            let text = core::mem::replace(
                &mut self.text,
                if asked {
                    usize::MAX
                } else if few {
                    FEW_TEXT
                } else {
                    text_of(name)
                },
            );
            let out = self.property(name, &values, asked, 1);
            (self.links, self.text) = (links, text);
            let Some(out) = out.filter(|out| !repeats(&fields, out) && (asked || !self.is_told_first(name, out))) else { continue };
            if asked { later.push((key(name), out)) } else { fields.push((key(name), out)) }
        }
        let one = |(name, value): &&(&str, Out<'_>)| !matches!(*name, "type" | "url") && value.flat().is_some();
        let told = fields.iter().chain(&later);
        if told.clone().all(|(_, value)| value.flat().is_some()) && told.filter(one).count() < 2 {
            self.thin(found, parts, &mut fields);
        }
        self.open.pop();
        fields.extend(later);
        compact::tidy(&found.types, fields)
    }

    /// The page's first tool says the same, or more of it: an article that introduces a recipe with its words.
    fn is_told_first(&self, name: &str, out: &Out<'_>) -> bool {
        let (Some(Source::Entity { entity, .. }), Out::Text(text)) = (self.tools.first().map(|tool| &tool.source), out) else {
            return false;
        };
        let start = text.trim_end_matches(['.', '…', ' ']);
        let first = self.graph.entity(*entity).filter(|_| self.tool > 0 && name == "description" && !start.is_empty());
        first.is_some_and(|first| {
            first.values(name).iter().any(|value| matches!(value, Value::Text { text, .. } if text::plain(text).starts_with(start)))
        })
    }

    /// Of what has hardly more than a name, the page around it is told: its trail, its site, its title.
    fn thin(&mut self, found: &'m Entity, parts: &'m [(&'static str, u32)], fields: &mut Vec<(&'m str, Out<'m>)>) {
        for name in ["isPartOf", "breadcrumb", "publisher"] {
            let values: Vec<Value> = found
                .values(name)
                .iter()
                .cloned()
                .chain(parts.iter().filter(|(part, _)| *part == name).map(|(_, part)| Value::Node(*part)))
                .collect();
            if !fields.iter().any(|(other, _)| *other == name)
                && let Some(out) = self.property(name, &values, false, 1)
            {
                fields.push((name, out));
            }
        }
        if let Some(title) = words(self.title).map(Out::Text).filter(|title| !fields.iter().any(|(_, other)| other == title)) {
            fields.push(("mainEntityOfPage", title));
        }
    }

    /// The entity's own address is worth its bytes where it is not the page's.
    fn own_link(&self, name: &str, values: &[Value]) -> bool {
        name == "url" && matches!(values, [Value::Url(url) | Value::Text { text: url, .. }] if select::bare(url) != self.page)
    }

    fn list(&mut self, list: &List<'_>, query: &str) -> String {
        let words: Vec<String> = query.split_whitespace().map(text::lowered).collect();
        let entities: Vec<u32> = if words.is_empty() {
            list.entities.to_vec()
        } else {
            list.entities.iter().copied().filter(|entity| self.mentions(*entity, &words)).collect()
        };
        let short = list.entities.len() <= SHORT_LIST;
        let kinds: Vec<&Rc<str>> = list.entities.iter().filter_map(|entity| self.graph.entity(*entity)?.types.first()).collect();
        let mixed = kinds.windows(2).any(|pair| matches!(pair, [one, other] if one != other));
        let first = list.entities.first().map(|first| self.profile(*first));
        let most = list_answer(first.as_ref(), list.entities.len());
        let free = list.limit.is_some() || !list.include.is_empty();
        let whole = if free { list.hard } else { most.min(list.hard) }.saturating_sub(60);
        let limit = list.limit.unwrap_or(usize::MAX);
        let mut out = Writer::new();
        out.object(|out| {
            if let Some(of) = list.of.filter(|_| list.offset == 0 && words.is_empty()) {
                self.head(of, out);
            }
            let mut next = list.offset;
            out.field("items").array(|out| {
                while let Some(entity) = entities.get(next).filter(|_| next - list.offset < limit) {
                    let start = out.len();
                    if let Some(row) = self.row(*entity, list.include, short, mixed, !words.is_empty()) {
                        page::within(row, list.hard.saturating_sub(200)).write(out);
                    }
                    if next > list.offset && out.len() > whole {
                        out.truncate(start);
                        break;
                    }
                    next += 1;
                }
            });
            if next < entities.len() {
                page::more(next, entities.len(), out);
            }
        });
        out.into_string()
    }

    /// What the list says of itself.
    fn head(&mut self, of: u32, out: &mut Writer) {
        let Some(found) = self.graph.entity(of) else { return };
        for name in order(&found.properties, "name description") {
            if name == "itemListElement" || waits(name) || select::is_never(name) {
                continue;
            }
            if let Some(told) = self.property(name, found.values(name), false, 1) {
                told.write(out.field(&text::visible(key(name))));
            }
        }
    }

    /// All words are somewhere in it.
    fn mentions(&self, entity: u32, words: &[String]) -> bool {
        let mut all = String::new();
        let mut seen = vec![entity];
        let mut next = 0;
        while let Some(found) = seen.get(next).and_then(|entity| self.graph.entity(*entity)) {
            next += 1;
            for value in found.properties.iter().flat_map(|property| &property.values) {
                match value {
                    Value::Text { text, .. } | Value::Number(text) | Value::Url(text) => {
                        all.push(' ');
                        all.push_str(text);
                    }
                    // Enough to find an offer, a seller, an address.
                    Value::Node(node) if seen.len() < 24 && self.owner.get(*node as usize) == Some(&self.tool) && !seen.contains(node) => {
                        seen.push(*node)
                    }
                    _ => {}
                }
            }
        }
        let all = text::lowered(&text::plain(&all));
        words.iter().all(|word| text::contains(&all, word))
    }

    fn row(&mut self, entity: u32, include: &[&str], short: bool, mixed: bool, found_by_words: bool) -> Option<Out<'m>> {
        let found = self.graph.entity(entity)?;
        self.enter(entity);
        let profile = self.profile(entity);
        let short = short || !has_name(found);
        let text = if found_by_words { TEXT } else { item_text(&profile, short) };
        let mut fields = Vec::new();
        if mixed && let Some(name) = found.types.iter().find(|name| !name.contains([':', '/'])) {
            fields.push(("type", Out::Text(String::from(&**name))));
        }
        let names: Vec<&'m str> = order(&found.properties, &[&*profile.columns, " ", &*profile.first].concat()).collect();
        for name in names {
            let asked = include.contains(&name) || (include.contains(&OTHERS) && !crate::tools::profiles::names(Some(&profile), name));
            let column = among(&profile.columns, name) || (short && !waits(name) && !among(&profile.heavy, name));
            if !(column || asked) || select::is_never(name) || name == "position" {
                continue;
            }
            let values = found.values(name);
            let wanted = self.links || asked || self.own_link(name, values);
            let links = core::mem::replace(&mut self.links, wanted);
            let text = core::mem::replace(&mut self.text, if asked { usize::MAX } else { text });
            self.brief = !short;
            let out = self.property(name, values, asked, 1);
            (self.links, self.text) = (links, text);
            if let Some(out) = out.filter(|out| !repeats(&fields, out)) {
                fields.push((key(name), out));
            }
        }
        self.open.pop();
        compact::object(&found.types, fields)
    }

    fn enter(&mut self, entity: u32) {
        if let Some(seen) = self.seen.get_mut(entity as usize) {
            *seen = true;
        }
        self.open.push(entity);
    }

    fn profile(&mut self, entity: u32) -> Profile {
        match self.graph.entity(entity).and_then(|found| self.profiles.of(found)).and_then(|number| self.profiles.get(number)) {
            Some(profile) => profile.clone(),
            None => Profile {
                slug: "".into(),
                plural: "".into(),
                rank: 0,
                types: "".into(),
                first: "name".into(),
                heavy: "".into(),
                columns: "name url".into(),
            },
        }
    }

    /// The page says its language itself.
    fn is_own_language(&self, name: &str, values: &[Value]) -> bool {
        let primary = |tag: &str| tag.split(['-', '_']).next().unwrap_or(tag).to_ascii_lowercase();
        name == "inLanguage"
            && matches!(values, [Value::Text { text, .. }] if !self.language.is_empty() && primary(text) == primary(self.language))
    }

    /// The values of a property; one alone stands by itself.
    fn property(&mut self, name: &'m str, values: &[Value], full: bool, depth: usize) -> Option<Out<'m>> {
        if !full && self.is_own_language(name, values) {
            return None;
        }
        let mut chosen: Vec<&Value> = self.in_language(values);
        let mut sorted: Vec<u32> = select::nodes(values).collect();
        let sorted_values: Vec<Value>;
        if sorted.len() == values.len() && sorted.len() > 1 {
            select::in_order(self.graph, &mut sorted);
            sorted_values = sorted.into_iter().map(Value::Node).collect();
            chosen = sorted_values.iter().collect();
        }
        let mut told: Vec<Out<'m>> = Vec::new();
        for value in chosen {
            let Some(out) = self.value(name, value, full, depth) else { continue };
            // A step list in a step list is one list.
            let items = match out {
                Out::List(items) => items,
                out => vec![out],
            };
            for item in items {
                // Long lists are taken as they are: looking for repetitions in them costs more than it saves.
                if told.len() > 100 || !told.contains(&item) {
                    told.push(item);
                }
            }
        }
        match told.len() {
            0 => None,
            1 => told.pop(),
            _ => Some(Out::List(told)),
        }
    }

    /// The values in the page's language, where the same is said in several.
    fn in_language<'v>(&self, values: &'v [Value]) -> Vec<&'v Value> {
        fn language(value: &Value) -> Option<&str> {
            match value {
                Value::Text { language, .. } => language.as_deref(),
                _ => None,
            }
        }
        let several = values.iter().any(|value| language(value).is_some_and(|tag| values.first().and_then(language) != Some(tag)));
        if !several || self.languages || values.iter().all(|value| language(value).is_none()) {
            return values.iter().collect();
        }
        let primary = |tag: &str| tag.split('-').next().unwrap_or(tag).to_ascii_lowercase();
        let own = |value: &&Value| language(value).is_some_and(|tag| primary(tag) == primary(self.language));
        let mut chosen: Vec<&Value> = values.iter().filter(own).collect();
        if chosen.is_empty() {
            chosen = values.iter().filter(|value| language(value).is_none()).collect();
        }
        if chosen.is_empty() {
            chosen = values.iter().filter(|value| language(value) == values.first().and_then(language)).collect();
        }
        chosen
    }

    fn value(&mut self, name: &str, value: &Value, full: bool, depth: usize) -> Option<Out<'m>> {
        match value {
            Value::Text { text, language } => {
                let told = self.told(name, text)?;
                match language {
                    Some(language) if self.languages => Some(Out::Text([language, ": ", told.as_str()].concat())),
                    _ => Some(Out::Text(told)),
                }
            }
            Value::Number(digits) if keeps(digits) => Some(Out::Raw(String::from(&**digits).into())),
            Value::Number(digits) => Some(Out::Text(String::from(&**digits))),
            Value::Boolean(value) => Some(Out::Raw(if *value { "true" } else { "false" }.into())),
            Value::Url(url) => self.link(name, url),
            // Nobody describes it: its address may be worth something, a name inside some page is not.
            Value::Reference(iri) if text::has(iri, b'#') || !text::has(iri, b':') || iri.starts_with("_:") => None,
            Value::Reference(iri) => self.link(name, iri),
            Value::Node(node) => self.node(name, *node, full, depth),
        }
    }

    fn told(&self, name: &str, raw: &str) -> Option<String> {
        let trimmed = raw.trim();
        if is_address(name, trimmed) {
            return match self.link(name, trimmed)? {
                Out::Text(text) => Some(text),
                _ => None,
            };
        }
        let plain = words(raw)?;
        Some(match plain.char_indices().nth(self.text) {
            Some((at, _)) => {
                let cut = plain.get(..at).unwrap_or(&plain);
                let cut = cut.rsplit_once(char::is_whitespace).map_or(cut, |(cut, _)| cut);
                [cut, "…"].concat()
            }
            None => plain,
        })
    }

    fn link(&self, name: &str, url: &str) -> Option<Out<'m>> {
        if let Some(word) = schema_name(url) {
            return Some(Out::Text(word.into()));
        }
        if text::is_active(url) || url.starts_with("about:") {
            return None;
        }
        let wanted = if shows(name) { self.images } else { self.links || !is_address(name, url) };
        if !wanted {
            return None;
        }
        // Of one that was escaped twice, and one that a reader took for text.
        let url = untracked(
            &[("&amp;", "&"), ("<", "%3C"), (">", "%3E")]
                .iter()
                .fold(text::visible(url).into_owned(), |url, (from, to)| text::replace(&url, from, to)),
        );
        let site = text::split_once(self.url, "://").and_then(|(scheme, rest)| Some((scheme, rest.split(['/', '?', '#']).next()?)));
        Some(Out::Text(match (url.starts_with('/'), site) {
            (true, Some((scheme, _))) if url.starts_with("//") => [scheme, ":", &url].concat(),
            (true, Some((scheme, host))) => [scheme, "://", host, &url].concat(),
            _ => url,
        }))
    }

    fn node(&mut self, name: &str, node: u32, full: bool, depth: usize) -> Option<Out<'m>> {
        if shows(name) && !self.images {
            return None;
        }
        let owner = self.owner.get(node as usize).copied().unwrap_or(select::NOBODY);
        if owner != self.tool {
            // What has a tool of its own is told there; a list tells each of its items.
            return match self.tools.get(usize::from(owner)).map(|tool| &tool.source) {
                Some(Source::List { .. }) if select::is_listed(name) => None,
                Some(Source::Entity { entity, .. }) if *entity == node && select::is_up(name) => None,
                _ => self.label(node),
            };
        }
        if self.open.contains(&node) {
            return None;
        }
        if depth >= DEPTH || self.seen.get(node as usize).is_none_or(|seen| *seen) {
            return self.label(node);
        }
        let found = self.graph.entity(node)?;
        let profile = self.profile(node);
        if self.brief
            && !full
            && is_behind(&profile)
            && let Some(label) = self.label(node)
        {
            return Some(label);
        }
        self.enter(node);
        let mut fields: Vec<(&'m str, Out<'m>)> = Vec::new();
        let names: Vec<&'m str> = order(&found.properties, &profile.first).collect();
        for name in names {
            let later = waits(name) || among(&profile.heavy, name) || (self.brief && name == "geo");
            if select::is_never(name) || name == "position" || (!full && later) {
                continue;
            }
            let told = self.property(name, found.values(name), full, depth + 1);
            if let Some(out) = told.filter(|out| !repeats(&fields, out)) {
                fields.push((key(name), out));
            }
        }
        self.open.pop();
        if self.brief && !full {
            compact::place(&mut fields);
        }
        compact::object(&found.types, fields)
    }

    /// What stands for a thing that is told elsewhere.
    fn label(&self, node: u32) -> Option<Out<'m>> {
        const LABEL: usize = 120;
        let found = self.graph.entity(node)?;
        ["name", "headline", "title", "legalName", "alternateName"].iter().find_map(|name| {
            found.values(name).iter().find_map(|value| match value {
                Value::Text { text, .. } => Some(Out::Text(words(text)?.chars().take(LABEL).collect())),
                _ => None,
            })
        })
    }
}

/// A page's string as text, if there is something to read in it.
fn words(raw: &str) -> Option<String> {
    let mut plain = text::plain(raw);
    if text::has(&plain, b'&') && text::has(&plain, b';') {
        // Escaped twice, as templates in templates do.
        plain = text::plain(&plain);
    }
    (!plain.is_empty() && !text::is_active(&plain)).then_some(plain)
}

/// A URL without the parameters that only say which link was followed.
fn untracked(url: &str) -> String {
    let mut out = String::new();
    for (place, part) in url.split_inclusive(['?', '&', '#']).enumerate() {
        let end = part.find(['?', '&', '#']).map_or("", |at| part.get(at..).unwrap_or(""));
        if place == 0 || !part.starts_with("utm_") {
            out.push_str(part);
        } else if end != "&" {
            // The mark before it goes, the fragment after it stays.
            out.pop();
            out.push_str(end);
        }
    }
    if out.ends_with(['?', '&']) && !url.ends_with(['?', '&']) {
        out.pop();
    }
    out
}

/// Characters of the first answer of a list of so many items of this kind.
pub fn list_answer(profile: Option<&Profile>, items: usize) -> usize {
    if items > LONG_LIST || profile.is_some_and(is_said) { LIST_START } else { LIST_ANSWER }
}

fn is_said(profile: &Profile) -> bool {
    matches!(&*profile.slug, "comment" | "review")
}

/// Characters of a text in an item of a list.
pub fn item_text(profile: &Profile, short: bool) -> usize {
    match (is_said(profile), short) {
        (true, _) => SAID_TEXT,
        (false, true) => TEXT / 2,
        (false, false) => ITEM_TEXT,
    }
}

/// Characters of a text in a property's value: what people write to each other is told at less length.
pub fn text_of(property: &str) -> usize {
    if matches!(property, "acceptedAnswer" | "text") { TEXT / 2 } else { TEXT }
}

/// It can be told from its like by a name or a text.
pub fn has_name(entity: &Entity) -> bool {
    let text = |value: &Value| matches!(value, Value::Text { text, .. } if !text.trim().is_empty());
    ["name", "headline", "title", "text", "commentText"].iter().any(|name| entity.values(name).iter().any(text))
}

/// Who made or offers something: in a long list the name is enough.
pub fn is_behind(profile: &Profile) -> bool {
    matches!(&*profile.slug, "person" | "organization")
}

/// The same text under another name of the same thing (`headline`, `name`, `alternateName`) says nothing new.
fn repeats(fields: &[(&str, Out<'_>)], out: &Out<'_>) -> bool {
    const SHORT: usize = 12;
    matches!(out, Out::Text(text) if text.len() > SHORT && fields.iter().any(|(_, other)| other == out))
}

/// Property names, those of `first` first.
pub fn order<'m>(properties: &'m [crate::read::Property], first: &str) -> impl Iterator<Item = &'m str> + use<'m> {
    let place = |name: &str| place(first, name).unwrap_or(usize::MAX);
    let mut names: Vec<(usize, &'m str)> = properties.iter().map(|property| (place(&property.name), &*property.name)).collect();
    order::sort_by_key(&mut names, |(place, _)| *place);
    names.into_iter().map(|(_, name)| name)
}

/// The type, where it says more than the tool's name.
fn own_type<'t>(types: &'t [Rc<str>], profile: &Profile) -> Option<&'t str> {
    let name = types.iter().find(|name| !name.contains([':', '/']))?;
    let implied = profile.types.split(' ').next() == Some(name) || crate::tools::profiles::slug(name) == profile.slug;
    (!implied).then_some(name)
}

/// A property's name without its vocabulary's address.
fn key(name: &str) -> &str {
    name.rsplit(['/', '#', ':']).next().unwrap_or(name)
}

/// A web address; one without a host where the property takes addresses.
pub fn is_address(property: &str, text: &str) -> bool {
    let starts = |start: &str| text.starts_with(start);
    let bare = starts("/") && (shows(property) || vocabulary::is_url_property(property));
    (starts("http://") || starts("https://") || starts("//") || bare) && !text.contains(char::is_whitespace)
}

/// JavaScript reads the number and writes the same digits.
fn keeps(digits: &str) -> bool {
    const EXACT: usize = 15;
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "1"));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    digits.len() <= EXACT
        && digits != "-0"
        && (whole == "0" || !whole.starts_with('0'))
        && [whole, part].iter().all(|half| !half.is_empty() && half.bytes().all(|byte| byte.is_ascii_digit()))
        && !part.ends_with('0')
        && !part.starts_with("0000")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_as_written() {
        for number in ["0", "5", "-3", "4.5", "129.9", "123456789012", "0.05"] {
            assert!(keeps(number), "{number}");
        }
        // JavaScript would write them otherwise.
        for number in ["129.90", "1.0", "007", "-0", "1e3", "12345678901234567890", "0.00001", "", "."] {
            assert!(!keeps(number), "{number}");
        }
    }

    #[test]
    fn tracking_is_left_out_of_addresses() {
        for (url, told) in [
            ("https://a.example/x", "https://a.example/x"),
            ("https://a.example/x?utm_a=1", "https://a.example/x"),
            ("https://a.example/x?utm_a=1&utm_b=2", "https://a.example/x"),
            ("https://a.example/x?utm_a=1&id=2", "https://a.example/x?id=2"),
            ("https://a.example/x?id=2&utm_a=1&page=3", "https://a.example/x?id=2&page=3"),
            ("https://a.example/x?id=2&utm_a=1#top", "https://a.example/x?id=2#top"),
            ("https://a.example/x?", "https://a.example/x?"),
            ("https://a.example/utm_x", "https://a.example/utm_x"),
        ] {
            assert_eq!(untracked(url), told, "{url}");
        }
    }

    #[test]
    fn profiles_order_what_markup_has() {
        let properties: Vec<crate::read::Property> =
            ["offers", "x", "name"].iter().map(|name| crate::read::Property { name: (*name).into(), values: Vec::new() }).collect();
        assert_eq!(order(&properties, "name description offers").collect::<Vec<_>>(), ["name", "offers", "x"]);
    }
}
