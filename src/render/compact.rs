//! Things that are one line to a reader: an address, opening hours, an amount, a person of whom only the name is told.

use alloc::{rc::Rc, string::String, vec::Vec};

use super::Out;
use crate::text::{self, among};

type Fields<'m> = Vec<(&'m str, Out<'m>)>;

/// A nested thing: nothing, one line, or an object.
pub fn object<'m>(types: &[Rc<str>], fields: Fields<'m>) -> Option<Out<'m>> {
    let mut fields = tidy(types, fields);
    let line = types.iter().find_map(|name| line(name, &fields));
    if let Some(line) = line {
        return Some(line);
    }
    if types.iter().any(|name| &**name == "ListItem") {
        return list_item(fields);
    }
    match fields.as_slice() {
        [] => None,
        [(name, _)] if stands_alone(name) => fields.pop().map(|(_, value)| value),
        _ => Some(Out::Object(fields)),
    }
}

/// One of these alone says what the thing is.
fn stands_alone(name: &str) -> bool {
    const ALONE: &str = "name headline text title url contentUrl embedUrl caption description ratingValue value item \
        itemListElement mainEntity address dayOfWeek";
    among(ALONE, name)
}

fn get<'a>(fields: &'a [(&str, Out<'_>)], name: &str) -> Option<&'a str> {
    fields.iter().find(|(other, _)| *other == name).and_then(|(_, value)| value.flat())
}

/// What the vocabulary or the thing itself says already is left out.
pub fn tidy<'m>(types: &[Rc<str>], mut fields: Fields<'m>) -> Fields<'m> {
    let is = |name: &str| types.iter().any(|other| &**other == name);
    if is("Rating") || is("AggregateRating") {
        // The vocabulary's own defaults.
        fields.retain(|(name, value)| {
            !matches!((*name, value.flat()), ("bestRating", Some("5" | "5.0")) | ("worstRating", Some("1" | "1.0")))
        });
    }
    if is("HowToStep") || is("HowToDirection") || is("Question") || is("HowToTip") {
        // Many sites cut the step's text to make a name of it.
        if let (Some(name), Some(text)) = (get(&fields, "name"), get(&fields, "text")) {
            let start = name.trim_end_matches(['…', '.', ' ']);
            if text.starts_with(start) {
                fields.retain(|(name, _)| *name != "name");
            }
        }
    }
    // An event that ends when it starts is one of a day.
    if let (Some(start), Some(end)) = (get(&fields, "startDate"), get(&fields, "endDate"))
        && start == end
    {
        fields.retain(|(name, _)| *name != "endDate");
    }
    if is("Offer") {
        lift_price(&mut fields);
    }
    fields
}

/// WooCommerce and others say the price only in a `priceSpecification`; what both say is said once.
fn lift_price(fields: &mut Fields<'_>) {
    let Some(at) = fields.iter().position(|(name, value)| *name == "priceSpecification" && matches!(value, Out::Object(_))) else { return };
    let (name, specification) = fields.remove(at);
    let Out::Object(mut inner) = specification else { return };
    inner.retain(|field| !fields.contains(field));
    let lifts =
        !fields.iter().any(|(name, _)| *name == "price") && inner.iter().all(|(name, _)| !fields.iter().any(|(other, _)| other == name));
    if lifts {
        for (place, field) in inner.into_iter().enumerate() {
            fields.insert((at + place).min(fields.len()), field);
        }
    } else if !inner.is_empty() {
        fields.insert(at.min(fields.len()), (name, Out::Object(inner)));
    }
}

fn list_item(mut fields: Fields<'_>) -> Option<Out<'_>> {
    let item = fields.iter().position(|(name, _)| *name == "item").map(|at| fields.remove(at).1);
    let name = fields.iter().find(|(name, _)| *name == "name").map(|(_, value)| value.clone());
    match item {
        Some(Out::Object(mut inner)) => {
            for field in fields {
                if !inner.iter().any(|(name, value)| *name == field.0 || *value == field.1) {
                    inner.push(field);
                }
            }
            Some(Out::Object(inner))
        }
        Some(item) if name.is_none() || name.as_ref() == Some(&item) => {
            fields.retain(|(name, _)| *name != "name");
            match fields.is_empty() {
                true => Some(item),
                false => {
                    fields.insert(0, ("item", item));
                    Some(Out::Object(fields))
                }
            }
        }
        Some(item) => {
            fields.push(("item", item));
            Some(Out::Object(fields))
        }
        None => match fields.as_slice() {
            [] => None,
            [(name, _)] if stands_alone(name) => fields.pop().map(|(_, value)| value),
            _ => Some(Out::Object(fields)),
        },
    }
}

/// A place of which only the name and the address are told: `address` says both.
pub fn place(fields: &mut Fields<'_>) {
    if let [("name", Out::Text(name)), ("address", Out::Text(address))] = fields.as_mut_slice() {
        if !text::contains(address, name) {
            *address = [name, ", ", address].concat();
        }
        fields.remove(0);
    }
}

/// The texts of a property: one, or several of a list.
fn texts<'a>(fields: &'a [(&str, Out<'_>)], name: &str) -> Vec<&'a str> {
    match fields.iter().find(|(other, _)| *other == name).map(|(_, value)| value) {
        Some(Out::List(items)) => items.iter().filter_map(Out::flat).collect(),
        Some(value) => value.flat().into_iter().collect(),
        None => Vec::new(),
    }
}

/// All fields are among `names` and are texts.
fn only(fields: &[(&str, Out<'_>)], names: &[&str]) -> bool {
    let flat = |value: &Out<'_>| match value {
        Out::List(items) => items.iter().all(|item| item.flat().is_some()),
        value => value.flat().is_some(),
    };
    !fields.is_empty() && fields.iter().all(|(name, value)| names.contains(name) && flat(value))
}

fn join(parts: &[&str], with: &str) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    parts.join(with)
}

/// The thing as one line, if it has nothing else to say.
fn line<'m>(kind: &str, fields: &[(&'m str, Out<'m>)]) -> Option<Out<'m>> {
    let one = |name: &str| get(fields, name).unwrap_or("");
    let all = |name: &str| texts(fields, name).join(", ");
    let text = match kind {
        "PostalAddress" => {
            const PARTS: [&str; 8] = [
                "name",
                "streetAddress",
                "extendedAddress",
                "postOfficeBoxNumber",
                "postalCode",
                "addressLocality",
                "addressRegion",
                "addressCountry",
            ];
            let rest: Vec<_> = fields.iter().filter(|(name, _)| !PARTS.contains(name)).cloned().collect();
            let inside: Vec<_> = fields.iter().filter(|(name, _)| PARTS.contains(name)).cloned().collect();
            if !only(&inside, &PARTS) {
                return None;
            }
            let town = join(&[&all("postalCode"), &all("addressLocality")], " ");
            let text = join(
                &[
                    &all("name"),
                    &all("streetAddress"),
                    &all("extendedAddress"),
                    &all("postOfficeBoxNumber"),
                    &town,
                    &all("addressRegion"),
                    &all("addressCountry"),
                ],
                ", ",
            );
            if !rest.is_empty() {
                let mut fields = alloc::vec![("address", Out::Text(text))];
                fields.extend(rest);
                return Some(Out::Object(fields));
            }
            text
        }
        "GeoCoordinates" if only(fields, &["latitude", "longitude"]) => join(&[one("latitude"), one("longitude")], ","),
        "OpeningHoursSpecification" if only(fields, &["dayOfWeek", "opens", "closes", "validFrom", "validThrough"]) => {
            let hours = join(&[one("opens"), one("closes")], "-");
            let valid = match (one("validFrom"), one("validThrough")) {
                ("", "") => String::new(),
                (from, "") => ["(from ", from, ")"].concat(),
                ("", through) => ["(until ", through, ")"].concat(),
                (from, through) => ["(", from, " to ", through, ")"].concat(),
            };
            join(&[&all("dayOfWeek"), &hours, &valid], " ")
        }
        "QuantitativeValue" if only(fields, &["value", "minValue", "maxValue", "unitText", "unitCode"]) => {
            let range = join(&[one("minValue"), one("maxValue")], "-");
            join(&[one("value"), &range, one("unitText"), one("unitCode")], " ")
        }
        "MonetaryAmount" if only(fields, &["value", "minValue", "maxValue", "currency"]) => {
            let range = join(&[one("minValue"), one("maxValue")], "-");
            join(&[one("currency"), &all("value"), &range], " ")
        }
        "PropertyValue" | "LocationFeatureSpecification"
            if only(fields, &["name", "value", "unitText", "unitCode", "propertyID"])
                && !one("name").is_empty()
                && !all("value").is_empty() =>
        {
            let value = join(&[&all("value"), one("unitText"), one("unitCode")], " ");
            let value = [one("name"), ": ", &value].concat();
            if one("propertyID").is_empty() || one("propertyID") == one("name") {
                value
            } else {
                [&value, " (", one("propertyID"), ")"].concat()
            }
        }
        "InteractionCounter" if only(fields, &["interactionType", "userInteractionCount"]) => {
            join(&[one("interactionType"), one("userInteractionCount")], " ")
        }
        _ => return None,
    };
    (!text.is_empty()).then_some(Out::Text(text))
}
