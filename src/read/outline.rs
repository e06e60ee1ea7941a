//! An index of a page's visible text: its sections, in reading order, content first.
//!
//! The text is written once, in a lean Markdown, and everything else is a range of it: a section owns what stands
//! between its heading and its end less its subsections, a passage is at most [`PASSAGE`] characters of that. What
//! surrounds the content (navigation, header, footer, dialogs) is written last and makes one section of each kind.
//!
//! # What the snapshot must hold
//! Unlike the readers of markup, this one wants a *full* snapshot ([`Document`]) of what a person can see:
//!
//! - every rendered element from `html` on and every text node in it, in document order; open shadow roots stand in
//!   for their host's children (slots filled), a same-origin frame's body may stand inside its `iframe`;
//! - left out, with all that they hold: what is not rendered (`checkVisibility` with `visibilityProperty` and
//!   `opacityProperty`; `content-visibility: auto` stays in), what lies off-screen by design (clipped to a pixel,
//!   moved far left), `script`, `style`, `template`, `noscript`, `svg`, `textarea`, editable content;
//! - kept although not rendered: what a closed `details` holds;
//! - attributes (others may be missing): `id`, `name` (of `a`), `class`, `role`, `lang`, `dir`, `href`, `alt`,
//!   `aria-label`, `aria-labelledby`, `aria-level`, `aria-hidden`, `hidden`, `inert`, `open`, `style`,
//!   `contenteditable`, `start`. No form values.
//!
//! A parsed document is a full snapshot too: what its attributes say is hidden is left out here.

use alloc::{string::String, vec::Vec};

use crate::order;
use crate::dom::{Document, Element};
use crate::{search, text};

/// Characters of a passage at most: three of them, or one and the way to it, fit an answer.
pub const PASSAGE: usize = 1_200;
/// Sections of a page at most; what follows stays text of the last one. The longest real pages have some hundreds.
pub const MAX_SECTIONS: usize = 20_000;
/// Element ids that are kept as ways to a section; generated pages have one on every element.
const MAX_ANCHORS: usize = 20_000;
/// Bytes of a heading at most. What is longer is text marked up as a heading: it stays readable as text.
const MAX_HEADING: usize = 400;
/// Bytes of a link's reference at most; longer ones carry data, not an address.
const MAX_REFERENCE: usize = 2_000;
/// A definition is worth a section of its own from this many letters on; shorter ones are lines of a list.
const LONG_DEFINITION: u32 = 120;
/// Options of a select that are shown; longer lists (countries, years) tell a reader nothing.
const MAX_OPTIONS: usize = 15;

/// The sections of a page and their text.
pub struct Outline {
    /// All visible text, content first.
    pub(crate) text: String,
    /// In order of the text; subsections follow their section.
    pub(crate) sections: Vec<Section>,
    /// There were more than [`MAX_SECTIONS`].
    pub(crate) cut: bool,
    /// Where a link ends, and its reference.
    links: Vec<(u32, Span)>,
    /// The ids of elements and where these begin.
    anchors: Vec<(Span, u32)>,
    /// Other names of sections, e.g. those of the site's own manifest.
    pub(crate) names: Vec<(String, u32)>,
    /// References and ids.
    strings: String,
    /// Resolves references.
    place: Document,
}

/// A section: a heading or another beginning, and what follows up to the next.
pub struct Section {
    /// Unique in the page, readable, the same after a rebuild.
    pub id: String,
    /// The id is an element's, so that it can stand in a URL.
    pub is_anchor: bool,
    /// 1 to 6; 0 where nothing marks the section.
    pub level: u8,
    /// How many sections it lies in.
    pub depth: u8,
    /// What it lies in.
    pub parent: Option<u32>,
    /// The number after its last subsection's.
    pub end: u32,
    /// About how many tokens a model takes for its own text.
    pub tokens: u32,
    /// Where in the page it stands.
    pub landmark: Landmark,
    holds: u8,
    heading: Span,
    /// From the line of its heading on.
    pub(crate) line: u32,
    from: u32,
    to: u32,
}

/// Which part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Landmark {
    /// What the page is there for.
    Main,
    /// Beside the content.
    Complementary,
    /// The site's header.
    Banner,
    /// Menus.
    Navigation,
    /// The site's footer.
    Footer,
    /// Dialogs, cookie banners.
    Dialog,
}

impl Landmark {
    /// As ARIA calls it; empty for the content itself.
    pub fn name(self) -> &'static str {
        match self {
            Landmark::Main => "",
            Landmark::Complementary => "complementary",
            Landmark::Banner => "banner",
            Landmark::Navigation => "navigation",
            Landmark::Footer => "contentinfo",
            Landmark::Dialog => "dialog",
        }
    }

    /// What a section is called that only its place marks.
    fn heading(self) -> &'static str {
        match self {
            Landmark::Main => "Top",
            Landmark::Complementary => "Beside the content",
            Landmark::Banner => "Site header",
            Landmark::Navigation => "Navigation",
            Landmark::Footer => "Footer",
            Landmark::Dialog => "Dialogs",
        }
    }

    /// It surrounds the content: no sections in it.
    pub fn is_boilerplate(self) -> bool {
        self > Landmark::Complementary
    }
}

/// What a section can hold beside paragraphs, in the order of the bits of `Section::holds`.
const HOLDS: [&str; 5] = ["table", "list", "code", "form", "image"];
const TABLE: u8 = 1;
const LIST: u8 = 2;
const CODE: u8 = 4;
const FORM: u8 = 8;
const IMAGE: u8 = 16;

impl Section {
    /// What it holds beside paragraphs: `table`, `list`, `code`, `form`, `image` (with a caption).
    pub fn holds(&self) -> impl Iterator<Item = &'static str> {
        let bits = self.holds;
        HOLDS.into_iter().enumerate().filter(move |(bit, _)| bits & (1 << bit) != 0).map(|(_, name)| name)
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Span {
    from: u32,
    to: u32,
}

impl Span {
    fn of(self, text: &str) -> &str {
        text.get(self.from as usize..self.to as usize).unwrap_or("")
    }
}

/// At most [`PASSAGE`] characters of a section.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// The section's number.
    pub section: u32,
    /// First byte in the outline's text.
    pub from: u32,
    /// Byte after the last.
    pub to: u32,
}

impl Outline {
    /// The sections in order of the text; subsections follow their section.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// A section's heading; what its place or its first words say where it has none.
    pub fn heading(&self, section: &Section) -> &str {
        if section.heading != Span::default() {
            return section.heading.of(&self.text);
        }
        match section.landmark {
            Landmark::Main => {
                let start = Span { from: section.from, to: section.to }.of(&self.text).trim_start();
                let line = start.split('\n').find(|line| !line.starts_with("![")).unwrap_or("");
                let words = line.get(..cut(line, 0, line.len(), 60)).unwrap_or("").trim_end();
                if words.is_empty() { section.landmark.heading() } else { words }
            }
            landmark => landmark.heading(),
        }
    }

    /// The headings that lead to a section, its own last.
    pub fn path(&self, section: u32) -> Vec<&str> {
        let parent = |section: &u32| self.sections.get(*section as usize).and_then(|section| section.parent);
        let mut path: Vec<&str> = core::iter::successors(Some(section), parent)
            .filter_map(|section| self.sections.get(section as usize))
            .map(|section| self.heading(section))
            .collect();
        path.reverse();
        path
    }

    /// The numbers of a section's subsections, or of the topmost sections.
    pub fn children(&self, section: Option<u32>) -> impl Iterator<Item = u32> {
        let (first, end) = match section {
            Some(section) => (section + 1, self.sections.get(section as usize).map_or(0, |section| section.end)),
            None => (0, self.sections.len() as u32),
        };
        let next = move |at: &u32| self.sections.get(*at as usize).map(|section| section.end);
        core::iter::successors(Some(first), next).take_while(move |at| *at < end)
    }

    /// The ranges of the text that make up a section: without its subsections, or with them.
    pub fn ranges(&self, section: u32, deep: bool) -> Vec<(u32, u32)> {
        let mut ranges = Vec::new();
        let Some(this) = self.sections.get(section as usize) else {
            return ranges;
        };
        let mut from = this.from;
        if !deep {
            for child in self.children(Some(section)).filter_map(|child| self.sections.get(child as usize)) {
                if child.line > from {
                    ranges.push((from, child.line));
                }
                from = child.to;
            }
        }
        if this.to > from {
            ranges.push((from, this.to));
        }
        ranges
    }

    /// A range of the text.
    pub fn slice(&self, from: u32, to: u32) -> &str {
        Span { from, to }.of(&self.text)
    }

    /// A range of the text with the address after each link.
    pub fn with_links(&self, from: u32, to: u32) -> String {
        let mut out = String::new();
        let mut at = from;
        let first = self.links.partition_point(|(end, _)| *end <= from);
        for (end, reference) in self.links.get(first..).unwrap_or(&[]).iter().take_while(|(end, _)| *end <= to) {
            out.push_str(self.slice(at, *end));
            at = *end;
            if let Some(url) = self.place.resolve(reference.of(&self.strings)) {
                out.push_str(" (");
                out.push_str(&url);
                out.push(')');
            }
        }
        out.push_str(self.slice(at, to));
        out
    }

    /// Every section's own text in passages, in order.
    pub fn passages(&self) -> Vec<Passage> {
        let mut passages = Vec::new();
        for section in 0..self.sections.len() as u32 {
            self.passages_of(section, &mut passages);
        }
        passages
    }

    /// One section's own text in passages; a section that holds nothing at all gives one
    /// empty passage.
    pub fn passages_of(&self, section: u32, passages: &mut Vec<Passage>) {
        let count = passages.len();
        for (mut from, to) in self.ranges(section, false) {
            while from < to {
                let end = cut(&self.text, from as usize, to as usize, PASSAGE) as u32;
                if !self.slice(from, end).trim().is_empty() {
                    passages.push(Passage { section, from, to: end });
                }
                from = end.max(from + 1);
            }
        }
        let bare = |this: &&Section| passages.len() == count && this.end == section + 1;
        if let Some(this) = self.sections.get(section as usize).filter(bare) {
            passages.push(Passage { section, from: this.from, to: this.from });
        }
    }

    /// The section in which the element with this id begins.
    pub fn section_of_element(&self, id: &str) -> Option<u32> {
        let (_, at) = self.anchors.iter().find(|(span, _)| span.of(&self.strings) == id)?;
        self.section_at(*at)
    }

    /// The innermost section around a place in the text.
    fn section_at(&self, at: u32) -> Option<u32> {
        let last = self.sections.partition_point(|section| section.line <= at).checked_sub(1)?;
        let up = |section: &u32| self.sections.get(*section as usize).and_then(|section| section.parent);
        let around = |section: &u32| self.sections.get(*section as usize).is_some_and(|section| at < section.to || section.from == section.to);
        core::iter::successors(Some(last as u32), up).find(around).or(Some(last as u32))
    }
}

/// Reads a full snapshot. Linear in its size; a page without a body gives an empty outline.
pub fn build(document: &Document) -> Outline {
    let page = Measured::new(document);
    let outline = Outline {
        text: String::with_capacity(page.total as usize * 5 / 4),
        sections: Vec::new(),
        cut: false,
        links: Vec::new(),
        anchors: Vec::new(),
        names: Vec::new(),
        strings: String::new(),
        place: document.without_content(),
    };
    let body = page.body;
    let mut walk = Walk {
        page,
        out: outline,
        frames: Vec::new(),
        open: Vec::new(),
        own_ids: Vec::new(),
        gap: Gap::None,
        marker: String::new(),
        flat: 0,
        heading: false,
        pre: false,
        list_depth: 0,
        after_term: false,
        link: (0, 0),
        last_link: u32::MAX,
        ruby: String::new(),
        picture: (0, 0),
        sectioning: 0,
        landmark: Landmark::Main,
        later: Vec::new(),
    };
    walk.part(body.0, body.1, Landmark::Main);
    // What a part defers comes after it: first what lies beside the content, then what surrounds it, kind by kind.
    for landmark in [Landmark::Complementary, Landmark::Banner, Landmark::Navigation, Landmark::Footer, Landmark::Dialog] {
        let mut next = 0;
        while let Some((kind, from, to)) = walk.later.get(next).copied() {
            next += 1;
            if kind == landmark {
                walk.part(from, to, landmark);
            }
        }
    }
    let Walk { mut out, own_ids, .. } = walk;
    name(&mut out, &own_ids);
    for section in 0..out.sections.len() as u32 {
        let sixtieths: usize = out.ranges(section, false).iter().map(|(from, to)| weigh(out.slice(*from, *to))).sum();
        if let Some(section) = out.sections.get_mut(section as usize) {
            section.tokens = (sixtieths / 60) as u32;
        }
    }
    out
}

/// About how many tokens a model takes for a text.
pub fn tokens(text: &str) -> usize {
    weigh(text).div_ceil(60)
}

/// The same in sixtieths: letters come four to a token in Latin script, three in other alphabets; a character of a
/// script without spaces takes most of one, a digit or a sign less than half.
fn weigh(text: &str) -> usize {
    let weight = |character: char| match character {
        ' ' | '\n' | 'a'..='z' | 'A'..='Z' => 13,
        '\0'..='\u{7f}' => 24,
        character if search::is_unspaced(character) => 46,
        '\u{80}'..='\u{24f}' => 30,
        _ => 20,
    };
    text.chars().map(weight).sum()
}

/// Characters that a character takes in JSON.
pub fn in_json(character: char) -> usize {
    1 + usize::from(matches!(character, '\n' | '\t' | '"' | '\\'))
}

/// Where a piece of `text[from..end]` of at most `limit` characters (as JSON writes them) ends: with the text, else after a block, a
/// sentence, a word, whichever is the strongest border that leaves the piece at least half full.
pub fn cut(text: &str, from: usize, end: usize, limit: usize) -> usize {
    let rest = text.get(from..end).unwrap_or("");
    let (mut block, mut sentence, mut word) = (0, 0, 0);
    let mut before = [' '; 2];
    let mut count = 0;
    for (at, character) in rest.char_indices() {
        count += in_json(character);
        if count > limit {
            let best = [block, sentence, word].into_iter().find(|border| *border > 0).unwrap_or(at);
            return from + best;
        }
        let after = at + character.len_utf8();
        if count >= limit / 2 {
            match character {
                '\n' => block = after,
                ' ' if matches!(before[1], '.' | '!' | '?' | '…' | '؟' | '।') => sentence = after,
                ' ' if matches!(before, ['.' | '!' | '?', '"' | ')' | '”' | '»' | '’']) => sentence = after,
                '。' | '！' | '？' | '．' => sentence = after,
                ' ' => word = after,
                _ => {}
            }
        }
        before = [before[1], character];
    }
    end
}

/// What can be said of the page before it is walked: how much visible text lies before each node, and where the
/// content is.
struct Measured<'d> {
    document: &'d Document,
    /// Bytes of visible text before each node, and of those the ones in links.
    visible: Vec<u32>,
    linked: Vec<u32>,
    total: u32,
    /// Headings with text, in order.
    headings: Vec<u32>,
    body: (u32, u32),
    /// What holds the content: `main`, the one article, else the body.
    root: (u32, u32),
    /// The root is not just the body.
    exact: bool,
    /// The page's heading.
    title: u32,
    /// Where content begins at the latest.
    start: u32,
}

impl<'d> Measured<'d> {
    fn new(document: &'d Document) -> Self {
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
                    "body" => {
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
        self.headings = headings.into_iter().filter(|at| self.document.element(*at).is_some_and(|element| self.bytes(element) > 0)).collect();
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

    fn between(&self, from: u32, to: u32) -> u32 {
        let before = |at: u32| self.visible.get(at as usize).copied().unwrap_or(self.total);
        before(to) - before(from)
    }

    fn bytes(&self, element: Element<'_>) -> u32 {
        self.between(element.index(), element.end())
    }

    /// Most of its text is links.
    fn is_menu(&self, element: Element<'_>) -> bool {
        let before = |at: u32| self.linked.get(at as usize).copied().unwrap_or(0);
        (before(element.end()) - before(element.index())) as u64 * 10 >= self.bytes(element) as u64 * 7
    }

    /// The element's text begins with a heading.
    fn leads_with_heading(&self, element: Element<'_>) -> bool {
        let next = self.headings.partition_point(|at| *at < element.index());
        self.headings.get(next).is_some_and(|at| *at < element.end() && self.between(element.index(), *at) < 20)
    }
}

fn letters(data: &str) -> u32 {
    data.bytes().filter(|byte| !byte.is_ascii_whitespace()).count() as u32
}

/// The level of a heading, 0 for other elements.
fn level(element: Element<'_>) -> u8 {
    match element.name().as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => digit - b'0',
        _ if element.attribute("role") == Some("heading") => {
            element.attribute("aria-level").and_then(|level| level.trim().parse::<u8>().ok()).unwrap_or(2).clamp(1, 6)
        }
        _ => 0,
    }
}

/// Nobody sees the element, or what it holds is not text of the page.
fn is_hidden(element: Element<'_>) -> bool {
    match element.name() {
        "script" | "style" | "template" | "noscript" | "head" | "title" | "svg" | "textarea" | "datalist" | "audio" | "video" | "canvas"
        | "object" | "noframes" | "rp" | "annotation" | "annotation-xml" => return true,
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
                "sr-only" | "visually-hidden" | "visuallyhidden" | "screen-reader-text" | "screen-reader-only" | "element-invisible" | "a11y-hidden"
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

/// What stands before the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    Space,
    Line,
}

/// What happens when an element ends.
enum Kind {
    Block,
    Link { reference: Span, start: u32 },
    Heading { line: u32, start: u32, level: u8, scope: bool, own_id: Span },
    /// May become a section of its own, which ends with it.
    Scope { open: bool, data: bool },
    Term,
    List { next: Option<u32> },
    Item,
    Row { cells: u32, written: u32 },
    Cell,
    Pre,
    Ruby,
    Aside { around: Landmark },
}

struct Frame {
    end: u32,
    kind: Kind,
}

/// A section that is still open.
struct Open {
    section: u32,
    level: u8,
    /// Headings inside cannot end it.
    scope: bool,
}

struct Walk<'d> {
    page: Measured<'d>,
    out: Outline,
    frames: Vec<Frame>,
    open: Vec<Open>,
    /// The element's id that may name each section.
    own_ids: Vec<Span>,
    gap: Gap,
    /// Stands before the next word of a new line.
    marker: String,
    /// Inside so many headings and cells, where lines become spaces.
    flat: u32,
    heading: bool,
    pre: bool,
    list_depth: usize,
    after_term: bool,
    /// The innermost link.
    link: (u32, u32),
    /// Where the last link's text ended.
    last_link: u32,
    ruby: String,
    /// Where the last picture's text stands, the gap before it included.
    picture: (u32, u32),
    /// The end of the outermost open article or section.
    sectioning: u32,
    landmark: Landmark,
    later: Vec<(Landmark, u32, u32)>,
}

impl<'d> Walk<'d> {
    fn here(&self) -> u32 {
        self.out.text.len() as u32
    }

    /// Writes the elements and texts `from..to`.
    fn part(&mut self, from: u32, to: u32, landmark: Landmark) {
        self.landmark = landmark;
        self.gap = Gap::Line;
        self.sectioning = 0;
        let mut at = from;
        loop {
            while self.frames.last().is_some_and(|frame| frame.end <= at) {
                if let Some(frame) = self.frames.pop() {
                    self.close(frame);
                }
            }
            if at >= to {
                break;
            }
            let document = self.page.document;
            at = match document.element(at) {
                Some(element) => self.enter(element, at == from),
                None => {
                    self.say(document.text(at).unwrap_or(""));
                    at + 1
                }
            };
        }
        self.end_sections(0, 0, self.here());
        self.marker.clear();
    }

    /// Opens an element; what comes next is returned.
    fn enter(&mut self, element: Element<'d>, is_part: bool) -> u32 {
        let (at, end, name) = (element.index(), element.end(), element.name());
        if self.page.bytes(element) == 0 {
            match name {
                "br" => self.gap = Gap::Line,
                "td" | "th" => {
                    if let Some(Frame { kind: Kind::Row { cells, .. }, .. }) = self.frames.last_mut() {
                        *cells += 1;
                    }
                }
                "input" | "textarea" if !matches!(element.attribute("type"), Some("hidden")) => self.hold(FORM),
                _ if end == at + 1 && !is_hidden(element) => self.anchor(element),
                _ => {}
            }
            return end;
        }
        let level = level(element);
        if !is_part && level == 0 && !self.landmark.is_boilerplate()
            && let Some(landmark) = self.defer(element) {
                self.later.push((landmark, at, end));
                self.gap = Gap::Line;
                return end;
            }
        self.anchor(element);
        if level > 0 && self.can_begin() {
            let own_id = self.own_id(element, None);
            self.begin_heading(element, level, false, own_id);
            return at + 1;
        }
        self.out.cut |= level > 0 && self.out.sections.len() >= MAX_SECTIONS;
        let kind = match name {
            "a" => {
                if self.last_link == self.here() && self.gap == Gap::None {
                    self.gap = Gap::Space;
                }
                self.link = (at, end);
                let reference = element.attribute("href").unwrap_or("").trim();
                if reference.is_empty() || reference.len() > MAX_REFERENCE || reference.starts_with("javascript:") {
                    return at + 1;
                }
                Kind::Link { reference: self.keep(reference), start: self.here() }
            }
            "img" => {
                self.image(element);
                return end;
            }
            "button" | "label" | "select" | "option" | "input" => {
                if self.gap == Gap::None {
                    self.gap = Gap::Space;
                }
                if name != "button" && name != "option" {
                    self.hold(FORM);
                }
                return at + 1;
            }
            "rt" => {
                self.ruby.push_str(element.raw_text().trim());
                return end;
            }
            "ruby" => Kind::Ruby,
            "pre" if self.flat == 0 && !self.pre => {
                self.gap = Gap::Line;
                self.flush();
                self.hold(CODE);
                self.out.text.push_str("```\n");
                self.pre = true;
                Kind::Pre
            }
            "ul" | "ol" | "menu" => {
                self.line();
                self.list_depth += 1;
                let start = element.attribute("start").and_then(|start| start.trim().parse().ok());
                Kind::List { next: (name == "ol").then_some(start.unwrap_or(1)) }
            }
            "li" => {
                self.line();
                self.item(element);
                Kind::Item
            }
            "tr" => {
                self.line();
                if self.in_data_table() {
                    self.flush_section();
                    self.hold(TABLE);
                }
                Kind::Row { cells: 0, written: 0 }
            }
            "td" | "th" if self.in_data_row() => {
                self.cell();
                Kind::Cell
            }
            "table" => {
                self.line();
                let data = self.flat == 0 && is_data_table(element);
                Kind::Scope { open: false, data }
            }
            "details" | "fieldset" => {
                self.line();
                Kind::Scope { open: false, data: false }
            }
            "dl" => {
                self.line();
                let terms = element.children().count().max(1) as u32;
                if self.page.bytes(element) * 2 / terms >= LONG_DEFINITION { Kind::Scope { open: false, data: false } } else { Kind::Block }
            }
            "summary" | "caption" | "legend" | "dt" if self.can_begin() && matches!(self.frames.last(), Some(Frame { kind: Kind::Scope { .. }, .. })) => {
                if name == "dt" {
                    self.close_scope();
                }
                let level = self.level_inside();
                let own_id = self.own_id(element, None);
                self.begin_heading(element, level, true, own_id);
                return at + 1;
            }
            "dt" => {
                self.line();
                Kind::Term
            }
            "dd" if self.after_term => {
                self.gap = Gap::Space;
                Kind::Block
            }
            "blockquote" => {
                self.line();
                if self.flat == 0 {
                    self.marker.clear();
                    self.marker.push_str("> ");
                }
                Kind::Block
            }
            "figure" => {
                self.line();
                if element.descendants().take(50).any(|inner| inner.name() == "figcaption" && self.page.bytes(inner) > 0) {
                    self.flush_section();
                    self.hold(IMAGE);
                }
                Kind::Block
            }
            "form" => {
                self.line();
                self.hold(FORM);
                Kind::Block
            }
            "aside" => {
                self.line();
                let around = self.landmark;
                self.landmark = around.max(Landmark::Complementary);
                Kind::Aside { around }
            }
            "section" | "article" | "main" => {
                self.line();
                self.sectioning = self.sectioning.max(end);
                self.labelled(element)
            }
            _ if is_block(name) => {
                self.line();
                if element.attribute("role") == Some("region") { self.labelled(element) } else { Kind::Block }
            }
            _ => return at + 1,
        };
        self.frames.push(Frame { end, kind });
        at + 1
    }

    fn close(&mut self, frame: Frame) {
        match frame.kind {
            Kind::Block => self.line(),
            Kind::Link { reference, start } => {
                let here = self.here();
                if here > start {
                    self.out.links.push((here, reference));
                    self.last_link = here;
                }
            }
            Kind::Heading { line, start, level, scope, own_id } => self.end_heading(line, start, level, scope, own_id),
            Kind::Scope { open, .. } => {
                if open {
                    self.end_scope();
                }
                self.line();
            }
            Kind::Term => {
                if !self.out.text.ends_with([':', '?', '：', '？']) {
                    self.out.text.push(':');
                }
                self.gap = Gap::Space;
                self.after_term = true;
            }
            Kind::List { .. } => {
                self.list_depth = self.list_depth.saturating_sub(1);
                self.line();
            }
            Kind::Item => {
                self.marker.clear();
                self.line();
            }
            Kind::Row { .. } => self.line(),
            Kind::Cell => self.flat = self.flat.saturating_sub(1),
            Kind::Pre => {
                let length = self.out.text.trim_end().len();
                self.out.text.truncate(length);
                self.out.text.push_str("\n```");
                self.pre = false;
                self.line();
            }
            Kind::Ruby => {
                if !self.ruby.is_empty() {
                    let reading = core::mem::take(&mut self.ruby);
                    self.gap = Gap::None;
                    self.say(&["(", &reading, ")"].concat());
                }
            }
            Kind::Aside { around } => {
                self.line();
                self.landmark = around;
            }
        }
    }

    // Text

    fn line(&mut self) {
        self.gap = Gap::Line;
        self.after_term = false;
    }

    /// Writes what stands before a word.
    fn flush(&mut self) {
        self.flush_section();
        if !self.out.text.is_empty() {
            match self.gap {
                Gap::Line if self.flat == 0 => self.out.text.push('\n'),
                Gap::Line | Gap::Space if !self.out.text.ends_with([' ', '\n']) => self.out.text.push(' '),
                _ => {}
            }
        }
        self.gap = Gap::None;
        self.after_term = false;
        if self.flat == 0 && !self.marker.is_empty() {
            self.out.text.push_str(&self.marker);
            self.marker.clear();
        }
    }

    fn say(&mut self, data: &str) {
        if self.pre {
            let data = data.strip_prefix('\n').filter(|_| self.out.text.ends_with("```\n")).unwrap_or(data);
            let kept = |character: &char| matches!(character, '\n' | '\t') || !text::is_invisible(*character);
            self.out.text.extend(data.chars().filter(kept));
            return;
        }
        let mut first = true;
        for word in data.split(text::is_space) {
            // A border between two parts of the split is white space.
            if !core::mem::replace(&mut first, false) && self.gap == Gap::None {
                self.gap = Gap::Space;
            }
            let word = text::visible(word);
            if !word.is_empty() {
                self.flush();
                self.out.text.push_str(&word);
            }
        }
    }

    fn image(&mut self, element: Element<'_>) {
        let alternative = text::collapse(element.attribute("alt").unwrap_or(""));
        let (from, to) = self.link;
        // Beside a link's own words its picture says nothing new.
        if element.index() < to && self.page.between(from, to) > letters(&alternative) {
            return;
        }
        if self.heading {
            return self.say(&alternative);
        }
        // The picture of what the heading above names.
        let above = self.open.last().and_then(|open| self.out.sections.get(open.section as usize));
        if above.is_some_and(|section| self.out.heading(section) == alternative) {
            return;
        }
        let before = self.here();
        self.say(&["![", &alternative, "]"].concat());
        self.picture = (before, self.here());
    }

    fn item(&mut self, element: Element<'_>) {
        self.marker.clear();
        if self.flat > 0 {
            return;
        }
        for _ in 1..self.list_depth.min(6) {
            self.marker.push_str("  ");
        }
        match self.frames.last_mut() {
            Some(Frame { kind: Kind::List { next: Some(next) }, .. }) => {
                let value = element.attribute("value").and_then(|value| value.trim().parse().ok()).unwrap_or(*next);
                *next = value.saturating_add(1);
                crate::json::push_number(&mut self.marker, value as usize);
                self.marker.push_str(". ");
            }
            _ => self.marker.push_str("- "),
        }
        self.hold(LIST);
    }

    fn cell(&mut self) {
        self.flush();
        if let Some(Frame { kind: Kind::Row { cells, written }, .. }) = self.frames.last_mut() {
            for _ in *written..*cells {
                self.out.text.push_str(" | ");
            }
            *written = *cells;
            *cells += 1;
        }
        self.flat += 1;
    }

    /// The next cell stands in a row of a table of data, not of one that lays out the page.
    fn in_data_row(&self) -> bool {
        matches!(self.frames.last(), Some(Frame { kind: Kind::Row { .. }, .. })) && self.in_data_table()
    }

    fn in_data_table(&self) -> bool {
        let table = self.frames.iter().rev().find(|frame| matches!(frame.kind, Kind::Scope { .. }));
        matches!(table, Some(Frame { kind: Kind::Scope { data: true, .. }, .. }))
    }

    // Sections

    /// A heading may begin a section here.
    fn can_begin(&self) -> bool {
        let room = self.out.sections.len() < MAX_SECTIONS;
        self.flat == 0 && !self.pre && !self.landmark.is_boilerplate() && room
    }

    /// The level of a section that lies in the open one without a level of its own.
    fn level_inside(&self) -> u8 {
        match self.open.last() {
            None | Some(Open { level: 7, .. }) => 2,
            Some(open) => open.level.min(5) + 1,
        }
    }

    fn begin_heading(&mut self, element: Element<'_>, level: u8, scope: bool, own_id: Span) {
        // A picture right before a heading that says the same belongs to what the heading begins, and adds nothing.
        let (before, after) = self.picture;
        if after == self.here() && after > before {
            let alternative = self.out.text.get(before as usize..).unwrap_or("").trim_start().trim_start_matches("![").trim_end_matches(']');
            if self.page.bytes(element) == letters(alternative) && text::collapse(&element.raw_text()) == alternative {
                self.out.text.truncate(before as usize);
                while self.out.links.last().is_some_and(|(end, _)| *end > before) {
                    self.out.links.pop();
                }
            }
        }
        let line = self.write_hashes(level);
        self.flat += 1;
        self.heading = true;
        self.frames.push(Frame { end: element.end(), kind: Kind::Heading { line, start: self.here(), level, scope, own_id } });
    }

    /// Begins the line of a heading; where it begins is returned.
    fn write_hashes(&mut self, level: u8) -> u32 {
        let line = self.here();
        if line > 0 {
            self.out.text.push('\n');
        }
        for _ in 0..level {
            self.out.text.push('#');
        }
        self.out.text.push(' ');
        self.marker.clear();
        self.gap = Gap::None;
        line
    }

    fn end_heading(&mut self, line: u32, start: u32, level: u8, scope: bool, own_id: Span) {
        self.flat = self.flat.saturating_sub(1);
        self.heading = false;
        let end = self.here();
        if end == start {
            self.out.text.truncate(line as usize);
        } else {
            self.begin_section(line, Span { from: start, to: end }, level, scope, own_id);
            let around = self.frames.last_mut().map(|frame| &mut frame.kind);
            if let (true, Some(Kind::Scope { open, .. })) = (scope, around) {
                *open = true;
            }
        }
        self.line();
    }

    fn begin_section(&mut self, line: u32, heading: Span, level: u8, scope: bool, own_id: Span) {
        if !scope {
            self.end_sections(level, 0, line);
        }
        let from = if heading.to - heading.from > MAX_HEADING as u32 { line } else { heading.to };
        let heading = Span { from: heading.from, to: cut(&self.out.text, heading.from as usize, heading.to as usize, MAX_HEADING / 2) as u32 };
        let parent = self.open.last().map(|open| open.section);
        let depth = self.open.len().min(255) as u8;
        let section = self.out.sections.len() as u32;
        self.out.sections.push(Section {
            id: String::new(),
            is_anchor: false,
            level: if level > 6 { 0 } else { level },
            depth,
            parent,
            end: section + 1,
            tokens: 0,
            landmark: self.landmark,
            holds: 0,
            heading,
            line,
            from,
            to: from,
        });
        self.own_ids.push(own_id);
        self.open.push(Open { section, level, scope });
    }

    /// Ends open sections of at least this level, down to the innermost scope; at level 0 all of them.
    fn end_sections(&mut self, level: u8, keep: usize, to: u32) {
        while self.open.len() > keep && self.open.last().is_some_and(|open| level == 0 || open.level >= level && !open.scope) {
            self.end_section(to);
        }
    }

    fn end_section(&mut self, to: u32) {
        let end = self.out.sections.len() as u32;
        if let Some(section) = self.open.pop().and_then(|open| self.out.sections.get_mut(open.section as usize)) {
            (section.to, section.end) = (to.max(section.from), end);
        }
    }

    /// Ends the innermost section that is a scope, with what is open inside.
    fn end_scope(&mut self) {
        let here = self.here();
        while let Some(open) = self.open.last() {
            let scope = open.scope;
            self.end_section(here);
            if scope {
                break;
            }
        }
    }

    /// Ends the section that the innermost element with scopes has open.
    fn close_scope(&mut self) {
        if let Some(Frame { kind: Kind::Scope { open, .. }, .. }) = self.frames.last_mut()
            && core::mem::replace(open, false) {
                self.end_scope();
            }
    }

    /// Text that no heading precedes still belongs to a section: of its own place, in parts that end with a block.
    fn flush_section(&mut self) {
        if self.heading {
            return;
        }
        let here = self.here();
        match self.open.last() {
            Some(Open { section, level: 7, scope: false }) => {
                let from = self.out.sections.get(*section as usize).map_or(0, |section| section.from);
                let full = self.landmark == Landmark::Main && self.gap == Gap::Line && self.flat == 0 && here - from >= PASSAGE as u32 / 2;
                if !full || self.open.len() > 1 || self.out.sections.len() >= MAX_SECTIONS {
                    return;
                }
            }
            Some(_) => return,
            None => {
                // Parts of one kind that follow each other make one section.
                let count = self.out.sections.len() as u32;
                if let Some(last) = self.out.sections.last().filter(|last| last.level == 0 && last.landmark == self.landmark && last.heading == Span::default())
                    && last.landmark != Landmark::Main && last.parent.is_none() {
                        self.open.push(Open { section: count - 1, level: 7, scope: false });
                        return;
                    }
            }
        }
        self.begin_section(here, Span::default(), 7, false, Span::default());
        if let Some(section) = self.out.sections.last_mut() {
            (section.from, section.to) = (here, here);
            section.heading = Span::default();
        }
    }

    /// A sectioning element with a name of its own and no heading that says it.
    fn labelled(&mut self, element: Element<'d>) -> Kind {
        if !self.can_begin() || self.page.leads_with_heading(element) || element.index() == self.page.root.0 {
            return Kind::Block;
        }
        let label = match element.attribute("aria-label").map(text::collapse).filter(|label| !label.is_empty()) {
            Some(label) => label,
            None => return Kind::Block,
        };
        let level = self.level_inside();
        let own_id = self.own_id(element, Some(&label));
        let line = self.write_hashes(level);
        let start = self.here();
        self.heading = true;
        self.say(&label);
        self.heading = false;
        self.begin_section(line, Span { from: start, to: self.here() }, level, true, own_id);
        self.line();
        Kind::Scope { open: true, data: false }
    }

    fn hold(&mut self, what: u8) {
        if let Some(section) = self.open.last().and_then(|open| self.out.sections.get_mut(open.section as usize)) {
            section.holds |= what;
        }
    }

    // Ids

    fn keep(&mut self, text: &str) -> Span {
        let from = self.out.strings.len() as u32;
        self.out.strings.push_str(text);
        Span { from, to: self.out.strings.len() as u32 }
    }

    fn anchor(&mut self, element: Element<'_>) {
        let id = element.attributes().find(|(name, value)| !value.is_empty() && (*name == "id" || *name == "name" && element.name() == "a"));
        if let Some((_, id)) = id.filter(|_| self.out.anchors.len() < MAX_ANCHORS) {
            let id = self.keep(id);
            self.out.anchors.push((id, self.here()));
        }
    }

    /// The id that leads to a heading: its own, or one inside it or of an element which it begins, as far as that
    /// shares a word with it (`wrapper-3` says nothing).
    fn own_id(&mut self, heading: Element<'d>, label: Option<&str>) -> Span {
        fn id(element: Element<'_>) -> Option<&str> {
            let id = element.attribute("id").or_else(|| element.attribute("name").filter(|_| element.name() == "a"));
            id.filter(|id| is_readable(id))
        }
        let inside = heading.descendants().take(4).filter_map(id);
        let begins = |around: &Element<'_>| matches!(around.name(), "section" | "article" | "div" | "li" | "header") && self.page.between(around.index(), heading.index()) == 0;
        let around = heading.ancestors().skip(1).take(3).take_while(begins).filter_map(id);
        let akin = |id: &&str| {
            let id = search::Query::new(&id.replace(['_', '.'], " "));
            label.is_none() && id.found_in(&heading.raw_text()) != 0
        };
        match id(heading).or_else(|| inside.chain(around).find(akin)) {
            Some(id) => self.keep(id),
            None => Span::default(),
        }
    }

    // Place

    /// Where an element belongs that does not stand in the reading order of the content.
    fn defer(&self, element: Element<'_>) -> Option<Landmark> {
        let (at, end, name) = (element.index(), element.end(), element.name());
        let page = &self.page;
        if !(is_block(name) || name.contains('-')) || at <= page.root.0 && end >= page.root.1 {
            return None;
        }
        let inside = page.exact && at > page.root.0 && end <= page.root.1;
        let holds_title = page.title >= at && page.title < end;
        let sectioned = at < self.sectioning;
        let mut found = None;
        match (element.attribute("role").unwrap_or(""), name) {
            ("navigation" | "menubar" | "menu", _) | ("" | "list", "nav") => found = Some(Landmark::Navigation),
            ("contentinfo", _) => found = Some(Landmark::Footer),
            ("", "footer") if !sectioned => found = Some(Landmark::Footer),
            ("banner" | "search", _) | (_, "search") => found = Some(Landmark::Banner),
            ("", "header") if !sectioned => found = Some(Landmark::Banner),
            ("dialog" | "alertdialog", _) | (_, "dialog") => found = Some(Landmark::Dialog),
            ("complementary", _) | (_, "aside") if !inside => found = Some(Landmark::Complementary),
            _ => {}
        }
        let small = page.bytes(element) as u64 * 10 < page.total as u64 * 4;
        if found.is_none() && small {
            let names = Names::of(element);
            found = if names.cookie {
                Some(Landmark::Dialog)
            } else if names.menu && page.is_menu(element) {
                Some(Landmark::Navigation)
            } else if names.header && !inside && end <= page.start {
                Some(Landmark::Banner)
            } else if names.footer && !inside && !sectioned {
                Some(Landmark::Footer)
            } else if names.sidebar && !inside {
                Some(Landmark::Complementary)
            } else if end <= page.start && page.bytes(element) >= 40 && page.is_menu(element) {
                Some(Landmark::Navigation)
            } else {
                None
            };
        }
        if found.is_none() && page.exact && !inside && self.landmark == Landmark::Main {
            found = Some(Landmark::Complementary);
        }
        // In its own part a thing is not beside itself, and what the page is about is never put aside.
        found.filter(|landmark| !holds_title && *landmark != self.landmark)
    }
}

/// What class and id say an element is for.
struct Names {
    cookie: bool,
    menu: bool,
    header: bool,
    footer: bool,
    sidebar: bool,
}

impl Names {
    fn of(element: Element<'_>) -> Names {
        let mut names = Names { cookie: false, menu: false, header: false, footer: false, sidebar: false };
        let mut about_cookies = false;
        let mut notice = false;
        for (_, value) in element.attributes().filter(|(name, _)| matches!(*name, "class" | "id")) {
            for word in value.split(|character: char| !character.is_ascii_alphanumeric()) {
                let is = |list: &[&str]| list.iter().any(|entry| word.eq_ignore_ascii_case(entry));
                about_cookies |= is(&["cookie", "cookies"]);
                notice |= is(&["banner", "bar", "notice", "notification", "popup", "modal", "overlay", "law", "message", "policy", "wall", "alert", "info"]);
                names.cookie |= is(&["consent", "gdpr", "onetrust", "didomi", "usercentrics", "cookiebanner", "cookiebar", "cookieconsent", "CybotCookiebotDialog", "cmp"]);
                names.menu |= is(&["nav", "navbar", "navigation", "menu", "menubar", "topnav", "topbar", "breadcrumb", "breadcrumbs", "pagination", "pager"]);
                names.header |= is(&["header", "masthead", "topbar", "banner", "promo", "skip"]);
                names.footer |= is(&["footer", "colophon", "bottombar"]);
                names.sidebar |= is(&["sidebar", "aside"]);
            }
        }
        names.cookie |= about_cookies && notice;
        names
    }
}

/// Elements that stand on lines of their own.
fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "center" | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt"
            | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup" | "html" | "iframe"
            | "legend" | "li" | "main" | "menu" | "nav" | "ol" | "p" | "pre" | "search" | "section" | "summary" | "table" | "tbody" | "td" | "tfoot"
            | "th" | "thead" | "tr" | "ul"
    )
}

/// The table holds data. One that lays out the page holds other tables, headings or long text, or has one column.
fn is_data_table(table: Element<'_>) -> bool {
    if matches!(table.attribute("role"), Some("presentation" | "none")) {
        return false;
    }
    let mut paragraphs = 0;
    for element in table.descendants().take(200) {
        match element.name() {
            "table" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "article" | "section" | "form" => return false,
            "caption" | "th" => return true,
            "p" | "div" | "ul" => paragraphs += 1,
            "tr"
                if element.children().take(2).count() < 2 => {
                    paragraphs += 3;
                }
            _ => {}
        }
        if paragraphs > 20 {
            return false;
        }
    }
    true
}

/// An id that says something and will be the same tomorrow: words, not what a framework counted up.
fn is_readable(id: &str) -> bool {
    let digits = |part: &str| part.bytes().filter(u8::is_ascii_digit).count();
    id.chars().next().is_some_and(char::is_alphabetic)
        && id.len() <= 64
        && id.chars().all(|character| character.is_alphanumeric() || matches!(character, '-' | '_' | '.'))
        && digits(id) <= 4
        && digits(id) * 2 < id.len()
        && id.chars().filter(|character| character.is_alphabetic()).count() >= 3
}

/// Gives every section its id: an element's own, else its heading's words; of several alike, those after the first
/// take their section's name in front, then a number.
fn name(out: &mut Outline, own_ids: &[Span]) {
    let mut ids: Vec<String> = Vec::with_capacity(out.sections.len());
    for (section, own_id) in out.sections.iter().zip(own_ids) {
        let own = own_id.of(&out.strings);
        ids.push(if own.is_empty() { slug(if ids.is_empty() && section.level == 0 { section.landmark.heading() } else { out.heading(section) }) } else { own.into() });
    }
    let bases = ids.clone();
    // Each round renames what is not unique; names made in one round may meet others in the next.
    for round in 0..4 {
        let mut order: Vec<u32> = (0..ids.len() as u32).collect();
        let key = |at: &u32| ids.get(*at as usize).map_or("", String::as_str);
        order::sort_by(&mut order, &|a, b| (key(a).cmp(key(b)).then(a.cmp(b))).is_lt());
        let mut renamed: Vec<(u32, String)> = Vec::new();
        let (mut first, mut count) = (u32::MAX, 1);
        for at in order.iter().copied() {
            if first == u32::MAX || key(&first) != key(&at) {
                (first, count) = (at, 1);
                continue;
            }
            count += 1;
            let parent = out.sections.get(at as usize).and_then(|section| section.parent).and_then(|parent| bases.get(parent as usize));
            renamed.push((
                at,
                match parent.filter(|_| round == 0) {
                    Some(parent) => [parent, "-", key(&at)].concat(),
                    None => [key(&at), "-", &crate::json::number(count)].concat(),
                },
            ));
        }
        if renamed.is_empty() {
            break;
        }
        for (at, id) in renamed {
            if let Some(slot) = ids.get_mut(at as usize) {
                *slot = id;
            }
        }
    }
    for ((section, id), own_id) in out.sections.iter_mut().zip(ids).zip(own_ids) {
        section.is_anchor = id == own_id.of(&out.strings);
        section.id = id;
    }
}

/// Words as an id: `research-interests`.
fn slug(heading: &str) -> String {
    let (mut out, mut full) = (String::new(), false);
    search::words(heading, false, &mut |word, _, _| {
        full |= !out.is_empty() && out.chars().count() + word.chars().count() >= 40;
        if full {
            return;
        }
        if !out.is_empty() {
            out.push('-');
        }
        out.extend(word.chars().take(40));
    });
    if out.is_empty() { "section".into() } else { out }
}
