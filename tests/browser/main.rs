//! The edge in a real browser: `wasm-pack test --headless --chrome`.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use toolmark::browser::{Adapter, dom, read_items};
use toolmark::options::Options;
use toolmark::read;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(inline_js = "
    export const parse = (html) => new DOMParser().parseFromString(html, 'text/html');
    // Beside the runner's own output, which must stay.
    const stage = document.createElement('main');
    export function put(html) { document.body.append(stage); stage.innerHTML = html; return document; }
    export function change(selector, text) { document.querySelector(selector).firstChild.data = text; }
    export function changeLater(selector, text, ms) { setTimeout(change, ms, selector, text); }
    export const names = (mapping) => JSON.parse(mapping).tools.map((tool) => tool.name);
")]
extern "C" {
    fn parse(html: &str) -> web_sys::Node;
    fn put(html: &str) -> web_sys::Node;
    fn change(selector: &str, text: &str);
    #[wasm_bindgen(js_name = changeLater)]
    fn change_later(selector: &str, text: &str, ms: u32);
    fn names(mapping: &str) -> JsValue;
}

const URL: &str = "https://shop.example/page";

/// What readers may meet, in the shapes where a sparse snapshot could go wrong.
const PAGES: &[&str] = &[
    "<p>nothing</p>",
    r#"<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Bag 😀"}</script>"#,
    // Items in items, text around them, elements between them that no reader asks for.
    r#"<div itemscope itemtype="https://schema.org/Product"><section><h1 itemprop="name">A <b>bold</b><br>bag</h1></section>
       <div><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><i><span itemprop="price">9.90</span></i></div></div></div>"#,
    // A property in a property's text.
    r#"<div itemscope itemtype="https://schema.org/Article"><p itemprop="articleBody">One <em itemprop="keywords">two</em> three
       <script>no text</script><style>b{}</style></p><meta itemprop="name" content="é"></div>"#,
    // itemref, forwards and to something without marks of its own.
    r#"<div itemscope itemtype="https://schema.org/Person" itemref="a b"></div><div id="a"><span itemprop="name">Ann</span></div><p id="b"><i itemprop="jobTitle">Cook</i></p>"#,
    // Two items side by side, one after the end of a text.
    r#"<div itemscope itemtype="https://schema.org/Product"><p itemprop="description">x<span>y</span></p></div><div itemscope itemtype="https://schema.org/Event"><p itemprop="name">z</p></div>"#,
    r#"<div vocab="https://schema.org/" typeof="Product"><h2 property="name">Bag <span>blue</span></h2><a property="url" href="/b">b</a><div property="offers" typeof="Offer"><span property="price" content="5">five</span></div></div>"#,
    r#"<div lang="de"><div itemscope itemtype="https://schema.org/Product"><span itemprop="name">Tasche</span></div></div>"#,
    r#"<svg><g itemscope itemtype="https://schema.org/Thing"><text itemprop="name">drawn</text></g></svg>"#,
];

fn items(documents: &[toolmark::dom::Document]) -> String {
    let (page, diagnostics) = read::page(documents, &Options::default());
    read::items_json(&page, &diagnostics)
}

#[wasm_bindgen_test]
fn a_sparse_snapshot_reads_like_the_whole_document() {
    for html in PAGES {
        let document = parse(html);
        let camera = dom::Camera::new(URL.into(), true, true, false);
        let sparse = camera.take(&document).expect("a first look gives something");
        let whole = camera.take_inert(&document, URL);
        assert_eq!(items(&sparse), items(&[whole]), "{html}");
    }
}

#[wasm_bindgen_test]
fn maps_once_and_again_only_after_a_change() {
    let page = put(PAGES[2]);
    let mut adapter = Adapter::new(r#"{"page":false}"#);
    let first = adapter.map(&page).expect("a first look gives something");
    assert!(first.contains("get_product"), "{first}");
    assert_eq!(adapter.map(&page), None);
    assert!(adapter.call("get_product", "{}", &page).contains("9.90"));
    change("[itemprop=price]", "7.50");
    assert!(adapter.map(&page).is_some());
    assert!(adapter.call("get_product", "{}", &page).contains("7.50"));
    assert!(adapter.call("no_such_tool", "{}", &page).contains("not_found"));
    assert!(adapter.entities().contains("7.50"));
}

#[wasm_bindgen_test]
fn reads_items_below_an_element() {
    let items = read_items(&put(PAGES[1]), "{}");
    assert!(items.contains("Bag 😀"), "{items}");
}

#[wasm_bindgen_test]
async fn sees_what_the_page_does_by_itself() {
    let page = put(PAGES[2]);
    let mut adapter = Adapter::new(r#"{"page":false}"#);
    let first = adapter.map(&page).expect("a first look gives something");
    let offered: Vec<String> = serde_wasm_bindgen::from_value(names(&first)).expect("names are strings");
    assert_eq!(offered, ["get_product"]);
    change_later("[itemprop=price]", "8.10", 20);
    assert_eq!(adapter.map(&page), None);
    gloo_timers::future::TimeoutFuture::new(200).await;
    assert!(adapter.map(&page).is_some());
    assert!(adapter.call("get_product", "{}", &page).contains("8.10"));
}
