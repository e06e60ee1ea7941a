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

mod ids;
mod measured;
mod place;
mod walk;

use alloc::{string::String, vec::Vec};

use crate::dom::Document;
use crate::search;
pub use walk::build;

/// Characters of a passage at most, half as many in scripts whose characters take most of a token each: outline and
/// passage together are to stay below a sixth of a page of three thousand tokens.
pub const PASSAGE: usize = 1_000;
/// Sections of a page at most; what follows stays text of the last one. The longest real pages have some hundreds.
pub const MAX_SECTIONS: usize = 20_000;

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
            if let Some(url) = self.place.resolve(reference.of(&self.strings)).filter(|url| !crate::text::is_active(url)) {
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
                let end = passage_end(&self.text, from as usize, to as usize, PASSAGE) as u32;
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
        let around =
            |section: &u32| self.sections.get(*section as usize).is_some_and(|section| at < section.to || section.from == section.to);
        core::iter::successors(Some(last as u32), up).find(around).or(Some(last as u32))
    }
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
    if text.is_ascii() {
        // The most frequent case by far, and quicker by bytes.
        return text.bytes().map(|byte| if byte.is_ascii_alphabetic() || byte == b' ' || byte == b'\n' { 13 } else { 24 }).sum();
    }
    text.chars().map(weight).sum()
}

/// Characters that a character takes in JSON.
pub fn in_json(character: char) -> usize {
    1 + usize::from(matches!(character, '\n' | '\t' | '"' | '\\'))
}

/// Where a piece of `text[from..end]` of at most `limit` characters (as JSON writes them) ends: with the text, else after a block, a
/// sentence, a word, whichever is the strongest border that leaves the piece at least half full.
pub fn cut(text: &str, from: usize, end: usize, limit: usize) -> usize {
    cut_weighed(text, from, end, limit, 1)
}

/// The same where a character that costs a model about a token counts twice.
pub fn passage_end(text: &str, from: usize, end: usize, limit: usize) -> usize {
    cut_weighed(text, from, end, limit, 2)
}

fn cut_weighed(text: &str, from: usize, end: usize, limit: usize, wide: usize) -> usize {
    // By bytes: most of a page is ASCII, and every border is told from its first byte.
    let bytes = text.as_bytes().get(from..end).unwrap_or(&[]);
    let (mut block, mut sentence, mut word) = (0, 0, 0);
    let mut count = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if byte & 0xc0 == 0x80 {
            continue;
        }
        count += if *byte >= 0xe0 { wide } else { in_json(char::from(*byte)) };
        if count > limit {
            let best = [block, sentence, word].into_iter().find(|border| *border > 0).unwrap_or(at);
            return from + best;
        }
        if count >= limit / 2 {
            let before = || bytes.get(..at).unwrap_or(&[]);
            match byte {
                b'\n' => block = at + 1,
                b' ' if ends_sentence(before()) => sentence = at + 1,
                b' ' => word = at + 1,
                0xe3 | 0xef if is_full_stop(bytes.get(at..at + 3).unwrap_or(&[])) => sentence = at + 3,
                _ => {}
            }
        }
    }
    end
}

/// The text ends with a sentence's last sign, or with that and a quote or bracket that closes.
fn ends_sentence(text: &[u8]) -> bool {
    let ends = |text: &[u8]| ["…", "؟", "।", ".", "!", "?"].iter().any(|sign| text.ends_with(sign.as_bytes()));
    let closed = |sign: &&str| text.strip_suffix(sign.as_bytes()).is_some_and(ends);
    ends(text) || ["\"", ")", "”", "»", "’"].iter().any(closed)
}

/// A sentence's last sign in scripts that put no space after it.
fn is_full_stop(sign: &[u8]) -> bool {
    ["。", "！", "？", "．"].iter().any(|stop| sign == stop.as_bytes())
}
