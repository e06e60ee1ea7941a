//! From nodes to entities: one thing is one entity, however often and in whatever syntax the page describes it.

mod assemble;
mod facts;
mod groups;
mod same;
mod spelling;
mod twins;

use alloc::{rc::Rc, string::String, vec::Vec};

use crate::diagnostic::Diagnostic;
use crate::json::{self, Writer};
use crate::read::{Format, Node, Property, Value};
use crate::text_index::TextIndex;
use groups::Groups;

/// A thing that the page is about, or that such a thing refers to.
#[derive(Clone, Debug)]
pub struct Entity {
    /// The absolute IRI that names it, if it has one that is no blank label.
    pub id: Option<Rc<str>>,
    /// Types that Schema.org knows as bare names in its spelling, most specific first; then all others as full
    /// IRIs. So a bare name here is never the page's own word.
    pub types: Vec<Rc<str>>,
    /// Merged properties, superseded names replaced; [`Value::Node`] holds the number of an entity.
    pub properties: Vec<Property>,
    /// The syntaxes that describe it.
    pub formats: Vec<Format>,
    /// Entities that have it as a value, each once.
    pub referrers: Vec<u32>,
    /// The element that describes it first: the number of its snapshot and its own there.
    pub element: (u32, u32),
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

    /// Something shows that two entities of one name are two things: another address, number, colour, date, price.
    pub fn are_apart(&self, a: u32, b: u32) -> bool {
        let things = self.entities.as_slice();
        let traits = facts::Traits::new();
        let facts = |entity: u32| {
            let mut facts = Vec::new();
            traits.collect(&things, entity, &mut facts);
            facts.retain(|fact| fact.weight != facts::Weight::Soft || facts::is_price(fact));
            facts
        };
        facts::contradict(&facts(a), &facts(b), true, false)
    }
}

/// Merges nodes into entities: equal ids, then twins without ids (same type and name, and the same URL, SKU, GTIN
/// or price, or nothing that sets them apart).
pub fn build(mut nodes: Vec<Node>) -> (Graph, Vec<Diagnostic>) {
    spelling::correct(&mut nodes);
    let mut groups = Groups::new(nodes.len());
    let ids = unite_ids(&nodes, &mut groups);
    link(&mut nodes, &ids);
    twins::unite(&nodes, &mut groups);
    (assemble::entities(nodes, &groups), Vec::new())
}

/// A node that only has an id, or nothing at all, describes nothing.
fn is_described(node: &Node) -> bool {
    !node.types.is_empty() || !node.properties.is_empty()
}

/// The node's id, unless it is a label that means something only inside its block.
fn real_id(node: &Node) -> Option<&Rc<str>> {
    node.id.as_ref().filter(|id| !id.starts_with("_:"))
}

/// Nodes of one id are one thing. Returns the first described node of each id.
fn unite_ids(nodes: &[Node], groups: &mut Groups) -> TextIndex {
    let mut ids = TextIndex::new();
    for (number, node) in (0..).zip(nodes).filter(|(_, node)| is_described(node)) {
        if let Some(first) = node.id.as_ref().and_then(|id| ids.insert(id, number)) {
            groups.unite(first, number);
        }
    }
    // What only has an id stands for what is described under it.
    for (number, node) in (0..).zip(nodes).filter(|(_, node)| !is_described(node)) {
        if let Some(first) = node.id.as_ref().and_then(|id| ids.get(id)) {
            groups.unite(first, number);
        }
    }
    ids
}

/// References to what the page describes become nodes; so do URLs and texts that are such a thing's id, where the
/// property's value is a thing and not its address.
fn link(nodes: &mut [Node], ids: &TextIndex) {
    for node in nodes {
        let own = node.id.clone();
        for property in &mut node.properties {
            let is_address = matches!(&*property.name, "url" | "sameAs" | "mainEntityOfPage" | "identifier" | "name");
            for value in &mut property.values {
                let iri = match value {
                    Value::Reference(iri) => iri,
                    Value::Url(iri) | Value::Text { text: iri, .. } if !is_address && own.as_ref() != Some(iri) => iri,
                    _ => continue,
                };
                if let Some(number) = ids.get(iri) {
                    *value = Value::Node(number);
                }
            }
        }
    }
}

/// All entities for inspection: `[{"id", "types", "props", "formats", "element"}]`. One without an IRI is named by its number.
pub fn entities_json(graph: &Graph) -> String {
    let id = |index: u32| match graph.entity(index).and_then(|entity| entity.id.as_deref()) {
        Some(id) => id.into(),
        None => ["_:e", &json::number(index as usize)].concat(),
    };
    let mut out = Writer::new();
    out.array(|out| {
        for (index, entity) in graph.entities.iter().enumerate() {
            out.object(|out| {
                out.field("id").string(&id(index as u32));
                out.field("types").array(|out| entity.types.iter().for_each(|name| out.string(name)));
                out.field("props").object(|out| {
                    for property in &entity.properties {
                        out.field(&property.name).array(|out| property.values.iter().for_each(|value| write_value(value, &id, out)));
                    }
                });
                out.field("formats").array(|out| entity.formats.iter().for_each(|format| out.string(format.name())));
                out.field("element")
                    .array(|out| [entity.element.0, entity.element.1].iter().for_each(|number| out.number(*number as usize)));
            });
        }
    });
    out.into_string()
}

fn write_value(value: &Value, id: &dyn Fn(u32) -> String, out: &mut Writer) {
    match value {
        Value::Text { text, .. } | Value::Url(text) => out.string(text),
        Value::Number(digits) => out.raw(digits),
        Value::Boolean(truth) => out.bool(*truth),
        Value::Reference(iri) => out.object(|out| out.field("id").string(iri)),
        Value::Node(index) => out.object(|out| out.field("id").string(&id(*index))),
    }
}

#[cfg(test)]
mod tests;
