//! From nodes to entities: one thing is one entity, however often and in whatever syntax the page describes it.

use alloc::{rc::Rc, vec::Vec};

use crate::diagnostic::Diagnostic;
use crate::read::{Format, Node, Property, Value};

/// A thing that the page is about, or that such a thing refers to.
#[derive(Clone, Debug)]
pub struct Entity {
    /// The absolute IRI that names it, if it has one that is no blank label.
    pub id: Option<Rc<str>>,
    /// Schema.org types as bare names, most specific first; other vocabularies' types as full IRIs after them.
    pub types: Vec<Rc<str>>,
    /// Merged properties; [`Value::Node`] holds the number of an entity.
    pub properties: Vec<Property>,
    /// The syntaxes that describe it.
    pub formats: Vec<Format>,
    /// Entities that have it as a value, each once.
    pub referrers: Vec<u32>,
    /// The element that describes it first.
    pub element: u32,
}

impl Entity {
    /// The values of a property; empty where it has none.
    pub fn values(&self, name: &str) -> &[Value] {
        self.properties.iter().find(|property| &*property.name == name).map_or(&[], |property| &property.values)
    }
}

/// All entities of a page, in order of first description.
#[derive(Default)]
pub struct Graph {
    /// Entities refer to each other by their place in this list.
    pub entities: Vec<Entity>,
}

impl Graph {
    /// The entity with this number.
    pub fn entity(&self, index: u32) -> Option<&Entity> {
        self.entities.get(index as usize)
    }
}

/// Merges nodes into entities: equal ids, then twins without ids (same type and name, and the same URL, SKU, GTIN or price).
pub fn build(nodes: Vec<Node>) -> (Graph, Vec<Diagnostic>) {
    let _ = nodes;
    (Graph::default(), Vec::new())
}
