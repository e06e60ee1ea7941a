//! From what was selected to tools: definitions an agent can choose among, each knowing what it answers from.

pub mod actions;
pub mod controls;
mod forms;
pub mod page;
pub mod pattern;
pub mod profiles;
mod read;
pub mod schema;

use alloc::{string::String, vec::Vec};

use crate::diagnostic::Diagnostic;
use crate::dom::Document;
use crate::graph::Graph;
use crate::json::Writer;
use crate::options::Options;
use crate::select::Selection;
use profiles::Profiles;
use schema::Parameter;

/// What a call does, as far as the agent's client must know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// It only reads.
    pub read_only: bool,
    /// What it returns was written by the page.
    pub untrusted: bool,
    /// It changes something that matters; the person confirms.
    pub consequential: bool,
}

/// What a tool answers from. Held by number and read at call time, so that a change of data changes no definition.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// One entity of the graph.
    Entity {
        /// Its number.
        entity: u32,
        /// Entities that stand alone on the page and are told with it, by the property that fits.
        parts: Vec<(&'static str, u32)>,
    },
    /// Several entities of one kind.
    List {
        /// Their numbers, in order.
        entities: Vec<u32>,
        /// The `ItemList` that names them.
        of: Option<u32>,
    },
    /// A vetted action of the page.
    Action(actions::Action),
    /// The page's outline, a section, a search in it.
    Page(page::PageTool),
    /// Elements that the site marked.
    Control(controls::Control),
}

impl Source {
    /// As in the public interface: `read`, `action`, `page`, `control`.
    pub fn kind(&self) -> &'static str {
        match self {
            Source::Entity { .. } | Source::List { .. } => "read",
            Source::Action(_) => "action",
            Source::Page(_) => "page",
            Source::Control(_) => "control",
        }
    }
}

/// A tool: its definition, and what it answers from.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// `[a-z0-9_]`, at most 64 characters.
    pub name: String,
    /// Two or three words for people.
    pub title: String,
    /// What it returns on this page and when to use it; our own words only.
    pub description: String,
    /// Its input, closed.
    pub parameters: Vec<Parameter>,
    /// JSON Schema of its answer, where the shape is known.
    pub output_schema: Option<String>,
    /// Hints for the agent's client.
    pub annotations: Annotations,
    /// What it answers from.
    pub source: Source,
}

impl Tool {
    /// Appends the definition: `{name, title, description, inputSchema, outputSchema?, annotations, source: {kind}}`.
    pub fn write(&self, out: &mut Writer) {
        out.object(|out| {
            out.field("name").string(&self.name);
            out.field("title").string(&self.title);
            out.field("description").string(&self.description);
            out.field("inputSchema");
            schema::write(&self.parameters, out);
            if let Some(schema) = &self.output_schema {
                out.field("outputSchema").raw(schema);
            }
            out.field("annotations").object(|out| {
                out.field("readOnlyHint").bool(self.annotations.read_only);
                out.field("untrustedContentHint").bool(self.annotations.untrusted);
                if self.annotations.consequential {
                    out.field("consequentialHint").bool(true);
                }
            });
            out.field("source").object(|out| {
                out.field("kind").string(self.source.kind());
                if let Source::Control(control) = &self.source {
                    for (name, on) in [("confirm", control.is_confirmed()), ("danger", control.is_dangerous())] {
                        if on {
                            out.field(name).bool(true);
                        }
                    }
                }
            });
        });
    }
}

/// All tools of a page, best first.
pub fn build(
    graph: &Graph,
    selection: &Selection,
    profiles: &mut Profiles,
    documents: &[Document],
    options: &Options,
) -> (Vec<Tool>, Vec<Diagnostic>) {
    let (mut tools, mut diagnostics) = read::build(graph, selection, profiles);
    if let Some(document) = documents.first().filter(|_| options.actions) {
        let (found, said) = actions::build(graph, document, options);
        tools.extend(found);
        diagnostics.extend(said);
    }
    let (found, said) = controls::build(documents, options);
    tools.extend(found);
    diagnostics.extend(said);
    tools.extend(page::build(options));
    (tools, diagnostics)
}
