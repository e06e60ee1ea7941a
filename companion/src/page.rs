//! A page without a browser: its HTML parsed as a browser parses it, mapped by the core.

use ego_tree::iter::Edge;
use scraper::{Html, Node, Selector};
use serde_json::{Map, Value, json};
use toolmark::call::{self, Outcome};
use toolmark::dom::{Builder, Document};
use toolmark::json::{self, Writer};
use toolmark::options::Options;
use toolmark::read::{outline, wasp};
use toolmark::results::{self, Body, Range};
use toolmark::tools::page::{self, PageTool};
use toolmark::tools::{Source, Tool};
use toolmark::{Mapping, graph};

/// Resolves as a browser does.
fn resolve(reference: &str, base: &str) -> Option<String> {
    url::Url::parse(base).ok()?.join(reference).ok().map(String::from)
}

/// The whole tree of `html` as if it had been loaded from `url`.
pub fn parse(html: &str, url: &str) -> Document {
    let parsed = Html::parse_document(html);
    let base = Selector::parse("base[href]").ok().and_then(|selector| {
        let element = parsed.select(&selector).next()?;
        resolve(element.attr("href").unwrap_or(""), url)
    });
    let mut builder = Builder::new(url, base.as_deref().unwrap_or(url), resolve);
    // Not recursive: pages nest as deep as they like.
    for edge in parsed.tree.root().traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Element(element) => {
                    builder.open(element.name(), &*element.name.ns == "http://www.w3.org/1999/xhtml");
                    element.attrs().for_each(|(name, value)| builder.attribute(name, value));
                }
                Node::Text(text) => builder.text(text),
                _ => {}
            },
            Edge::Close(node) if node.value().is_element() => builder.close(),
            Edge::Close(_) => {}
        }
    }
    builder.finish()
}

/// What the person who runs the companion chose.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Tools of one page at most.
    pub max_tools: usize,
    /// Offer what the page can do, not only what it says.
    pub actions: bool,
    /// Further destinations of actions.
    pub allow_hosts: Vec<String>,
}

impl Default for Choices {
    fn default() -> Self {
        Choices { max_tools: toolmark::options::MAX_TOOLS, actions: true, allow_hosts: Vec::new() }
    }
}

impl Choices {
    fn options(&self) -> Options {
        Options {
            max_tools: self.max_tools,
            actions: self.actions,
            allowed_hosts: self.allow_hosts.iter().map(|host| host.trim().to_ascii_lowercase()).collect(),
            // Nobody can press a button of a page that is only text.
            controls: false,
            ..Options::default()
        }
    }
}

/// What a call comes to.
#[derive(Debug, PartialEq)]
pub enum Reply {
    /// A JSON object, as text: a parser would respell its numbers.
    Answer(String),
    /// A request to make first; then [`Page::read_results`].
    Fetch {
        /// Vetted.
        url: String,
        /// Which results are wanted.
        offset: usize,
        /// 0: as many as make a short answer.
        limit: usize,
    },
}

/// A mapped page. It stays in the thread that made it (see `library`).
pub struct Page {
    /// Where it came from, after redirects.
    pub url: String,
    /// What it is made of.
    pub mapping: Mapping,
    /// Scripts are most of it: a browser would see more.
    pub needs_browser: bool,
}

fn to_value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

impl Page {
    /// Maps a page.
    pub fn new(html: &str, url: &str, choices: &Choices) -> Page {
        let document = parse(html, url);
        let mut mapping = toolmark::map(std::slice::from_ref(&document), &choices.options());
        let outline = outline::build(&document);
        let tokens: usize = outline.sections().iter().map(|section| section.tokens as usize).sum();
        let scripts = document.elements().filter(|element| element.name() == "script" && element.has("src")).count();
        mapping.outline = Some(outline);
        // A shell that scripts fill has next to no text of its own.
        let needs_browser = tokens < 100 && scripts > 0 && mapping.graph.entities.is_empty();
        Page { url: url.to_owned(), mapping, needs_browser }
    }

    /// Lets the site's own names for sections lead there too.
    pub fn adopt(&mut self, manifest: &str) {
        if let (Ok(Some(site)), Some(outline)) = (wasp::read(manifest, &self.url), &mut self.mapping.outline) {
            wasp::adopt(&site, outline, &mut self.mapping.meta);
        }
    }

    /// The definitions, best first.
    pub fn definitions(&self) -> Vec<Value> {
        self.mapping.tools.iter().map(definition).collect()
    }

    /// `{level, code, message}` of everything that was lost.
    pub fn diagnostics(&self) -> Vec<Value> {
        let mut found: Vec<Value> = self
            .mapping
            .diagnostics
            .iter()
            .map(|one| {
                let mut out = Writer::new();
                one.write(&mut out);
                to_value(&out.into_string())
            })
            .collect();
        if self.needs_browser {
            found.push(json!({ "level": "warn", "code": "needs-browser",
                "message": "The page has next to no text of its own; scripts fill it in. Use `toolmark connect --launch`, which sees what a browser shows." }));
        }
        found
    }

    /// Runs a tool.
    pub fn call(&self, tool: &str, input: &Value) -> Reply {
        let text = input.to_string();
        let parsed = match json::parse(&text) {
            Ok(parsed) => parsed.value,
            Err(_) => return Reply::Answer(failure("invalid_parameter", "The input is no JSON.", "").to_string()),
        };
        match call::run(&self.mapping, tool, &parsed) {
            Outcome::Answer(answer) => Reply::Answer(answer),
            Outcome::Fetch { url, range } => Reply::Fetch { url, offset: range.offset, limit: range.limit.unwrap_or(0) },
            Outcome::Act { .. } => {
                let refusal = failure("not_allowed", "This acts on the live page.", "Use `toolmark connect`, which works in a browser.");
                Reply::Answer(refusal.to_string())
            }
        }
    }

    /// What came back from a request that a call asked for.
    pub fn read_results(&self, text: &str, kind: Kind, url: &str, offset: usize, limit: usize) -> String {
        let range = Range { offset, limit: Some(limit).filter(|limit| *limit > 0) };
        let options = &self.mapping.options;
        match kind {
            Kind::Html => results::answer(&Body::Page(&parse(text, url)), url, range, options),
            Kind::Json => results::answer(&Body::Json(text), url, range, options),
            Kind::Text => results::answer(&Body::Text(text), url, range, options),
        }
    }

    /// One of the three tools that every page has, whether it is offered or not.
    pub fn page_tool(&self, tool: PageTool, input: &Value) -> String {
        let text = input.to_string();
        let (Some(outline), Ok(parsed)) = (&self.mapping.outline, json::parse(&text)) else {
            return failure("internal", "The page has no outline.", "").to_string();
        };
        page::answer(outline, &self.mapping.meta, tool, &parsed.value, &self.mapping.options)
    }

    /// The page's index in the format of the Web Agent Semantic Protocol.
    pub fn manifest(&self) -> Value {
        let mut out = Writer::new();
        if let Some(outline) = &self.mapping.outline {
            wasp::write(outline, &self.mapping.meta, &mut out);
        }
        to_value(&out.into_string())
    }

    /// The merged graph.
    pub fn entities(&self) -> Value {
        to_value(&graph::entities_json(&self.mapping.graph))
    }

    /// Every entity that has a type and every section: `(id, title, kind)`.
    pub fn resources(&self) -> Vec<Resource> {
        let mut found = Vec::new();
        let mut counts: Map<String, Value> = Map::new();
        let typed = self.mapping.graph.entities.iter().enumerate();
        for (at, entity) in typed {
            let Some(kind) = entity.types.first().filter(|kind| !kind.contains(':')) else { continue };
            let count = counts.get(&**kind).and_then(Value::as_u64).unwrap_or(0) + 1;
            counts.insert(kind.to_string(), count.into());
            // Numbered within its type: the place among all entities would move with anything that comes before.
            found.push(Resource {
                id: format!("entity/{}/{count}", kind.to_ascii_lowercase()),
                title: kind.to_string(),
                part: Part::Entity(at),
            });
        }
        for (at, section) in self.mapping.outline.iter().flat_map(|outline| outline.sections()).enumerate() {
            found.push(Resource {
                id: format!("section/{}", encode(&section.id)),
                title: format!("Section {}", at + 1),
                part: Part::Section(at),
            });
        }
        found
    }

    /// The content of a resource: media type and text.
    pub fn read(&self, part: Part) -> Option<(&'static str, String)> {
        match part {
            Part::Entity(at) => Some(("application/json", self.entities().get(at)?.to_string())),
            Part::Section(at) => {
                let outline = self.mapping.outline.as_ref()?;
                let ranges = outline.ranges(u32::try_from(at).ok()?, false);
                Some(("text/plain", ranges.into_iter().map(|(from, to)| outline.slice(from, to)).collect()))
            }
        }
    }

    /// A short word that this page surely has, to try a search with.
    pub fn likely_word(&self) -> Option<String> {
        let meta = &self.mapping.meta;
        let words = |text: &str| -> Option<String> {
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 4).map(str::to_owned).next()
        };
        words(&meta.title).or_else(|| words(&meta.description))
    }

    /// The tool with this name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.mapping.tools.iter().find(|tool| tool.name == name)
    }
}

/// A part of a page that can be read by its address.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// `entity/product/1`, `section/reviews`; safe in a URL.
    pub id: String,
    /// Our own words.
    pub title: String,
    /// What it is.
    pub part: Part,
}

/// Which part of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// By its number in the graph.
    Entity(usize),
    /// By its number in the outline.
    Section(usize),
}

/// What a fetched text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A page.
    Html,
    /// Data.
    Json,
    /// Anything else that can be read.
    Text,
}

/// A definition as the core writes it, with `source.kind`.
pub fn definition(tool: &Tool) -> Value {
    let mut out = Writer::new();
    tool.write(&mut out);
    to_value(&out.into_string())
}

/// An error result as the core writes it.
pub fn failure(code: &str, message: &str, hint: &str) -> Value {
    to_value(&call::error(code, message, hint))
}

/// The host of an address as it stands in one of ours.
pub fn host(url: &str) -> String {
    url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| "file".to_owned())
}

/// A tool that answers without being asked for anything.
pub fn reads_freely(tool: &Tool) -> bool {
    matches!(tool.source, Source::Entity { .. } | Source::List { .. } | Source::Page(_))
        && !tool.parameters.iter().any(|parameter| parameter.required)
}

/// Percent-encodes what does not belong in a path segment.
pub fn encode(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
