//! What can be said of a page before it is walked: what is visible, and where the content is.

use alloc::vec::Vec;

use crate::dom::{Document, Element};

/// Options of a select that are shown; longer lists (countries, years) tell a reader nothing.
const MAX_OPTIONS: usize = 15;

/// What can be said of the page before it is walked: how much visible text lies before each node, and where the
/// content is.
pub(super) struct Measured<'d> {
    pub(super) document: &'d Document,
    /// Bytes of visible text before each node, and of those the ones in links.
    visible: Vec<u32>,
    linked: Vec<u32>,
    pub(super) total: u32,
    /// Headings with text, in order.
    pub(super) headings: Vec<u32>,
    pub(super) body: (u32, u32),
    /// What holds the content: `main`, the one article, else the body.
    pub(super) root: (u32, u32),
    /// The root is not just the body.
    pub(super) exact: bool,
    /// The page's heading.
    pub(super) title: u32,
    /// Where content begins at the latest.
    pub(super) start: u32,
}

impl<'d> Measured<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        let count = document.len() as u32;
        let mut page = Measured {
            document,
            visible: Vec::with_capacity(count as usize + 1),
            linked: Vec::with_capacity(count as usize + 1),
            total: 0,
            headings: Vec::new(),
            body: (0, count),
            root: (0, count),
            exact: false,
            title: u32::MAX,
            start: 0,
        };
        let (mut skipped, mut link, mut in_links) = (0, 0, 0);
        let mut roots = Vec::new();
        for at in 0..count {
            page.visible.push(page.total);
            page.linked.push(in_links);
            if at < skipped {
                continue;
            }
            let bytes = match document.element(at) {
                None => letters(document.text(at).unwrap_or("")),
                Some(element) if is_hidden(element) => {
                    skipped = element.end();
                    continue;
                }
                Some(element) => match element.name() {
                    // A frame has one too.
                    "body" if page.body.0 == 0 => {
                        page.body = (at, element.end());
                        0
                    }
                    "a" if element.has("href") => {
                        link = element.end().max(link);
                        0
                    }
                    "img" => letters(element.attribute("alt").unwrap_or("")),
                    name => {
                        if matches!(name, "main" | "article") || element.attribute("role") == Some("main") {
                            roots.push((name != "article", at, element.end()));
                        }
                        if level(element) > 0 {
                            page.headings.push(at);
                        }
                        0
                    }
                },
            };
            page.total = page.total.saturating_add(bytes);
            in_links += if at < link { bytes } else { 0 };
        }
        page.visible.push(page.total);
        page.linked.push(in_links);
        page.find_content(&roots);
        page
    }

    fn find_content(&mut self, roots: &[(bool, u32, u32)]) {
        let headings = core::mem::take(&mut self.headings);
        self.headings =
            headings.into_iter().filter(|at| self.document.element(*at).is_some_and(|element| self.bytes(element) > 0)).collect();
        self.root = self.body;
        // The largest `main` that is more than a frame around nothing; else an article that is most of the page.
        let mut largest = 0;
        for (is_main, from, to) in roots.iter().copied() {
            let bytes = self.between(from, to);
            let enough = if is_main { bytes >= 80 && bytes >= self.total / 10 } else { bytes > self.total / 2 };
            if enough && (bytes > largest || is_main && !self.exact) {
                (self.root, self.exact, largest) = ((from, to), true, bytes);
            }
        }
        let is_title = |at: &&u32| self.document.element(**at).is_some_and(|element| level(element) == 1);
        let inside = |at: &&u32| **at >= self.root.0 && **at < self.root.1;
        let title = self.headings.iter().filter(inside).find(is_title).or_else(|| self.headings.iter().find(is_title));
        self.title = title.copied().unwrap_or(u32::MAX);
        self.start = if self.exact { self.root.0 } else { title.or(self.headings.first()).copied().unwrap_or(0) };
    }

    pub(super) fn between(&self, from: u32, to: u32) -> u32 {
        let before = |at: u32| self.visible.get(at as usize).copied().unwrap_or(self.total);
        before(to) - before(from)
    }

    pub(super) fn bytes(&self, element: Element<'_>) -> u32 {
        self.between(element.index(), element.end())
    }

    /// Most of its text is links.
    pub(super) fn is_menu(&self, element: Element<'_>) -> bool {
        let before = |at: u32| self.linked.get(at as usize).copied().unwrap_or(0);
        (before(element.end()) - before(element.index())) as u64 * 10 >= self.bytes(element) as u64 * 7
    }

    /// The element's text begins with a heading.
    pub(super) fn leads_with_heading(&self, element: Element<'_>) -> bool {
        let next = self.headings.partition_point(|at| *at < element.index());
        self.headings.get(next).is_some_and(|at| *at < element.end() && self.between(element.index(), *at) < 20)
    }
}

pub(super) fn letters(data: &str) -> u32 {
    data.bytes().filter(|byte| !byte.is_ascii_whitespace()).count() as u32
}

/// The level of a heading, 0 for other elements.
pub(super) fn level(element: Element<'_>) -> u8 {
    match element.name().as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => digit - b'0',
        _ if element.attribute("role") == Some("heading") => {
            element.attribute("aria-level").and_then(|level| level.trim().parse::<u8>().ok()).unwrap_or(2).clamp(1, 6)
        }
        _ => 0,
    }
}

/// Nobody sees the element, or what it holds is not text of the page.
pub(super) fn is_hidden(element: Element<'_>) -> bool {
    match element.name() {
        "script" | "style" | "template" | "noscript" | "head" | "title" | "svg" | "textarea" | "datalist" | "audio" | "video"
        | "canvas" | "object" | "noframes" | "rp" | "annotation" | "annotation-xml" => return true,
        "dialog" if !element.has("open") => return true,
        "select" if element.children().count() > MAX_OPTIONS => return true,
        // A frame holds elements where its document was read, else the text that old browsers show.
        "iframe" if element.children().next().is_none() => return true,
        _ => {}
    }
    element.attributes().any(|(name, value)| match name {
        "hidden" | "inert" => true,
        "aria-hidden" => value == "true",
        "contenteditable" => value != "false",
        "class" => value.split_ascii_whitespace().any(|class| {
            matches!(
                class,
                "sr-only"
                    | "visually-hidden"
                    | "visuallyhidden"
                    | "screen-reader-text"
                    | "screen-reader-only"
                    | "element-invisible"
                    | "a11y-hidden"
            )
        }),
        "style" => hides(value),
        _ => false,
    })
}

/// A style attribute that takes its element out of sight.
fn hides(style: &str) -> bool {
    style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(property, value)| {
        let (property, value) = (property.trim(), value.trim());
        let value = value.split('!').next().unwrap_or("").trim_end();
        let is = |name: &str| property.eq_ignore_ascii_case(name);
        is("display") && value.eq_ignore_ascii_case("none")
            || is("visibility") && value.eq_ignore_ascii_case("hidden")
            || (is("left") || is("top") || is("text-indent") || is("margin-left")) && value.starts_with("-999")
    })
}
