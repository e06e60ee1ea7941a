//! Toolmark: a page's own Schema.org markup, outline and safe actions, as tools for agents.
//!
//! One direction, values in, values out; no stage can fail on a page, each says what it lost:
//!
//! ```text
//! dom::Document → read → graph → select → tools → guard → (register, in js/) → call → Outcome
//! ```

#![warn(missing_docs)]
#![cfg_attr(all(feature = "lean", target_arch = "wasm32"), no_std)]

extern crate alloc;

#[cfg(feature = "browser")]
pub mod browser;
pub mod call;
pub mod diagnostic;
pub mod dom;
pub mod graph;
pub mod guard;
pub mod json;
pub mod options;
mod order;
pub mod read;
pub mod render;
pub mod results;
pub mod search;
pub mod select;
pub mod text;
pub mod text_index;
pub mod tools;
pub mod url_template;
pub mod vocabulary;

use alloc::vec::Vec;

/// A page, mapped: what calls are answered from until the page changes.
#[derive(Default)]
pub struct Mapping {
    /// The merged graph.
    pub graph: graph::Graph,
    /// What the page says of itself.
    pub meta: read::meta::Meta,
    /// The index of the page's text, once a page tool was called: the edge builds it from a full snapshot
    /// (`read::outline::build`) before it runs a tool whose source is `Source::Page`, and keeps it as long as nothing
    /// happens on the page.
    pub outline: Option<read::outline::Outline>,
    /// What the site chose; calls obey its limits too.
    pub options: options::Options,
    /// What an agent is offered, best first.
    pub tools: Vec<tools::Tool>,
    /// What was lost, repaired or left out, and why.
    pub diagnostics: Vec<diagnostic::Diagnostic>,
}

/// Maps a page.
pub fn map(documents: &[dom::Document], options: &options::Options) -> Mapping {
    map_again(documents, options, &mut read::json_ld::Known::default())
}

/// Maps a page of which something is `known` from last time, with the same options: the whole flow.
pub fn map_again(documents: &[dom::Document], options: &options::Options, known: &mut read::json_ld::Known) -> Mapping {
    let (mut page, mut diagnostics) = read::page_again(documents, options, known);
    let (graph, found) = graph::build(page.nodes);
    diagnostics.extend(found);
    let (mut profiles, found) = tools::profiles::Profiles::new(options);
    diagnostics.extend(found);
    let selection = select::choose(&graph, &page.meta, &mut profiles);
    tools::page::complete(&mut page.meta, &graph, selection.main);
    let (tools, found) = tools::build(&graph, &selection, &mut profiles, documents, options);
    diagnostics.extend(found);
    let (tools, found) = guard::check(tools, options);
    diagnostics.extend(found);
    Mapping { graph, meta: page.meta, outline: None, options: options.clone(), tools, diagnostics }
}
