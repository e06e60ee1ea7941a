//! Every folder of tests/pages: a page in, the tools and answers it must give.

mod support;

#[test]
fn an_empty_page_maps_to_the_page_tools() {
    let document = support::document("<p>hello</p>", "https://shop.example/");
    assert_eq!(document.elements().count(), 4);
    let mapping = toolmark::map(&[document], &toolmark::options::Options::default());
    let names: Vec<_> = mapping.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["get_page_outline", "read_page_section", "search_page"]);
}
