//! Actions that a page declares, vetted, and its search form.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use super::pattern::Pattern;
use super::schema::{self, Kind, Parameter};
use super::{Annotations, Source, Tool, forms, profiles};
use crate::call::{self, Outcome};
use crate::diagnostic::Diagnostic;
use crate::dom::Document;
use crate::graph::{Entity, Graph};
use crate::guard;
use crate::json::{self, Json};
use crate::options::Options;
use crate::order;
use crate::read::Value;
use crate::results::Range;
use crate::text;
use crate::url_template::Template;
use crate::vocabulary;

/// Action tools of one page at most: past this an agent cannot tell them apart.
const MAX_ACTIONS: usize = 8;
/// Declared actions that are looked at; a shop may declare one for each of its thousand products.
const MAX_DECLARED: usize = 500;
/// Characters of a value where the page says nothing; search terms are shorter.
pub const MAX_VALUE: usize = 500;
/// Characters of a value whatever the page says: servers refuse longer addresses.
const MAX_DECLARED_VALUE: usize = 2000;
/// Different refusals that are told; the rest is counted.
const MAX_SKIPPED: usize = 20;
/// Characters of an address that a diagnostic shows.
const SHOWN: usize = 120;

/// Names of parameters of one tool that are the page's own words: more of them could be read one after the other.
pub(super) const MAX_STRANGERS: usize = 3;
/// Results that a call may ask for; an answer has a byte cap besides.
const MAX_RESULTS: &str = "100";

/// A vetted action: where its request goes once the template is filled.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The absolute URL template.
    pub template: Template,
    /// What fills each of the template's variables, by place.
    pub inputs: Vec<Input>,
}

/// What fills one variable of a template.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// The parameter that does; none where the page fixed the value.
    pub parameter: Option<String>,
    /// What is sent where a call gives nothing.
    pub default: Option<String>,
    /// What `true` is sent as.
    pub checked: Option<String>,
}

/// An action that may be offered.
pub(super) struct Found {
    /// `search`
    pub verb: &'static str,
    /// What it is an action of, as in a tool's name: `web_site`.
    pub slug: String,
    pub action: Action,
    pub parameters: Vec<Parameter>,
}

/// Tools for the page's actions, or for its search form where no action gives a search.
pub fn build(graph: &Graph, document: &Document, options: &Options) -> (Vec<Tool>, Vec<Diagnostic>) {
    let mut skipped = Skipped::default();
    let mut found: Vec<Found> = Vec::new();
    for (owner, action) in declared(graph) {
        match read(graph, owner, action, document, options, &mut skipped) {
            Err(reason) => skipped.add(kind_of(action), reason),
            // The same search, declared twice, is one tool.
            Ok(new) if found.iter().any(|known| known.verb == new.verb && known.action.template == new.action.template) => {}
            Ok(_) if found.len() >= MAX_ACTIONS => {
                skipped.add(kind_of(action), "the page has more actions than an agent can tell apart".into())
            }
            Ok(new) => found.push(new),
        }
    }
    if !found.iter().any(|found| found.verb == "search") {
        match forms::search(document, options) {
            Ok(form) => found.extend(form),
            Err(reason) => skipped.add("search form", reason),
        }
    }
    let mut tools: Vec<Tool> = Vec::new();
    for found in found {
        let base = [found.verb, "_", &found.slug].concat();
        let mut name = base.clone();
        let mut number = 1;
        while tools.iter().any(|tool| tool.name == name) {
            number += 1;
            name = [&base, "_", &json::number(number)].concat();
        }
        tools.push(tool(found, name, number));
    }
    (tools, skipped.into_diagnostics())
}

/// The page's actions with the entity that offers each: the site's own first, then in the order of the page.
fn declared(graph: &Graph) -> Vec<(Option<&Entity>, &Entity)> {
    let mut declared = Vec::new();
    for entity in &graph.entities {
        let offered = entity.values("potentialAction").iter().filter_map(|value| match value {
            Value::Node(action) => graph.entity(*action),
            _ => None,
        });
        declared.extend(offered.map(|action| (Some(entity), action)));
        // An action that stands alone is the page's own.
        if entity.referrers.is_empty() && entity.types.iter().any(|name| verb(name).is_some()) {
            declared.push((None, entity));
        }
        if declared.len() >= MAX_DECLARED {
            break;
        }
    }
    order::sort_by_key(&mut declared, |(owner, _)| !owner.is_some_and(|owner| owner.types.iter().any(|name| &**name == "WebSite")));
    declared
}

fn verb(type_name: &str) -> Option<&'static str> {
    match type_name {
        "SearchAction" => Some("search"),
        "FindAction" => Some("find"),
        "ReadAction" => Some("read"),
        "ViewAction" => Some("view"),
        _ => None,
    }
}

/// The kind of an action in the vocabulary's own spelling.
fn kind_of(action: &Entity) -> &'static str {
    let known = action.types.iter().find_map(|name| vocabulary::type_name(name).filter(|name| verb(name).is_none()));
    known.or_else(|| action.types.iter().find_map(|name| vocabulary::type_name(name))).unwrap_or("Action")
}

fn read(
    graph: &Graph,
    owner: Option<&Entity>,
    action: &Entity,
    document: &Document,
    options: &Options,
    skipped: &mut Skipped,
) -> Result<Found, String> {
    let all_safe = action.types.iter().all(|name| verb(name).is_some());
    let Some(verb) = action.types.iter().find_map(|name| verb(name)).filter(|_| all_safe) else {
        return Err("only SearchAction, FindAction, ReadAction and ViewAction are offered, because they change nothing".into());
    };
    let template = target(graph, action, document, options)?;
    let mut declared = inputs(graph, action);
    let (inputs, mut parameters) = parameters(&template, &mut declared, verb, skipped, kind_of(action));
    if parameters.is_empty() {
        return Err("its inputs are all fixed, so there is nothing to ask".into());
    }
    parameters.extend(paging());
    let owner = owner.and_then(|owner| owner.types.iter().find_map(|name| vocabulary::type_name(name)));
    let slug = owner.map_or_else(|| "site".to_owned(), profiles::slug);
    Ok(Found { verb, slug, action: Action { template, inputs }, parameters })
}

/// The template of the target that the web can use: the first that is vetted, else why none is.
fn target(graph: &Graph, action: &Entity, document: &Document, options: &Options) -> Result<Template, String> {
    let mut reason = None;
    // `urlTemplate` on the action itself is a mistake that can mean one thing.
    for value in action.values("target").iter().chain(action.values("urlTemplate")) {
        let (templates, method): (Vec<&str>, Option<&str>) = match value {
            Value::Node(entry) => match graph.entity(*entry) {
                Some(entry) => {
                    let named = if entry.values("urlTemplate").is_empty() { "url" } else { "urlTemplate" };
                    (entry.values(named).iter().filter_map(text).collect(), entry.values("httpMethod").first().and_then(text))
                }
                None => continue,
            },
            other => (text(other).into_iter().collect(), None),
        };
        let method = method.or_else(|| action.values("httpMethod").first().and_then(text)).unwrap_or("GET");
        if !method.trim().eq_ignore_ascii_case("GET") {
            reason = reason.or(Some("it is not sent with GET, so it may change something".into()));
            continue;
        }
        for template in templates {
            match vet(template, document, options) {
                Ok(template) => return Ok(template),
                // What is said about a web address helps more than what is said about an app's.
                Err((web, said)) => {
                    if reason.is_none() || web {
                        reason = Some(said);
                    }
                }
            }
        }
    }
    Err(reason.unwrap_or_else(|| "it has no target".into()))
}

fn vet(text: &str, document: &Document, options: &Options) -> Result<Template, (bool, String)> {
    let refuse = |reason: &str| {
        let web = text.starts_with("http") || !text::contains(text, "://");
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        (web, ["its target ", &shown, " cannot be used: ", reason].concat())
    };
    let template = Template::read(text, |text| document.resolve(text)).map_err(refuse)?;
    guard::destination(&template.bare(), &document.url, &options.allowed_hosts).map_err(refuse)?;
    Ok(template)
}

/// The text of a value that stands for a string.
fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Text { text, .. } => Some(text),
        Value::Number(text) | Value::Url(text) | Value::Reference(text) => Some(text),
        Value::Boolean(value) => Some(if *value { "true" } else { "false" }),
        Value::Node(_) => None,
    }
}

/// What a page says about one input (schema.org, "Potential actions", part 4).
#[derive(Clone, Debug, Default)]
struct Declared {
    name: String,
    required: bool,
    readonly: bool,
    max_length: Option<usize>,
    minimum: Option<String>,
    maximum: Option<String>,
    step: Option<String>,
    pattern: Option<String>,
    default: Option<String>,
}

impl Declared {
    /// Takes one facet, in the long or the short spelling.
    fn set(&mut self, facet: &str, value: &str) {
        let value = value.trim();
        let yes = || !["false", "no", "0"].iter().any(|no| value.rsplit('/').next().unwrap_or("").eq_ignore_ascii_case(no));
        let number = || (!value.is_empty() && schema::is_number(value)).then(|| value.to_owned());
        match facet.to_ascii_lowercase().as_str() {
            "name" | "valuename" => self.name = value.to_owned(),
            "required" | "valuerequired" => self.required = yes(),
            "readonly" | "readonlyvalue" => self.readonly = yes(),
            "maxlength" | "valuemaxlength" => self.max_length = value.parse().ok().filter(|length| *length > 0),
            "min" | "minvalue" => self.minimum = number(),
            "max" | "maxvalue" => self.maximum = number(),
            "step" | "stepvalue" => self.step = number(),
            "pattern" | "valuepattern" => self.pattern = Some(value.to_owned()),
            "value" | "defaultvalue" => self.default = Some(value.to_owned()).filter(|value| !value.is_empty()),
            _ => {}
        }
    }

    /// `required maxlength=100 name=q`
    fn short(text: &str) -> Self {
        let mut declared = Declared::default();
        for token in text.split_ascii_whitespace() {
            match token.split_once('=') {
                Some((facet, value)) => declared.set(facet, value.trim_matches(['"', '\''])),
                None if ["required", "readonly", "multiple"].iter().any(|flag| token.eq_ignore_ascii_case(flag)) => declared.set(token, ""),
                // A bare word is a name that somebody forgot to call one.
                None if declared.name.is_empty() => declared.name = token.to_owned(),
                None => {}
            }
        }
        declared
    }
}

/// The inputs that an action declares: `query-input`, and the same for any other property.
fn inputs(graph: &Graph, action: &Entity) -> Vec<Declared> {
    let mut inputs: Vec<Declared> = Vec::new();
    for property in &action.properties {
        let Some(stem) = property.name.strip_suffix("-input") else { continue };
        for value in &property.values {
            let mut declared = match value {
                Value::Node(specification) => {
                    let mut declared = Declared::default();
                    for facet in graph.entity(*specification).map_or(&[][..], |specification| &specification.properties) {
                        if let Some(value) = facet.values.first().and_then(text) {
                            declared.set(&facet.name, value);
                        }
                    }
                    declared
                }
                other => Declared::short(text(other).unwrap_or("")),
            };
            if declared.name.is_empty() {
                declared.name = stem.rsplit('.').next().unwrap_or("").to_owned();
            }
            if inputs.len() < crate::url_template::MAX_VARIABLES && !inputs.iter().any(|known| known.name == declared.name) {
                inputs.push(declared);
            }
        }
    }
    inputs
}

/// One input for each variable of the template, and the parameters that fill them.
fn parameters(
    template: &Template,
    declared: &mut [Declared],
    verb: &str,
    skipped: &mut Skipped,
    kind: &'static str,
) -> (Vec<Input>, Vec<Parameter>) {
    let variables = template.variables();
    let names = |declared: &Declared| variables.iter().any(|variable| variable.name == declared.name);
    // One of each that do not know each other's name are the same.
    let mut unnamed = variables
        .iter()
        .filter(|variable| !declared.iter().any(|declared| declared.name == variable.name))
        .map(|variable| variable.name.clone());
    let unnamed = (unnamed.next(), unnamed.next());
    let mut strangers = declared.iter_mut().filter(|declared| !names(declared));
    if let ((Some(name), None), Some(stranger), None) = (unnamed, strangers.next(), strangers.next()) {
        stranger.name = name;
    }
    if declared.iter().any(|declared| !names(declared)) {
        skipped.inputs(kind);
    }
    let any_required = variables.iter().any(|variable| declared.iter().any(|declared| declared.required && declared.name == variable.name));

    let (mut inputs, mut parameters) = (Vec::new(), Vec::new());
    for (at, variable) in variables.iter().enumerate() {
        let said = declared.iter().find(|declared| declared.name == variable.name).cloned().unwrap_or_default();
        if said.readonly && said.default.is_some() {
            inputs.push(Input { default: said.default, ..Input::default() });
            continue;
        }
        let first = parameters.is_empty();
        let required = said.default.is_none() && (said.required || variable.in_path || (first && !any_required));
        let kind = match (&said.minimum, &said.maximum, &said.step) {
            (None, None, None) => Kind::Text,
            (least, most, step)
                if [least, most, step].iter().all(|number| number.as_ref().is_none_or(|number| !text::has(number, b'.'))) =>
            {
                Kind::Integer
            }
            _ => Kind::Number,
        };
        let name = parameter_name(&variable.name, at, &parameters);
        let about = if first && kind == Kind::Text && matches!(verb, "search" | "find") { "What to search for." } else { "" };
        let mut parameter = parameter(name, kind, about, at);
        parameter.required = required;
        if parameter.kind == Kind::Text {
            parameter.max_length = Some(said.max_length.unwrap_or(MAX_VALUE).min(MAX_DECLARED_VALUE));
            parameter.pattern = said.pattern.filter(|pattern| Pattern::read(pattern).is_some());
        } else {
            (parameter.minimum, parameter.maximum) = (said.minimum, said.maximum);
        }
        inputs.push(Input { parameter: Some(parameter.name.clone()), default: said.default, checked: None });
        parameters.push(parameter);
    }
    (inputs, parameters)
}

/// The name that an agent gets for the page's own: that name if it is a plain identifier, else a generic word.
pub(super) fn parameter_name(own: &str, at: usize, taken: &[Parameter]) -> String {
    let free = |name: &str| !PAGING.contains(&name) && !taken.iter().any(|parameter| parameter.name == name);
    let strangers = taken.iter().filter(|parameter| !schema::is_known_name(&parameter.name)).count();
    if schema::is_plain_name(own) && free(own) && (strangers < MAX_STRANGERS || schema::is_known_name(own)) {
        return own.to_owned();
    }
    if at == 0 && free("query") { "query".to_owned() } else { ["value_", &json::number(at + 1)].concat() }
}

/// A parameter of the site's with our own words about it.
pub(super) fn parameter(name: String, kind: Kind, about: &str, at: usize) -> Parameter {
    let known = match name.to_ascii_lowercase().as_str() {
        _ if !about.is_empty() => about,
        "page" | "p" | "paged" => "Page of results.",
        "lang" | "language" | "locale" => "Language.",
        "sort" | "orderby" | "order" | "sort_by" => "Order of results.",
        "category" | "cat" | "type" | "section" | "topic" => "Kind of results.",
        _ => "",
    };
    let description = if !known.is_empty() {
        known.to_owned()
    } else if name.starts_with("value_") {
        ["The site's own parameter number ", &json::number(at + 1), "."].concat()
    } else {
        ["The site's own parameter '", &name, "'."].concat()
    };
    Parameter::new(name, kind, description)
}

const PAGING: [&str; 2] = ["offset", "limit"];

/// Every answer may be longer than what is told at once.
pub(super) fn paging() -> [Parameter; 2] {
    let [offset, limit] = PAGING;
    let number = |name, least: &str, about| Parameter { minimum: Some(least.into()), ..Parameter::new(name, Kind::Integer, about) };
    [
        number(offset, "0", "Results to skip."),
        Parameter { maximum: Some(MAX_RESULTS.into()), ..number(limit, "1", "Most results to return.") },
    ]
}

fn tool(found: Found, name: String, number: usize) -> Tool {
    let description = match found.verb {
        "search" | "find" => "Asks this site's own search: titles, addresses and short texts of its other pages.",
        _ => "Fetches a page of this site by its parameters and returns what is on it.",
    };
    let mut description = description.to_owned();
    if number > 1 {
        let own: Vec<&str> =
            found.parameters.iter().map(|parameter| parameter.name.as_str()).filter(|name| !PAGING.contains(name)).collect();
        description.push_str(&[" Another one than the first, by ", &own.join(", "), "."].concat());
    }
    let title = [found.verb, " ", &text::replace(&found.slug, "_", " ")].concat();
    let mut letters = title.chars();
    let title = letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect();
    Tool {
        name,
        title,
        description,
        parameters: found.parameters,
        output_schema: None,
        annotations: Annotations { read_only: true, untrusted: true, consequential: false },
        source: Source::Action(found.action),
    }
}

/// The request that an action comes to with this (checked) input.
pub fn call(action: &Action, input: &Json<'_>) -> Outcome {
    let values: Vec<Option<&str>> = action
        .inputs
        .iter()
        .map(|filled| {
            let given = filled.parameter.as_deref().and_then(|name| input.get(name));
            match given {
                Some(Json::String(text) | Json::Number(text)) => Some(&**text),
                Some(Json::Bool(true)) => filled.checked.as_deref().or(Some("true")),
                Some(_) => None,
                None => filled.default.as_deref(),
            }
        })
        .collect();
    let refuse = |reason: &str| {
        let first = action.inputs.iter().find_map(|input| input.parameter.as_deref()).unwrap_or("");
        Outcome::Answer(call::error("invalid_parameter", &["'", first, "' ", reason].concat(), "Pass plain words."))
    };
    let url = match action.template.expand(&values) {
        Ok(url) => url,
        Err(reason) => return refuse(reason),
    };
    // The filled address must be where the template was allowed to go.
    if let Err(reason) = guard::destination(&url, &action.template.bare(), &[]) {
        return Outcome::Answer(call::error("destination_refused", &["The request was not made: ", reason, "."].concat(), ""));
    }
    let [offset, limit] = PAGING.map(|name| input.get(name).and_then(Json::as_usize));
    Outcome::Fetch { url, range: Range { offset: offset.unwrap_or(0), limit } }
}

/// Refused actions, the same refusal told once.
#[derive(Default)]
struct Skipped {
    reasons: Vec<(&'static str, String, usize)>,
    more: usize,
    unused: Vec<&'static str>,
}

impl Skipped {
    fn add(&mut self, kind: &'static str, reason: String) {
        let full = self.reasons.len() >= MAX_SKIPPED;
        match self.reasons.iter_mut().find(|(known, said, _)| *known == kind && *said == reason) {
            Some((_, _, count)) => *count += 1,
            None if full => self.more += 1,
            None => self.reasons.push((kind, reason, 1)),
        }
    }

    fn inputs(&mut self, kind: &'static str) {
        if !self.unused.contains(&kind) {
            self.unused.push(kind);
        }
    }

    fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut said: Vec<Diagnostic> = Vec::new();
        for (kind, reason, count) in self.reasons {
            let subject = if count > 1 {
                [&json::number(count), " times ", kind].concat()
            } else {
                [if kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "An " } else { "A " }, kind].concat()
            };
            let way = "To offer it to agents, register it with toolmark.defineTool().";
            said.push(Diagnostic::info("action-skipped", [&subject, " gives no tool: ", &reason, ". ", way].concat()));
        }
        if self.more > 0 {
            said.push(Diagnostic::info(
                "action-skipped",
                [&json::number(self.more), " more actions give no tools, for reasons like these."].concat(),
            ));
        }
        for kind in self.unused {
            let message = [
                "A ",
                kind,
                " declares an input that its URL template has no variable for; that input is left out. Use one name for both.",
            ];
            said.push(Diagnostic::info("action-input-unused", message.concat()));
        }
        said
    }
}
