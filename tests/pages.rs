//! Every folder of tests/pages: a page in, the tools and answers it must give.

mod support;

#[test]
fn an_empty_page_maps_to_nothing() {
    let document = support::document("<p>hello</p>", "https://shop.example/");
    assert_eq!(document.elements().count(), 4);
    let mapping = toolmark::map(&[document], &toolmark::options::Options::default());
    assert!(mapping.tools.is_empty());
}
