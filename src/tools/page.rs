//! The three tools that every page has: its outline, a section, a search.

use alloc::{string::String, vec::Vec};

use super::schema::{self, Kind, Parameter};
use super::{Annotations, Source, Tool};
use crate::graph::Graph;
use crate::json::{Json, Writer};
use crate::options::Options;
use crate::order;
use crate::read::Value;
use crate::read::meta::Meta;
use crate::read::outline::{self, Landmark, Outline, Passage, Section};
use crate::search::{self, Query};
use crate::text;

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTool {
    /// `get_page_outline`
    Outline,
    /// `read_page_section`
    Section,
    /// `search_page`
    Search,
}

/// The definitions; none where the site switched them off.
pub fn build(options: &Options) -> Vec<Tool> {
    if !options.page {
        return Vec::new();
    }
    let tool = |name: &str, title: &str, description: &str, parameters: Vec<Parameter>, tool: PageTool| Tool {
        name: name.into(),
        title: title.into(),
        description: description.into(),
        parameters,
        output_schema: None,
        annotations: Annotations { read_only: true, untrusted: true, consequential: false },
        source: Source::Page(tool),
    };
    let integer = |name: &str, minimum: &str, description: &str| Parameter {
        minimum: Some(minimum.into()),
        ..Parameter::new(name, Kind::Integer, description)
    };
    let required = |parameter: Parameter| Parameter { required: true, max_length: Some(300), ..parameter };
    alloc::vec![
        tool(
            "get_page_outline",
            "Page outline",
            "What this page holds, as a tree of sections with their sizes. Read it first, then read single sections.",
            alloc::vec![Parameter::new("under", Kind::Text, "Only below this section."), integer("offset", "0", "From `more`."),],
            PageTool::Outline,
        ),
        tool(
            "read_page_section",
            "Page section",
            "The text of one section of this page.",
            alloc::vec![
                required(Parameter::new("section", Kind::Text, "Id from the outline or a search, or a heading.")),
                integer("offset", "0", "From `more`."),
                Parameter::new("deep", Kind::Boolean, "With its subsections."),
                Parameter::new("links", Kind::Boolean, "With link addresses."),
            ],
            PageTool::Section,
        ),
        tool(
            "search_page",
            "Search in page",
            "Finds passages of this page's text, best first, numbered for citing.",
            alloc::vec![
                required(Parameter::new("query", Kind::Text, "Words or a question.")),
                Parameter { maximum: Some("10".into()), ..integer("limit", "1", "Passages, 3 by default.") },
            ],
            PageTool::Search,
        ),
    ]
}

/// Lets the markup of what the page is about say who wrote it, when, in which language: it is more exact than the head.
pub fn complete(meta: &mut Meta, graph: &Graph, main: Option<u32>) {
    let Some(main) = main.and_then(|main| graph.entity(main)) else {
        return;
    };
    let text = |name: &str| {
        let said = main.values(name).iter().find_map(|value| match value {
            Value::Text { text, .. } => Some(text),
            // A person or an organisation, by name.
            Value::Node(node) => graph.entity(*node)?.values("name").iter().find_map(|value| match value {
                Value::Text { text, .. } => Some(text),
                _ => None,
            }),
            _ => None,
        });
        said.map(|text| text::collapse(&text::visible(text))).unwrap_or_default()
    };
    let fields = [
        (&mut meta.description, "description"),
        (&mut meta.language, "inLanguage"),
        (&mut meta.author, "author"),
        (&mut meta.published, "datePublished"),
        (&mut meta.modified, "dateModified"),
    ];
    for (field, name) in fields {
        let said = text(name);
        if !said.is_empty() {
            *field = said;
        }
    }
    if meta.title.is_empty() {
        meta.title = text("name");
    }
}

/// Characters that an answer aims at (Chrome's guidance for one answer).
const ANSWER: usize = 1_500;
/// Least and most bytes of an outline: on a short page it must not cost more than what it leads to.
const OUTLINE: (usize, usize) = (440, 1_400);
/// Levels of sections in one outline at most; `under` opens what lies deeper.
const MAX_LEVELS: usize = 8;
/// Characters of a heading in an outline or a path.
const HEADING: usize = 80;
/// Characters that one result of a search takes, so that three of them stay below 1,300.
const RESULT: usize = 415;
/// Results of a search where the call asks for no number.
const RESULTS: usize = 3;

/// The answer of a page tool, a JSON object as text. `outline` was built from a full snapshot of the page as it is
/// now ([`crate::read::outline::build`]), `input` has passed the tool's schema.
pub fn answer(outline: &Outline, meta: &Meta, tool: PageTool, input: &Json<'_>, options: &Options) -> String {
    let text = |name: &str| input.get(name).and_then(Json::as_str).unwrap_or("");
    let number = |name: &str| input.get(name).and_then(Json::as_usize);
    let yes = |name: &str| input.get(name) == Some(&Json::Bool(true));
    match tool {
        PageTool::Outline => tree(outline, meta, text("under"), number("offset").unwrap_or(0), options.max_payload_bytes),
        PageTool::Section => {
            let limit = options.max_payload_bytes.min(ANSWER);
            section(outline, meta, text("section"), number("offset").unwrap_or(0), yes("deep"), yes("links"), limit)
        }
        PageTool::Search => find(outline, text("query"), number("limit").unwrap_or(RESULTS).clamp(1, 10), options.max_payload_bytes),
    }
}

/// At most `limit` characters, cut at a word.
fn short(text: &str, limit: usize) -> String {
    let end = outline::cut(text, 0, text.len(), limit);
    let kept = text.get(..end).unwrap_or(text).trim_end();
    if end < text.len() { [kept, "…"].concat() } else { kept.into() }
}

fn optional(out: &mut Writer, name: &str, value: &str) {
    let value = text::visible(value);
    if !value.is_empty() && !text::is_active(&value) {
        out.field(name).string(&value);
    }
}

fn more(out: &mut Writer, offset: usize, total: usize) {
    out.field("more").object(|out| {
        out.field("offset").number(offset);
        out.field("total").number(total);
    });
}

// The outline

fn tree(outline: &Outline, meta: &Meta, under: &str, offset: usize, most: usize) -> String {
    let root = if under.is_empty() { None } else { Some(resolve(outline, under)) };
    let root = match root {
        None => None,
        Some(Some(found)) => Some(found.section),
        Some(None) => return unknown(outline, under),
    };
    let sections = &outline.sections;
    let (first, end, base) = match root.and_then(|at| Some((at, sections.get(at as usize)?))) {
        Some((at, section)) => (at + 1, section.end, usize::from(section.depth) + 1),
        None => (0, sections.len() as u32, 0),
    };
    let listed = || (first..end).filter_map(|at| Some((at, sections.get(at as usize)?)));
    let level = |section: &Section| usize::from(section.depth).saturating_sub(base);
    let cost = |section: &Section| {
        let name = section.landmark.name();
        let extra = section.holds().count() * 10 + if name.is_empty() { 0 } else { 15 + name.len() };
        56 + section.id.len() + outline.heading(section).len().min(HEADING * 2) + extra
    };
    let inside = |at: u32, section: &Section| if section.end > at + 1 { 40 } else { 0 };
    let total: usize = sections.iter().map(|section| section.tokens as usize).sum();
    let budget = outline_budget(total).min(most).saturating_sub(if root.is_none() && offset == 0 { 250 } else { 60 });
    // As deep as fits; a level that leaves an agent with next to nothing is followed by a part of the next.
    let mut costs = [(0, 0); MAX_LEVELS];
    for (_, section) in listed() {
        if let Some((count, bytes)) = costs.get_mut(level(section)) {
            (*count, *bytes) = (*count + 1, *bytes + cost(section));
        }
    }
    let (mut levels, mut count, mut bytes) = (0, 0, 0);
    for (more, needed) in costs {
        if more == 0 || levels > 0 && bytes + needed > budget && count >= 6 {
            break;
        }
        (levels, count, bytes) = (levels + 1, count + more, bytes + needed);
    }
    let mut shown: Vec<u32> = Vec::new();
    let mut used = 0;
    for (at, section) in listed().filter(|(_, section)| level(section) < levels).skip(offset) {
        used += cost(section) + if level(section) + 1 == levels { inside(at, section) } else { 0 };
        if used > budget && !shown.is_empty() {
            break;
        }
        shown.push(at);
    }
    let mut out = Writer::new();
    out.object(|out| {
        if root.is_none() && offset == 0 {
            out.field("page").object(|out| about(meta, out));
        }
        if let Some(section) = root.and_then(|at| sections.get(at as usize)) {
            out.field("under").string(&section.id);
        }
        out.field("sections").array(|out| {
            let mut next = 0;
            while next < shown.len() {
                branch(outline, &shown, &mut next, levels + base, root, 0, out);
            }
        });
        if offset + shown.len() < count {
            more(out, offset + shown.len(), count);
        }
        if outline.cut {
            out.field("note").string("The page has more headings than are listed; their text belongs to the last section.");
        }
    });
    out.into_string()
}

/// Bytes of an outline of a page of so many tokens: a short page may be listed whole; on a longer one outline and
/// section together are to stay far below the page.
fn outline_budget(tokens: usize) -> usize {
    if tokens < 2_500 { OUTLINE.1 } else { (tokens / 6).clamp(OUTLINE.0, OUTLINE.1) }
}

/// What the page says of itself.
fn about(meta: &Meta, out: &mut Writer) {
    optional(out, "title", &short(&meta.title, 120));
    optional(out, "description", &short(&meta.description, 160));
    optional(out, "url", &meta.url);
    optional(out, "language", &meta.language);
    optional(out, "author", &short(&meta.author, HEADING));
    optional(out, "published", &meta.published);
    optional(out, "modified", &meta.modified);
}

/// Writes one of the sections `shown` and, inside it, those that follow and lie in it.
fn branch(outline: &Outline, shown: &[u32], next: &mut usize, levels: usize, root: Option<u32>, depth: usize, out: &mut Writer) {
    let Some((at, section)) = shown.get(*next).and_then(|at| Some((*at, outline.sections.get(*at as usize)?))) else {
        return;
    };
    *next += 1;
    out.object(|out| {
        out.field("section").string(&section.id);
        out.field("heading").string(&short(outline.heading(section), HEADING));
        // The section around stands on the page before.
        if let Some(parent) = section.parent.filter(|parent| depth == 0 && Some(*parent) != root) {
            out.field("in").string(outline.sections.get(parent as usize).map_or("", |parent| &parent.id));
        }
        if section.level > 0 {
            out.field("level").number(section.level.into());
        }
        out.field("tokens").number(section.tokens as usize);
        if section.holds().next().is_some() {
            out.field("holds").array(|out| section.holds().for_each(|name| out.string(name)));
        }
        optional(out, "landmark", section.landmark.name());
        let inside = section.end - at - 1;
        if inside > 0 && usize::from(section.depth) + 1 >= levels {
            let below = outline.sections.get(at as usize + 1..section.end as usize).unwrap_or(&[]);
            out.field("inside").object(|out| {
                out.field("sections").number(inside as usize);
                out.field("tokens").number(below.iter().map(|section| section.tokens as usize).sum());
            });
        }
        let lies_here =
            |next: usize| shown.get(next).and_then(|next| outline.sections.get(*next as usize)).is_some_and(|next| next.parent == Some(at));
        if lies_here(*next) {
            out.field("sections").array(|out| {
                while lies_here(*next) {
                    branch(outline, shown, next, levels, root, depth + 1, out);
                }
            });
        }
    });
}

// One section

/// How a section was found by what the call said.
struct Found {
    section: u32,
    /// Which passage of it, where the call named one.
    part: Option<usize>,
    /// `id`, `element` or `heading`.
    by: &'static str,
    /// Others that the same words would name.
    others: Vec<u32>,
}

/// Finds a section: by its id, by the id of an element, by words of its heading.
fn resolve(outline: &Outline, asked: &str) -> Option<Found> {
    let asked = asked.trim();
    let id = asked.rsplit('#').next().unwrap_or(asked);
    let by_id = |id: &str| {
        let own = outline.sections.iter().position(|section| section.id == id).map(|at| at as u32);
        own.or_else(|| outline.names.iter().find(|(name, _)| name == id).map(|(_, section)| *section))
    };
    let found = |section, part, by| Some(Found { section, part, by, others: Vec::new() });
    if let Some(section) = by_id(id) {
        return found(section, None, "id");
    }
    if let Some((part, section)) = id.rsplit_once('~').and_then(|(id, part)| Some((part.parse().ok()?, by_id(id)?))) {
        return found(section, Some(part), "id");
    }
    if let Some(section) = outline.section_of_element(id) {
        return found(section, None, "element");
    }
    let mut alike =
        nearest(outline, text::rsplit_once(asked, " > ").map_or(asked, |(_, last)| last)).into_iter().filter(|(overlap, _)| *overlap >= 60);
    let (best, section) = alike.next()?;
    let others = alike.take_while(|(overlap, _)| *overlap == best).map(|(_, section)| section).take(5).collect();
    Some(Found { section, part: None, by: "heading", others })
}

/// Sections whose headings share words with the text, best first, each with the share in percent.
fn nearest(outline: &Outline, text: &str) -> Vec<(usize, u32)> {
    let query = Query::new(text);
    let mut alike: Vec<(usize, u32)> = Vec::new();
    for (at, section) in outline.sections.iter().enumerate() {
        let (heading, id) = (outline.heading(section), text::replace(&section.id, "-", " "));
        let overlap = query.overlap(heading).max(query.overlap(&id));
        if overlap > 0 {
            alike.push((overlap, at as u32));
        }
    }
    order::sort_by(&mut alike, &|a, b| (b.0.cmp(&a.0).then(a.1.cmp(&b.1))).is_lt());
    alike
}

fn unknown(outline: &Outline, asked: &str) -> String {
    let near = nearest(outline, asked);
    let near: Vec<u32> =
        if near.is_empty() { outline.children(None).collect() } else { near.into_iter().map(|(_, section)| section).collect() };
    let ids: Vec<&str> =
        near.into_iter().take(5).filter_map(|at| outline.sections.get(at as usize)).map(|section| section.id.as_str()).collect();
    let hint = if ids.is_empty() { "This page has no text." } else { "'sections' names the nearest." };
    let mut answer = crate::call::error("not_found", &["This page has no section '", &schema::shown(asked), "'."].concat(), hint);
    if !ids.is_empty() {
        // Beside the error, which is in our own words: an id is made of the page's.
        let mut out = Writer::new();
        out.array(|out| ids.iter().for_each(|id| out.string(id)));
        answer.pop();
        answer.push_str(&[",\"sections\":", &out.into_string(), "}"].concat());
    }
    answer
}

fn section(outline: &Outline, meta: &Meta, asked: &str, offset: usize, deep: bool, links: bool, limit: usize) -> String {
    let Some(found) = resolve(outline, asked) else {
        return unknown(outline, asked);
    };
    let Some(section) = outline.sections.get(found.section as usize) else {
        return unknown(outline, asked);
    };
    let ranges = outline.ranges(found.section, deep);
    let total: usize = ranges.iter().map(|(from, to)| (to - from) as usize).sum();
    let offset = match found.part.filter(|_| offset == 0 && !deep) {
        Some(part) => part_offset(outline, found.section, part),
        None => offset,
    };
    if offset > 0 && offset >= total {
        let message = ["The section '", &section.id, "' ends at ", &crate::json::number(total), "."].concat();
        return crate::call::error("invalid_parameter", &message, "Pass an offset that `more` gave.");
    }
    let mut out = Writer::new();
    out.object(|out| {
        out.field("section").string(&section.id);
        if found.by != "id" {
            out.field("found_by").string(found.by);
        }
        let path: Vec<String> = outline.path(found.section).into_iter().map(|heading| short(heading, HEADING)).collect();
        out.field("heading").string(path.last().map_or("", String::as_str));
        if let Some((_, around)) = path.split_last().filter(|(_, around)| !around.is_empty()) {
            out.field("in").string(&short(&around.join(" > "), HEADING + 40));
        }
        if section.is_anchor && section.id.len() + meta.url.len() < 120 {
            let url = meta.url.split('#').next().unwrap_or("");
            out.field("url").string(&[url, "#", &section.id].concat());
        }
        let ids = |out: &mut Writer, name: &str, sections: &mut dyn Iterator<Item = u32>| {
            let length = out.len();
            let mut any = false;
            out.field(name).array(|out| {
                let start = out.len();
                for section in sections.filter_map(|at| outline.sections.get(at as usize)) {
                    if out.len() - start < 120 {
                        out.string(&section.id);
                        any = true;
                    }
                }
            });
            if !any {
                out.truncate(length);
            }
        };
        ids(out, "others", &mut found.others.iter().copied());
        if !deep {
            ids(out, "sections", &mut outline.children(Some(found.section)));
        }
        // A passage is always whole: what a search found must be there when it is read.
        let room = limit.saturating_sub(out.len() + 60).max(outline::PASSAGE.min(limit));
        let (text, next) = piece(outline, &ranges, offset, room, links);
        optional(out, "text", &text);
        if next < total {
            more(out, next, total);
        }
    });
    out.into_string()
}

/// Where the passage with this number begins within its section's own text.
fn part_offset(outline: &Outline, section: u32, part: usize) -> usize {
    let mut passages = Vec::new();
    outline.passages_of(section, &mut passages);
    let from = passages.get(part.max(1) - 1).map_or(u32::MAX, |passage| passage.from);
    let before = |(start, end): &(u32, u32)| from.min(*end).saturating_sub(*start) as usize;
    outline.ranges(section, false).iter().map(before).sum()
}

/// The text of these ranges from `offset` on, and where the next piece begins. A piece is one passage or several
/// whole short ones.
fn piece(outline: &Outline, ranges: &[(u32, u32)], offset: usize, room: usize, links: bool) -> (String, usize) {
    let mut text = String::new();
    let (mut skipped, mut next) = (0, offset);
    for (from, to) in ranges.iter().copied() {
        let length = (to - from) as usize;
        let start = offset.saturating_sub(skipped);
        skipped += length;
        if start >= length {
            continue;
        }
        let mut from = from as usize + start;
        while !outline.text.is_char_boundary(from) {
            from += 1;
        }
        while from < to as usize {
            let used = escaped(&text);
            let mut room = room.saturating_sub(used).min(outline::PASSAGE);
            if used > 0 && room < 100 {
                return (text, next);
            }
            // What JSON and link addresses add is only known once it is written.
            let fits = room;
            let (end, part) = loop {
                let end = outline::passage_end(&outline.text, from, to as usize, room);
                let part = if links { outline.with_links(from as u32, end as u32) } else { outline.slice(from as u32, end as u32).into() };
                if !links || escaped(&part) <= fits || room <= 150 {
                    break (end, part);
                }
                room = room * 3 / 4;
            };
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(part.trim_end().trim_start_matches(['\n', ' ']));
            next += end - from;
            from = end;
            if from < to as usize {
                return (text, next);
            }
        }
    }
    (text, skipped.max(next))
}

/// Characters that a text takes in JSON.
fn escaped(text: &str) -> usize {
    text.chars().map(outline::in_json).sum()
}

// Search

fn find(outline: &Outline, words: &str, limit: usize, most: usize) -> String {
    let query = Query::new(words);
    let passages = outline.passages();
    let texts: Vec<search::Passage<'_>> = passages
        .iter()
        .map(|passage| search::Passage {
            text: outline.slice(passage.from, passage.to),
            section: passage.section,
            weight: match outline.sections.get(passage.section as usize).map(|section| section.landmark) {
                Some(Landmark::Main) => 100,
                Some(Landmark::Complementary) => 80,
                _ => 50,
            },
        })
        .collect();
    let headings: Vec<search::Heading<'_>> =
        outline.sections.iter().map(|section| search::Heading { text: outline.heading(section), parent: section.parent }).collect();
    let hits = search::rank(&query, &texts, &headings);
    let mut out = Writer::new();
    out.object(|out| {
        let mut chosen: Vec<(usize, &str)> = Vec::new();
        for at in hits.iter().map(|hit| hit.passage as usize) {
            let text = passages.get(at).map_or("", |passage| outline.slice(passage.from, passage.to).trim());
            // Pages repeat themselves; an answer does not.
            if chosen.len() < limit && (text.is_empty() || !chosen.iter().any(|(_, other)| *other == text)) {
                chosen.push((at, text));
            }
        }
        out.field("results").array(|out| {
            let start = out.len();
            let whole = (RESULT * limit).max(RESULT * RESULTS).min(most.saturating_sub(100));
            for (number, (at, text)) in chosen.iter().enumerate() {
                // What short results leave goes to those that follow.
                let room = (start + whole).saturating_sub(out.len()) / (chosen.len() - number);
                result(outline, &query, &passages, *at, text, number + 1, room, out);
            }
        });
        if chosen.len() < hits.len() {
            out.field("total").number(hits.len());
        }
        if hits.is_empty() {
            out.field("message").string("Nothing on this page matches. Try other words, or read one of its sections.");
            out.field("sections").array(|out| {
                for section in outline.children(None).take(8).filter_map(|at| outline.sections.get(at as usize)) {
                    out.object(|out| {
                        out.field("section").string(&section.id);
                        out.field("heading").string(&short(outline.heading(section), HEADING));
                    });
                }
            });
        }
    });
    out.into_string()
}

#[allow(clippy::too_many_arguments)]
fn result(outline: &Outline, query: &Query, passages: &[Passage], at: usize, text: &str, number: usize, room: usize, out: &mut Writer) {
    let Some(passage) = passages.get(at) else { return };
    let Some(section) = outline.sections.get(passage.section as usize) else { return };
    let before = passages.get(..at).unwrap_or(&[]).iter().rev().take_while(|other| other.section == passage.section).count();
    out.object(|out| {
        let start = out.len();
        out.field("cite").string(&["[", &crate::json::number(number), "]"].concat());
        if before == 0 {
            out.field("section").string(&section.id);
        } else {
            out.field("section").string(&[&section.id, "~", &crate::json::number(before + 1)].concat());
        }
        // Only the nearest headings: the page's own stands over everything and tells results apart in nothing.
        let path: Vec<String> = outline.path(passage.section).into_iter().map(|heading| short(heading, HEADING)).collect();
        let near = path.get(path.len().saturating_sub(2)..).unwrap_or(&[]);
        out.field("path").string(&short(&near.join(" > "), HEADING + 20));
        let room = room.saturating_sub(out.len() - start + 16).max(100);
        optional(out, "snippet", &snippet(query, text, room));
    });
}

/// The sentences of a passage, at most `room` characters of them, that have most of the query's words.
fn snippet(query: &Query, text: &str, room: usize) -> String {
    let mut sentences: Vec<(usize, usize, u32)> = Vec::new();
    let mut from = 0;
    while from < text.len() {
        let end = sentence_end(text, from);
        let sentence = text.get(from..end).unwrap_or("");
        sentences.push((from, end, query.found_in(sentence)));
        from = end;
    }
    let mut best = (0, 0, 0);
    for (at, (from, _, _)) in sentences.iter().enumerate() {
        let (mut found, mut score, mut width) = (0u32, 0, 0);
        for (start, end, terms) in sentences.iter().skip(at) {
            width += escaped(text.get(*start..*end).unwrap_or(""));
            if score > 0 && width > room + 2 {
                break;
            }
            found |= terms;
            // Distinct words first; sentences that repeat them break ties.
            score += terms.count_ones();
            let value = found.count_ones() * 64 + score;
            if value > best.2 {
                best = (*from, *end, value);
            }
        }
    }
    let (mut from, mut end, value) = best;
    if value == 0 {
        end = sentences.first().map_or(0, |(_, end, _)| *end);
    }
    // What stands around them often is the answer: after them first.
    for (start, after, _) in &sentences {
        if *start == end && escaped(text.get(from..*after).unwrap_or("").trim()) <= room {
            end = *after;
        }
    }
    for (start, after, _) in sentences.iter().rev() {
        if *after == from && escaped(text.get(*start..end).unwrap_or("").trim()) <= room {
            from = *start;
        }
    }
    let chosen = text.get(from..end).unwrap_or("");
    if escaped(chosen.trim()) <= room {
        return chosen.trim().into();
    }
    // One sentence that is too long: from the words before the first match on.
    let first = query.first_in(chosen);
    let lead = chosen
        .get(..first)
        .unwrap_or("")
        .char_indices()
        .rev()
        .filter(|(_, character)| *character == ' ')
        .nth(5)
        .map_or(0, |(at, _)| at + 1);
    let lead = if chosen.len() <= room { 0 } else { lead };
    let rest = chosen.get(lead..).unwrap_or("").trim();
    let mut limit = room.saturating_sub(2);
    while limit > 60 && escaped(&short(rest, limit)) > room {
        limit = limit * 7 / 8;
    }
    let cut = short(rest, limit);
    if lead > 0 { ["…", &cut].concat() } else { cut }
}

/// Where the sentence or line that begins at `from` ends, spaces after it included.
fn sentence_end(text: &str, from: usize) -> usize {
    let mut ended = false;
    for (at, character) in text.get(from..).unwrap_or("").char_indices() {
        match character {
            '\n' | '。' | '！' | '？' => return from + at + character.len_utf8(),
            '.' | '!' | '?' | '…' | '؟' | '।' => ended = true,
            ' ' if ended => return from + at + 1,
            '"' | ')' | '”' | '»' | '’' => {}
            _ => ended = false,
        }
    }
    text.len()
}
