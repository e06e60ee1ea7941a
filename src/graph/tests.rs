use super::*;
use alloc::string::{String, ToString};

/// A node as a reader gives it. Values: `#3` is node 3, `<iri>` a reference, `(url)` a URL, `=5` a number, else text.
pub(super) fn node(format: Format, id: &str, types: &str, properties: &[(&str, &str)]) -> Node {
    let mut node = Node::new(format, 0);
    node.id = Some(id).filter(|id| !id.is_empty()).map(Rc::from);
    node.types = types.split_whitespace().map(Rc::from).collect();
    for (name, value) in properties {
        let (first, rest) = value.split_at(value.chars().next().map_or(0, char::len_utf8));
        node.push(&Rc::from(*name), match first {
            "#" => Value::Node(rest.parse().unwrap()),
            "<" => Value::Reference(rest.trim_end_matches('>').into()),
            "(" => Value::Url(rest.trim_end_matches(')').into()),
            "=" => Value::Number(rest.into()),
            _ => Value::Text { text: (*value).into(), language: None },
        });
    }
    node
}

/// `name=value,value` for each property, things as `#number`.
pub(super) fn facts(graph: &Graph, number: u32) -> String {
    let entity = graph.entity(number).unwrap();
    let value = |value: &Value| match value {
        Value::Node(number) => ["#", &number.to_string()].concat(),
        other => same::literal(other).unwrap().to_string(),
    };
    let all = entity.properties.iter().map(|property| {
        [&*property.name, "=", &property.values.iter().map(value).collect::<Vec<_>>().join(",")].concat()
    });
    all.collect::<Vec<_>>().join(" ")
}

use Format::{JsonLd, Microdata, Rdfa};

#[test]
fn equal_ids_are_one_thing_in_every_syntax() {
    let (graph, _) = build(vec![
        node(JsonLd, "https://a.example/#p", "Product", &[("name", "A"), ("price", "=5"), ("color", "red")]),
        node(JsonLd, "https://a.example/#p", "Car", &[("name", " A "), ("price", "5"), ("color", "blue")]),
        node(Microdata, "https://a.example/#p", "product/", &[("sku", "7"), ("name", "A")]),
        node(Rdfa, "https://a.example/#q", "Product", &[("name", "A")]),
    ]);
    assert_eq!(graph.entities.len(), 2);
    assert_eq!(facts(&graph, 0), "name=A price=5 color=red,blue sku=7");
    assert_eq!(graph.entities[0].types, ["Car".into(), Rc::<str>::from("Product")]);
    assert_eq!(graph.entities[0].formats, [JsonLd, Microdata]);
}

#[test]
fn names_are_the_vocabularys_or_full() {
    let (graph, _) = build(vec![node(
        JsonLd,
        "",
        "https://foreign.example/T Produkt constructor thing RECIPE http://schema.org/Season/",
        &[("ingredients", "salt"), ("recipeIngredient", "salt"), ("__proto__", "x"), ("https://foreign.example/p", "y")],
    )]);
    let types: Vec<&str> = graph.entities[0].types.iter().map(|name| &**name).collect();
    assert_eq!(
        types,
        ["Recipe", "CreativeWorkSeason", "Thing", "https://foreign.example/T", "https://schema.org/Produkt", "https://schema.org/constructor"]
    );
    assert_eq!(facts(&graph, 0), "recipeIngredient=salt,salt __proto__=x https://foreign.example/p=y");
}

#[test]
fn references_lead_to_what_is_described_and_stay_where_nothing_is() {
    let (graph, _) = build(vec![
        node(JsonLd, "https://a.example/#w", "WebPage", &[("mainEntity", "<https://a.example/#p>"), ("about", "<https://b.example/>")]),
        node(JsonLd, "https://a.example/#p", "Product", &[
            ("mainEntityOfPage", "(https://a.example/#w)"),
            ("isPartOf", "(https://a.example/#w)"),
            ("url", "(https://a.example/#w)"),
        ]),
        node(JsonLd, "https://a.example/#p", "", &[]),
        node(Microdata, "", "Offer", &[("itemOffered", "#2"), ("seller", "#4"), ("broker", "#5")]),
        node(Microdata, "https://c.example/", "", &[]),
        node(Microdata, "_:b", "", &[]),
    ]);
    assert_eq!(graph.entities.len(), 3);
    assert_eq!(facts(&graph, 0), "mainEntity=#1 about=https://b.example/");
    assert!(matches!(graph.entities[0].values("about"), [Value::Reference(_)]));
    assert_eq!(facts(&graph, 1), "mainEntityOfPage=https://a.example/#w isPartOf=#0 url=https://a.example/#w");
    assert_eq!(facts(&graph, 2), "itemOffered=#1 seller=https://c.example/");
    assert_eq!(graph.entities[1].referrers, [0, 2]);
    assert_eq!(graph.entities[0].referrers, [1]);
}

#[test]
fn labels_are_no_ids() {
    let (graph, _) = build(vec![
        node(JsonLd, "_:1x", "Person", &[("knows", "<_:1x>"), ("name", "A")]),
        node(JsonLd, "_:1x", "Person", &[("name", "B")]),
        node(JsonLd, "_:2x", "Person", &[("name", "C")]),
    ]);
    assert_eq!((graph.entities.len(), graph.entities[0].id.clone()), (2, None));
    assert_eq!(facts(&graph, 0), "knows=#0 name=A,B");
}

#[test]
fn nothing_is_said_twice() {
    let (graph, _) = build(vec![
        node(JsonLd, "i:p", "Product", &[
            ("brand", "#1"), ("brand", "Acme &amp; Co"), ("image", "(https://a.example/i.jpg)"), ("image", "#2"),
            ("availability", "(https://schema.org/InStock)"), ("datePublished", "2024-01-05"), ("lowPrice", "129.90"), ("gtin", "0012"),
        ]),
        node(JsonLd, "", "Brand", &[("name", "acme & co")]),
        node(JsonLd, "", "ImageObject", &[("contentUrl", "(https://a.example/i.jpg)")]),
        node(Microdata, "i:p", "Product", &[
            ("availability", "InStock"), ("datePublished", "2024-01-05T10:00"), ("lowPrice", "129,9 €"), ("gtin", "12"), ("brand", "#1"), ("brand", "#1"),
        ]),
    ]);
    assert_eq!(
        facts(&graph, 0),
        "brand=#1 image=#2 availability=https://schema.org/InStock datePublished=2024-01-05T10:00 lowPrice=129.90 gtin=0012,12"
    );
}

#[test]
fn reads_amounts_however_they_are_written() {
    for (written, amount) in [
        ("5", "5"), ("5.0", "5"), ("129.90", "129.9"), ("$129.90", "129.9"), ("129,90 €", "129.9"), ("1.299,00 €", "1299"), ("$1,299", "1299"),
        ("1,299.00", "1299"), ("1 299,50 Kč", "1299.5"), ("-3.50", "-3.5"), ("0.99", "0.99"), ("1.299", "1.299"), ("1,299,000", "1299000"), ("CHF 5", "5"),
    ] {
        assert_eq!(same::decimal(written).as_deref(), Some(amount), "{written}");
    }
    for written in ["", "free", "10 - 20", "from about 5", "4 of 5"] {
        assert_eq!(same::decimal(written), None, "{written}");
    }
}
