//! Actions that a page declares, vetted, and its search form.

use alloc::{string::String, vec::Vec};

use super::Tool;
use crate::call::Outcome;
use crate::diagnostic::Diagnostic;
use crate::dom::Document;
use crate::graph::Graph;
use crate::json::Json;
use crate::options::Options;

/// A vetted action: where its request goes once the template is filled.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// The absolute URL template.
    pub template: String,
    /// Which parameter fills which variable: `(variable, parameter)`.
    pub variables: Vec<(String, String)>,
}

/// Tools for the page's actions, or for its search form where no action gives a search.
pub fn build(_graph: &Graph, _document: &Document, _options: &Options) -> (Vec<Tool>, Vec<Diagnostic>) {
    (Vec::new(), Vec::new())
}

/// The request that an action comes to with this (checked) input.
pub fn call(action: &Action, _input: &Json<'_>) -> Outcome {
    Outcome::Fetch { url: action.template.clone() }
}
