//! One call of a tool: its input checked, then an answer, or what the edge must do to get one.

use alloc::string::String;

use crate::Mapping;
use crate::json::{Json, Writer};

/// What a call comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The answer, a JSON object as text.
    Answer(String),
    /// A request that the edge makes, then hands what came back to the call again.
    Fetch {
        /// Vetted, absolute.
        url: String,
    },
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

/// Runs a tool by name.
pub fn run(_mapping: &Mapping, name: &str, _input: &Json<'_>) -> Outcome {
    Outcome::Answer(error("not_found", &["There is no tool '", name, "' on this page."].concat(), ""))
}
