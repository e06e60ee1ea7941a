//! What a page is about, and which of its entities deserve a tool.
//!
//! Every entity belongs to exactly one tool, the first that reaches it; so nothing is told twice, and what nobody
//! reaches joins the main entity as one of its parts.

use alloc::{rc::Rc, string::String, vec, vec::Vec};

use crate::graph::{Entity, Graph};
use crate::order;
use crate::read::Value;
use crate::read::meta::Meta;
use crate::render::is_address;
use crate::text::{self, among};
use crate::tools::profiles::{NEVER, PART, Profiles, SECOND, shows, waits};
use crate::vocabulary;

/// One tool's worth of entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What kind they are.
    pub profile: u16,
    /// In order; one, unless it is a list.
    pub entities: Vec<u32>,
    /// They are told as a list, however few they are.
    pub list: bool,
    /// The list that names them (`ItemList`), which is told with them.
    pub of: Option<u32>,
    /// The entity of another tool that has them, and by which property.
    pub via: Option<(u32, Rc<str>)>,
}

/// What an agent can ask for, in order of worth.
#[derive(Default, Debug)]
pub struct Selection {
    /// What the page is about: the first group, if that is one entity.
    pub main: Option<u32>,
    /// The groups that get a tool.
    pub groups: Vec<Group>,
    /// Entities that stand alone and are told with the main one, each by the property that fits.
    pub parts: Vec<(&'static str, u32)>,
}

/// No tool has this entity.
pub const NOBODY: u16 = u16::MAX;

/// References that point at what a thing belongs to, not at what belongs to it.
const UP: &str = "isPartOf mainEntityOfPage itemReviewed isVariantOf subjectOf superEvent parentItem partOfSeries partOfSeason isBasedOn about mentions exampleOfWork inAlbum";
/// Properties whose values are a list of their own once there are several.
const LISTED: &str = "hasVariant review reviews blogPost blogPosts event events subEvent subEvents episode episodes hasPart makesOffer containsPlace itemListElement";
/// From how many on. Fewer cost less inside the thing that has them than a tool of their own.
pub const LIST_FROM: usize = 5;
/// What is worth a tool: values beside addresses of pages and pictures.
const WORTH: usize = 2;

/// What was found out about property names: a page has few different ones, and asks often.
#[derive(Default)]
pub struct Known<'n> {
    names: Vec<(&'n str, bool)>,
}

impl<'n> Known<'n> {
    /// What `find` says of the name, asked once.
    pub fn get(&mut self, name: &'n str, find: impl Fn(&str) -> bool) -> bool {
        const MOST: usize = 64;
        if let Some((_, known)) = self.names.iter().find(|(other, _)| core::ptr::eq(*other, name) || *other == name) {
            return *known;
        }
        let found = find(name);
        if self.names.len() < MOST {
            self.names.push((name, found));
        }
        found
    }

    /// The name was not asked for before.
    pub fn is_new(&mut self, name: &'n str) -> bool {
        let before = self.names.len();
        self.get(name, |_| false);
        self.names.len() > before
    }
}

/// Things of one kind up to which names are compared: more are a list whatever they are called.
const SAME: usize = 6;

struct Choice<'g> {
    graph: &'g Graph,
    profiles: &'g Profiles,
    /// The profile of each entity.
    kinds: Vec<Option<u16>>,
    /// For each entity: another thing has it as a value.
    inside: Vec<bool>,
}

/// Chooses. Never fails: a page without content gives an empty selection.
pub fn choose(graph: &Graph, meta: &Meta, profiles: &mut Profiles) -> Selection {
    let kinds = graph.entities.iter().map(|entity| profiles.of(entity)).collect();
    let mut choice = Choice { graph, profiles, kinds, inside: Vec::new() };
    let mut groups: Vec<Group> = Vec::new();
    // What stands by itself: nothing but pages and lists of pages has it as a value.
    choice.inside = choice.inside();
    let stands = |entity: u32| !choice.inside.get(entity as usize).is_some_and(|inside| *inside);
    let all = 0..graph.entities.len() as u32;
    let mut listed = vec![false; graph.entities.len()];
    for entity in all.clone().filter(|entity| stands(*entity)) {
        if choice.is_kind(entity, "list")
            && let Some(group) = choice.item_list(entity, &mut listed)
        {
            mark(&mut listed, entity);
            choice.merge(&mut groups, group);
        }
    }
    for entity in all.clone().filter(|entity| stands(*entity)) {
        if choice.rank(entity) <= PART || listed.get(entity as usize).is_some_and(|listed| *listed) {
            continue;
        }
        if let Some(profile) = choice.kinds.get(entity as usize).copied().flatten() {
            let group = Group { profile, entities: vec![entity], list: false, of: None, via: None };
            choice.merge(&mut groups, group);
        }
    }
    let main = choice.main(&mut groups, meta);
    if let Some(main) = main {
        choice.nested(&mut groups, main);
    }
    let content = groups.iter().any(|group| choice.profiles.get(group.profile).is_some_and(|profile| profile.rank > SECOND));
    let known = groups
        .iter()
        .any(|group| choice.profiles.get(group.profile).is_some_and(|profile| profile.rank > SECOND && profile.slug != "thing"));
    groups.retain(|group| {
        // Beside content, who is behind the page is asked for to get in touch; a mere name is a part.
        let second = choice.profiles.get(group.profile).is_some_and(|profile| profile.rank == SECOND);
        if content
            && second
            && !group.list
            && group.entities.first().copied() != main
            && !group.entities.iter().any(|entity| choice.reachable(*entity))
        {
            return false;
        }
        // What Schema.org has no word for can be asked for only where there is nothing else.
        if known && choice.profiles.get(group.profile).is_some_and(|profile| profile.slug == "thing") {
            return false;
        }
        let mut different = Vec::new();
        group.entities.iter().any(|entity| {
            let worth = choice.worth(*entity, &mut different);
            worth >= WORTH || (Some(*entity) == main && worth > 0)
        })
    });
    choice.drop_told(&mut groups, main);
    choice.finish(groups, main)
}

fn mark(marks: &mut [bool], place: u32) {
    if let Some(mark) = marks.get_mut(place as usize) {
        *mark = true;
    }
}

/// The entities among `values`.
pub fn nodes(values: &[Value]) -> impl Iterator<Item = u32> + '_ {
    values.iter().filter_map(|value| match value {
        Value::Node(node) => Some(*node),
        _ => None,
    })
}

/// The thing that a list's element stands for: a `ListItem`'s `item`, else the element itself.
fn element(graph: &Graph, element: u32) -> u32 {
    let wrapper = graph.entity(element).filter(|entity| entity.types.iter().any(|name| &**name == "ListItem"));
    wrapper.and_then(|wrapper| nodes(wrapper.values("item")).next()).unwrap_or(element)
}

/// Entities by their place in the list, where every one says which it has.
pub fn in_order(graph: &Graph, entities: &mut [u32]) {
    let position = |entity: &u32| -> Option<i64> {
        match graph.entity(*entity)?.values("position").first()? {
            Value::Number(text) | Value::Text { text, .. } => text.trim().parse().ok(),
            _ => None,
        }
    };
    if entities.iter().all(|entity| position(entity).is_some()) {
        order::sort_by_key(entities, |entity| position(entity));
    }
}

/// Which group each entity belongs to: the first that reaches it, nearest first. `roots` are one group's own.
pub fn owners<'r>(graph: &Graph, roots: impl Iterator<Item = (u16, &'r [u32])> + Clone) -> Vec<u16> {
    let mut owner = vec![NOBODY; graph.entities.len()];
    for (group, entities) in roots.clone() {
        for entity in entities {
            if let Some(owner) = owner.get_mut(*entity as usize).filter(|owner| **owner == NOBODY) {
                *owner = group;
            }
        }
    }
    for (group, entities) in roots {
        spread(graph, &mut owner, group, entities);
    }
    owner
}

fn spread(graph: &Graph, owner: &mut [u16], group: u16, roots: &[u32]) {
    let mut queue: Vec<u32> = roots.to_vec();
    let mut next = 0;
    while let Some(entity) = queue.get(next).and_then(|entity| graph.entity(*entity)) {
        next += 1;
        for property in &entity.properties {
            if is_never(&property.name) {
                continue;
            }
            for node in nodes(&property.values) {
                if let Some(owner) = owner.get_mut(node as usize).filter(|owner| **owner == NOBODY) {
                    *owner = group;
                    queue.push(node);
                }
            }
        }
    }
}

/// Properties that no answer tells: what they say is said by a tool, or is nothing to an agent.
pub fn is_never(property: &str) -> bool {
    matches!(property, "potentialAction" | "speakable" | "query-input")
}

impl Choice<'_> {
    fn entity(&self, entity: u32) -> Option<&Entity> {
        self.graph.entity(entity)
    }

    fn rank(&self, entity: u32) -> u8 {
        let profile = self.kinds.get(entity as usize).copied().flatten().and_then(|kind| self.profiles.get(kind));
        profile.map_or(NEVER, |profile| profile.rank)
    }

    fn is_a(&self, entity: u32, name: &str) -> bool {
        self.entity(entity).is_some_and(|entity| entity.types.iter().any(|other| vocabulary::is_a(other, name)))
    }

    /// A page or a site: having something as a value makes it no part.
    fn is_page(&self, entity: u32) -> bool {
        self.is_kind(entity, "web_page") || self.is_kind(entity, "web_site")
    }

    fn is_kind(&self, entity: u32, slug: &str) -> bool {
        let profile = self.kinds.get(entity as usize).copied().flatten().and_then(|kind| self.profiles.get(kind));
        profile.is_some_and(|profile| profile.slug == slug)
    }

    /// For each entity: another thing has it as a value.
    fn inside(&self) -> Vec<bool> {
        let mut inside = vec![false; self.graph.entities.len()];
        let mut outward = Known::default();
        for (number, entity) in self.graph.entities.iter().enumerate() {
            let number = number as u32;
            let page = self.is_page(number);
            for property in &entity.properties {
                if outward.get(&property.name, |name| among(UP, name) || is_never(name)) {
                    continue;
                }
                for node in nodes(&property.values).filter(|node| *node != number) {
                    // A FAQ is asked for by itself, wherever the page puts it; a picture or an author of a page is a part.
                    let own = self.is_kind(node, "faq") || (page && (self.rank(node) > SECOND || self.is_kind(node, "organization")));
                    if !own {
                        mark(&mut inside, node);
                    }
                }
            }
        }
        inside
    }

    /// It says how to get in touch, or where.
    fn reachable(&self, entity: u32) -> bool {
        let found = self.entity(entity);
        found.is_some_and(|found| {
            ["address", "telephone", "email", "openingHours", "openingHoursSpecification"].iter().any(|name| !found.values(name).is_empty())
        })
    }

    /// How many different values it tells without being asked, itself and below; enough is enough.
    fn worth(&self, entity: u32, different: &mut Vec<String>) -> usize {
        let mut seen = vec![entity];
        let mut next = 0;
        while let Some(entity) = seen.get(next).copied().and_then(|entity| self.entity(entity)) {
            next += 1;
            for property in &entity.properties {
                let silent = "url contentUrl embedUrl width height position inLanguage encodingFormat sameAs caption";
                if among(silent, &property.name) || is_never(&property.name) || waits(&property.name) || shows(&property.name) {
                    continue;
                }
                for value in &property.values {
                    match value {
                        Value::Text { text, .. } | Value::Number(text) if !is_address(&property.name, text.trim()) => {
                            let text = key(text);
                            if !text.is_empty() && !different.contains(&text) {
                                different.push(text);
                            }
                        }
                        Value::Node(node) if seen.len() < 16 && !seen.contains(node) => seen.push(*node),
                        _ => {}
                    }
                }
                if different.len() >= WORTH {
                    return different.len();
                }
            }
        }
        different.len()
    }

    /// An `ItemList` of things, as a group of these things.
    fn item_list(&self, list: u32, listed: &mut [bool]) -> Option<Group> {
        let mut elements: Vec<u32> = nodes(self.entity(list)?.values("itemListElement")).collect();
        if elements.len() < 2 {
            return None;
        }
        in_order(self.graph, &mut elements);
        let mut entities: Vec<u32> = Vec::new();
        for item in elements {
            let item = element(self.graph, item);
            if listed.get(item as usize) == Some(&false) {
                mark(listed, item);
                entities.push(item);
            }
        }
        let first =
            entities.iter().find(|item| self.rank(**item) > PART).and_then(|item| self.kinds.get(*item as usize).copied().flatten());
        let own = self.kinds.get(list as usize).copied().flatten();
        Some(Group { profile: first.or(own)?, entities, list: true, of: Some(list), via: None })
    }

    /// Adds a group; one of the same kind is the same tool.
    fn merge(&self, groups: &mut Vec<Group>, group: Group) {
        match groups.iter_mut().find(|other| other.profile == group.profile && other.via.is_none()) {
            Some(other) => {
                other.entities.extend(group.entities);
                other.list = true;
                other.of = other.of.or(group.of);
            }
            None => groups.push(group),
        }
    }

    /// What the page is about, taken out of its group and put first.
    fn main(&self, groups: &mut Vec<Group>, meta: &Meta) -> Option<u32> {
        let page = bare(&meta.url);
        let title = key(&meta.title);
        let mut named = vec![false; self.graph.entities.len()];
        for (number, entity) in self.graph.entities.iter().enumerate() {
            if self.is_page(number as u32) {
                nodes(entity.values("mainEntity")).take(1).for_each(|node| mark(&mut named, node));
            }
        }
        let score = |entity: u32| -> usize {
            let Some(found) = self.entity(entity) else { return 0 };
            let mut score = usize::from(self.rank(entity)) * 150 + found.properties.len().min(20) * 2;
            let address = |value: &Value| match value {
                Value::Url(url) | Value::Reference(url) | Value::Text { text: url, .. } => bare(url) == page,
                _ => false,
            };
            if named.get(entity as usize).is_some_and(|named| *named) {
                score += 1000;
            }
            let of_page = found.values("mainEntityOfPage");
            if !of_page.is_empty() {
                score += 100;
            }
            if found.id.as_deref().is_some_and(|id| bare(id) == page) || found.values("url").iter().chain(of_page).any(address) {
                score += 150;
            }
            if self.may_be_called(entity, &title) && same_name(&self.name(entity), &title) {
                score += 200;
            }
            score
        };
        // The best of each group, and how it stands to the second.
        let mut best: Option<(usize, usize, u32)> = None;
        for (place, group) in groups.iter().enumerate() {
            let mut first = (0, 0);
            let mut second = 0;
            let alike = |one: u32, other: u32| {
                group.entities.len() <= SAME && same_name(&self.name(one), &self.name(other)) && !self.graph.are_apart(one, other)
            };
            for entity in group.entities.iter().copied().filter(|entity| self.rank(*entity) > PART) {
                let score = score(entity);
                if score > first.0 {
                    if !alike(entity, first.1) {
                        second = first.0;
                    }
                    first = (score, entity);
                } else if !alike(entity, first.1) {
                    second = second.max(score);
                }
            }
            // Several alike: a list, unless one stands out.
            if group.entities.len() > 1 && first.0 < second + 150 {
                continue;
            }
            if group.list && group.of.is_some() && first.0 < 1000 {
                continue;
            }
            if best.is_none_or(|(score, ..)| first.0 > score) && first.0 > 0 {
                best = Some((first.0, place, first.1));
            }
        }
        // A list that is all the content goes before the publisher.
        let lists =
            groups.iter().filter(|group| group.list).filter_map(|group| self.profiles.get(group.profile)).map(|profile| profile.rank).max();
        let rank = |group: &Group| self.profiles.get(group.profile).map_or(0, |profile| profile.rank);
        let found =
            best.filter(|(score, _, entity)| *score >= 1000 || self.rank(*entity) > SECOND || lists.is_none_or(|rank| rank <= SECOND));
        let main = found.map(|(_, place, entity)| {
            if let Some(group) = groups.get_mut(place) {
                group.entities.retain(|other| *other != entity);
                let profile = group.profile;
                groups.insert(0, Group { profile, entities: vec![entity], list: false, of: None, via: None });
            }
            entity
        });
        groups.retain(|group| !group.entities.is_empty());
        let from = usize::from(main.is_some());
        if let Some(rest) = groups.get_mut(from..) {
            order::sort_by_key(rest, |group| core::cmp::Reverse(rank(group)));
            rest.iter_mut().filter(|group| group.entities.len() > 1).for_each(|group| group.list = true);
        }
        // The main entity told again (another plugin of the site's, with its own dates) is no second thing.
        if let (Some(main), Some(profile)) = (main, groups.first().map(|group| group.profile)) {
            let name = self.name(main);
            for group in
                groups.iter_mut().skip(1).filter(|group| group.profile == profile && group.of.is_none() && group.entities.len() <= SAME)
            {
                group.entities.retain(|entity| !same_name(&self.name(*entity), &name) || self.graph.are_apart(main, *entity));
            }
            groups.retain(|group| !group.entities.is_empty());
        }
        // One name, one tool: what is of the main entity's kind is told as a list.
        if let Some(profile) = groups.first().filter(|_| main.is_some()).map(|group| group.profile) {
            groups.iter_mut().skip(1).filter(|group| group.profile == profile).for_each(|group| group.list = true);
        }
        main
    }

    /// Drops single things that say nothing beside the main entity's own words: it is told again, in other terms.
    fn drop_told(&self, groups: &mut Vec<Group>, main: Option<u32>) {
        const COMPARED: usize = 8;
        let Some(main) = main else { return };
        let single = |group: &Group| !group.list && group.entities.first() != Some(&main);
        if groups.len() > COMPARED || !groups.iter().any(single) {
            return;
        }
        let told = self.words(main);
        let name = self.name(main);
        groups.retain(|group| {
            let Some(entity) = group.entities.first().filter(|_| single(group)) else { return true };
            let words = self.words(*entity);
            let new = words.iter().filter(|word| !told.contains(word)).count();
            // A page of questions is asked for by its name even where an article holds them too.
            words.is_empty() || new * 10 > words.len() || (self.name(*entity) != name && self.rank(*entity) > SECOND && new > 0)
        });
    }

    /// The short texts that an entity tells, as far as texts are compared.
    fn words(&self, entity: u32) -> Vec<String> {
        const SHORT: usize = 200;
        const MOST: usize = 200;
        let mut words = Vec::new();
        let mut seen = vec![entity];
        let mut next = 0;
        while let Some(entity) = seen.get(next).copied().and_then(|entity| self.entity(entity)) {
            next += 1;
            for property in entity.properties.iter().filter(|property| {
                !waits(&property.name) && !shows(&property.name) && !is_never(&property.name) && &*property.name != "url"
            }) {
                for value in &property.values {
                    match value {
                        Value::Text { text, .. } | Value::Number(text)
                            if !is_address(&property.name, text.trim()) && words.len() < MOST =>
                        {
                            let start = text.char_indices().nth(SHORT).map_or(&**text, |(at, _)| text.get(..at).unwrap_or(text));
                            let word = key(start);
                            if !word.is_empty() {
                                words.push(word);
                            }
                        }
                        Value::Node(node) if seen.len() < SAME * SAME && !seen.contains(node) => seen.push(*node),
                        _ => {}
                    }
                }
            }
        }
        words
    }

    /// Its name starts as the title does: what costs less to see than whether it is the title.
    fn may_be_called(&self, entity: u32, title: &str) -> bool {
        let Some(found) = self.entity(entity) else { return false };
        let text = ["name", "headline", "title"].iter().find_map(|name| match found.values(name).first() {
            Some(Value::Text { text, .. }) => Some(&**text),
            _ => None,
        });
        let first = text.and_then(|text| text.chars().find(|letter| text::is_word(*letter) || matches!(letter, '<' | '&')));
        first.is_some_and(|first| matches!(first, '<' | '&') || title.starts_with(text::lower(first)))
    }

    /// What it is called, as far as names are compared.
    fn name(&self, entity: u32) -> String {
        let Some(found) = self.entity(entity) else { return String::new() };
        let name = ["name", "headline", "title"].iter().find_map(|name| match found.values(name).first() {
            Some(Value::Text { text, .. }) => Some(key(text)),
            _ => None,
        });
        name.unwrap_or_default()
    }

    /// Lists inside the main entity that are asked for by themselves: variants, reviews, events.
    fn nested(&self, groups: &mut Vec<Group>, main: u32) {
        let mut things = vec![main];
        if let Some(found) = self.entity(main) {
            things.extend(nodes(found.values("isVariantOf")).take(1));
            things.extend(nodes(found.values("mainEntity")).take(1));
        }
        for thing in things {
            let Some(found) = self.graph.entity(thing) else { continue };
            for property in found.properties.iter().filter(|property| among(LISTED, &property.name)) {
                let mut entities: Vec<u32> =
                    nodes(&property.values).map(|node| element(self.graph, node)).filter(|node| *node != main).collect();
                let enough = match &*property.name {
                    "hasVariant" => 2,
                    // Asked for apart from the thing, however few they are.
                    "review" | "reviews" => 1,
                    _ => LIST_FROM,
                };
                let kind = entities.first().and_then(|first| self.kinds.get(*first as usize).copied().flatten());
                let Some(profile) = kind.filter(|_| entities.len() >= enough) else { continue };
                if self.profiles.get(profile).is_none_or(|profile| profile.rank == NEVER) {
                    continue;
                }
                in_order(self.graph, &mut entities);
                if groups.iter().any(|group| group.via.is_some() && group.profile == profile) {
                    continue;
                }
                let mut here = vec![false; self.graph.entities.len()];
                entities.iter().for_each(|entity| mark(&mut here, *entity));
                groups.retain_mut(|group| {
                    group.entities.retain(|entity| here.get(*entity as usize) != Some(&true));
                    !group.entities.is_empty()
                });
                groups.push(Group { profile, entities, list: true, of: None, via: Some((thing, property.name.clone())) });
            }
        }
    }

    /// Gives what no group reaches to the main entity, or makes the page itself the main entity.
    fn finish(&self, mut groups: Vec<Group>, main: Option<u32>) -> Selection {
        let mut main = main.filter(|main| groups.first().is_some_and(|group| group.entities.first() == Some(main)));
        let mut owner = self.owners(&groups);
        let free = |owner: &[u16], entity: u32| owner.get(entity as usize).is_some_and(|owner| *owner == NOBODY);
        let count = self.graph.entities.len() as u32;
        if main.is_none()
            && let [only] = groups.as_slice()
            && let (false, [entity]) = (only.list, only.entities.as_slice())
        {
            main = Some(*entity);
        }
        // A page of which only the publisher is described: what it says of itself comes first.
        if !groups.iter().any(|group| self.profiles.get(group.profile).is_some_and(|profile| profile.rank > SECOND)) {
            let pages = (0..count).filter(|entity| free(&owner, *entity) && self.is_kind(*entity, "web_page"));
            let told = |entity: &u32| self.entity(*entity).map_or(0, |found| found.properties.len());
            if let Some(page) = pages.filter(|page| self.worth(*page, &mut Vec::new()) >= WORTH).max_by_key(told)
                && let Some(profile) = self.kinds.get(page as usize).copied().flatten()
            {
                groups.retain(|group| {
                    group.entities.iter().any(|entity| self.reachable(*entity) || self.worth(*entity, &mut Vec::new()) >= WORTH)
                });
                groups.insert(0, Group { profile, entities: vec![page], list: false, of: None, via: None });
                main = Some(page);
                owner = self.owners(&groups);
            }
        }
        if main.is_none() {
            // Nothing else is here, or only lists: the page, its trail, a part that stands alone.
            let candidates = (0..count).filter(|entity| free(&owner, *entity) && self.rank(*entity) >= PART);
            let page = |entity: &u32| {
                (
                    usize::from(self.is_page(*entity)),
                    self.worth(*entity, &mut Vec::new()).min(3),
                    self.entity(*entity).map_or(0, |found| found.properties.len()),
                )
            };
            let best = candidates.max_by_key(|entity| (page(entity), core::cmp::Reverse(*entity)));
            // What a page says of itself and its site must be more than one name.
            let around = |entity: &u32| ["web_site", "breadcrumb", "organization"].iter().any(|slug| self.is_kind(*entity, slug));
            let enough = |best: &u32| {
                let mut different = Vec::new();
                let own = self.worth(*best, &mut different);
                let mut others = (0..count).filter(|entity| own > 0 && free(&owner, *entity) && around(entity));
                own >= WORTH || others.any(|entity| self.worth(entity, &mut different) >= WORTH)
            };
            if let Some((entity, profile)) =
                best.filter(enough).and_then(|entity| Some((entity, self.kinds.get(entity as usize).copied().flatten()?)))
            {
                groups.push(Group { profile, entities: vec![entity], list: false, of: None, via: None });
                main = Some(entity);
            }
        }
        let mut parts: Vec<(&'static str, u32)> = Vec::new();
        if let Some(place) = main.and_then(|main| groups.iter().position(|group| !group.list && group.entities.first() == Some(&main))) {
            // The trail is the page's; the main thing answers for the page.
            let told = |entity: &u32| groups.iter().any(|group| group.entities.first() == Some(entity));
            let trails: Vec<u32> = (0..count).filter(|entity| self.is_kind(*entity, "breadcrumb") && !told(entity)).collect();
            owner = self.owners_with(&groups, place, &trails);
            parts.extend(trails.iter().map(|trail| ("breadcrumb", *trail)));
            for pass in 0..2 {
                for entity in 0..count {
                    // First what stands alone, then what only a circle holds.
                    if !free(&owner, entity) || (pass == 0 && self.inside.get(entity as usize).is_some_and(|inside| *inside)) {
                        continue;
                    }
                    let Some(property) = self.part(entity, main) else { continue };
                    if let Some(owner) = owner.get_mut(entity as usize) {
                        *owner = place as u16;
                    }
                    spread(self.graph, &mut owner, place as u16, &[entity]);
                    parts.push((property, entity));
                }
            }
        }
        Selection { main, groups, parts }
    }

    fn owners(&self, groups: &[Group]) -> Vec<u16> {
        self.owners_with(groups, 0, &[])
    }

    /// The same, where the group at `place` has some more.
    fn owners_with(&self, groups: &[Group], place: usize, more: &[u32]) -> Vec<u16> {
        let lists: Vec<Vec<u32>> = groups.iter().map(|group| group.of.into_iter().collect()).collect();
        let groups = groups.iter().enumerate().map(|(place, group)| (place as u16, group.entities.as_slice()));
        let lists = lists.iter().enumerate().map(|(place, list)| (place as u16, list.as_slice()));
        owners(self.graph, groups.chain(lists).chain(core::iter::once((place as u16, more))))
    }

    /// The property by which the main entity has something that stands alone.
    fn part(&self, entity: u32, main: Option<u32>) -> Option<&'static str> {
        const PARTS: [(&str, &str); 21] = [
            ("AggregateRating", "aggregateRating"),
            ("Offer", "offers"),
            ("AggregateOffer", "offers"),
            ("Review", "review"),
            ("Comment", "comment"),
            ("PostalAddress", "address"),
            ("GeoCoordinates", "geo"),
            ("OpeningHoursSpecification", "openingHoursSpecification"),
            ("ContactPoint", "contactPoint"),
            ("NutritionInformation", "nutrition"),
            ("Brand", "brand"),
            ("ImageObject", "image"),
            ("VideoObject", "video"),
            ("AudioObject", "audio"),
            ("BreadcrumbList", "breadcrumb"),
            ("WebSite", "isPartOf"),
            ("WebPage", "mainEntityOfPage"),
            ("Organization", "publisher"),
            ("Person", "author"),
            ("Place", "location"),
            ("PropertyValue", "additionalProperty"),
        ];
        let found = self.entity(entity)?;
        if found.properties.is_empty() || self.kinds.get(entity as usize).copied().flatten().is_none() {
            return None;
        }
        // Nothing that an agent could ask for.
        let never = [
            "Action",
            "EntryPoint",
            "PropertyValueSpecification",
            "SpeakableSpecification",
            "SiteNavigationElement",
            "WPHeader",
            "WPFooter",
        ];
        if never.iter().any(|name| self.is_a(entity, name)) {
            return None;
        }
        let again = main.is_some_and(|main| {
            self.kinds.get(main as usize) == self.kinds.get(entity as usize) && same_name(&self.name(main), &self.name(entity))
        });
        if again {
            return Some("subjectOf");
        }
        Some(PARTS.iter().find(|(name, _)| self.is_a(entity, name)).map_or("mentions", |(_, property)| property))
    }
}

/// A URL as far as it tells pages apart.
pub fn bare(url: &str) -> &str {
    let url = url.split('#').next().unwrap_or(url);
    let url = text::split_once(url, "://").map_or(url, |(_, rest)| rest);
    url.strip_prefix("www.").unwrap_or(url).trim_end_matches('/')
}

/// One name is the other, or the other with the site's name after it.
fn same_name(one: &str, other: &str) -> bool {
    const TELLING: usize = 8;
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short.len() > 2 && long.starts_with(short) && (short.len() > TELLING || short.len() == long.len())
}

fn key(text: &str) -> String {
    text::plain(text).chars().filter(|letter| text::is_word(*letter)).map(text::lower).collect()
}

/// The property points at what a thing belongs to.
pub fn is_up(property: &str) -> bool {
    among(UP, property)
}

/// The values of the property get a list of their own once there are several.
pub fn is_listed(property: &str) -> bool {
    among(LISTED, property)
}
