use super::*;
use alloc::string::{String, ToString};

/// A node as a reader gives it. Values: `#3` is node 3, `<iri>` a reference, `(url)` a URL, `=5` a number, else text.
pub(super) fn node(format: Format, id: &str, types: &str, properties: &[(&str, &str)]) -> Node {
    let mut node = Node::new(format, 0);
    node.id = Some(id).filter(|id| !id.is_empty()).map(Rc::from);
    node.types = types.split_whitespace().map(Rc::from).collect();
    for (name, value) in properties {
        let (first, rest) = value.split_at(value.chars().next().map_or(0, char::len_utf8));
        node.push(
            &Rc::from(*name),
            match first {
                "#" => Value::Node(rest.parse().unwrap()),
                "<" => Value::Reference(rest.trim_end_matches('>').into()),
                "(" => Value::Url(rest.trim_end_matches(')').into()),
                "=" => Value::Number(rest.into()),
                _ => Value::Text { text: (*value).into(), language: None },
            },
        );
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
    let all = entity
        .properties
        .iter()
        .map(|property| [&*property.name, "=", &property.values.iter().map(value).collect::<Vec<_>>().join(",")].concat());
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
        [
            "Recipe",
            "CreativeWorkSeason",
            "Thing",
            "https://foreign.example/T",
            "https://schema.org/Produkt",
            "https://schema.org/constructor"
        ]
    );
    assert_eq!(facts(&graph, 0), "recipeIngredient=salt,salt __proto__=x https://foreign.example/p=y");
}

#[test]
fn references_lead_to_what_is_described_and_stay_where_nothing_is() {
    let (graph, _) = build(vec![
        node(JsonLd, "https://a.example/#w", "WebPage", &[("mainEntity", "<https://a.example/#p>"), ("about", "<https://b.example/>")]),
        node(
            JsonLd,
            "https://a.example/#p",
            "Product",
            &[("mainEntityOfPage", "(https://a.example/#w)"), ("isPartOf", "(https://a.example/#w)"), ("url", "(https://a.example/#w)")],
        ),
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
        node(
            JsonLd,
            "i:p",
            "Product",
            &[
                ("brand", "#1"),
                ("brand", "Acme &amp; Co"),
                ("image", "(https://a.example/i.jpg)"),
                ("image", "#2"),
                ("availability", "(https://schema.org/InStock)"),
                ("datePublished", "2024-01-05"),
                ("lowPrice", "129.90"),
                ("gtin", "0012"),
            ],
        ),
        node(JsonLd, "", "Brand", &[("name", "acme & co")]),
        node(JsonLd, "", "ImageObject", &[("contentUrl", "(https://a.example/i.jpg)")]),
        node(
            Microdata,
            "i:p",
            "Product",
            &[
                ("availability", "InStock"),
                ("datePublished", "2024-01-05T10:00"),
                ("lowPrice", "129,9 €"),
                ("gtin", "12"),
                ("brand", "#1"),
                ("brand", "#1"),
            ],
        ),
    ]);
    assert_eq!(
        facts(&graph, 0),
        "brand=#1 image=#2 availability=https://schema.org/InStock datePublished=2024-01-05T10:00 lowPrice=129.90 gtin=0012,12"
    );
}

#[test]
fn reads_amounts_however_they_are_written() {
    for (written, amount) in [
        ("5", "5"),
        ("5.0", "5"),
        ("129.90", "129.9"),
        ("$129.90", "129.9"),
        ("129,90 €", "129.9"),
        ("1.299,00 €", "1299"),
        ("$1,299", "1299"),
        ("1,299.00", "1299"),
        ("1 299,50 Kč", "1299.5"),
        ("-3.50", "-3.5"),
        ("0.99", "0.99"),
        ("1.299", "1.299"),
        ("1,299,000", "1299000"),
        ("CHF 5", "5"),
    ] {
        assert_eq!(same::decimal(written).as_deref(), Some(amount), "{written}");
    }
    for written in ["", "free", "10 - 20", "from about 5", "4 of 5"] {
        assert_eq!(same::decimal(written), None, "{written}");
    }
}

/// A product in JSON-LD, and one in microdata; how many entities they come to.
fn twins(first: &[(&str, &str)], second: &[(&str, &str)]) -> usize {
    build(vec![node(JsonLd, "", "Product", first), node(Microdata, "", "Product", second)]).0.entities.len()
}

#[test]
fn the_same_thing_in_two_syntaxes_is_one() {
    for (first, second) in [
        (vec![("name", "Café &amp; Co"), ("sku", "7")], vec![("name", "café & co"), ("sku", "7")]),
        (
            vec![("name", "A"), ("url", "(https://www.a.example/p/)")],
            vec![("name", "A"), ("url", "(http://a.example/p#x)"), ("price", "=9")],
        ),
        (vec![("name", "A")], vec![("name", "A")]),
        (vec![("name", "A"), ("sku", "7")], vec![("name", "A"), ("mpn", "8")]),
        (vec![("name", "A"), ("gtin13", "0012345678905")], vec![("name", "A"), ("gtin", "12345678905")]),
    ] {
        assert_eq!(twins(&first, &second), 1, "{first:?} {second:?}");
    }
}

#[test]
fn an_article_is_known_by_its_headline_and_page() {
    let ld =
        |extra: &[(&str, &str)]| node(JsonLd, "i:a#article", "NewsArticle", &[&[("headline", "A"), ("author", "Ann")], extra].concat());
    let count = |nodes: Vec<Node>| build(nodes).0.entities.len();
    assert_eq!(count(vec![ld(&[]), node(Microdata, "", "Article", &[("headline", "A - The Site"), ("author", "The Site")])]), 1);
    let page = ("mainEntityOfPage", "<https://a.example/n>");
    assert_eq!(count(vec![ld(&[page]), node(JsonLd, "", "Article", &[("headline", "A"), page])]), 1);
    assert_eq!(count(vec![ld(&[page]), node(JsonLd, "", "Article", &[("headline", "A"), page, ("author", "Ben")])]), 2);
    assert_eq!(count(vec![ld(&[]), node(JsonLd, "", "Article", &[("headline", "A")])]), 2);
    assert_eq!(count(vec![ld(&[("url", "(https://a.example/n/)")]), node(Rdfa, "https://a.example/n", "Article", &[("name", "A")])]), 1);
}

#[test]
fn different_things_stay_apart() {
    for (first, second) in [
        (vec![("name", "A")], vec![("name", "B")]),
        (vec![("sku", "7")], vec![("sku", "7")]),
        (vec![("name", "A"), ("sku", "7")], vec![("name", "A"), ("sku", "8")]),
        (vec![("name", "A"), ("url", "(https://a.example/1)")], vec![("name", "A"), ("url", "(https://a.example/2)")]),
        (
            vec![("name", "A"), ("url", "(https://a.example/1)"), ("color", "red")],
            vec![("name", "A"), ("url", "(https://a.example/1)"), ("color", "blue")],
        ),
        (vec![("name", "C")], vec![("name", "C++")]),
    ] {
        assert_eq!(twins(&first, &second), 2, "{first:?} {second:?}");
    }
    let apart = |a: Node, b: Node| build(vec![a, b]).0.entities.len() == 2;
    assert!(apart(node(JsonLd, "i:a", "Product", &[("name", "A")]), node(Microdata, "i:b", "Product", &[("name", "A")])));
    assert!(apart(node(JsonLd, "", "Product", &[("name", "A")]), node(Microdata, "", "Person", &[("name", "A")])));
    assert!(apart(node(JsonLd, "", "Person", &[("name", "A")]), node(JsonLd, "", "Person", &[("name", "A")])));
    assert!(apart(node(JsonLd, "", "", &[("name", "A")]), node(Microdata, "", "", &[("name", "A")])));
    assert!(apart(node(JsonLd, "", "https://f.example/T", &[("name", "A")]), node(Microdata, "", "https://f.example/T", &[("name", "A")])));
    let event = |format, day| node(format, "", "Event", &[("name", "A"), ("url", "(https://a.example/e)"), ("startDate", day)]);
    assert!(apart(event(JsonLd, "2024-01-05T20:00"), event(JsonLd, "2024-01-06T20:00")));
    assert!(!apart(event(JsonLd, "2024-01-05T20:00"), event(Microdata, "2024-01-05")));
}

#[test]
fn knows_what_sets_entities_of_one_name_apart() {
    let product = |extra: &[(&str, &str)]| node(JsonLd, "", "Product", &[&[("name", "Cup")], extra].concat());
    let offer = |price: &str| node(JsonLd, "", "Offer", &[("price", price)]);
    let (graph, _) = build(vec![
        product(&[("color", "red"), ("offers", "#3")]),
        product(&[("color", "blue")]),
        product(&[("offers", "#4")]),
        offer("=9"),
        offer("=11"),
    ]);
    let apart = |a: u32, b: u32| graph.are_apart(a, b);
    assert!(apart(0, 1) && apart(0, 2) && !apart(1, 2) && !apart(0, 0));
}

#[test]
fn one_syntax_that_says_a_thing_again_needs_an_identity() {
    let product = |extra: &[(&str, &str)]| node(JsonLd, "", "Product", &[&[("name", "A")], extra].concat());
    let count = |nodes: Vec<Node>| build(nodes).0.entities.len();
    assert_eq!(count(vec![product(&[("sku", "7")]), product(&[("sku", "7"), ("price", "=9")])]), 1);
    assert_eq!(count(vec![product(&[("sku", "7"), ("price", "=8")]), product(&[("sku", "7"), ("price", "=9")])]), 2);
    assert_eq!(count(vec![product(&[]), product(&[])]), 2);
}

#[test]
fn among_several_candidates_only_a_price_tells_which() {
    let card = |format, price| node(format, "", "Product", &[("name", "Card"), ("price", price)]);
    let (graph, _) =
        build(vec![card(JsonLd, "=10"), card(JsonLd, "=20"), card(Microdata, "20.00"), card(Microdata, "$10"), card(Microdata, "=30")]);
    assert_eq!(graph.entities.len(), 3);
    assert!(graph.entities[..2].iter().all(|entity| entity.formats == [JsonLd, Microdata]));
    let person = |format| node(format, "", "Person", &[("name", "Jane")]);
    assert_eq!(build(vec![person(JsonLd), person(JsonLd), person(Microdata)]).0.entities.len(), 3);
}

#[test]
fn parts_of_twins_are_twins() {
    let (graph, _) = build(vec![
        node(
            JsonLd,
            "",
            "Product",
            &[("name", "A"), ("offers", "#1"), ("brand", "Acme"), ("aggregateRating", "#2"), ("review", "#3"), ("review", "#4")],
        ),
        node(JsonLd, "", "Offer", &[("price", "129.90"), ("priceCurrency", "EUR"), ("seller", "#11")]),
        node(JsonLd, "", "AggregateRating", &[("ratingValue", "=4.5")]),
        node(JsonLd, "", "Review", &[("author", "Ann"), ("reviewBody", "Good.")]),
        node(JsonLd, "", "Review", &[("author", "Ben"), ("reviewBody", "Bad.")]),
        node(
            Microdata,
            "",
            "Product",
            &[("name", "A"), ("offers", "#6"), ("brand", "#7"), ("aggregateRating", "#8"), ("review", "#9"), ("review", "#10")],
        ),
        node(Microdata, "", "Offer", &[("price", "129,90 €"), ("availability", "InStock"), ("seller", "#12")]),
        node(Microdata, "", "Brand", &[("name", "Acme")]),
        node(Microdata, "", "AggregateRating", &[("ratingValue", "3"), ("reviewCount", "2")]),
        node(Microdata, "", "Review", &[("author", "Ben"), ("reviewBody", "Bad.")]),
        node(Microdata, "", "Review", &[("author", "Cem"), ("reviewBody", "So so.")]),
        node(JsonLd, "", "Organization", &[("name", "Shop")]),
        node(Microdata, "", "Organization", &[("name", "Shop"), ("url", "(https://a.example/)")]),
    ]);
    assert_eq!(facts(&graph, 0), "name=A offers=#1 brand=#5 aggregateRating=#2,#6 review=#3,#4,#7");
    assert_eq!(facts(&graph, 1), "price=129.90 priceCurrency=EUR seller=#8 availability=InStock");
    assert_eq!(facts(&graph, 4), "author=Ben reviewBody=Bad.");
    assert_eq!(facts(&graph, 8), "name=Shop url=https://a.example/");
    assert_eq!(graph.entities.len(), 9);
    assert_eq!(graph.entities[8].referrers, [1]);
}

#[test]
fn a_thing_told_twice_under_one_id_has_its_parts_once() {
    let told = |offer: &str| node(JsonLd, "i:p", "Product", &[("name", "A"), ("offers", offer)]);
    let offer = |extra: &[(&str, &str)]| node(JsonLd, "", "Offer", &[&[("price", "=5")], extra].concat());
    let (graph, _) = build(vec![told("#1"), offer(&[("url", "(https://a.example/)")]), told("#3"), offer(&[("priceCurrency", "EUR")])]);
    assert_eq!(facts(&graph, 0), "name=A offers=#1");
    assert_eq!(facts(&graph, 1), "price=5 url=https://a.example/ priceCurrency=EUR");
}

#[test]
fn page_and_trail_are_one_each() {
    let mut nodes = vec![node(JsonLd, "", "WebPage", &[("name", "A")]), node(Rdfa, "", "ItemPage", &[("url", "(https://a.example/)")])];
    for format in [JsonLd, Microdata] {
        let at = nodes.len();
        nodes.push(node(
            format,
            "",
            "BreadcrumbList",
            &[("itemListElement", &["#", &(at + 1).to_string()].concat()), ("itemListElement", &["#", &(at + 2).to_string()].concat())],
        ));
        nodes.push(node(format, "", "ListItem", &[("position", "1"), ("name", "Home")]));
        nodes.push(node(format, "", "ListItem", &[("position", "2"), ("name", "Shoes"), ("item", "(https://a.example/s)")]));
    }
    let (graph, _) = build(nodes);
    assert_eq!(
        graph.entities.iter().map(|entity| &*entity.types[0]).collect::<Vec<_>>(),
        ["ItemPage", "BreadcrumbList", "ListItem", "ListItem"]
    );
    assert_eq!(facts(&graph, 1), "itemListElement=#2,#3");
}

/// Every shape that could be quadratic: many descriptions of one thing, many things of one name. A quadratic step would
/// not end here in minutes.
#[test]
fn large_pages_end() {
    let number = |number: usize| ["#", &number.to_string()].concat();
    let count = 5_000;
    let mut nodes = vec![];
    for at in 0..count {
        let format = if at % 2 == 0 { JsonLd } else { Microdata };
        nodes.push(node(format, "", "Person", &[("name", "Anonymous"), ("knows", &number(at / 2))]));
        nodes.push(node(format, "i:one", "Organization", &[("name", "One"), ("member", &number(at)), ("knows", &at.to_string())]));
        nodes.push(node(format, "", "Product", &[("name", "Shoe"), ("url", "(https://a.example/)"), ("sku", &at.to_string())]));
        nodes.push(node(format, "", "Product", &[("name", &at.to_string()), ("url", "(https://a.example/)"), ("offers", &number(at * 4))]));
    }
    assert!(build(nodes).0.entities.len() > count);
}

/// Whatever readers give, nothing is lost but repeats, and no number leads nowhere.
#[test]
fn any_nodes_give_a_sound_graph() {
    let mut seed = 7u32;
    let mut pick = |count: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % count
    };
    for _ in 0..800 {
        let count = 1 + pick(9);
        let mut nodes = vec![];
        for _ in 0..count {
            let format = [JsonLd, Microdata, Rdfa][pick(3)];
            let id = ["", "", "i:a", "i:b", "_:c"][pick(5)];
            let types = ["Product", "product Car", "Offer", "", "https://f.example/T", "BreadcrumbList", "WebPage", "constructor"][pick(8)];
            let values: Vec<(&str, String)> = (0..pick(6))
                .map(|_| {
                    let name = ["name", "url", "sku", "offers", "itemListElement", "brand", "__proto__"][pick(7)];
                    let value = match pick(6) {
                        0 => ["#", &pick(count + 2).to_string()].concat(),
                        1 => "<i:a>".to_string(),
                        2 => "(https://a.example/)".to_string(),
                        3 => "=5".to_string(),
                        4 => ["A", "B", "&amp;", "  "][pick(4)].to_string(),
                        _ => "5".to_string(),
                    };
                    (name, value)
                })
                .collect();
            let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, &**value)).collect();
            nodes.push(node(format, id, types, &values));
        }
        let (graph, _) = build(nodes.clone());
        assert!(graph.entities.len() <= nodes.iter().filter(|node| is_described(node)).count());
        for (number, entity) in (0..).zip(&graph.entities) {
            for property in &entity.properties {
                assert!(!property.values.is_empty());
                for value in &property.values {
                    if let Value::Node(thing) = value {
                        assert!(graph.entity(*thing).unwrap().referrers.contains(&number));
                    }
                }
            }
            for by in &entity.referrers {
                assert!(graph.entity(*by).unwrap().properties.iter().any(|property| property.values.contains(&Value::Node(number))));
            }
            assert!(
                entity.types.iter().filter(|name| spelling::is_bare(name)).all(|name| crate::vocabulary::type_name(name) == Some(name))
            );
        }
        // What a page says once is still said.
        for node in &nodes {
            for value in node.properties.iter().flat_map(|property| &property.values) {
                let Some(text) = same::literal(value).filter(|text| !text.starts_with("i:")) else { continue };
                let said = |entity: &Entity| {
                    entity.properties.iter().flat_map(|property| &property.values).any(|value| {
                        same::key("", value).as_deref().map(str::trim)
                            == same::key("", &Value::Text { text: text.into(), language: None }).as_deref().map(str::trim)
                    })
                };
                assert!(graph.entities.iter().any(said), "{text} {nodes:?}");
            }
        }
    }
}
