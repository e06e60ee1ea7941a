//! Measures the page tools on saved pages: how much of the visible text a section leads to, whether a search finds a
//! known sentence, what an outline and the best section cost, how long the index takes. Prints a Markdown table, and
//! with `--write` puts it into docs/page-tools.md.
//!
//! `cargo run --profile measure --no-default-features --example page-tools -- FOLDER [--write] [--misses]`
//!
//! FOLDER holds .html files; `text.jsonl` beside it may hold their lengths in tokens (`id`, `all_tokens`).
//!
//! Visible sentences and the baseline are taken from the parsed tree by code of this file, not by the code measured.
//! The baseline is an index of headings alone: a section runs from its heading to the next of its level or above, and
//! a query finds the headings that share most words with it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::string_slice)]

#[path = "../support/mod.rs"]
mod support;

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use serde_json::Value;
use toolmark::options::Options;
use toolmark::read::meta::Meta;
use toolmark::read::outline::{self, Outline};
use toolmark::tools::page::{self, PageTool};
use toolmark::{json, read};

/// Known-item queries of one page.
const QUERIES: usize = 8;

fn call(outline: &Outline, meta: &Meta, tool: PageTool, input: &Value) -> (Value, usize) {
    let input = input.to_string();
    let input = json::parse(&input).expect("JSON of ours");
    let answer = page::answer(outline, meta, tool, &input.value, &Options::default());
    (serde_json::from_str(&answer).expect("every answer is JSON"), answer.chars().count())
}

/// Text without spaces and marks, so that line breaks, list markers and cell borders make no difference.
fn squeeze(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What a browser shows of a page without its style sheets, in lines.
fn visible_lines(html: &scraper::Html) -> Vec<String> {
    fn hidden(element: &scraper::node::Element) -> bool {
        let style: String = element.attr("style").unwrap_or("").to_lowercase().replace(' ', "");
        matches!(
            element.name(),
            "script"
                | "style"
                | "template"
                | "noscript"
                | "svg"
                | "head"
                | "textarea"
                | "select"
                | "datalist"
                | "iframe"
                | "video"
                | "audio"
                | "canvas"
                | "object"
        ) || element.attr("hidden").is_some()
            || element.attr("inert").is_some()
            || element.attr("aria-hidden") == Some("true")
            || element.attr("contenteditable").is_some_and(|value| value != "false")
            || element.name() == "dialog" && element.attr("open").is_none()
            || style.contains("display:none")
            || style.contains("visibility:hidden")
            || style.contains("-999")
            || element.attr("class").is_some_and(|class| {
                class.split_whitespace().any(|class| {
                    [
                        "sr-only",
                        "visually-hidden",
                        "visuallyhidden",
                        "screen-reader-text",
                        "screen-reader-only",
                        "element-invisible",
                        "a11y-hidden",
                    ]
                    .contains(&class)
                })
            })
    }
    const INLINE: [&str; 30] = [
        "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "samp",
        "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr", "label", "tt",
    ];
    let mut text = String::new();
    let mut skip = None;
    for edge in html.tree.root().traverse() {
        use ego_tree::iter::Edge;
        let (node, open) = match edge {
            Edge::Open(node) => (node, true),
            Edge::Close(node) => (node, false),
        };
        if let Some(id) = skip {
            if id == node.id() && !open {
                skip = None;
            }
            continue;
        }
        match node.value() {
            scraper::Node::Element(element) if open && hidden(element) => skip = Some(node.id()),
            scraper::Node::Element(element) if !INLINE.contains(&element.name()) => text.push('\n'),
            scraper::Node::Text(data) if open => text.push_str(&data.replace(['\n', '\r', '\t'], " ")),
            _ => {}
        }
    }
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|line| !line.is_empty()).collect()
}

fn sentences(lines: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for line in lines {
        let mut sentence = String::new();
        let characters: Vec<char> = line.chars().collect();
        for (at, character) in characters.iter().enumerate() {
            sentence.push(*character);
            let next = characters.get(at + 1).copied().unwrap_or(' ');
            if matches!(character, '.' | '!' | '?') && next == ' ' || matches!(character, '。' | '！' | '？') {
                found.push(std::mem::take(&mut sentence));
            }
        }
        found.push(sentence);
    }
    let long = |sentence: &String| {
        let squeezed = squeeze(sentence);
        let wide = squeezed.chars().any(|c| ('\u{3040}'..'\u{a000}').contains(&c));
        squeezed.chars().count() >= if wide { 10 } else { 25 }
            && (wide || sentence.split(' ').count() >= 4)
            && sentence.chars().count() < 400
    };
    found.into_iter().map(|sentence| sentence.trim().to_owned()).filter(long).collect()
}

fn tokens_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.push(word.to_lowercase());
    }
    words
}

struct Baseline {
    headings: Vec<(String, String)>,
}

/// Headings, each with the text up to the next heading of its level or above.
fn baseline(html: &scraper::Html) -> Baseline {
    let mut marks: Vec<(usize, u8, String)> = Vec::new();
    let mut text = String::new();
    let mut heading: Option<(usize, u8)> = None;
    for edge in html.tree.root().traverse() {
        use ego_tree::iter::Edge;
        match edge {
            Edge::Open(node) => match node.value() {
                scraper::Node::Element(element) => {
                    let name = element.name().as_bytes();
                    if name.len() == 2 && name[0] == b'h' && (b'1'..=b'6').contains(&name[1]) {
                        heading = Some((text.len(), name[1] - b'0'));
                    }
                    text.push(' ');
                }
                scraper::Node::Text(data) => {
                    let parent =
                        node.parent().and_then(|parent| parent.value().as_element().map(|e| e.name().to_owned())).unwrap_or_default();
                    if !["script", "style", "noscript", "template", "title"].contains(&parent.as_str()) {
                        text.push_str(data);
                    }
                }
                _ => {}
            },
            Edge::Close(node) => {
                if let (Some((from, level)), Some(element)) = (heading, node.value().as_element()) {
                    if element.name().as_bytes() == [b'h', b'0' + level] {
                        marks.push((from, level, text[from..].to_owned()));
                        heading = None;
                    }
                }
            }
        }
    }
    let body = |at: usize| {
        let (from, level, _) = marks[at];
        let end = marks[at + 1..].iter().find(|(_, other, _)| *other <= level).map_or(text.len(), |(end, _, _)| *end);
        text[from..end].to_owned()
    };
    Baseline { headings: (0..marks.len()).map(|at| (marks[at].2.clone(), body(at))).collect() }
}

#[derive(Default)]
struct Sums {
    pages: usize,
    html: usize,
    sentences: usize,
    reached: usize,
    base_reached: usize,
    queries: usize,
    hits: usize,
    first: usize,
    in_snippet: usize,
    base_hits: usize,
    base_chars: usize,
    chars: usize,
    most_chars: usize,
    sections: Vec<usize>,
    largest: Vec<usize>,
    long_pages: usize,
    full: usize,
    spent: usize,
    within: usize,
    before: usize,
    micros: Vec<f64>,
    estimate: usize,
    real: usize,
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let has = |name: &str| std::env::args().any(|argument| argument == name);
    let show_misses = has("--misses");
    let folder = arguments.next().unwrap_or_else(|| "../shared/pages/html".into());
    let real_tokens: HashMap<String, usize> = std::fs::read_to_string(format!("{folder}/../text.jsonl"))
        .unwrap_or_default()
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| Some((line["id"].as_str()?.replace('/', "__"), line["all_tokens"].as_u64()? as usize)))
        .collect();
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no pages at {folder}");
        return;
    };
    let mut files: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "html"))
        .collect();
    files.sort();
    let mut sums = Sums::default();
    for file in &files {
        let Ok(source) = std::fs::read_to_string(file) else { continue };
        measure(&source, file.file_stem().and_then(|stem| stem.to_str()).unwrap_or(""), &real_tokens, show_misses, &mut sums);
    }
    let table = report(&mut sums);
    println!("{table}");
    if has("--write") {
        write(&table).expect("docs/page-tools.md can be written");
    }
}

/// Puts the table between its two marks.
fn write(table: &str) -> std::io::Result<()> {
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/page-tools.md");
    const MARKS: [&str; 2] = ["<!-- measured: npm run measure:page -->\n", "<!-- end of measured -->"];
    let text = std::fs::read_to_string(FILE)?;
    let (before, rest) = text.split_once(MARKS[0]).expect("the first mark");
    let (_, after) = rest.split_once(MARKS[1]).expect("the second mark");
    std::fs::write(FILE, [before, MARKS[0], "\n", table, "\n", MARKS[1], after].concat())
}

fn measure(source: &str, name: &str, real: &HashMap<String, usize>, show: bool, sums: &mut Sums) {
    let document = support::document(source, "https://site.example/page");
    let started = Instant::now();
    let outline = outline::build(&document);
    let micros = started.elapsed().as_secs_f64() * 1e6;
    if show && micros > 3000.0 {
        println!("slow {name}: {micros:.0} µs for {} KB", source.len() / 1000);
    }
    let meta = read::meta::read(&document);
    let html = scraper::Html::parse_document(source);
    let lines = visible_lines(&html);
    let mut seen = HashSet::new();
    let sentences: Vec<String> = sentences(&lines).into_iter().filter(|sentence| seen.insert(squeeze(sentence))).collect();
    sums.pages += 1;
    sums.html += source.len();
    sums.micros.push(micros / source.len() as f64 * 1e3);

    // Every section, read as an agent reads it: piece by piece.
    let mut reachable: Vec<String> = Vec::new();
    for section in outline.sections() {
        let (mut whole, mut offset) = (String::new(), 0);
        for _ in 0..500 {
            let (answer, _) = call(&outline, &meta, PageTool::Section, &serde_json::json!({"section": section.id, "offset": offset}));
            whole.push_str(answer["text"].as_str().unwrap_or(""));
            match answer["more"]["offset"].as_u64() {
                Some(next) if next > offset => offset = next,
                _ => break,
            }
        }
        sums.largest.push(whole.chars().count());
        whole.push_str(outline.heading(section));
        reachable.push(squeeze(&whole));
    }
    sums.sections.push(outline.sections().len());
    let base = baseline(&html);
    let base_bodies: Vec<String> = base.headings.iter().map(|(_, body)| squeeze(body)).collect();
    for sentence in &sentences {
        let squeezed = squeeze(sentence);
        sums.sentences += 1;
        let reached = reachable.iter().any(|text| text.contains(&squeezed));
        sums.reached += usize::from(reached);
        sums.base_reached += usize::from(base_bodies.iter().any(|text| text.contains(&squeezed)));
        if !reached && show {
            println!("unreached {name}: {sentence}");
        }
    }

    // Known-item queries: the four rarest words of a sentence.
    let mut frequency: HashMap<String, usize> = HashMap::new();
    for line in &lines {
        for word in tokens_of(line) {
            *frequency.entry(word).or_default() += 1;
        }
    }
    let mut best_section = 0;
    for sentence in sentences.iter().step_by((sentences.len() / QUERIES).max(1)).take(QUERIES) {
        let mut words: Vec<String> = tokens_of(sentence).into_iter().filter(|word| word.chars().count() >= 4).collect();
        words.sort_by_key(|word| (frequency[word], usize::MAX - word.len()));
        words.dedup();
        words.truncate(4);
        if words.len() < 3 {
            continue;
        }
        let query = words.join(" ");
        let squeezed = squeeze(sentence);
        sums.queries += 1;
        let (answer, chars) = call(&outline, &meta, PageTool::Search, &serde_json::json!({"query": query}));
        sums.chars += chars;
        sums.most_chars = sums.most_chars.max(chars);
        let results = answer["results"].as_array().cloned().unwrap_or_default();
        let hit = results.iter().position(|result| {
            let (section, chars) = call(&outline, &meta, PageTool::Section, &serde_json::json!({"section": result["section"]}));
            best_section = best_section.max(chars);
            let text = [section["heading"].as_str().unwrap_or(""), " ", section["text"].as_str().unwrap_or("")].concat();
            let (text, squeezed) = (squeeze(&text), squeezed.as_str());
            // A sentence that a border cuts counts for the passage that has most of it.
            let half: String = squeezed.chars().take(squeezed.chars().count() * 6 / 10).collect();
            text.contains(squeezed) || text.contains(&half)
        });
        sums.hits += usize::from(hit.is_some());
        sums.first += usize::from(hit == Some(0));
        let snippets = results.iter().any(|result| squeeze(result["snippet"].as_str().unwrap_or("")).contains(&squeezed));
        sums.in_snippet += usize::from(snippets);
        if hit.is_none() && show {
            println!("missed {name}: {query} | {sentence}");
        }
        // The same query against headings alone.
        let mut scored: Vec<(usize, usize)> = Vec::new();
        for (at, (heading, _)) in base.headings.iter().enumerate() {
            let heading: HashSet<String> = tokens_of(heading).into_iter().collect();
            let score = words.iter().filter(|word| heading.contains(*word)).count();
            if score > 0 {
                scored.push((score, at));
            }
        }
        scored.sort_by_key(|(score, at)| (usize::MAX - score, *at));
        let top = &scored[..scored.len().min(3)];
        sums.base_hits += usize::from(top.iter().any(|(_, at)| base_bodies[*at].contains(&squeezed)));
        sums.base_chars +=
            top.iter().map(|(_, at)| base.headings[*at].1.split_whitespace().map(|w| w.chars().count() + 1).sum::<usize>()).sum::<usize>();
    }

    // What the outline and the best section cost, against all the text.
    let full: usize = lines.iter().map(|line| outline::tokens(line)).sum();
    if let Some(real) = real.get(name) {
        sums.estimate += full;
        sums.real += real;
    }
    let (tree, _) = call(&outline, &meta, PageTool::Outline, &serde_json::json!({}));
    if full > 3_000 {
        let best =
            outline.sections().iter().filter(|section| !section.landmark.is_boilerplate()).max_by_key(|section| section.tokens.min(400));
        let section = best
            .map(|best| call(&outline, &meta, PageTool::Section, &serde_json::json!({"section": best.id})).0.to_string())
            .unwrap_or_default();
        let spent = outline::tokens(&tree.to_string()) + outline::tokens(&section);
        sums.long_pages += 1;
        sums.full += full;
        sums.spent += spent;
        sums.within += usize::from(spent * 6 <= full);
        if show && spent * 6 > full {
            println!("over {name}: outline {}, section {}, of {full}", outline::tokens(&tree.to_string()), outline::tokens(&section));
        }
    }
    // Boilerplate before content, as the tree lists it.
    let surrounds =
        |section: &Value| ["banner", "navigation", "contentinfo", "dialog"].contains(&section["landmark"].as_str().unwrap_or(""));
    let listed = tree["sections"].as_array().cloned().unwrap_or_default();
    let last_content = listed.iter().rposition(|section| !surrounds(section));
    sums.before += listed.iter().take(last_content.unwrap_or(0)).filter(|section| surrounds(section)).count();
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", part as f64 * 100.0 / whole.max(1) as f64)
}

fn middle<T: Copy + PartialOrd>(values: &mut [T], share: usize) -> Option<T> {
    values.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
    values.get(values.len() * share / 100).copied()
}

fn report(sums: &mut Sums) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    let _ = writeln!(out, "{} pages, {} visible sentences, {} known-item queries\n", sums.pages, sums.sentences, sums.queries);
    let _ = writeln!(out, "| | Toolmark | headings only |");
    let _ = writeln!(out, "| --- | --- | --- |");
    let _ = writeln!(
        out,
        "| visible sentences reachable through some section | {} | {} |",
        percent(sums.reached, sums.sentences),
        percent(sums.base_reached, sums.sentences)
    );
    let _ = writeln!(
        out,
        "| right passage among the first three | {} | {} |",
        percent(sums.hits, sums.queries),
        percent(sums.base_hits, sums.queries)
    );
    let _ = writeln!(out, "| right passage first | {} | |", percent(sums.first, sums.queries));
    let _ = writeln!(out, "| the sentence itself in one of the three snippets | {} | |", percent(sums.in_snippet, sums.queries));
    let _ = writeln!(
        out,
        "| characters returned a query, mean (most) | {} ({}) | {} |",
        sums.chars / sums.queries.max(1),
        sums.most_chars,
        sums.base_chars / sums.queries.max(1)
    );
    let _ = writeln!(
        out,
        "| sections a page, median / 90th percentile | {:?} / {:?} | |",
        middle(&mut sums.sections, 50).unwrap_or(0),
        middle(&mut sums.sections, 90).unwrap_or(0)
    );
    let _ = writeln!(
        out,
        "| section's own text, characters, median / 90th percentile | {:?} / {:?} | |",
        middle(&mut sums.largest, 50).unwrap_or(0),
        middle(&mut sums.largest, 90).unwrap_or(0)
    );
    let _ = writeln!(
        out,
        "| outline + longest piece of a section, share of all text, {} pages over 3,000 tokens | {} ({} of the pages below 1/6) | |",
        sums.long_pages,
        percent(sums.spent, sums.full),
        percent(sums.within, sums.long_pages)
    );
    let _ = writeln!(out, "| sections of menus, headers, footers, dialogs before content | {} | |", sums.before);
    let _ = writeln!(out, "| index, ms per MB of HTML, native, median | {:.1} | |", middle(&mut sums.micros, 50).unwrap_or(0.0));
    let _ = writeln!(out, "| estimated tokens of the visible text, against o200k_base | {} | |", percent(sums.estimate, sums.real));
    out
}
