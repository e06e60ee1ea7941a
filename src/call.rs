//! One call of a tool: its input checked, then an answer, or what the edge must do to get one.

use alloc::{string::String, vec::Vec};

use crate::Mapping;
use crate::json::{Json, Writer};
use crate::render;
use crate::results::Range;
use crate::tools::{Source, actions, controls, page, schema};

/// What a call comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The answer, a JSON object as text.
    Answer(String),
    /// A request that the edge makes, then hands what came back to the call again.
    Fetch {
        /// Vetted, absolute.
        url: String,
        /// Which results of the answer are wanted.
        range: Range,
    },
    /// Something to do on the page, or to look up there, as a plan (see `tools::controls`); what the edge reports
    /// back becomes the answer.
    Act {
        /// JSON.
        plan: String,
    },
}

impl Outcome {
    /// Appends what the edge gets: `{"answer": …}`, `{"fetch": {url, offset, limit}}` or `{"act": …}`.
    pub fn write(&self, out: &mut Writer) {
        out.object(|out| match self {
            Outcome::Answer(answer) => out.field("answer").raw(answer),
            Outcome::Fetch { url, range } => out.field("fetch").object(|out| {
                out.field("url").string(url);
                out.field("offset").number(range.offset);
                out.field("limit").number(range.limit.unwrap_or(0));
            }),
            Outcome::Act { plan } => out.field("act").raw(plan),
        });
    }
}

/// Why a call failed, in terms an agent can act on (design, section 4).
pub fn error(code: &str, message: &str, hint: &str) -> String {
    let mut out = Writer::new();
    out.object(|out| {
        out.field("error").object(|out| {
            out.field("code").string(code);
            out.field("message").string(message);
            if !hint.is_empty() {
                out.field("hint").string(hint);
            }
        });
    });
    out.into_string()
}

/// Runs a tool by name: its input is checked first, then what it answers from decides who answers.
pub fn run(mapping: &Mapping, name: &str, input: &Json<'_>) -> Outcome {
    let Some(tool) = mapping.tools.iter().find(|tool| tool.name == name) else {
        let names: Vec<&str> = mapping.tools.iter().map(|tool| tool.name.as_str()).collect();
        let hint = if names.is_empty() { "This page has no tools.".into() } else { ["Tools: ", &names.join(", "), "."].concat() };
        return Outcome::Answer(error("not_found", &["There is no tool '", &schema::shown(name), "' on this page."].concat(), &hint));
    };
    let input = match schema::check(&tool.parameters, input) {
        Ok(input) => input,
        Err(refusal) => return Outcome::Answer(error(refusal.code, &refusal.message, &refusal.hint)),
    };
    match &tool.source {
        Source::Action(action) => actions::call(action, &input),
        Source::Page(tool) => match &mapping.outline {
            Some(outline) => Outcome::Answer(page::answer(outline, &mapping.meta, *tool, &input, &mapping.options)),
            None => Outcome::Answer(error("internal", "The page's outline was not built.", "")),
        },
        Source::Entity { .. } | Source::List { .. } => Outcome::Answer(render::answer(mapping, tool, &input)),
        Source::Control(control) => controls::call(tool, control, &mapping.tools, &input),
    }
}
