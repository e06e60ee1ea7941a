//! From groups of nodes to entities.

use alloc::{rc::Rc, string::String, vec::Vec};

use super::groups::Groups;
use super::{Entity, Graph, is_described, real_id, same, spelling};
use crate::read::{Node, Property, Value};
use crate::text_index::TextIndex;

const NONE: u32 = u32::MAX;

/// One entity for each group that describes something.
pub fn entities(nodes: Vec<Node>, groups: &Groups) -> Graph {
    let mut numbers = alloc::vec![NONE; nodes.len()];
    let mut descriptions: Vec<Vec<u32>> = Vec::new();
    for (node, _) in (0..).zip(&nodes).filter(|(_, node)| is_described(node)) {
        let root = groups.root(node) as usize;
        let number = numbers.get(root).copied().filter(|number| *number != NONE).unwrap_or(descriptions.len() as u32);
        match descriptions.get_mut(number as usize) {
            Some(members) => members.push(node),
            None => descriptions.push(alloc::vec![node]),
        }
        if let Some(place) = numbers.get_mut(root) {
            *place = number;
        }
    }
    let number_of = |node: u32| numbers.get(groups.root(node) as usize).copied().unwrap_or(NONE);
    let ids: Vec<Option<Rc<str>>> = nodes.iter().map(|node| real_id(node).cloned()).collect();
    // From here on a node is taken once, so that its values can be moved.
    let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
    let mut merger = Merger::default();
    let mut entities = Vec::with_capacity(descriptions.len());
    for members in descriptions {
        let members: Vec<Node> = members.iter().filter_map(|member| nodes.get_mut(*member as usize).and_then(Option::take)).collect();
        entities.push(merger.merge(members, |node| match number_of(node) {
            NONE => ids.get(node as usize).cloned().flatten().map(Value::Reference),
            number => Some(Value::Node(number)),
        }));
    }
    let mut graph = Graph { entities };
    drop_named_twice(&mut graph);
    refer(&mut graph);
    graph
}

/// Scratch space that lasts for the whole page.
#[derive(Default)]
struct Merger {
    names: TextIndex,
    /// For each property name: the entity that used it last, and its place there.
    places: Vec<(u32, usize)>,
    /// For each entity: the last list that holds it.
    listed: Vec<u32>,
    entity: u32,
    list: u32,
}

impl Merger {
    fn merge(&mut self, members: Vec<Node>, resolve: impl Fn(u32) -> Option<Value>) -> Entity {
        self.entity += 1;
        let mut entity =
            Entity { id: None, types: Vec::new(), properties: Vec::new(), formats: Vec::new(), referrers: Vec::new(), element: (0, 0) };
        entity.element = members.first().map_or((0, 0), |member| (member.document, member.element));
        let alone = members.len() == 1;
        // Which description said what first: property, value → description.
        let mut said = Said::default();
        for (description, member) in (0..).zip(members) {
            if entity.id.is_none() {
                entity.id = real_id(&member).cloned();
            }
            if !entity.formats.contains(&member.format) {
                entity.formats.push(member.format);
            }
            entity.types.extend(member.types);
            for property in member.properties {
                let place = self.place(&property.name, entity.properties.len());
                if place == entity.properties.len() {
                    entity.properties.push(Property { name: property.name.clone(), values: Vec::new() });
                }
                let Some(merged) = entity.properties.get_mut(place) else { continue };
                for value in property.values {
                    let value = match value {
                        Value::Node(node) => resolve(node),
                        other => Some(other),
                    };
                    if let Some(value) = value
                        && (alone || !said.before(description, place, merged, &value))
                    {
                        merged.values.push(value);
                    }
                }
            }
        }
        for property in &mut entity.properties {
            self.once(&mut property.values);
        }
        entity.properties.retain(|property| !property.values.is_empty());
        spelling::sort(&mut entity.types);
        entity.types = same::shrink(entity.types);
        entity
    }

    /// Where this entity has the property, or `end` where it is new.
    fn place(&mut self, name: &str, end: usize) -> usize {
        let number = self.names.insert(name, self.places.len() as u32).unwrap_or_else(|| {
            self.places.push((0, 0));
            self.places.len() as u32 - 1
        });
        let Some(place) = self.places.get_mut(number as usize) else { return end };
        if place.0 != self.entity {
            *place = (self.entity, end);
        }
        place.1
    }

    /// A thing is a value of a property once.
    fn once(&mut self, values: &mut Vec<Value>) {
        if values.len() < 2 {
            return;
        }
        self.list += 1;
        let (listed, list) = (&mut self.listed, self.list);
        values.retain(|value| {
            let Value::Node(number) = value else { return true };
            let number = *number as usize;
            if listed.len() <= number {
                listed.resize(number + 1, 0);
            }
            listed.get_mut(number).is_some_and(|last| core::mem::replace(last, list) != list)
        });
    }
}

/// What the descriptions of one entity said so far.
#[derive(Default)]
struct Said {
    index: TextIndex,
    /// For each entry of the index: the description, and the place of the value in its property.
    values: Vec<(u32, usize)>,
    key: String,
}

impl Said {
    /// An earlier description gave this value. Repeats within one description are meant.
    fn before(&mut self, description: u32, place: usize, property: &mut Property, value: &Value) -> bool {
        let Some(key) = same::key(&property.name, value) else { return false };
        self.key.clear();
        crate::json::push_number(&mut self.key, place);
        self.key.push(' ');
        self.key.push_str(&key);
        let number = self.index.insert(&self.key, self.values.len() as u32);
        let Some((by, at)) = number.and_then(|number| self.values.get(number as usize)).copied() else {
            self.values.push((description, property.values.len()));
            return false;
        };
        if by == description {
            return false;
        }
        // A day and later the same day with its hour: the fuller one stays.
        let fuller = |old: &Value| matches!((same::literal(old), same::literal(value)), (Some(old), Some(new)) if new.len() > old.len() && new.starts_with(old) && same::day(old) == Some(old));
        if let Some(old) = property.values.get_mut(at).filter(|old| fuller(old)) {
            *old = value.clone();
        }
        true
    }
}

/// A text beside a thing of that name says nothing new, nor does a URL beside the thing that it leads to.
fn drop_named_twice(graph: &mut Graph) {
    let is_mixed = |property: &Property| {
        let things = property.values.iter().filter(|value| matches!(value, Value::Node(_))).count();
        // A thing's own name and address are what others are compared with.
        let is_own = matches!(&*property.name, "name" | "url" | "contentUrl");
        things > 0 && things < property.values.len() && !is_own
    };
    for number in 0..graph.entities.len() {
        let count = graph.entities.get(number).map_or(0, |entity| entity.properties.len());
        for place in 0..count {
            let Some(property) = graph.entities.get(number).and_then(|entity| entity.properties.get(place)) else { continue };
            if !is_mixed(property) {
                continue;
            }
            let mut names = TextIndex::new();
            for value in &property.values {
                let Value::Node(thing) = value else { continue };
                let Some(thing) = graph.entity(*thing) else { continue };
                let named = ["name", "url", "contentUrl"].iter().flat_map(|name| thing.values(name));
                for name in named.filter_map(same::literal).chain(thing.id.as_deref()).filter_map(same::name) {
                    names.insert(&name, 0);
                }
            }
            let keep: Vec<bool> = property
                .values
                .iter()
                .map(|value| same::literal(value).and_then(same::name).is_none_or(|name| names.get(&name).is_none()))
                .collect();
            if let Some(property) = graph.entities.get_mut(number).and_then(|entity| entity.properties.get_mut(place)) {
                let mut keep = keep.into_iter();
                property.values.retain(|_| keep.next().unwrap_or(true));
            }
        }
    }
}

/// Tells every entity who refers to it.
fn refer(graph: &mut Graph) {
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (number, entity) in (0..).zip(&graph.entities) {
        let values = entity.properties.iter().flat_map(|property| &property.values);
        pairs.extend(values.filter_map(|value| if let Value::Node(thing) = value { Some((*thing, number)) } else { None }));
    }
    for (thing, by) in pairs {
        if let Some(entity) = graph.entities.get_mut(thing as usize)
            && entity.referrers.last() != Some(&by)
        {
            entity.referrers.push(by);
        }
    }
}
