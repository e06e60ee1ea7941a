//! What a site answered to an action, as an agent reads it: its own markup mapped like a page, else the list that its
//! structure shows, else its text; data and plain text in their own shape.

mod json_answer;
mod listing;

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::dom::Document;
use crate::json::{Json, Writer};
use crate::options::Options;
use crate::read::outline::{self, Passage};
use crate::tools::Source;
use crate::{call, text, vocabulary};
use listing::Found;

/// Characters that an answer aims at where the call does not say how many results; Chrome's guidance is 1,500.
const ANSWER: usize = 2_000;
/// Results that are told even if they take more than that.
const LEAST: usize = 3;
/// Characters of a line that is told as one; a longer one is told in pieces.
const LINE: usize = 1_000;
/// Bytes kept free for what stands around the results.
const FRAME: usize = 400;

/// What came back.
pub enum Body<'b> {
    /// A page, parsed; its URL is the one that answered.
    Page(&'b Document),
    /// JSON text.
    Json(&'b str),
    /// Plain text, CSV and the like.
    Text(&'b str),
}

/// Which results of an answer a call wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// Results to leave out at the beginning.
    pub offset: usize,
    /// Results at most; `None`: as many as make a short answer.
    pub limit: Option<usize>,
}

/// The answer as a JSON object: `{"url", …, "more"?}`.
pub fn answer(body: &Body<'_>, url: &str, range: Range, options: &Options) -> String {
    match body {
        Body::Page(document) => page(document, url, range, options),
        Body::Json(json) => json_answer::answer(json, url, range, options).unwrap_or_else(|| lines(json, url, range, options)),
        Body::Text(text) => lines(text, url, range, options),
    }
}

fn page(document: &Document, url: &str, range: Range, options: &Options) -> String {
    if let Some(answer) = marked_up(document, url, range, options) {
        return answer;
    }
    let title = listing::title(document);
    if let Some(found) = listing::find(document) {
        return told("results", &found, url, &title, range, options, |found: &Found, out| found.write(out));
    }
    // No list: what the page says, the content first, in parts of a size that can be told.
    let outline = outline::build(document);
    let passages = outline.passages();
    let section = |passage: &Passage| outline.sections.get(passage.section as usize);
    let content: Vec<&Passage> =
        passages.iter().filter(|passage| section(passage).is_some_and(|section| !section.landmark.is_boilerplate())).collect();
    let shown = if content.is_empty() { passages.iter().collect() } else { content };
    told("sections", &shown, url, &title, range, options, |passage: &&Passage, out| {
        out.object(|out| {
            let heading = section(passage).map_or("", |section| outline.heading(section));
            let said = outline.slice(passage.from, passage.to).trim();
            if !said.starts_with(heading) && heading != title {
                out.field("heading").string(heading);
            }
            out.field("text").string(said);
        });
    })
}

/// The page's own markup, if it describes results or a thing that was found.
fn marked_up(document: &Document, url: &str, range: Range, options: &Options) -> Option<String> {
    let quiet = Options { actions: false, page: false, controls: false, profiles: None, prefix: String::new(), ..options.clone() };
    let mapping = crate::map(core::slice::from_ref(document), &quiet);
    let content = |entity: u32| {
        // What describes the site or the page itself is no result.
        let about = ["WebPage", "WebSite", "Organization", "Person", "BreadcrumbList", "WebPageElement", "ImageObject", "Action"];
        let types = mapping.graph.entity(entity).map_or(&[][..], |entity| &entity.types);
        !types.is_empty() && !types.iter().any(|name| about.iter().any(|about| vocabulary::is_a(name, about)))
    };
    let list = mapping.tools.iter().find(|tool| match &tool.source {
        Source::List { entities, .. } => entities.len() > 1 && entities.first().is_some_and(|entity| content(*entity)),
        _ => false,
    });
    let tool = list
        .or_else(|| mapping.tools.iter().take(1).find(|tool| matches!(&tool.source, Source::Entity { entity, .. } if content(*entity))))?;
    let mut input = Writer::new();
    input.object(|out| {
        let known = |name: &str| tool.parameters.iter().any(|parameter| parameter.name == name);
        if known("offset") && range.offset > 0 {
            out.field("offset").number(range.offset);
        }
        if let Some(limit) = range.limit.filter(|_| known("limit")) {
            out.field("limit").number(limit);
        }
    });
    let input = input.into_string();
    let input = crate::json::parse(&input).map(|parsed| parsed.value).unwrap_or(Json::Null);
    let call::Outcome::Answer(answer) = call::run(&mapping, &tool.name, &input) else { return None };
    // `{"url": …, …}`: where it was found goes before what was found.
    let rest = answer.strip_prefix('{')?;
    let mut out = Writer::new();
    out.object(|out| out.field("page").string(url));
    let mut joined = out.into_string();
    joined.pop();
    if !rest.starts_with('}') {
        joined.push(',');
    }
    joined.push_str(rest);
    Some(joined)
}

/// The lines of a text, as they stand.
fn lines(text: &str, url: &str, range: Range, options: &Options) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some((at, _)) = rest.char_indices().nth(LINE) {
            let (piece, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
            lines.push(piece);
            rest = tail;
        }
        lines.push(rest);
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let (until, _) = fit(&lines, range, options, |line| line.len() + 2);
    let mut said = String::new();
    for line in lines.iter().take(until).skip(range.offset) {
        if !said.is_empty() {
            said.push('\n');
        }
        said.push_str(&text::visible(line));
    }
    let mut out = Writer::new();
    out.object(|out| {
        // As MCP has text: whoever shows it shows lines, not their escapes.
        out.field("content").array(|out| {
            out.object(|out| {
                out.field("type").string("text");
                out.field("text").string(&said);
            });
        });
        out.field("page").string(url);
        more(until, lines.len(), out);
    });
    out.into_string()
}

/// A list under `name`, as much of it as is wanted and fits.
fn told<T>(name: &str, all: &[T], url: &str, title: &str, range: Range, options: &Options, write: impl Fn(&T, &mut Writer)) -> String {
    let size = |one: &T| {
        let mut out = Writer::new();
        write(one, &mut out);
        out.len() + 1
    };
    let (until, _) = fit(all, range, options, size);
    let mut out = Writer::new();
    out.object(|out| {
        out.field("page").string(url);
        if !title.is_empty() {
            out.field("title").string(title);
        }
        out.field(name).array(|out| all.iter().take(until).skip(range.offset).for_each(|one| write(one, out)));
        more(until, all.len(), out);
    });
    out.into_string()
}

/// Where the part of `all` ends that a call gets, and how many bytes it takes.
fn fit<T>(all: &[T], range: Range, options: &Options, size: impl Fn(&T) -> usize) -> (usize, usize) {
    let hard = options.max_payload_bytes.saturating_sub(FRAME);
    let mut taken = 0;
    let mut until = range.offset.min(all.len());
    for (count, one) in all.iter().skip(range.offset).enumerate() {
        let next = taken + size(one);
        let enough = match range.limit {
            Some(limit) => count >= limit,
            None => count >= LEAST && next > ANSWER,
        };
        if enough || (next > hard && count > 0) {
            break;
        }
        taken = next;
        until += 1;
    }
    (until, taken)
}

/// `"more"`, where something was left out behind.
fn more(until: usize, total: usize, out: &mut Writer) {
    if until < total {
        out.field("more").object(|out| {
            out.field("offset").number(until);
            out.field("total").number(total);
        });
    }
}

/// At most `most` characters, cut at a word, with a sign that something was cut.
fn short(text: &str, most: usize) -> String {
    let Some((at, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let cut = text.get(..at).unwrap_or("");
    let cut = cut.rsplit_once(' ').map_or(cut, |(words, _)| words);
    [cut, "…"].concat()
}
