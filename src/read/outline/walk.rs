//! Writing a page's text and marking its sections on the way, in one pass over the snapshot.

use alloc::{string::String, vec::Vec};

use super::measured::{Measured, is_hidden, letters, level};
use super::{CODE, FORM, IMAGE, LIST, Landmark, MAX_SECTIONS, Outline, PASSAGE, Section, Span, TABLE, cut, ids, weigh};
use crate::dom::{Document, Element};
use crate::{search, text};

/// Element ids that are kept as ways to a section; generated pages have one on every element.
const MAX_ANCHORS: usize = 20_000;
/// Bytes of a heading at most. What is longer is text marked up as a heading: it stays readable as text.
const MAX_HEADING: usize = 400;
/// Bytes of a link's reference at most; longer ones carry data, not an address.
const MAX_REFERENCE: usize = 2_000;
/// A definition is worth a section of its own from this many letters on; shorter ones are lines of a list.
const LONG_DEFINITION: u32 = 120;

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
    ids::name(&mut out, &own_ids);
    for section in 0..out.sections.len() as u32 {
        let sixtieths: usize = out.ranges(section, false).iter().map(|(from, to)| weigh(out.slice(*from, *to))).sum();
        if let Some(section) = out.sections.get_mut(section as usize) {
            section.tokens = (sixtieths / 60) as u32;
        }
    }
    out
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
    Link {
        reference: Span,
        start: u32,
    },
    Heading {
        line: u32,
        start: u32,
        level: u8,
        scope: bool,
        own_id: Span,
    },
    /// May become a section of its own, which ends with it.
    Scope {
        open: bool,
        data: bool,
    },
    Term,
    List {
        next: Option<u32>,
    },
    Item,
    Row {
        cells: u32,
        written: u32,
    },
    Cell,
    Pre,
    Ruby,
    Aside {
        around: Landmark,
    },
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

pub(super) struct Walk<'d> {
    pub(super) page: Measured<'d>,
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
    pub(super) sectioning: u32,
    pub(super) landmark: Landmark,
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
        if !is_part
            && level == 0
            && !self.landmark.is_boilerplate()
            && let Some(landmark) = self.defer(element)
        {
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
                if reference.is_empty() || reference.len() > MAX_REFERENCE || text::is_active(reference) {
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
            "summary" | "caption" | "legend" | "dt"
                if self.can_begin() && matches!(self.frames.last(), Some(Frame { kind: Kind::Scope { .. }, .. })) =>
            {
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
            _ if text::is_block(name) => {
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

    fn gap_of_space(&mut self) {
        if self.gap == Gap::None {
            self.gap = Gap::Space;
        }
    }

    fn say(&mut self, data: &str) {
        if self.pre {
            let data = data.strip_prefix('\n').filter(|_| self.out.text.ends_with("```\n")).unwrap_or(data);
            let kept = |character: &char| matches!(character, '\n' | '\t') || !text::is_invisible(*character);
            self.out.text.extend(data.chars().filter(kept));
            return;
        }
        // Most text is plain ASCII, and needs no look at each character.
        if data.bytes().all(|byte| matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' '..=b'~')) {
            let mut apart = data.starts_with(|first: char| first.is_ascii_whitespace());
            for word in data.split_ascii_whitespace() {
                if core::mem::replace(&mut apart, true) {
                    self.gap_of_space();
                }
                self.flush();
                self.out.text.push_str(word);
            }
            if data.ends_with(|last: char| last.is_ascii_whitespace()) {
                self.gap_of_space();
            }
            return;
        }
        let mut first = true;
        for word in data.split(text::is_space) {
            // A border between two parts of the split is white space.
            if !core::mem::replace(&mut first, false) {
                self.gap_of_space();
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
            let picture = self.out.text.get(before as usize..).unwrap_or("").trim_start();
            let alternative = picture.strip_prefix("![").unwrap_or(picture).trim_end_matches(']');
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
        let heading =
            Span { from: heading.from, to: cut(&self.out.text, heading.from as usize, heading.to as usize, MAX_HEADING / 2) as u32 };
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
            && core::mem::replace(open, false)
        {
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
                if let Some(last) = self
                    .out
                    .sections
                    .last()
                    .filter(|last| last.level == 0 && last.landmark == self.landmark && last.heading == Span::default())
                    && last.landmark != Landmark::Main
                    && last.parent.is_none()
                {
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
        let id =
            element.attributes().find(|(name, value)| !value.is_empty() && (*name == "id" || *name == "name" && element.name() == "a"));
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
            id.filter(|id| ids::is_readable(id))
        }
        let inside = heading.descendants().take(4).filter_map(id);
        let begins = |around: &Element<'_>| {
            matches!(around.name(), "section" | "article" | "div" | "li" | "header")
                && self.page.between(around.index(), heading.index()) == 0
        };
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
            "tr" if element.children().take(2).count() < 2 => {
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
