//! Twins: the same thing described again without its id, in another syntax or another block.
//!
//! Two different things must never become one, so every union needs evidence (an equal identity, or being the only
//! candidates) and the absence of anything that sets them apart.

use alloc::{rc::Rc, string::String, vec::Vec};

use super::facts::{self, Fact, Traits, Weight};
use super::groups::Groups;
use super::{is_described, real_id, same, spelling};
use crate::order;
use crate::read::{Node, Value};
use crate::text;
use crate::text_index::TextIndex;
use crate::vocabulary::{ancestors, depth, is_a};

/// Things of one name and kind that are looked at in pairs. Among more than that nobody could tell which are twins.
const MAX_ALIKE: usize = 16;

/// Things of one name and identity that something else sets apart, as variants of a product: as many are compared
/// with each further one.
const MAX_HOLDERS: usize = 8;

/// What a page has one of.
const PAGE_LEVEL: [&str; 5] = ["FAQPage", "QAPage", "WebPage", "WebSite", "BreadcrumbList"];

/// Makes one of what is evidently one thing.
pub fn unite(nodes: &[Node], groups: &mut Groups) {
    let described = |number: u32| nodes.get(number as usize).is_some_and(is_described);
    let count = nodes.len() as u32;
    let mut twins =
        Twins { nodes, traits: Traits::new(), known: (0..count).map(|_| None).collect(), families: Families::default(), groups };
    let roots =
        |twins: &Twins<'_>| -> Vec<u32> { (0..count).filter(|node| twins.groups.root(*node) == *node && described(*node)).collect() };
    let described_again = (0..count).map(|node| twins.groups.root(node)).zip(0..).filter(|(root, node)| root != node).map(|(root, _)| root);
    let described_again: Vec<u32> = described_again.collect();
    twins.unite_parts(described_again);
    let all = roots(&twins);
    let mut grown = Vec::new();
    for alike in twins.named(&all) {
        twins.unite_identical(&alike, &mut grown);
        twins.unite_only_pair(&alike, &mut grown);
    }
    for (place, found) in twins.of_page(&all).into_iter().enumerate() {
        twins.unite_page_level(found, PAGE_LEVEL.get(place) == Some(&"BreadcrumbList"), &mut grown);
    }
    twins.unite_parts(grown);
}

/// How sure it is that two things are one, before looking at what sets them apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// Same kind, same name, and an equal identity.
    Identity,
    /// Same kind and name, and no other candidate.
    OnlyPair,
    /// Values of one property of one thing which have something in common.
    SamePlace,
    /// The only values of one property of one thing.
    OnlyValue,
}

/// What is known of a group.
struct Known {
    facts: Vec<Fact>,
    types: Vec<Rc<str>>,
    id: Option<Rc<str>>,
    /// A bit for each syntax.
    formats: u8,
}

struct Twins<'n> {
    nodes: &'n [Node],
    groups: &'n mut Groups,
    traits: Traits,
    /// By root, as far as asked for.
    known: Vec<Option<Known>>,
    families: Families,
}

impl<'n> Twins<'n> {
    fn node(&self, number: u32) -> Option<&'n Node> {
        self.nodes.get(number as usize)
    }

    /// Learns what is known of the group of `root`.
    fn learn(&mut self, root: u32) {
        if self.known.get(root as usize).is_none_or(Option::is_some) {
            return;
        }
        let mut known = Known { facts: Vec::new(), types: Vec::new(), id: None, formats: 0 };
        for member in self.groups.members(root) {
            let Some(node) = self.node(member) else { continue };
            self.traits.collect(&self.nodes, member, &mut known.facts);
            known.types.extend(node.types.iter().cloned());
            known.id = known.id.or_else(|| real_id(node).cloned());
            known.formats |= 1 << node.format as u8;
        }
        spelling::sort(&mut known.types);
        if let Some(place) = self.known.get_mut(root as usize) {
            *place = Some(known);
        }
    }

    fn known(&self, root: u32) -> Option<&Known> {
        self.known.get(root as usize).and_then(Option::as_ref)
    }

    /// Unites two groups if that is sure. The answer is the root of what they are then.
    fn try_unite(&mut self, a: u32, b: u32, evidence: Evidence) -> Option<u32> {
        let (a, b) = (self.groups.root(a), self.groups.root(b));
        self.learn(a);
        self.learn(b);
        if a == b || !are_one(self.known(a)?, self.known(b)?, evidence) {
            return None;
        }
        self.groups.unite(a, b);
        let (root, other) = (a.min(b), a.max(b));
        let other = self.known.get_mut(other as usize).and_then(Option::take)?;
        let known = self.known.get_mut(root as usize).and_then(Option::as_mut)?;
        other.facts.into_iter().for_each(|fact| facts::push(&mut known.facts, fact));
        known.types.extend(other.types);
        spelling::sort(&mut known.types);
        known.id = known.id.take().or(other.id);
        known.formats |= other.formats;
        Some(root)
    }

    /// Groups of one kind and one name, two or more of each.
    fn named(&mut self, roots: &[u32]) -> Vec<Vec<u32>> {
        let mut index = TextIndex::new();
        let mut alike: Vec<Vec<u32>> = Vec::new();
        for root in roots {
            let mut keys: Vec<String> = Vec::new();
            for node in self.groups.members(*root).into_iter().filter_map(|member| self.nodes.get(member as usize)) {
                let families: Vec<&'static str> = node.types.iter().filter_map(|name| self.families.of(name)).collect();
                let named = node.properties.iter().filter(|property| matches!(&*property.name, "name" | "headline" | "title"));
                for name in named.filter_map(|property| property.values.first().and_then(same::literal)).filter_map(same::name) {
                    for family in &families {
                        keys.push([family, "\n", &name].concat());
                        // An article is told with and without the name of its site.
                        if let Some((name, _)) =
                            [" | ", " - "].iter().filter(|_| *family == "Article").find_map(|mark| text::rsplit_once(&name, mark))
                        {
                            keys.push([family, "\n", name].concat());
                        }
                    }
                }
            }
            order::sort(&mut keys);
            keys.dedup();
            for key in keys {
                let number = index.insert(&key, alike.len() as u32).unwrap_or_else(|| {
                    alike.push(Vec::new());
                    alike.len() as u32 - 1
                });
                if let Some(list) = alike.get_mut(number as usize) {
                    list.push(*root);
                }
            }
        }
        alike.retain(|list| list.len() > 1);
        alike
    }

    fn unite_identical(&mut self, alike: &[u32], grown: &mut Vec<u32>) {
        let (mut index, mut holders) = (TextIndex::new(), Vec::<Vec<u32>>::new());
        for root in alike {
            self.learn(self.groups.root(*root));
            let Some(known) = self.known(self.groups.root(*root)) else { continue };
            let identities = known.facts.iter().filter(|fact| matches!(fact.weight, Weight::Identity | Weight::Alias));
            for key in identities.map(key).collect::<Vec<_>>() {
                let number = index.insert(&key, holders.len() as u32).map_or(holders.len(), |number| number as usize);
                if number == holders.len() {
                    holders.push(Vec::new());
                }
                let Some(list) = holders.get_mut(number) else { continue };
                let united = list.iter().find_map(|holder| self.try_unite(*holder, *root, Evidence::Identity));
                if united.is_none() && list.len() < MAX_HOLDERS {
                    list.push(*root);
                }
                grown.extend(united);
            }
        }
    }

    /// Each syntax describes one such thing: they mean the same.
    fn unite_only_pair(&mut self, alike: &[u32], grown: &mut Vec<u32>) {
        let mut roots: Vec<u32> = alike.iter().map(|root| self.groups.root(*root)).collect();
        order::sort(&mut roots);
        roots.dedup();
        if roots.len() < 2 || roots.len() > MAX_ALIKE {
            return;
        }
        roots.iter().for_each(|root| self.learn(*root));
        // Twins of one price first: what is left may then be a pair.
        for by_price in [true, false] {
            for (place, a) in roots.iter().enumerate() {
                for b in roots.iter().skip(place + 1) {
                    let is_rival = |other: &u32| {
                        other != a && other != b && self.groups.root(*other) == *other && self.is_rival(*other, *a, *b, by_price)
                    };
                    if self.are_candidates(*a, *b, by_price) && !roots.iter().any(is_rival) {
                        grown.extend(self.try_unite(*a, *b, Evidence::OnlyPair));
                    }
                }
            }
        }
    }

    fn are_candidates(&self, a: u32, b: u32, by_price: bool) -> bool {
        let (Some(a), Some(b)) = (self.known(a), self.known(b)) else { return false };
        a.formats & b.formats == 0 && are_kin(&a.types, &b.types) && (!by_price || share_price(a, b))
    }

    /// Another one could be the twin of `a` or `b` as well.
    fn is_rival(&self, other: u32, a: u32, b: u32, by_price: bool) -> bool {
        let (Some(other), Some(a), Some(b)) = (self.known(other), self.known(a), self.known(b)) else { return false };
        let could_be = |twin: &Known, place: &Known| {
            other.formats & place.formats != 0 && are_kin(&other.types, &twin.types) && (!by_price || share_price(other, twin))
        };
        could_be(a, b) || could_be(b, a)
    }

    /// The roots of each kind of [`PAGE_LEVEL`].
    fn of_page(&mut self, roots: &[u32]) -> [Vec<u32>; PAGE_LEVEL.len()] {
        let mut found: [Vec<u32>; PAGE_LEVEL.len()] = Default::default();
        for root in roots {
            let kinds = self.node(*root).into_iter().flat_map(|node| &node.types).fold(0, |kinds, name| kinds | self.families.get(name).1);
            for (_, found) in found.iter_mut().enumerate().filter(|(place, _)| kinds & (1 << place) != 0) {
                found.push(*root);
            }
        }
        found
    }

    /// What a page has one of, named or not.
    fn unite_page_level(&mut self, mut found: Vec<u32>, trails: bool, grown: &mut Vec<u32>) {
        found.iter_mut().for_each(|root| *root = self.groups.root(*root));
        order::sort(&mut found);
        found.dedup();
        found.iter().for_each(|root| self.learn(*root));
        let formats: Vec<u8> = found.iter().filter_map(|root| self.known(*root)).map(|known| known.formats).collect();
        let once_each = formats.iter().enumerate().all(|(place, bits)| formats.iter().skip(place + 1).all(|other| bits & other == 0));
        if let [first, others @ ..] = found.as_slice()
            && once_each
        {
            for other in others {
                if !trails || self.is_same_trail(*first, *other) {
                    grown.extend(self.try_unite(*first, *other, Evidence::OnlyPair));
                }
            }
        }
    }

    /// The shorter trail is a part of the longer one.
    fn is_same_trail(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.trail(a), self.trail(b));
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        !short.is_empty() && long.windows(short.len()).any(|part| part == short)
    }

    fn trail(&self, root: u32) -> Vec<String> {
        let value = |node: Option<&'n Node>, name: &str| -> Option<&'n Value> {
            node?.properties.iter().find(|property| &*property.name == name)?.values.first()
        };
        let items = self.node(root).and_then(|node| node.properties.iter().find(|property| &*property.name == "itemListElement"));
        let steps = items.into_iter().flat_map(|property| &property.values).filter_map(|step| {
            let Value::Node(step) = step else { return same::literal(step).and_then(same::name) };
            let step = self.node(*step);
            let name = value(step, "name").or_else(|| match value(step, "item")? {
                Value::Node(item) => value(self.node(*item), "name"),
                _ => None,
            });
            name.and_then(same::literal).and_then(same::name)
        });
        steps.collect()
    }

    /// Parts of things that were described more than once: their values are described more than once too.
    fn unite_parts(&mut self, mut grown: Vec<u32>) {
        while !grown.is_empty() {
            grown.iter_mut().for_each(|root| *root = self.groups.root(*root));
            order::sort(&mut grown);
            grown.dedup();
            let mut next = Vec::new();
            for root in grown {
                let mut parts: Vec<(Rc<str>, u32, u32)> = Vec::new();
                for (description, member) in (0..).zip(self.groups.members(root)) {
                    for property in self.node(member).map_or(&[][..], |node| &node.properties) {
                        let things =
                            property.values.iter().filter_map(|value| if let Value::Node(thing) = value { Some(*thing) } else { None });
                        parts.extend(things.map(|thing| (property.name.clone(), description, thing)));
                    }
                }
                order::sort_by(&mut parts, &|a, b| (a.0.cmp(&b.0)).is_lt());
                parts.chunk_by(|a, b| a.0 == b.0).for_each(|values| self.unite_values(values, &mut next));
            }
            grown = next;
        }
    }

    /// Values of one property of one thing, in order of description.
    fn unite_values(&mut self, values: &[(Rc<str>, u32, u32)], grown: &mut Vec<u32>) {
        if values.first().map(|value| value.1) == values.last().map(|value| value.1) {
            return;
        }
        let mut seen = TextIndex::new();
        // The distinct things, and the description that mentioned each last.
        let mut things: Vec<(u32, u32)> = Vec::new();
        for mentioned in values.chunk_by(|a, b| a.1 == b.1) {
            for (_, description, thing) in mentioned {
                let root = self.groups.root(*thing);
                self.learn(root);
                let Some(known) = self.known(root) else { continue };
                let identifying = known.facts.iter().filter(|fact| matches!(fact.weight, Weight::Identity | Weight::Naming));
                let mut keys: Vec<String> = identifying.map(key).collect();
                keys.insert(0, ["#", &crate::json::number(root as usize)].concat());
                let mut place = None;
                for candidate in keys.iter().filter_map(|key| seen.get(key)) {
                    let Some((other, last)) = things.get(candidate as usize).copied() else { continue };
                    if self.groups.root(other) == root {
                        place = Some(candidate);
                    } else if last != *description
                        && let Some(united) = self.try_unite(other, root, Evidence::SamePlace)
                    {
                        grown.push(united);
                        place = Some(candidate);
                    }
                    if place.is_some() {
                        break;
                    }
                }
                if let (None, [_], [(other, last)]) = (place, mentioned, things.as_slice())
                    && last != description
                    && let Some(united) = self.try_unite(*other, root, Evidence::OnlyValue)
                {
                    grown.push(united);
                    place = Some(0);
                }
                let place = place.unwrap_or(things.len() as u32);
                match things.get_mut(place as usize) {
                    Some(thing) => thing.1 = *description,
                    None => things.push((root, *description)),
                }
                keys.iter().for_each(|key| {
                    seen.insert(key, place);
                });
            }
        }
    }
}

fn key(fact: &Fact) -> String {
    [&crate::json::number(usize::from(fact.of)), "\n", &fact.value].concat()
}

fn share_price(a: &Known, b: &Known) -> bool {
    // The trait of all prices; see the table of facts.
    facts::share(&a.facts, &b.facts, facts::is_price)
}

/// The last word: nothing sets them apart, and the evidence is enough.
fn are_one(a: &Known, b: &Known, evidence: Evidence) -> bool {
    let across = a.formats & b.formats == 0;
    let in_place = matches!(evidence, Evidence::SamePlace | Evidence::OnlyValue);
    if a.id.is_some() && b.id.is_some() && a.id != b.id && !is_address_of(a, b) && !is_address_of(b, a) {
        return false;
    }
    let typed = |known: &Known| known.types.iter().any(|name| &**name != "Thing");
    let kin = are_kin(&a.types, &b.types) || (in_place && (!typed(a) || !typed(b) || (across && are_agents(a) && are_agents(b))));
    // Syntaxes on one page name different authors of one article.
    let are_articles = [a, b].iter().all(|known| known.types.iter().any(|name| is_a(name, "Article")));
    let settled = across && (evidence == Evidence::Identity || (are_articles && !in_place));
    if !kin || facts::contradict(&a.facts, &b.facts, across, settled) {
        return false;
    }
    evidence != Evidence::OnlyValue || across || facts::share(&a.facts, &b.facts, |_| true)
}

/// The id of `a` is the plain address that `b` gives as its own.
fn is_address_of(a: &Known, b: &Known) -> bool {
    let id = a.id.as_deref().filter(|id| !text::has(id, b'#')).map(same::address);
    id.is_some_and(|id| b.facts.iter().any(|fact| fact.of == facts::URL && fact.value == id))
}

/// Who makes, writes or sells something is a brand in one syntax and an organisation in the other.
fn are_agents(known: &Known) -> bool {
    known.types.iter().any(|name| ["Brand", "Organization", "Person"].iter().any(|agent| is_a(name, agent)))
}

/// Their types can be those of one thing: one says more precisely what the other is, or both are articles.
fn are_kin(a: &[Rc<str>], b: &[Rc<str>]) -> bool {
    let kin = |a: &str, b: &str| is_a(a, b) || is_a(b, a) || (is_a(a, "Article") && is_a(b, "Article"));
    let named = |types: &'_ [Rc<str>]| -> Vec<Rc<str>> { types.iter().filter(|name| &***name != "Thing").cloned().collect() };
    let b = named(b);
    named(a).iter().any(|a| b.iter().any(|b| kin(a, b)))
}

/// The broad kind of each type, and a bit for each of [`PAGE_LEVEL`] that it is, remembered.
#[derive(Default)]
struct Families {
    index: TextIndex,
    names: Vec<(Option<&'static str>, u8)>,
}

impl Families {
    fn get(&mut self, name: &str) -> (Option<&'static str>, u8) {
        let number = self.index.insert(name, self.names.len() as u32).unwrap_or_else(|| {
            let kinds = (0..).zip(PAGE_LEVEL).filter(|(_, kind)| is_a(name, kind)).fold(0, |kinds, (place, _)| kinds | 1 << place);
            self.names.push((family(name), kinds));
            self.names.len() as u32 - 1
        });
        self.names.get(number as usize).copied().unwrap_or_default()
    }

    /// `None` for what has no twins of its own: foreign types, and parts that mean nothing outside their place.
    fn of(&mut self, name: &str) -> Option<&'static str> {
        self.get(name).0
    }
}

fn family(name: &str) -> Option<&'static str> {
    if ["Action", "ListItem", "StructuredValue", "Rating", "Offer", "EntryPoint"].iter().any(|part| is_a(name, part)) {
        return None;
    }
    if let Some(family) = ["Article", "Organization", "Person", "Product", "Event", "Place"].into_iter().find(|family| is_a(name, family)) {
        return Some(family);
    }
    let own = crate::vocabulary::type_name(name).into_iter();
    own.chain(ancestors(name)).filter(|name| depth(name) > 0).min_by_key(|name| depth(name).abs_diff(2))
}
