//! Names as the vocabulary spells them.

use alloc::{rc::Rc, string::String, vec::Vec};

use crate::order;
use crate::read::{Node, schema_name};
use crate::text;
use crate::text_index::TextIndex;
use crate::vocabulary;

/// Names that were looked up before: a page uses few different ones very often.
#[derive(Default)]
struct Memory {
    index: TextIndex,
    names: Vec<Rc<str>>,
}

impl Memory {
    fn spelled(&mut self, name: &Rc<str>, spell: fn(&Rc<str>) -> Rc<str>) -> Rc<str> {
        let number = self.index.insert(name, self.names.len() as u32).unwrap_or_else(|| {
            self.names.push(spell(name));
            self.names.len() as u32 - 1
        });
        self.names.get(number as usize).unwrap_or(name).clone()
    }
}

/// Gives the types and properties of all nodes the vocabulary's spelling, and sorts types.
pub fn correct(nodes: &mut [Node]) {
    let (mut types, mut properties) = (Memory::default(), Memory::default());
    for node in nodes {
        if node.types.iter().any(|name| text::contains(name, FORERUNNER)) {
            succeed(node);
        }
        node.types.iter_mut().for_each(|name| *name = types.spelled(name, type_name));
        sort(&mut node.types);
        node.properties.iter_mut().for_each(|property| property.name = properties.spelled(&property.name, property_name));
    }
}

/// The host of the vocabulary that Schema.org took the place of; pages still use it.
const FORERUNNER: &str = "data-vocabulary.org/";

/// Its types, and what Schema.org calls them where that differs.
const TYPES: &str = " Event Organization Person Product Offer Review Rating Recipe Address>PostalAddress Geo>GeoCoordinates \
    Offer-aggregate>AggregateOffer Review-aggregate>AggregateRating Nutrition>NutritionInformation Instructions>HowToStep Ingredient>Thing ";

/// The same of properties, those of one type with the type before them.
const PROPERTIES: &str = " Person.title>jobTitle Review.summary>name Review.rating>reviewRating Review.description>reviewBody \
    Review-aggregate.rating>ratingValue Rating.average>ratingValue Offer.condition>itemCondition summary>name eventType>additionalType \
    photo>image tickets>offers tel>telephone nickname>alternateName role>roleName org>affiliation friend>knows contact>knows \
    acquaintance>knows street-address>streetAddress locality>addressLocality region>addressRegion postal-code>postalCode \
    country-name>addressCountry offerDetails>offers currency>priceCurrency itemreviewed>itemReviewed reviewer>author \
    dtreviewed>datePublished count>ratingCount votes>reviewCount value>ratingValue best>bestRating worst>worstRating \
    ingredients>recipeIngredient ingredient>recipeIngredient instructions>recipeInstructions yield>recipeYield published>datePublished \
    recipeType>recipeCategory ";

/// What stands after `name` and `>` in a list, `name` itself where it stands without; `None` where it is not listed.
fn successor<'n>(list: &'static str, name: &'n str) -> Option<&'n str> {
    let entry = list.split(' ').find(|entry| entry.split('>').next() == Some(name))?;
    Some(entry.split_once('>').map_or(name, |(_, successor)| successor))
}

/// A thing of the forerunner becomes one of Schema.org; types that have no successor stay foreign, and so does what has
/// no more than a name: whoever wrote that had no agent in mind.
fn succeed(node: &mut Node) {
    if node.properties.len() < 2 {
        return;
    }
    let own = |name: &str| text::split_once(name, FORERUNNER).map(|(_, own)| String::from(own.trim_matches(['#', '/'])));
    let Some(kind) = node.types.iter().find_map(|name| own(name)) else { return };
    let Some(known) = successor(TYPES, &kind) else { return };
    node.types = alloc::vec![Rc::from(known)];
    for property in &mut node.properties {
        let name = own(&property.name).unwrap_or_else(|| String::from(&*property.name));
        let known = successor(PROPERTIES, &[&kind, ".", &name].concat()).or_else(|| successor(PROPERTIES, &name)).map(Rc::from);
        property.name = known.unwrap_or_else(|| Rc::from(name));
    }
}

/// Most specific first, other vocabularies' last, each once.
pub fn sort(types: &mut Vec<Rc<str>>) {
    if types.len() < 2 {
        return;
    }
    let rank = |name: &Rc<str>| if is_bare(name) { vocabulary::depth(name) + 1 } else { 0 };
    order::sort_by_key(types, |name| core::cmp::Reverse(rank(name)));
    let mut kept: Vec<Rc<str>> = Vec::new();
    for name in types.drain(..) {
        // Pages state a handful of types; one that states thousands is not served better by all of them.
        if kept.len() < MAX_TYPES && !kept.contains(&name) {
            kept.push(name);
        }
    }
    *types = kept;
}

/// Types of one thing that are kept.
const MAX_TYPES: usize = 32;

/// A name without a namespace.
pub fn is_bare(name: &str) -> bool {
    !name.contains([':', '/'])
}

fn type_name(name: &Rc<str>) -> Rc<str> {
    let trimmed = name.trim().trim_end_matches('/');
    let bare = schema_name(trimmed).unwrap_or(trimmed);
    match vocabulary::type_name(bare) {
        Some(known) => Rc::from(known),
        None if is_bare(bare) => Rc::from(["https://schema.org/", bare].concat()),
        None => name.clone(),
    }
}

fn property_name(name: &Rc<str>) -> Rc<str> {
    let spelled = vocabulary::property_name(name);
    if spelled == &**name { name.clone() } else { Rc::from(spelled) }
}
