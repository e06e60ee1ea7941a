//! A live page's snapshot is sparse, a parsed document's is whole; readers must not be able to tell.

// Parses pages natively; what the browser reads is tested in tests/browser.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use scraper::{ElementRef, Html, Selector};
use serde_json::Value as Json;
use std::collections::HashSet;
use std::path::PathBuf;
use toolmark::dom::Document;
use toolmark::options::Options;
use toolmark::read::{Node, anchors, meta, microdata, rdfa};

const URL: &str = "https://shop.example/p/1";

/// The snapshot that the rules in `read::anchors` ask for, and nothing more.
fn sparse(page: &Html, url: &str) -> Document {
    let select = |selector: &str| {
        let selector = Selector::parse(selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
        page.select(&selector).filter(|element| !in_template(*element)).collect::<Vec<_>>()
    };
    let mut kept = HashSet::new();
    let mut whole = HashSet::new();
    let mut keep = |elements: &[ElementRef<'_>]| kept.extend(elements.iter().map(|element| element.id()));
    let mut keep_texts = |elements: &[ElementRef<'_>]| whole.extend(elements.iter().map(|element| element.id()));
    keep(&select(anchors::PAGE));
    keep_texts(&select(anchors::PAGE_TEXT));
    if !select(anchors::MICRODATA_TEST).is_empty() {
        keep(&select(anchors::MICRODATA));
        keep_texts(&select(anchors::MICRODATA_TEXT));
        let ids: HashSet<&str> =
            select(anchors::ITEMREF).iter().flat_map(|item| item.attr("itemref").unwrap().split_ascii_whitespace()).collect();
        keep(&select("[id]").into_iter().filter(|element| ids.contains(element.attr("id").unwrap())).collect::<Vec<_>>());
    }
    if !select(anchors::RDFA_TEST).is_empty() {
        let resources = select(anchors::RDFA);
        let strong: HashSet<_> = resources
            .iter()
            .filter(|element| element.value().attrs().any(|(name, _)| !matches!(name, "href" | "src")))
            .map(|element| element.id())
            .collect();
        for element in &resources {
            let outer = || element.ancestors().filter_map(ElementRef::wrap);
            let needed = strong.contains(&element.id())
                || element.descendants().any(|inner| strong.contains(&inner.id()))
                || outer().any(|outer| outer.attr("rel").is_some() || outer.attr("rev").is_some());
            if needed {
                keep(&[*element]);
            }
            keep(&outer().filter(|outer| outer.value().attrs().any(|(name, _)| name.starts_with("xmlns:"))).collect::<Vec<_>>());
        }
        keep_texts(&select(anchors::RDFA_TEXT));
    }
    support::snapshot(
        page,
        url,
        &|node| kept.contains(&node.id()) || node.ancestors().any(|outer| whole.contains(&outer.id())),
        &|_, name| anchors::ATTRIBUTES.contains(&name) || name.starts_with("xmlns:"),
    )
}

fn in_template(element: ElementRef<'_>) -> bool {
    element.ancestors().filter_map(ElementRef::wrap).any(|outer| outer.value().name() == "template")
}

/// Everything read, without the elements' numbers.
fn read(document: &Document) -> (Vec<Node>, meta::Meta, Vec<String>) {
    let (mut nodes, mut diagnostics) = (Vec::new(), Vec::new());
    microdata::read(document, &Options::default(), &mut nodes, &mut diagnostics);
    rdfa::read(document, &Options::default(), &mut nodes, &mut diagnostics);
    nodes.iter_mut().for_each(|node| node.element = 0);
    (nodes, meta::read(document), diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
}

fn check(name: &str, html: &str, url: &str) -> usize {
    let page = Html::parse_document(html);
    let (nodes, meta, diagnostics) = read(&support::snapshot(&page, url, &|_| true, &|_, _| true));
    let (sparse_nodes, sparse_meta, sparse_diagnostics) = read(&sparse(&page, url));
    assert_eq!(sparse_nodes, nodes, "{name}");
    assert_eq!(format!("{sparse_meta:?}"), format!("{meta:?}"), "{name}");
    assert_eq!(sparse_diagnostics, diagnostics, "{name}");
    nodes.len()
}

#[test]
fn readers_read_alike_from_a_sparse_snapshot() {
    for (name, html, count) in [
        ("itemref", "<p itemscope itemref='b x'></p><section id=b><div><b itemprop=name>x <i>y</i></b></div></section><i id=b></i>", 1),
        ("itemref into text", "<p itemscope itemref=b></p><div itemscope><p itemprop=d>t <b id=b>u <i itemprop=n>v</i></b></p></div>", 2),
        ("language", "<html lang=de><div lang=fr><p><span itemscope><b itemprop=name>x</b><b itemprop=name lang>y</b></span></p></div>", 1),
        ("no language of its own", "<meta http-equiv=Content-Language content=it><p itemscope><b itemprop=name>x</b></p>", 1),
        ("foreign elements", "<div itemscope><svg><a itemprop=x href=y><text>z</text></a></svg></div>", 1),
        ("template", "<template><p itemscope itemprop=x></p></template><p itemscope></p>", 1),
        ("hanging rel", "<div vocab=http://schema.org/ typeof=A><p rel=b><span><a href=/x>y</a><img src=z></span></p></div>", 1),
        ("link as subject", "<div vocab=http://schema.org/ typeof=A><a href=/x><b property=name>N</b></a></div>", 2),
        ("prefix around", "<div xmlns:s=http://schema.org/><p><b typeof=s:A property=s:b>x</b></p></div>", 2),
        (
            "page",
            "<title>T <b></title><link rel='x CANONICAL' href=/y><meta name=Description content=' d '><meta property=og:title content=x><meta name=DC.creator content=y>",
            0,
        ),
        (
            "values",
            "<div typeof=schema:A><time property=schema:a>x</time><a property=schema:b href=y rel=schema:c>z</a><a property=schema:d href=y datatype>z</a><b property=schema:e about=f typeof>g</b></div>",
            2,
        ),
    ] {
        assert_eq!(check(name, html, URL), count, "{name}");
    }
}

#[test]
fn readers_read_alike_from_sparse_snapshots_of_the_vectors() {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("TOOLMARK_SHARED").map_or(beside, PathBuf::from);
    if !shared.is_dir() {
        println!("sparse snapshots of the vectors: skipped, there is no ../shared");
        return;
    }
    let mut count = 0;
    for entry in std::fs::read_dir(shared.join("vectors")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let cases: Json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        for case in cases.as_array().unwrap() {
            for field in ["html", "microdata_html", "rdfa_html"] {
                let Some(html) = case[field].as_str().filter(|html| html.contains("itemscope") || html.contains("property")) else {
                    continue;
                };
                check(case["id"].as_str().unwrap(), html, case["base_url"].as_str().unwrap());
                count += 1;
            }
        }
    }
    // Every eighth of the saved pages: parsing them is what takes the time.
    let mut pages: Vec<PathBuf> = std::fs::read_dir(shared.join("pages/html")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    let step = std::env::var_os("TOOLMARK_ALL").map_or(8, |_| 1);
    for path in pages.iter().step_by(step) {
        let html = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        check(&path.display().to_string(), &html, URL);
        count += 1;
    }
    println!("sparse snapshots: {count} pages read alike");
}
