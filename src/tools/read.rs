//! Tools that tell what the page's markup says: one for the main thing, one for each other kind.

use alloc::{string::String, vec, vec::Vec};

use super::profiles::{self, Profile, Profiles, names, shows, starts, waits};
use super::schema::{Kind, Parameter};
use super::{Annotations, Source, Tool};
use crate::diagnostic::Diagnostic;
use crate::graph::{Entity, Graph};
use crate::read::{Value, schema_name};
use crate::render::{self, ANSWER, FEW, FEW_TEXT, LANGUAGES, LIST_START, OTHERS, SHORT_LIST, TEXT, is_address};
use crate::select::{self, LIST_FROM, Selection};
use crate::text::{self, among};

/// What the answers of all lists have in common.
const LIST_SCHEMA: &str = r#"{"type":"object","properties":{"items":{"type":"array"}}}"#;

/// Words for parts that a description names; enough to choose a tool by.
const NAMED: usize = 7;

/// Items of a list that are looked at whole.
const ALIKE: usize = 100;

/// What an entity has, as far as its tool's definition says it.
#[derive(Default)]
struct Survey {
    /// Properties that are told without being asked for, in order.
    told: Vec<String>,
    /// Properties that are not, or not whole.
    waiting: Vec<String>,
    images: bool,
    links: bool,
    languages: bool,
    /// Properties that no profile names wait or are cut.
    others: bool,
    /// A text is cut.
    cut: bool,
    /// Characters of all that can be told, roughly.
    size: usize,
    /// The same of what is told without being asked for.
    default_size: usize,
}

struct Surveyor<'g> {
    graph: &'g Graph,
    profiles: &'g mut Profiles,
    owner: &'g [u16],
    tool: u16,
    seen: Vec<bool>,
}

/// A definition for each group, those that read.
pub fn build(graph: &Graph, selection: &Selection, profiles: &mut Profiles) -> (Vec<Tool>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut tools: Vec<Tool> = Vec::new();
    for group in &selection.groups {
        let Some(profile) = profiles.get(group.profile) else { continue };
        let main = !group.list && group.entities.first().copied() == selection.main;
        let source = match group.entities.as_slice() {
            [entity] if !group.list => Source::Entity { entity: *entity, parts: if main { selection.parts.clone() } else { Vec::new() } },
            entities => Source::List { entities: entities.to_vec(), of: group.of },
        };
        let holder = group.via.as_ref().filter(|(_, property)| &**property == "hasVariant");
        let (verb, slug) = match (&source, holder) {
            (Source::Entity { .. }, _) => ("get_", profile.slug.clone()),
            (_, Some(_)) => ("list_", "product_variants".into()),
            (..) => ("list_", profile.plural.clone()),
        };
        let name = [verb, &slug].concat();
        if tools.iter().any(|tool| tool.name == name) {
            continue;
        }
        tools.push(Tool {
            title: title(&slug),
            name,
            description: String::new(),
            parameters: Vec::new(),
            output_schema: None,
            annotations: Annotations { read_only: true, untrusted: true, consequential: false },
            source,
        });
    }
    let owner = render::owners(graph, &tools);
    let mut surveyor = Surveyor { graph, profiles, owner: &owner, tool: 0, seen: vec![false; graph.entities.len()] };
    for place in 0..tools.len() {
        surveyor.tool = place as u16;
        let Some(tool) = tools.get_mut(place) else { break };
        let slug = tool.name.split_once('_').map_or("", |(_, slug)| slug);
        let slug = text::replace(&text::replace(slug, "_", " "), "faq", "FAQ");
        match &tool.source {
            Source::Entity { entity, parts } => {
                let survey = surveyor.entity(*entity, parts);
                tool.description = describe_entity(&slug, &survey, selection.main == Some(*entity));
                tool.parameters = include(&survey);
                if survey.size > ANSWER / 2 {
                    tool.parameters.push(offset());
                }
                if survey.cut || survey.default_size > ANSWER {
                    diagnostics.push(cut(&tool.name));
                }
            }
            Source::List { entities, .. } => {
                let first = entities.first().and_then(|first| graph.entity(*first)).and_then(|first| surveyor.profile(first));
                let most = render::list_answer(first.as_ref(), entities.len());
                let survey = surveyor.list(entities);
                tool.description = describe_list(&slug, &survey);
                tool.output_schema = Some(LIST_SCHEMA.into());
                tool.parameters = include(&survey);
                let long = survey.default_size > LIST_START / 2 || entities.len() >= LIST_FROM;
                if long {
                    tool.parameters.push(Parameter::new("query", Kind::Text, "Words that the items must have"));
                    tool.parameters.push(offset());
                    let mut limit = Parameter::new("limit", Kind::Integer, "Most items to return");
                    limit.minimum = Some("1".into());
                    tool.parameters.push(limit);
                }
                if survey.default_size > most {
                    diagnostics.push(cut(&tool.name));
                }
            }
            _ => {}
        }
    }
    (tools, diagnostics)
}

fn cut(name: &str) -> Diagnostic {
    Diagnostic::info(
        "field-truncated",
        ["'", name, "' tells more than fits in one short answer: it starts with a part, and 'more', 'offset' and 'include' give the rest."]
            .concat(),
    )
}

fn include(survey: &Survey) -> Vec<Parameter> {
    let mut names = survey.waiting.clone();
    for (present, name) in [(survey.images, "image"), (survey.links, "url"), (survey.languages, LANGUAGES), (survey.others, OTHERS)] {
        if present && !names.iter().any(|other| other == name) {
            names.push(name.into());
        }
    }
    if names.is_empty() { Vec::new() } else { vec![Parameter::new("include", Kind::Choices(names), "Parts to add")] }
}

fn offset() -> Parameter {
    let mut offset = Parameter::new("offset", Kind::Integer, "From the last answer's more.offset");
    offset.minimum = Some("0".into());
    offset
}

fn title(slug: &str) -> String {
    let mut title = text::replace(slug, "_", " ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

/// A property in words: `recipeIngredient` on a recipe → `ingredient`.
fn word(property: &str, of: &str) -> String {
    const WORDS: [(&str, &str); 9] = [
        ("offers", "price"),
        ("aggregateRating", "rating"),
        ("reviewRating", "rating"),
        ("openingHoursSpecification", "opening hours"),
        ("recipeYield", "servings"),
        ("itemListElement", "items"),
        ("mainEntity", "questions and answers"),
        ("acceptedAnswer", "accepted answer"),
        ("hiringOrganization", "employer"),
    ];
    if let Some((_, word)) = WORDS.iter().find(|(name, _)| *name == property) {
        return String::from(*word);
    }
    let words = text::replace(&profiles::slug(property), "_", " ");
    let start = [of, " "].concat();
    String::from(words.strip_prefix(start.as_str()).unwrap_or(&words))
}

fn words(names: &[String], of: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for name in names {
        let word = word(name, of);
        if words.len() < NAMED && !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(", ")
}

fn describe_entity(words_of: &str, survey: &Survey, main: bool) -> String {
    let start = match words_of {
        "thing" if main => "What this page is about",
        "thing" => "A further thing on this page",
        _ if main => "The",
        _ => "The page's",
    };
    let subject = match (words_of, main) {
        ("thing", _) => String::new(),
        (words, true) => [" ", words, " on this page"].concat(),
        (words, false) => [" ", words].concat(),
    };
    let parts = words(&survey.told, words_of);
    [start, &subject, if parts.is_empty() { "" } else { ": " }, &parts, "."].concat()
}

fn describe_list(words_of: &str, survey: &Survey) -> String {
    let parts = words(&survey.told, "");
    ["The ", words_of, " on this page", if parts.is_empty() { "" } else { ", each with " }, &parts, "."].concat()
}

impl Surveyor<'_> {
    fn profile(&mut self, entity: &Entity) -> Option<Profile> {
        let number = self.profiles.of(entity)?;
        self.profiles.get(number).cloned()
    }

    fn entity(&mut self, entity: u32, parts: &[(&'static str, u32)]) -> Survey {
        let mut survey = Survey::default();
        let Some(found) = self.graph.entity(entity) else { return survey };
        let profile = self.profile(found);
        let (first, heavy) = profile.as_ref().map_or(("", ""), |profile| (&*profile.first, &*profile.heavy));
        self.see(entity);
        let all: Vec<&str> = render::order(&found.properties, first).chain(parts.iter().map(|(name, _)| *name)).collect();
        let mut done: Vec<&str> = Vec::new();
        for name in all {
            if done.contains(&name) || select::is_never(name) {
                continue;
            }
            done.push(name);
            let mut values: Vec<Value> = found.values(name).to_vec();
            values.extend(parts.iter().filter(|(part, _)| *part == name).map(|(_, part)| Value::Node(*part)));
            self.property(name, &values, waits(name) || among(heavy, name), profile.as_ref(), (render::text_of(name), false), &mut survey);
        }
        survey
    }

    fn list(&mut self, entities: &[u32]) -> Survey {
        let mut survey = Survey::default();
        let short = entities.len() <= SHORT_LIST;
        let mut seen = select::Known::default();
        for (place, entity) in entities.iter().enumerate() {
            let Some(found) = self.graph.entity(*entity) else { continue };
            // Many items are alike: the first tell what there is, of the others only those with something new.
            let new = found.properties.iter().filter(|property| seen.is_new(&property.name)).count();
            if place >= ALIKE && new == 0 {
                continue;
            }
            let profile = self.profile(found);
            let (columns, heavy) = profile.as_ref().map_or(("name url", ""), |profile| (&*profile.columns, &*profile.heavy));
            self.see(*entity);
            let text = profile.as_ref().map_or(TEXT, |profile| render::item_text(profile, short));
            let short = short || !render::has_name(found);
            for name in render::order(&found.properties, columns) {
                if select::is_never(name) || name == "position" {
                    continue;
                }
                let column = among(columns, name) || (short && !waits(name) && !among(heavy, name));
                if name == "url" && column {
                    survey.default_size += 60;
                    continue;
                }
                self.property(name, found.values(name), !column, profile.as_ref(), (text, !short), &mut survey);
            }
        }
        if let Some(rest) = entities.len().checked_sub(ALIKE) {
            survey.default_size += survey.default_size / ALIKE * rest;
            survey.size += survey.size / ALIKE * rest;
        }
        survey
    }

    fn see(&mut self, entity: u32) {
        if let Some(seen) = self.seen.get_mut(entity as usize) {
            *seen = true;
        }
    }

    /// Adds what a property has to say, of texts so many characters, of people and organizations only the names.
    fn property(
        &mut self,
        name: &str,
        values: &[Value],
        heavy: bool,
        profile: Option<&Profile>,
        (text, brief): (usize, bool),
        survey: &mut Survey,
    ) {
        let few = starts(name) && !heavy;
        let mut found = Found { text: if few { FEW_TEXT } else { text }, brief, ..Found::default() };
        found.values(self, name, values, false);
        found.waits |= few && values.len() > FEW;
        survey.images |= found.images;
        // What waits is told with its addresses.
        survey.links |= found.links && !heavy;
        survey.languages |= found.languages;
        survey.cut |= found.cut && !heavy;
        survey.size += found.size;
        // Only the vocabulary's own words stand in a definition.
        let named = names(profile, name);
        let add = |names: &mut Vec<String>| {
            if named && !names.iter().any(|other| other == name) {
                names.push(name.into());
            }
        };
        let waiting = if heavy { found.told || found.waits || found.links } else { found.waits };
        if waiting {
            add(&mut survey.waiting);
            survey.others |= !named;
        }
        if !heavy {
            survey.default_size += found.default_size;
            if found.told {
                add(&mut survey.told);
            }
        }
    }
}

/// What lies in a property's values.
#[derive(Default)]
struct Found {
    /// Something that is told without being asked for.
    told: bool,
    /// Something that waits, or is cut.
    waits: bool,
    cut: bool,
    images: bool,
    links: bool,
    languages: bool,
    size: usize,
    default_size: usize,
    /// Characters from which on a text is cut.
    text: usize,
    /// Of people and organizations only the name is told.
    brief: bool,
}

impl Found {
    fn values(&mut self, surveyor: &mut Surveyor<'_>, name: &str, values: &[Value], heavy: bool) {
        // Things are visited in the order of the page, without recursion: they nest as deep as they like.
        let mut stack: Vec<(u32, bool)> = Vec::new();
        let mut language: Option<&str> = None;
        for value in values {
            if let Value::Text { language: Some(tag), .. } = value {
                self.languages |= language.is_some_and(|other| other != &**tag);
                language = Some(tag);
            }
            self.value(surveyor, name, value, heavy, &mut stack);
        }
        while let Some((node, heavy)) = stack.pop() {
            let Some(found) = surveyor.graph.entity(node) else { continue };
            let profile = surveyor.profile(found);
            let behind = self.brief && profile.as_ref().is_some_and(render::is_behind);
            let profile_heavy = profile.map(|profile| profile.heavy);
            for property in found.properties.iter().filter(|property| !select::is_never(&property.name) && &*property.name != "position") {
                let heavy = heavy
                    || waits(&property.name)
                    || (behind && &*property.name != "name")
                    || (self.brief && &*property.name == "geo")
                    || profile_heavy.as_ref().is_some_and(|names| among(names, &property.name));
                for value in &property.values {
                    self.value(surveyor, &property.name, value, heavy, &mut stack);
                }
            }
        }
    }

    fn value(&mut self, surveyor: &mut Surveyor<'_>, name: &str, value: &Value, heavy: bool, stack: &mut Vec<(u32, bool)>) {
        let size = match value {
            Value::Text { text, .. } if !is_address(name, text.trim()) => {
                if text.trim().is_empty() {
                    return;
                }
                self.cut |= !heavy && text.len() > self.text && text::length(text) > self.text;
                self.waits |= self.cut;
                text.len()
            }
            Value::Number(_) | Value::Boolean(_) => 6,
            Value::Url(url) | Value::Reference(url) | Value::Text { text: url, .. } => {
                let url = url.trim();
                if schema_name(url).is_none() {
                    if shows(name) {
                        self.images = true;
                    } else if !text::has(url, b'#') || !matches!(value, Value::Reference(_)) {
                        self.links = true;
                    }
                    self.size += url.len();
                    return;
                }
                12
            }
            Value::Node(node) => {
                if shows(name) {
                    self.images = true;
                    self.size += 80;
                    surveyor.see(*node);
                } else if surveyor.owner.get(*node as usize) == Some(&surveyor.tool) {
                    if surveyor.seen.get(*node as usize) == Some(&false) {
                        surveyor.see(*node);
                        stack.push((*node, heavy));
                    }
                } else if !select::is_listed(name) && !select::is_up(name) {
                    self.told = true;
                }
                return;
            }
        };
        self.size += size + name.len() + 6;
        if heavy {
            self.waits = true;
        } else {
            self.told = true;
            self.default_size += size.min(self.text) + name.len() + 6;
        }
    }
}
