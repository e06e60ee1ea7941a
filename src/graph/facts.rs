//! What is known of a thing that can show it to be the same as another, or not.

use alloc::{borrow::ToOwned, rc::Rc, string::String, vec::Vec};

use super::{Entity, real_id, same};
use crate::read::{Node, Property, Value};
use crate::text;
use crate::text_index::TextIndex;

/// What a property's value proves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// The same value makes things of one name the same; different values make them two.
    Identity,
    /// The same value makes things of one name the same; different values say nothing.
    Alias,
    /// Different values make them two.
    Apart,
    /// Tells things of one place apart, and finds the same one in another description of that place.
    Naming,
    /// Makes them two, unless an identity says otherwise: syntaxes on one page disagree in such things.
    Soft,
}
use Weight::{Alias, Apart, Identity, Naming, Soft};

#[derive(Clone, Copy)]
enum Kind {
    Code,
    Phone,
    Amount,
    Day,
    Address,
    /// A thing's name, or a text.
    Face,
}
use Kind::{Address, Amount, Code, Day, Face, Phone};

/// Properties that prove something, and the trait that they speak of.
const TRAITS: &[(&str, u8, Kind, Weight)] = &[
    ("url", URL, Address, Identity),
    ("mainEntityOfPage", URL, Address, Alias),
    ("contentUrl", 1, Address, Identity),
    ("sku", 2, Code, Identity),
    ("gtin", 3, Code, Identity),
    ("gtin8", 3, Code, Identity),
    ("gtin12", 3, Code, Identity),
    ("gtin13", 3, Code, Identity),
    ("gtin14", 3, Code, Identity),
    ("mpn", 4, Code, Identity),
    ("productID", 5, Code, Identity),
    ("isbn", 6, Code, Identity),
    ("serialNumber", 7, Code, Identity),
    ("email", 8, Code, Identity),
    ("color", 10, Face, Apart),
    ("size", 11, Face, Apart),
    ("model", 12, Face, Apart),
    ("startDate", 13, Day, Apart),
    ("endDate", 14, Day, Apart),
    ("birthDate", 15, Day, Apart),
    ("location", 16, Face, Apart),
    ("jobLocation", 17, Face, Apart),
    ("address", 18, Face, Apart),
    ("streetAddress", 19, Face, Apart),
    ("postalCode", 20, Code, Apart),
    ("addressLocality", 21, Face, Apart),
    ("telephone", 22, Phone, Apart),
    ("episodeNumber", 23, Code, Apart),
    ("seasonNumber", 24, Code, Apart),
    ("courseMode", 25, Face, Apart),
    ("priceCurrency", 26, Code, Apart),
    ("priceType", 27, Code, Apart),
    ("itemReviewed", 28, Face, Apart),
    ("propertyID", 29, Code, Apart),
    ("dayOfWeek", 30, Face, Apart),
    ("opens", 31, Code, Apart),
    ("contactType", 32, Face, Apart),
    ("name", 40, Face, Naming),
    ("headline", 41, Face, Naming),
    ("title", 42, Face, Naming),
    ("text", 43, Face, Naming),
    ("reviewBody", 44, Face, Naming),
    ("price", PRICE, Amount, Naming),
    ("item", 46, Face, Naming),
    ("lowPrice", PRICE, Amount, Soft),
    ("highPrice", PRICE, Amount, Soft),
    ("offers", PRICE, Amount, Soft),
    ("author", 50, Face, Soft),
    ("value", 51, Face, Soft),
    ("ratingValue", 52, Amount, Soft),
    ("reviewCount", 53, Amount, Soft),
    ("ratingCount", 54, Amount, Soft),
    ("reviewRating", 55, Face, Soft),
    ("position", 56, Amount, Soft),
    ("hiringOrganization", 57, Face, Soft),
];

/// The trait of a thing's own address.
pub const URL: u8 = 0;
const PRICE: u8 = 45;

/// It is about what something costs.
pub fn is_price(fact: &Fact) -> bool {
    fact.of == PRICE
}

/// Values of one property that are compared. A longer list describes more than one thing can be told by.
const MAX_VALUES: usize = 8;
/// Facts of one thing. However often it is described, comparing it stays cheap.
const MAX_FACTS: usize = 48;

/// A trait, and what is said of it in a form that can be compared.
#[derive(Clone, PartialEq)]
pub struct Fact {
    /// Which trait.
    pub of: u8,
    /// What it proves.
    pub weight: Weight,
    face: bool,
    /// For comparing only.
    pub value: String,
}

/// Things that values lead to by number: nodes before merging, entities after it.
pub trait Things {
    /// The id and the properties of a thing.
    fn thing(&self, number: u32) -> Option<(Option<&Rc<str>>, &[Property])>;
}

impl Things for &[Node] {
    fn thing(&self, number: u32) -> Option<(Option<&Rc<str>>, &[Property])> {
        self.get(number as usize).map(|node| (real_id(node), node.properties.as_slice()))
    }
}

impl Things for &[Entity] {
    fn thing(&self, number: u32) -> Option<(Option<&Rc<str>>, &[Property])> {
        self.get(number as usize).map(|entity| (entity.id.as_ref(), entity.properties.as_slice()))
    }
}

/// Finds the traits of properties.
pub struct Traits {
    index: TextIndex,
}

impl Traits {
    /// Ready for one page.
    pub fn new() -> Self {
        let mut index = TextIndex::new();
        for (number, (property, ..)) in (0..).zip(TRAITS) {
            index.insert(property, number);
        }
        Traits { index }
    }

    /// Appends the facts of one thing.
    pub fn collect(&self, things: &dyn Things, number: u32, facts: &mut Vec<Fact>) {
        let Some((id, properties)) = things.thing(number) else { return };
        for property in properties {
            let row = self.index.get(&property.name).and_then(|row| TRAITS.get(row as usize));
            let Some((name, of, kind, weight)) = row else { continue };
            if property.values.len() > MAX_VALUES {
                continue;
            }
            for value in &property.values {
                if *name == "offers" {
                    prices(things, value, *of, facts);
                } else if let Some(value) = comparable(things, value, *kind) {
                    push(facts, Fact { of: *of, weight: *weight, face: matches!(kind, Face), value });
                }
            }
        }
        if let Some(id) = id {
            push(facts, Fact { of: URL, weight: Alias, face: false, value: same::address(id).to_owned() });
        }
    }
}

/// Adds a fact that is not known yet.
pub fn push(facts: &mut Vec<Fact>, fact: Fact) {
    if facts.len() < MAX_FACTS && !fact.value.is_empty() && !facts.contains(&fact) {
        facts.push(fact);
    }
}

/// What a product costs sets it apart, though it is said of its offers.
fn prices(things: &dyn Things, value: &Value, of: u8, facts: &mut Vec<Fact>) {
    let Value::Node(offer) = value else { return };
    let Some((_, properties)) = things.thing(*offer) else { return };
    for property in properties.iter().filter(|property| matches!(&*property.name, "price" | "lowPrice" | "highPrice")) {
        for value in property.values.iter().take(MAX_VALUES).filter_map(|value| comparable(things, value, Amount)) {
            push(facts, Fact { of, weight: Soft, face: false, value });
        }
    }
}

fn comparable(things: &dyn Things, value: &Value, kind: Kind) -> Option<String> {
    let Some(text) = same::literal(value) else {
        let Value::Node(thing) = value else { return None };
        let (id, properties) = things.thing(*thing)?;
        return match kind {
            Face => face(things, properties),
            Address => id.map(|id| same::address(id).to_owned()),
            _ => None,
        };
    };
    match kind {
        Address => Some(same::address(text).to_owned()),
        Amount => same::decimal(text),
        Day => same::day(text.trim()).map(str::to_owned),
        // The country's prefix is often left out.
        Phone => {
            let digits: Vec<char> = text.chars().filter(char::is_ascii_digit).collect();
            digits.len().checked_sub(7).and_then(|from| digits.get(from..)).map(|last| last.iter().collect())
        }
        Code | Face => {
            let text = crate::read::schema_name(text.trim()).unwrap_or(text);
            let loose = same::loose(text);
            Some(loose.trim_start_matches('0').to_owned())
        }
    }
}

/// What a thing shows of itself where it is a value: its name, else its rating, else where it is.
fn face(things: &dyn Things, properties: &[Property]) -> Option<String> {
    let first = |properties: &'_ [Property], name: &str| -> Option<Value> {
        properties.iter().find(|property| &*property.name == name)?.values.first().cloned()
    };
    let text = |properties: &[Property], names: &[&str]| -> Option<String> {
        names.iter().find_map(|name| first(properties, name)).as_ref().and_then(same::literal).map(same::loose)
    };
    const PLACE: [&str; 3] = ["streetAddress", "postalCode", "addressLocality"];
    let own = text(properties, &["name", "headline", "ratingValue"]).or_else(|| text(properties, &PLACE));
    own.or_else(|| match first(properties, "address")? {
        Value::Node(address) => text(things.thing(address)?.1, &PLACE),
        value => same::literal(&value).map(same::loose),
    })
}

/// A trait on which two things have nothing in common. `lenient`: of two faces one may be a part of the other, as
/// syntaxes on one page write names at different lengths. `settled`: an identity was found equal.
pub fn contradict(a: &[Fact], b: &[Fact], lenient: bool, settled: bool) -> bool {
    let agree = |x: &Fact, y: &Fact| {
        // Microdata in a `meta` element gives a path, JSON-LD the whole address.
        let is_path = |path: &Fact, of: &Fact| path.of == URL && path.value.starts_with('/') && of.value.ends_with(&path.value);
        let is_part = |part: &Fact, of: &Fact| lenient && part.face && of.face && text::contains(&of.value, &part.value);
        x.value == y.value || is_path(x, y) || is_path(y, x) || is_part(x, y) || is_part(y, x)
    };
    let counts = |fact: &&Fact| matches!(fact.weight, Identity | Apart) || (!settled && matches!(fact.weight, Naming | Soft));
    let spoken = |fact: &Fact, other: &Fact| fact.of == other.of;
    a.iter().filter(counts).any(|fact| {
        b.iter().filter(counts).any(|other| spoken(fact, other))
            && !a.iter().filter(|first| spoken(fact, first)).any(|first| b.iter().any(|other| spoken(first, other) && agree(first, other)))
    })
}

/// Something that both say.
pub fn share(a: &[Fact], b: &[Fact], of: impl Fn(&Fact) -> bool) -> bool {
    a.iter().filter(|fact| of(fact)).any(|fact| b.iter().any(|other| other.of == fact.of && other.value == fact.value))
}
