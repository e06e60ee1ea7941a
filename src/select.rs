//! What a page is about, and which of its entities deserve a tool.

use alloc::vec::Vec;

use crate::graph::Graph;
use crate::read::meta::Meta;

/// The entities that get tools, in order of worth.
#[derive(Default, Debug)]
pub struct Selection {
    /// What the page is about.
    pub main: Option<u32>,
    /// Groups of entities of one kind that are content: search results, events, reviews.
    pub lists: Vec<Vec<u32>>,
    /// The few others that are worth asking for.
    pub others: Vec<u32>,
}

/// Chooses. Never fails: a page without content gives an empty selection.
pub fn choose(_graph: &Graph, _meta: &Meta) -> Selection {
    Selection::default()
}
