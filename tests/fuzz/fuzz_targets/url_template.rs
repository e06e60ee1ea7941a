//! A URL template (first line) and values for its variables (the other lines).
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use toolmark::guard;
use toolmark::url_template::{MAX_LENGTH, MAX_VARIABLES, Template};

const PAGE: &str = "https://shop.example.com/a/b?old=1";

fuzz_target!(|text: &str| {
    let mut lines = text.split('\n');
    let resolve = |text: &str| support::resolve(text, PAGE);
    let Ok(template) = Template::read(lines.next().unwrap_or(""), resolve) else { return };
    assert!(template.variables().len() <= MAX_VARIABLES && template.bare().len() <= 12 * MAX_LENGTH);
    let bare = template.bare();
    if guard::destination(&bare, PAGE, &[]).is_err() {
        return;
    }
    let values: Vec<Option<&str>> = lines.map(Some).collect();
    let Ok(url) = template.expand(&values) else { return };
    let parsed = url::Url::parse(&url).expect("a filled template is a URL");
    assert_eq!(guard::destination(&url, PAGE, &[]), Ok(()), "filling moved {url:?}");
    assert_eq!((parsed.scheme(), parsed.host_str(), parsed.port(), parsed.username()), ("https", Some("shop.example.com"), None, ""), "{url:?}");
    assert!(parsed.fragment().is_none(), "{url:?}");
    // A second reader sees the same address, and no segment climbed out of its place.
    assert_eq!(parsed.as_str(), url::Url::parse(parsed.as_str()).expect("its own output").as_str());
    assert!(!url.bytes().any(|byte| byte <= b' ' || byte >= 0x7f), "{url:?}");
    let unfilled = url::Url::parse(&bare).expect("a bare template is a URL");
    let segments = |url: &url::Url| url.path_segments().map_or(0, Iterator::count);
    // `{?q}` puts all that follows into the query.
    let alike = !text.contains(['?', '&']);
    assert!(!alike || segments(&parsed) >= segments(&unfilled), "{url:?} climbed out of {bare:?}");
});
