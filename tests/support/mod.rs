//! A parsed HTML document as a snapshot: the native twin of the live page.

#[allow(dead_code, clippy::indexing_slicing, clippy::unwrap_used)] // Each test file uses its part of the support.
pub mod canon;
#[allow(dead_code)]
pub mod invariants;
#[allow(dead_code)]
pub mod trust;

use toolmark::dom::{Builder, Document};

/// Resolves as a browser does.
pub fn resolve(reference: &str, base: &str) -> Option<String> {
    let base = url::Url::parse(base).ok()?;
    base.join(reference).ok().map(String::from)
}

/// The whole tree of `html` as if it had been loaded from `url`.
#[allow(dead_code)]
pub fn document(html: &str, url: &str) -> Document {
    snapshot(&scraper::Html::parse_document(html), url, &|_| true, &|_, _| true)
}

/// The same as readers of a live page get it: the markup that is in `noscript` elements is a document of its own.
#[allow(dead_code)]
pub fn documents(html: &str, url: &str) -> Vec<Document> {
    let parsed = scraper::Html::parse_document(html);
    let page = snapshot(&parsed, url, &|_| true, &|_, _| true);
    let base = page.base_url.clone();
    let mut documents = vec![page];
    let texts = parsed.tree.nodes().filter(|node| node.value().as_element().is_some_and(|element| element.name() == "noscript"));
    for text in texts.filter_map(|node| node.first_child()?.value().as_text().map(|text| text.to_string())) {
        let lower = text.to_ascii_lowercase();
        if ["itemscope", "typeof=", "application/ld+json"].iter().any(|markup| lower.contains(markup)) {
            let mut document = document(&text, url);
            document.base_url = base.clone();
            documents.push(document);
        }
    }
    documents
}

/// What `keep` wants of a tree: elements and texts, and attributes by name.
pub fn snapshot(
    parsed: &scraper::Html,
    url: &str,
    keep: &dyn Fn(ego_tree::NodeRef<'_, scraper::Node>) -> bool,
    keep_attribute: &dyn Fn(ego_tree::NodeRef<'_, scraper::Node>, &str) -> bool,
) -> Document {
    let selector = scraper::Selector::parse("base[href]").expect("a constant selector");
    let base = parsed.select(&selector).next().and_then(|base| resolve(base.attr("href").unwrap_or(""), url));
    let mut builder = Builder::new(url, base.as_deref().unwrap_or(url), resolve);
    // Not recursive: test pages nest as deep as they like.
    for edge in parsed.tree.root().traverse() {
        use ego_tree::iter::Edge;
        use scraper::Node;
        match edge {
            Edge::Open(node) | Edge::Close(node) if !keep(node) => {}
            Edge::Open(node) => match node.value() {
                Node::Element(element) => {
                    builder.open(element.name(), &*element.name.ns == "http://www.w3.org/1999/xhtml");
                    for (name, value) in element.attrs().filter(|(name, _)| keep_attribute(node, name)) {
                        builder.attribute(name, value);
                    }
                }
                Node::Text(text) => builder.text(text),
                _ => {}
            },
            Edge::Close(node) if node.value().is_element() => builder.close(),
            Edge::Close(_) => {}
        }
    }
    builder.finish()
}
