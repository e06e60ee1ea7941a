//! The table that is printed: per kind of page what agents pay and what they get. The facts are those of `ref.jsonl`
//! (see the README of the folder of pages); its own scoring, in Python, says the same with more care.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use tiktoken_rs::CoreBPE;

/// Properties whose values are no facts: addresses, pictures, plumbing, what is long and asked for.
const NO_FACTS: &str = "@id @context @type mainEntityOfPage isPartOf potentialAction image images thumbnailUrl thumbnail logo photo primaryImageOfPage speakable breadcrumb sameAs review reviews comment hasPart inLanguage copyrightHolder copyrightYear url isAccessibleForFree associatedMedia contentUrl embedUrl publishingPrinciples encoding interactionStatistic video identifier subjectOf workTranslation translationOfWork articleBody correction accountablePerson sourceOrganization license backstory significantLink relatedLink creditText provider commentCount itemReviewed bestRating worstRating hasMerchantReturnPolicy shippingDetails wordCount discussionUrl isFamilyFriendly version position reviewBody";
/// Names under which an answer's values are no facts either.
const PLUMBING: &str = "type id url image logo thumbnailUrl contentUrl width height position inLanguage item target encodingFormat sameAs caption embedUrl primaryImageOfPage";
/// Facts of one page at most, so that one long list does not outweigh all else.
const FACTS: usize = 300;

/// What one page came to.
#[derive(Default)]
struct Row {
    pages: usize,
    tools: usize,
    definitions: usize,
    answers: usize,
    text: usize,
    duplicates: usize,
    noise: usize,
    empty: usize,
    entities: usize,
    relative: usize,
    invalid: usize,
    facts: usize,
    told: usize,
    reachable: usize,
}

/// The table as it grows.
pub struct Table {
    tokens: CoreBPE,
    rows: BTreeMap<String, Row>,
}

impl Table {
    pub fn new() -> Self {
        Table { tokens: tiktoken_rs::o200k_base().expect("the tokenizer's data is built in"), rows: BTreeMap::new() }
    }

    fn count(&self, text: &str) -> usize {
        self.tokens.encode_ordinary(text).len()
    }

    /// Adds a page: its kind, the tokens of its main text, the entities it describes, what was measured.
    pub fn add(&mut self, kind: &str, text: usize, entities: &Value, measured: &Value) {
        let read: Vec<(&Value, &str)> = list(&measured["tools"]).filter_map(|tool| Some((tool, tool["output"].as_str()?))).collect();
        let mut row = Row { pages: 1, tools: list(&measured["tools"]).count(), text, ..Row::default() };
        for tool in list(&measured["tools"]) {
            let mut definition = tool.clone();
            for extra in ["kind", "output", "title"] {
                definition.as_object_mut().map(|fields| fields.remove(extra));
            }
            row.definitions += self.count(&definition.to_string());
        }
        let mut told = Words::default();
        let mut values = Vec::new();
        for (_, answer) in &read {
            row.answers += self.count(answer);
            match serde_json::from_str::<Value>(answer) {
                Ok(answer) => {
                    told.add(&answer);
                    let mut all = HashSet::new();
                    telling(&answer, "", &mut all);
                    values.push(all);
                }
                Err(_) => row.invalid = 1,
            }
            row.empty |= usize::from([":\"\"", ":[]", ":{}", ":null"].iter().any(|empty| answer.contains(empty)));
            row.entities |= usize::from(["&amp;", "&quot;", "&lt;", "&gt;", "&nbsp;", "&#"].iter().any(|entity| answer.contains(entity)));
            row.relative |= usize::from(["url", "image", "item", "logo"].iter().any(|name| answer.contains(&format!("\"{name}\":\"/"))));
        }
        for (place, one) in values.iter().enumerate() {
            row.noise |= usize::from(one.len() < 2);
            let same = |(other, two): (usize, &HashSet<String>)| {
                other != place && one.intersection(two).count() * 10 >= one.len() * 9 && (two.len() > one.len() || other < place)
            };
            row.duplicates |= usize::from(!one.is_empty() && values.iter().enumerate().any(same));
        }
        let mut reachable = Words::default();
        for answer in list(&measured["reach"]).filter_map(Value::as_str).filter_map(|answer| serde_json::from_str(answer).ok()) {
            reachable.add(&answer);
        }
        let mut facts = Vec::new();
        list(entities).for_each(|entity| leaves(&entity["tree"], "", 0, &mut facts));
        let mut seen = HashSet::new();
        facts.retain(|fact| seen.insert(fact.clone()));
        for (_, fact) in facts.iter().take(FACTS) {
            row.facts += 1;
            let is_told = told.has(fact);
            row.told += usize::from(is_told);
            row.reachable += usize::from(is_told || reachable.has(fact));
        }
        for kind in [kind, "ALL"] {
            let sum = self.rows.entry(kind.to_owned()).or_default();
            for (sum, one) in [
                (&mut sum.pages, row.pages),
                (&mut sum.tools, row.tools),
                (&mut sum.definitions, row.definitions),
                (&mut sum.answers, row.answers),
                (&mut sum.text, row.text),
                (&mut sum.duplicates, row.duplicates),
                (&mut sum.noise, row.noise),
                (&mut sum.empty, row.empty),
                (&mut sum.entities, row.entities),
                (&mut sum.relative, row.relative),
                (&mut sum.invalid, row.invalid),
                (&mut sum.facts, row.facts),
                (&mut sum.told, row.told),
                (&mut sum.reachable, row.reachable),
            ] {
                *sum += one;
            }
        }
    }

    pub fn print(&self) {
        println!("Tokens are o200k_base; definitions, answers and text are means per page; defects are pages that have one.");
        println!(
            "{:18}{:>6}{:>7}{:>12}{:>9}{:>7}{:>8}{:>5}{:>6}{:>6}{:>9}{:>9}{:>8}{:>9}{:>10}",
            "kind",
            "pages",
            "tools",
            "definitions",
            "answers",
            "text",
            "x text",
            "dup",
            "noise",
            "empty",
            "entities",
            "relative",
            "invalid",
            "default",
            "reachable"
        );
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(kind, row)| (*kind == "ALL", usize::MAX - row.pages));
        for (kind, row) in rows {
            let mean = |sum: usize| sum as f64 / row.pages as f64;
            let share = |part: usize| 100.0 * part as f64 / row.facts.max(1) as f64;
            println!(
                "{kind:18}{:6}{:7.1}{:12.0}{:9.0}{:7.0}{:8.2}{:5}{:6}{:6}{:9}{:9}{:8}{:8.1}%{:9.1}%",
                row.pages,
                mean(row.tools),
                mean(row.definitions),
                mean(row.answers),
                mean(row.text),
                mean(row.definitions + row.answers) / mean(row.text).max(1.0),
                row.duplicates,
                row.noise,
                row.empty,
                row.entities,
                row.relative,
                row.invalid,
                share(row.told),
                share(row.reachable)
            );
        }
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text as texts are compared: words in lower case with one space between them and at the ends.
fn words(text: &str) -> String {
    let once = toolmark::text::decode(text).into_owned();
    let text = toolmark::text::decode(&once);
    let mut out = String::from(" ");
    let mut tag = false;
    for character in text.chars() {
        match character {
            '<' => tag = true,
            '>' if tag => tag = false,
            _ if tag => continue,
            _ if character.is_alphanumeric() || character == '_' => {
                out.extend(character.to_lowercase());
                continue;
            }
            _ => {}
        }
        if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    if !out.ends_with(' ') {
        out.push(' ');
    }
    // An unclosed `<` is a character of the text.
    if tag { words(&text.replace('<', " ")) } else { out }
}

/// What answers tell.
#[derive(Default)]
struct Words {
    all: String,
    numbers: HashSet<String>,
}

impl Words {
    fn add(&mut self, answer: &Value) {
        match answer {
            Value::Object(fields) => fields.values().for_each(|value| self.add(value)),
            Value::Array(items) => items.iter().for_each(|item| self.add(item)),
            Value::Null => {}
            value => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                for number in text
                    .replace(',', "")
                    .split(|character: char| !character.is_ascii_digit() && character != '.')
                    .filter_map(|number| number.parse::<f64>().ok())
                {
                    self.numbers.insert(number.to_string());
                }
                self.all.push_str(&words(&text));
            }
        }
    }

    fn has(&self, fact: &str) -> bool {
        let date = fact.len() <= 32 && fact.get(4..5) == Some("-") && fact.get(..10).is_some_and(|date| self.all.contains(&words(date)));
        let number = || fact.parse::<f64>().is_ok_and(|number| self.numbers.contains(&number.to_string()));
        self.all.contains(&words(fact)) || date || number()
    }
}

/// The facts of an entity: property and value.
fn leaves(tree: &Value, property: &str, depth: usize, facts: &mut Vec<(String, String)>) {
    if depth > 7 {
        return;
    }
    match tree {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| !NO_FACTS.split(' ').any(|other| other == *name)) {
                leaves(value, name, depth + 1, facts);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(item, property, depth + 1, facts)),
        Value::Null | Value::Bool(_) => {}
        value => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let text = text.trim();
            let text = toolmark::read::schema_name(text).unwrap_or(text);
            let address = ["http://", "https://", "//", "data:"].iter().any(|start| text.starts_with(start))
                || (text.starts_with('/') && !text.contains(' '));
            if !address && text.chars().any(char::is_alphanumeric) && text.chars().count() <= 3000 {
                facts.push((property.to_owned(), text.to_owned()));
            }
        }
    }
}

/// The values of an answer that say something, to find what says nothing new.
fn telling(answer: &Value, name: &str, values: &mut HashSet<String>) {
    match answer {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !PLUMBING.split(' ').any(|other| other == *name))
            .for_each(|(name, value)| telling(value, name, values)),
        Value::Array(items) => items.iter().for_each(|item| telling(item, name, values)),
        Value::Null => {}
        value => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let text = words(&text);
            if text.trim().len() > 0 && !text.starts_with(" http") {
                values.insert(text);
            }
        }
    }
}
