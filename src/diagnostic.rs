//! What a stage has to say about a page: every loss has a code, a level and a sentence that says what to do.

use alloc::string::String;

use crate::json::Writer;

/// How much a diagnostic matters to the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Worth knowing; nothing is lost.
    Info,
    /// Something of the page is lost or was repaired.
    Warn,
    /// Toolmark itself could not do its work.
    Error,
}

/// One finding about a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub level: Level,
    /// A stable name in kebab case, e.g. `json-parse-error`.
    pub code: &'static str,
    /// One or two sentences: what happened, to what, what to do.
    pub message: String,
}

impl Diagnostic {
    /// A finding that costs nothing.
    pub fn info(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { level: Level::Info, code, message: message.into() }
    }

    /// A finding that costs the page something.
    pub fn warn(code: &'static str, message: impl Into<String>) -> Self {
        Diagnostic { level: Level::Warn, code, message: message.into() }
    }

    /// Appends `{"level", "code", "message"}`.
    pub fn write(&self, out: &mut Writer) {
        let level = match self.level {
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        };
        out.object(|out| {
            out.field("level").string(level);
            out.field("code").string(self.code);
            out.field("message").string(&self.message);
        });
    }
}
