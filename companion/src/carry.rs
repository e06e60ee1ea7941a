//! What pages of a browser offer, carried to MCP clients: the pages, where they come from ([`Source`]), and the face
//! that clients see ([`Carry`]). Everything of a page is foreign: it is cleaned and capped on its way in, here.

mod face;
mod foreign;
mod names;
mod part;
mod result;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::{broadcast, watch};

pub use face::Carry;
pub use foreign::line;
/// What a page says about its tool.
pub use toolmark::tools::Annotations;

use crate::mcp::Boxed;

/// Tools of one page that are carried. No agent chooses among more, and a page can register them without end.
pub const MAX_TOOLS: usize = 1_000;
/// Resources of one page, and prompts.
pub const MAX_OFFERS: usize = 200;
/// Pages that one source holds: tabs and their frames.
pub const MAX_PAGES: usize = 200;

/// A document of a browser and what it offers. One that shows another document is another page with the same id.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// For agents; stays when the tab shows another document. No two sources give out the same: `tab-1`, `relay-1`.
    pub id: String,
    /// As the browser has it, never as the page says it: `https://shop.example`.
    pub origin: String,
    /// Its address.
    pub url: String,
    /// The page's own words.
    pub title: String,
    /// Tools, in the page's order.
    pub tools: Vec<Tool>,
    /// What can be read.
    pub resources: Vec<Resource>,
    /// Prompts for the person to choose.
    pub prompts: Vec<Prompt>,
    /// What was left out, in words.
    pub notes: Vec<String>,
}

/// A tool of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// As the page knows it.
    pub name: String,
    /// May be empty.
    pub title: String,
    /// The page's own words, cleaned.
    pub description: String,
    /// Of type `object`.
    pub input_schema: Value,
    /// What it does to the world.
    pub annotations: Annotations,
}

/// Something of a page that can be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// As the page knows it.
    pub name: String,
    /// May be empty.
    pub title: String,
    /// May be empty.
    pub description: String,
    /// May be empty.
    pub mime_type: String,
}

/// A prompt of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// As the page knows it.
    pub name: String,
    /// May be empty.
    pub title: String,
    /// May be empty.
    pub description: String,
    /// `{name, description, required}`.
    pub arguments: Vec<Value>,
}

/// Why something did not happen, in terms that an agent can act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// `not_found`, `gone`, `timeout`, `tool_failed`, …
    pub code: &'static str,
    /// What happened, to what.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Failure {
    /// One of these.
    pub fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure { code, message: message.into(), hint: hint.into() }
    }

    /// `{error: {code, message, hint}}`.
    pub fn to_value(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message, "hint": self.hint } })
    }
}

/// What carries pages: the tabs of a browser, pages that connect.
pub trait Source: Send + Sync + 'static {
    /// What is there now, oldest first. Asked often.
    fn pages(&self) -> Vec<Arc<Page>>;

    /// Waits until what was there at the start is known; not for long.
    fn ready(&self) -> Boxed<'_, ()> {
        Box::pin(async {})
    }

    /// Why there is less than there could be, in words: the browser is not there, tabs are left out.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// Calls a tool, by the page's id and the page's name for it. The answer is what the tool returned: an MCP result
    /// `{content: […]}`, any other value, or text. Whoever drops the future cancels the call, in the page too. How long
    /// a call may take is not the source's business ([`Carry`] drops it).
    fn call<'a>(&'a self, page: &'a str, tool: &'a str, input: Value) -> Boxed<'a, Result<Value, Failure>>;

    /// Reads a resource: text, `{text | blob, mimeType}`, or any other value.
    fn read<'a>(&'a self, page: &'a str, resource: &'a str) -> Boxed<'a, Result<Value, Failure>>;

    /// Asks for a prompt: text, or `{messages: [{role, content}]}`.
    fn prompt<'a>(&'a self, page: &'a str, prompt: &'a str, input: Value) -> Boxed<'a, Result<Value, Failure>>;

    /// Moves whenever [`Source::pages`] would answer differently.
    fn changes(&self) -> watch::Receiver<u64>;

    /// `(page, resource)` whose content is another one now.
    fn updates(&self) -> broadcast::Receiver<(String, String)>;
}
