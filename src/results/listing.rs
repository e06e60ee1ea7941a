//! The list of results that a page shows without saying so in markup: things of one kind in a row, each with a link.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use super::short;
use crate::dom::{Document, Element};
use crate::json::Writer;
use crate::text::{self, among};

/// Characters of a result that count: a section of a page is no better result for being long.
const COUNTED: usize = 400;
/// Characters of a result's text that are told.
const TEXT: usize = 240;
/// Characters of a title.
const TITLE: usize = 160;
/// Results that are read from one page.
const MAX_RESULTS: usize = 500;

/// One result.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    title: String,
    url: String,
    price: String,
    text: String,
}

impl Found {
    /// Appends it.
    pub fn write(&self, out: &mut Writer) {
        out.object(|out| {
            for (name, value) in [("title", &self.title), ("url", &self.url), ("price", &self.price), ("text", &self.text)] {
                if !value.is_empty() {
                    out.field(name).string(value);
                }
            }
        });
    }
}

/// The page's heading, else its title.
pub fn title(document: &Document) -> String {
    let of = |name: &str| document.elements().filter(|element| element.name() == name).map(text::of).find(|text| !text.is_empty());
    short(&of("h1").or_else(|| of("title")).unwrap_or_default(), TITLE)
}

/// How much text, links and headings stand before each node: what a range holds is a difference.
struct Sums {
    text: Vec<u32>,
    linked: Vec<u32>,
    headings: Vec<u32>,
    /// Nodes that are part of a page's frame, not of its content.
    frame: Vec<bool>,
    /// Nodes inside the main part.
    main: Vec<bool>,
}

impl Sums {
    fn new(document: &Document) -> Self {
        let size = document.len() + 1;
        let mut sums = Sums {
            text: Vec::with_capacity(size),
            linked: Vec::with_capacity(size),
            headings: Vec::with_capacity(size),
            frame: alloc::vec![false; size],
            main: alloc::vec![false; size],
        };
        let (mut text, mut linked, mut headings) = (0, 0, 0);
        // Where the parts end that the walk is in.
        let (mut frame, mut main, mut link, mut closed) = (0, 0, 0, 0);
        for index in 0..document.len() as u32 {
            sums.text.push(text);
            sums.linked.push(linked);
            sums.headings.push(headings);
            if let Some(element) = document.element(index) {
                let role = element.attribute("role").unwrap_or("");
                match element.name() {
                    "main" | "article" => main = main.max(element.end()),
                    _ if role == "main" => main = main.max(element.end()),
                    "script" | "style" | "template" | "noscript" | "select" | "textarea" => closed = closed.max(element.end()),
                    "nav" | "footer" | "aside" | "dialog" | "head" => frame = frame.max(element.end()),
                    "header" if index >= main => frame = frame.max(element.end()),
                    _ if matches!(role, "navigation" | "banner" | "contentinfo" | "complementary" | "dialog") => {
                        frame = frame.max(element.end())
                    }
                    "a" => link = link.max(element.end()),
                    "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => headings += 1,
                    _ => {}
                }
            } else if index >= closed {
                let length = document.text(index).unwrap_or("").trim().len() as u32;
                text += length;
                linked += if index < link { length } else { 0 };
            }
            if let Some(flag) = sums.frame.get_mut(index as usize) {
                *flag = index < frame || index < closed;
            }
            if let Some(flag) = sums.main.get_mut(index as usize) {
                *flag = index < main;
            }
        }
        sums.text.push(text);
        sums.linked.push(linked);
        sums.headings.push(headings);
        sums
    }

    fn between(sums: &[u32], from: u32, to: u32) -> usize {
        let at = |index: u32| sums.get(index as usize).copied().unwrap_or(0);
        at(to).saturating_sub(at(from)) as usize
    }

    fn is(flags: &[bool], index: u32) -> bool {
        flags.get(index as usize).copied().unwrap_or(false)
    }
}

/// A result's place: the nodes from one number to another.
type Place = (u32, u32);

/// The results, if the page shows any.
pub fn find(document: &Document) -> Option<Vec<Found>> {
    let sums = Sums::new(document);
    let mut best: (usize, Vec<Place>) = (0, Vec::new());
    for parent in document.elements() {
        if Sums::is(&sums.frame, parent.index()) || matches!(parent.name(), "tr" | "select" | "dl" | "p") {
            continue;
        }
        for places in rows(parent, &sums) {
            let score = score(parent, &places, &sums);
            if score > best.0 {
                best = (score, places);
            }
        }
    }
    let single = best.1.len() == 1;
    let places = inner(document, best.1, &sums);
    let mut found: Vec<Found> = Vec::new();
    for place in places {
        let one = read(document, place);
        if !one.url.is_empty() && !one.title.is_empty() && !found.iter().rev().take(8).any(|known| *known == one) {
            found.push(one);
        }
    }
    // Of several things that look like results one that can be read is none.
    (found.len() > 1 || single && found.len() == 1).then_some(found)
}

/// What its children have in common: the name, and for names that say nothing the first class, digits aside.
fn kind<'d>(element: Element<'d>) -> (&'d str, &'d str) {
    let class = match element.name() {
        "div" | "section" | "a" | "span" => element.tokens("class").next().unwrap_or(""),
        _ => "",
    };
    (element.name(), class.trim_end_matches(|character: char| character.is_ascii_digit()))
}

/// Rows of things of one kind among the children of an element, each with a link.
fn rows(parent: Element<'_>, sums: &Sums) -> Vec<Vec<Place>> {
    let mut kinds: Vec<((&str, &str), Vec<Place>)> = Vec::new();
    let result = parent.attributes().any(|(name, value)| matches!(name, "class" | "id") && says_results(value));
    for child in parent.children().take(20 * MAX_RESULTS) {
        // A row has few kinds: results, perhaps something between them.
        let kind = kind(child);
        let place = (child.index(), child.end());
        let room = kinds.len() < 16;
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, places)) => places.push(place),
            None if room => kinds.push((kind, alloc::vec![place])),
            None => {}
        }
    }
    let mut rows = Vec::new();
    for ((name, _), mut places) in kinds {
        // Headings and terms are followed by what they head.
        if matches!(name, "h2" | "h3" | "h4" | "dt") {
            let ends: Vec<u32> = places.iter().skip(1).map(|place| place.0).chain(core::iter::once(parent.end())).collect();
            places.iter_mut().zip(ends).for_each(|(place, end)| place.1 = end);
        }
        places.retain(|place| {
            let linked = Sums::between(&sums.linked, place.0, place.1) > 1 && !Sums::is(&sums.frame, place.0);
            linked && (Sums::between(&sums.headings, place.0, place.1) > 0 || name != "p" && begins_with_link(*place, sums))
        });
        places.truncate(MAX_RESULTS);
        if places.len() > 1 || (result && places.len() == 1) {
            rows.push(places);
        }
    }
    rows
}

/// Little stands before the first link: a result is named first. Text with links in it is text.
fn begins_with_link((from, to): Place, sums: &Sums) -> bool {
    const BEFORE: usize = 60;
    const NODES: u32 = 60;
    let link = (from..to.min(from + NODES)).find(|index| Sums::between(&sums.linked, *index, *index + 1) > 0);
    link.is_some_and(|link| Sums::between(&sums.text, from, link) <= BEFORE)
}

fn says_results(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["result", "search", "hits", "listing", "products"].iter().any(|word| text::contains(&lower, word))
}

fn score(parent: Element<'_>, places: &[Place], sums: &Sums) -> usize {
    let mut score = 0;
    let (mut text, mut linked, mut headed) = (0, 0, 0);
    let count = |place: &Place| Sums::between(&sums.headings, place.0, place.1);
    let each = places.first().map_or(0, count);
    // Results have one heading each; rows of results have as many as the first row, the last perhaps fewer.
    let rows = places.split_last().is_some_and(|(last, rows)| count(last) <= each && rows.iter().all(|row| count(row) == each));
    for place in places {
        let length = Sums::between(&sums.text, place.0, place.1);
        let headings = count(place);
        score += length.min(COUNTED) + if headings == 1 || rows { 60 * headings } else { 0 };
        headed += headings;
        text += length;
        linked += Sums::between(&sums.linked, place.0, place.1).min(length);
    }
    let named = parent
        .ancestors()
        .take(2)
        .any(|around| around.attributes().any(|(name, value)| matches!(name, "class" | "id") && says_results(value)));
    let main = Sums::is(&sums.main, parent.index());
    if headed == 0 && linked * 20 > text * 19 {
        // Nothing but links is a menu, unless it stands where results do and nothing else is there.
        return if named || main { places.len() } else { 0 };
    }
    // One thing alone is more likely a box around the results.
    let alone = places.len() == 1;
    score * if named { 3 } else { 1 } * if main { 2 } else { 1 } / if alone { 3 } else { 1 }
}

/// Results that stand in rows of several are taken out of their rows.
fn inner(document: &Document, places: Vec<Place>, sums: &Sums) -> Vec<Place> {
    let mut out = Vec::new();
    let mut split = 0;
    for place in &places {
        let mut at = document.element(place.0);
        // Down through boxes that hold one box.
        while let Some(element) = at {
            let mut children = element.children();
            match (children.next(), children.next()) {
                (Some(only), None) => at = Some(only),
                _ => break,
            }
        }
        let rows = at.filter(|element| element.name() != "a").map(|element| rows(element, sums)).unwrap_or_default();
        let headed = |row: &Vec<Place>| row.len() > 1 && row.iter().all(|(from, to)| Sums::between(&sums.headings, *from, *to) == 1);
        match rows.into_iter().find(headed) {
            Some(row) => {
                split += 1;
                out.extend(row);
            }
            None => out.push(*place),
        }
    }
    if split * 2 > places.len() { out } else { places }
}

/// Reads one result.
fn read(document: &Document, (from, to): Place) -> Found {
    let elements = || (from..to).filter_map(|index| document.element(index)).filter(|element| element.is_html());
    let is_heading = |element: &Element<'_>| matches!(element.name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt");
    let address = |element: Element<'_>| {
        let reference = element.attribute("href").filter(|_| element.name() == "a")?;
        let url = document.resolve(reference)?;
        (url.starts_with("http") && !reference.trim_start().starts_with('#')).then_some(url)
    };
    let heading = elements().filter(is_heading).map(|heading| (heading, text::of(heading))).find(|(_, text)| !text.is_empty());
    let linked = |element: Element<'_>| {
        let around = element.ancestors().take_while(|around| around.index() >= from).find_map(address);
        around.or_else(|| element.descendants().find_map(address))
    };
    let mut links = elements().filter_map(|element| address(element).map(|url| (url, text::of(element))));
    let mut found = Found::default();
    match heading {
        Some((heading, words)) => {
            found.url = linked(heading).or_else(|| links.next().map(|(url, _)| url)).unwrap_or_default();
            found.title = words;
        }
        None => {
            let mut first = None;
            // The first link with words; a picture's link goes to the same place.
            for (url, words) in links {
                if words.chars().nth(1).is_some() {
                    first = Some((url, words));
                    break;
                }
                first = first.or(Some((url, words)));
            }
            (found.url, found.title) = first.unwrap_or_default();
        }
    }
    let priced = |element: &Element<'_>| {
        element
            .attributes()
            .any(|(name, value)| matches!(name, "class" | "itemprop") && text::contains(&value.to_ascii_lowercase(), "price"))
    };
    // Boxes around prices have such names too; the price itself is soon reached.
    let price = elements().filter(priced).take(8).map(text::of).find(|text| is_price(text));
    let mut all = String::new();
    let mut index = from;
    while index < to {
        let next = match document.element(index) {
            Some(element) => {
                all.push_str(&text::of(element));
                element.end()
            }
            None => {
                all.push_str(document.text(index).unwrap_or(""));
                index + 1
            }
        };
        all.push(' ');
        index = next.max(index + 1);
    }
    found.price = price.unwrap_or_else(|| price_in(&all));
    let mut rest = without(&all, &found.title);
    if !found.price.is_empty() {
        rest = without(&rest, &found.price);
    }
    found.text = short(&text::collapse(&rest), TEXT);
    found.title = short(&found.title, TITLE);
    found
}

const CURRENCIES: &str = "€ $ £ ¥ ₹ ₽ ₩ zł kr CHF EUR USD GBP JPY R$ Kč";

/// The text less the first occurrence of a part of it.
fn without(text: &str, part: &str) -> String {
    text::split_once(text, part).map_or_else(|| text.into(), |(before, after)| [before, after].concat())
}

/// Short, with digits.
fn is_price(text: &str) -> bool {
    text.len() <= 60 && text.bytes().any(|byte| byte.is_ascii_digit()) && text.len() > 1
}

/// The first price in a text: a number and a currency beside each other.
fn price_in(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let number = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_digit()) && word.bytes().all(|byte| byte.is_ascii_digit() || b".,'-".contains(&byte))
    };
    let currency = |word: &str| among(CURRENCIES, word);
    for (at, word) in words.iter().enumerate() {
        let bare = CURRENCIES.split(' ').find_map(|sign| word.strip_prefix(sign).or_else(|| word.strip_suffix(sign)));
        if bare.is_some_and(|bare| number(bare.trim_matches('\u{a0}'))) {
            return (*word).to_owned();
        }
        if let Some(next) = words.get(at + 1)
            && (number(word) && currency(next) || currency(word) && number(next))
        {
            return [*word, " ", next].concat();
        }
    }
    String::new()
}
