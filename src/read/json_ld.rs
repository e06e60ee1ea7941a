//! Placeholder until the reader lands.

use alloc::vec::Vec;

use super::Node;
use crate::diagnostic::Diagnostic;
use crate::dom::Document;
use crate::options::Options;

/// Appends the nodes of this syntax in document order.
pub fn read(_document: &Document, _options: &Options, _nodes: &mut Vec<Node>, _diagnostics: &mut Vec<Diagnostic>) {}
