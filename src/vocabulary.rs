//! The Schema.org vocabulary, as far as reading and mapping need it: type names and parents, superseded names,
//! properties whose values are URLs.
//!
//! One string holds all of it (`table.rs`, generated). Its index is filled at the first question: it would cost
//! bytes to ship, and nothing to compute.

mod table;

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use table::TERMS;

/// About twice the number of terms, so that chains stay short; a power of two.
const SLOTS: usize = 2048;

/// Where in [`TERMS`] the name hashed to a slot begins; 0 where the slot is free. Only `fill` writes it, always
/// the same values in the same order, so two threads at once do no harm.
static NAMES: [AtomicU16; SLOTS] = [const { AtomicU16::new(0) }; SLOTS];
/// The slot of a type's parent in the tree, plus one.
static PARENTS: [AtomicU16; SLOTS] = [const { AtomicU16::new(0) }; SLOTS];
static FILLED: AtomicBool = AtomicBool::new(false);

fn read(table: &[AtomicU16; SLOTS], slot: usize) -> usize {
    table.get(slot).map_or(0, |value| usize::from(value.load(Ordering::Relaxed)))
}

/// The slots where a name may be, in the order to try them.
fn probe(name: &str) -> impl Iterator<Item = usize> {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193));
    let first = (hash ^ (hash >> 15)) as usize;
    (0..SLOTS).map(move |step| (first + step) % SLOTS)
}

fn fill() {
    if FILLED.load(Ordering::Acquire) {
        return;
    }
    let mut open = [0u16; 8];
    let mut at = 1;
    while at < TERMS.len() {
        let name = name_at(at);
        let mark = mark_at(at);
        let slot = probe(name).find(|slot| {
            let Some(place) = NAMES.get(*slot) else { return false };
            let was = place.compare_exchange(0, at as u16, Ordering::Relaxed, Ordering::Relaxed);
            was.is_ok() || was == Err(at as u16)
        });
        if let (Some(slot), Some(depth)) = (slot, depth_of(mark)) {
            if let (Some(up), Some(place)) = (depth.checked_sub(1).and_then(|up| open.get(up)), PARENTS.get(slot)) {
                place.store(*up, Ordering::Relaxed);
            }
            if let Some(place) = open.get_mut(depth) {
                *place = slot as u16 + 1;
            }
        }
        at += name.len() + 1;
        while matches!(mark_at(at), b'+' | b'/') {
            at += name_at(at).len() + 1;
        }
    }
    FILLED.store(true, Ordering::Release);
}

fn name_at(at: usize) -> &'static str {
    let rest = TERMS.get(at..).unwrap_or("");
    let end = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
    rest.get(..end).unwrap_or("")
}

/// The mark before the name that begins here.
fn mark_at(at: usize) -> u8 {
    TERMS.as_bytes().get(at - 1).copied().unwrap_or(0)
}

/// The depth in the tree that a type's mark stands for.
fn depth_of(mark: u8) -> Option<usize> {
    matches!(mark, b':'..=b'@').then(|| usize::from(mark - b':'))
}

/// The names after the one that begins here which belong to it: further parents, or its successor.
fn belonging(at: usize) -> impl Iterator<Item = &'static str> {
    let mut at = at + name_at(at).len() + 1;
    core::iter::from_fn(move || {
        let name = matches!(mark_at(at), b'+' | b'/').then(|| name_at(at))?;
        at += name.len() + 1;
        Some(name)
    })
}

/// The slot and the place in [`TERMS`] of a name that `fits`.
fn find(name: &str, fits: impl Fn(u8, &str) -> bool) -> Option<(usize, usize)> {
    fill();
    for slot in probe(name) {
        let at = read(&NAMES, slot);
        if at == 0 {
            return None;
        }
        if fits(mark_at(at), name_at(at)) {
            return Some((slot, at));
        }
    }
    None
}

fn find_type(name: &str) -> Option<(usize, usize)> {
    let is_type = |mark: u8, other: &str| (mark == b'*' || depth_of(mark).is_some()) && other.eq_ignore_ascii_case(name);
    let (slot, at) = find(name, is_type)?;
    if mark_at(at) != b'*' {
        return Some((slot, at));
    }
    let successor = belonging(at).next()?;
    find(successor, |mark, other| depth_of(mark).is_some() && other == successor)
}

fn find_property(name: &str) -> Option<usize> {
    find(name, |mark, other| matches!(mark, b'!' | b'&') && other == name).map(|(_, at)| at)
}

/// The slots of a type's parents: the one in the tree first.
fn parents(slot: usize) -> impl Iterator<Item = usize> {
    let others = belonging(read(&NAMES, slot)).filter_map(find_type).map(|(slot, _)| slot);
    read(&PARENTS, slot).checked_sub(1).into_iter().chain(others)
}

/// The name in the vocabulary's own spelling, if `name` is a Schema.org type in any case (`product` → `Product`);
/// a superseded type gives its successor. Data types and enumerations are no types here: they are values.
pub fn type_name(name: &str) -> Option<&'static str> {
    find_type(name).map(|(_, at)| name_at(at))
}

/// How specific a type is: steps from `Thing` on the longest way; 0 for what is no type.
pub fn depth(name: &str) -> usize {
    find_type(name).and_then(|(_, at)| depth_of(mark_at(at))).unwrap_or(0)
}

/// Everything above a type, the most specific first, so that nothing comes before what is below it
/// (`Recipe` → `HowTo`, `CreativeWork`, `Thing`). Empty for what is no type.
pub fn ancestors(name: &str) -> impl Iterator<Item = &'static str> {
    let rank = |slot: usize| depth_of(mark_at(read(&NAMES, slot))).unwrap_or(0);
    let mut found: Vec<usize> = Vec::new();
    let mut next = find_type(name).map(|(slot, _)| slot);
    let mut done = 0;
    while let Some(slot) = next {
        for parent in parents(slot) {
            if !found.contains(&parent) {
                // A parent is less deep than its child, so it always lands behind `done`.
                let place = found.iter().position(|other| rank(*other) < rank(parent)).unwrap_or(found.len());
                found.insert(place, parent);
            }
        }
        next = found.get(done).copied();
        done += 1;
    }
    found.into_iter().map(|slot| name_at(read(&NAMES, slot)))
}

/// `name` is `ancestor` or below it.
pub fn is_a(name: &str, ancestor: &str) -> bool {
    fn below(slot: usize, target: usize) -> bool {
        // As deep as the tree, no deeper.
        slot == target || parents(slot).any(|parent| below(parent, target))
    }
    name == ancestor || find_type(name).zip(find_type(ancestor)).is_some_and(|((slot, _), (target, _))| below(slot, target))
}

/// The property that superseded `name` (`ingredients` → `recipeIngredient`), or `name` itself.
pub fn property_name(name: &str) -> &str {
    find_property(name).and_then(|at| belonging(at).next()).unwrap_or(name)
}

/// The schema.org JSON-LD context types this property's strings as IRIs (`url`, `image`, `sameAs`, …).
pub fn is_url_property(name: &str) -> bool {
    find_property(name).is_some_and(|at| mark_at(at) == b'&')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn above(name: &str) -> Vec<&'static str> {
        ancestors(name).collect()
    }

    #[test]
    fn spells_types_as_the_vocabulary_does() {
        for (given, name) in
            [("product", Some("Product")), ("3dmodel", Some("3DModel")), ("RECIPE", Some("Recipe")), ("Season", Some("CreativeWorkSeason"))]
        {
            assert_eq!(type_name(given), name, "{given}");
        }
        for unknown in ["", "Produkt", "constructor", "__proto__", "name", "url", "Text", "https://schema.org/Product", ":Thing"] {
            assert_eq!(type_name(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn lists_ancestors_nearest_first() {
        assert_eq!(above("Recipe"), ["HowTo", "CreativeWork", "Thing"]);
        assert_eq!(above("Thing"), [""; 0]);
        assert_eq!(above("nothing"), [""; 0]);
        assert_eq!(above("Course"), ["LearningResource", "CreativeWork", "Thing"]);
        for (name, ancestor) in [
            ("Dentist", "Place"),
            ("Dentist", "MedicalOrganization"),
            ("HowToStep", "ItemList"),
            ("VideoGame", "Game"),
            ("Code", "CreativeWork"),
        ] {
            assert!(is_a(name, ancestor) && above(name).contains(&ancestor), "{name} {ancestor}");
        }
        assert!(is_a("Product", "Product") && is_a("https://x.example/T", "https://x.example/T"));
        assert!(!is_a("Product", "CreativeWork") && !is_a("Thing", "Product") && !is_a("nothing", "Thing"));
    }

    #[test]
    fn every_ancestor_comes_after_what_is_below_it() {
        let mut types = 0;
        let mut at = 1;
        while at < TERMS.len() {
            let name = name_at(at);
            if depth_of(mark_at(at)).is_some() {
                types += 1;
                assert_eq!(type_name(name), Some(name));
                let all = above(name);
                assert!(name == "Thing" || all.last() == Some(&"Thing"), "{name}");
                assert!(all.iter().all(|ancestor| is_a(name, ancestor) && depth(ancestor) < depth(name)), "{name}");
                for (place, ancestor) in all.iter().enumerate() {
                    assert!(!all.iter().skip(place + 1).any(|later| is_a(later, ancestor)), "{name} {ancestor}");
                }
            }
            at += name.len() + 1;
        }
        assert!(types > 700, "{types}");
    }

    #[test]
    fn follows_superseded_properties_to_the_end() {
        for (given, name) in [
            ("ingredients", "recipeIngredient"),
            ("seasons", "containsSeason"),
            ("area", "areaServed"),
            ("name", "name"),
            ("Ingredients", "Ingredients"),
        ] {
            assert_eq!(property_name(given), name);
        }
        assert!(is_url_property("url") && is_url_property("sameAs") && is_url_property("maps"));
        assert!(!is_url_property("name") && !is_url_property("ingredients") && !is_url_property("Thing"));
    }
}
