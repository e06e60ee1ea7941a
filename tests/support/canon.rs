//! The canonical form of what a reader found, and the comparison that the vectors ask for: a port of the vectors'
//! own `canon.mjs` and `judge.mjs`.

use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How two readings are compared.
#[derive(Clone, Copy, Default)]
pub struct Compare {
    /// The order of values counts.
    pub order: bool,
    /// Items without type and properties do not count.
    pub drop_empty: bool,
    /// Only the Schema.org part counts.
    pub schema_only: bool,
}

/// Whether two readings say the same.
pub fn same(expected: &Json, actual: &Json, compare: Compare) -> bool {
    match (canon(expected, compare), canon(actual, compare)) {
        (Some(expected), Some(actual)) => expected == actual,
        _ => false,
    }
}

enum Value {
    Node(usize),
    /// A string or a bare `{id}`, which may turn out to name a described node.
    Name(String),
    Literal(String),
}

#[derive(Default)]
struct Node {
    id: Option<String>,
    types: Vec<String>,
    props: BTreeMap<String, Vec<(String, Value)>>,
}

fn compact(name: &str) -> String {
    let rest = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
    let rest = rest.map(|rest| rest.strip_prefix("www.").unwrap_or(rest));
    match rest.and_then(|rest| rest.strip_prefix("schema.org/")) {
        Some(local) if !local.is_empty() && !local.contains(['/', '#', '?']) => local.to_owned(),
        _ => name.to_owned(),
    }
}

fn is_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

fn normal_url(text: &str) -> String {
    let scheme = text.split_once("://").map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
    match scheme {
        Some((scheme, rest))
            if (scheme == "http" || scheme == "https") && !rest.is_empty() && !rest.contains(|c| is_space(c) || c == '{' || c == '}') =>
        {
            url::Url::parse(text).map_or_else(|_| text.to_owned(), String::from)
        }
        _ => text.to_owned(),
    }
}

/// As JavaScript's `String(number)`.
fn number(digits: &str) -> String {
    let value: f64 = digits.parse().unwrap();
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    if (-7..21).contains(&exponent) {
        format!("{value}")
    } else {
        format!("{mantissa}e{}{}", if exponent < 0 { "-" } else { "+" }, exponent.abs())
    }
}

fn is_item(value: &Json) -> bool {
    value.is_object() && (value.get("type").is_some_and(Json::is_array) || value.get("props").is_some_and(|props| !props.is_null()))
}

#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    by_id: HashMap<String, usize>,
}

impl Graph {
    fn signature(value: &Json) -> String {
        match value {
            Json::String(text) => format!("id:{}", normal_url(text)),
            Json::Number(digits) => number(&digits.to_string()),
            _ => match value.get("id").and_then(Json::as_str).filter(|_| is_item(value)) {
                Some(id) => format!("id:{}", normal_url(id)),
                None => value.to_string(),
            },
        }
    }

    fn walk(&mut self, item: &Json) -> usize {
        let id = item.get("id").and_then(Json::as_str).map(normal_url);
        let at = match id.as_ref().and_then(|id| self.by_id.get(id)) {
            Some(at) => *at,
            None => {
                self.nodes.push(Node { id: id.clone(), ..Node::default() });
                let at = self.nodes.len() - 1;
                if let Some(id) = id {
                    self.by_id.insert(id, at);
                }
                at
            }
        };
        for name in item.get("type").and_then(Json::as_array).into_iter().flatten() {
            let name = compact(name.as_str().unwrap_or(""));
            if !self.nodes[at].types.contains(&name) {
                self.nodes[at].types.push(name);
            }
        }
        for (name, values) in item.get("props").and_then(Json::as_object).into_iter().flatten() {
            let name = compact(name);
            let single = [values.clone()];
            let values: &[Json] = values.as_array().map_or(&single[..], Vec::as_slice);
            let known: HashSet<String> =
                self.nodes[at].props.entry(name.clone()).or_default().iter().map(|(signature, _)| signature.clone()).collect();
            for value in values {
                let signature = Self::signature(value);
                // A second description of the same node adds only values it did not have yet.
                if known.contains(&signature) {
                    continue;
                }
                let kept = match value {
                    _ if is_item(value) => Value::Node(self.walk(value)),
                    Json::Object(object) => {
                        if let Some(id) = object.get("id") {
                            Value::Name(normal_url(id.as_str().unwrap_or("")))
                        } else if let Some(value) = object.get("value") {
                            Value::Literal(scalar(value))
                        } else {
                            continue;
                        }
                    }
                    Json::String(text) if text == "ERROR" => continue,
                    Json::String(text) => Value::Name(normal_url(text)),
                    _ => Value::Literal(scalar(value)),
                };
                self.nodes[at].props.entry(name.clone()).or_default().push((signature, kept));
            }
        }
        at
    }

    fn described(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        !node.types.is_empty() || !node.props.is_empty()
    }
}

fn scalar(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Number(digits) => number(&digits.to_string()),
        _ => value.to_string(),
    }
}

/// White space collapsed, enumeration URLs in one spelling.
fn literal(text: &str) -> Json {
    let text = text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let rest = rest.map(|rest| rest.strip_prefix("www.").unwrap_or(rest)).and_then(|rest| rest.strip_prefix("schema.org/"));
    match rest.map(|rest| rest.strip_suffix('/').unwrap_or(rest)) {
        Some(name) if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            Json::String(format!("https://schema.org/{name}"))
        }
        _ => Json::String(text),
    }
}

/// The canonical items, or nothing where the graph is too big to be written out.
fn canon(items: &Json, compare: Compare) -> Option<Vec<String>> {
    let mut graph = Graph::default();
    let tops: BTreeSet<usize> = items.as_array()?.iter().map(|item| graph.walk(item)).collect();
    let described: Vec<bool> = (0..graph.nodes.len()).map(|at| graph.described(at)).collect();
    for at in 0..graph.nodes.len() {
        for values in graph.nodes[at].props.values_mut() {
            for (_, value) in values {
                if let Value::Name(name) = value {
                    *value = match graph.by_id.get(name).filter(|target| described[**target]) {
                        Some(target) => Value::Node(*target),
                        None => Value::Literal(core::mem::take(name)),
                    };
                }
            }
        }
    }
    if compare.schema_only {
        for node in &mut graph.nodes {
            node.types.retain(|name| !name.contains(':'));
            node.props.retain(|name, _| !name.contains(':'));
        }
    }
    let described: Vec<usize> = (0..graph.nodes.len()).filter(|at| graph.described(*at) || tops.contains(at)).collect();
    let links = |at: usize| {
        graph.nodes[at].props.values().flatten().filter_map(|(_, value)| if let Value::Node(target) = value { Some(*target) } else { None })
    };
    let incoming: HashSet<usize> = (0..graph.nodes.len()).flat_map(|at| links(at).filter(move |target| *target != at)).collect();
    let mut reached = HashSet::new();
    let mark = |from: usize, reached: &mut HashSet<usize>| {
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if reached.insert(at) {
                open.extend(links(at));
            }
        }
    };
    let mut roots = Vec::new();
    for at in &described {
        if !incoming.contains(at) {
            roots.push(*at);
            mark(*at, &mut reached);
        }
    }
    let mut budget = 200_000;
    loop {
        let rest: Vec<usize> = described.iter().copied().filter(|at| !reached.contains(at)).collect();
        if rest.is_empty() {
            break;
        }
        let mut written = Vec::new();
        for at in rest {
            written.push((emit(&graph, at, &mut Vec::new(), compare, &mut budget)?.to_string(), at));
        }
        let (_, best) = written.into_iter().min()?;
        roots.push(best);
        mark(best, &mut reached);
    }
    let mut out = Vec::new();
    for at in roots {
        let item = emit(&graph, at, &mut Vec::new(), compare, &mut budget)?;
        let empty = item["type"].as_array()?.is_empty() && item["props"].as_object()?.is_empty();
        if !empty || !(compare.schema_only || compare.drop_empty) {
            out.push(item.to_string());
        }
    }
    out.sort();
    if !compare.order {
        out.dedup();
    }
    Some(out)
}

fn emit(graph: &Graph, at: usize, path: &mut Vec<usize>, compare: Compare, budget: &mut usize) -> Option<Json> {
    *budget = budget.checked_sub(1)?;
    let node = &graph.nodes[at];
    let name = node.id.as_deref().filter(|id| !id.starts_with("_:"));
    if path.contains(&at) {
        return Some(name.map_or(Json::Null, |id| Json::String(id.to_owned())));
    }
    path.push(at);
    let mut props = serde_json::Map::new();
    for (name, values) in &node.props {
        let mut written = Vec::new();
        for (_, value) in values {
            written.push(match value {
                Value::Node(target) => emit(graph, *target, path, compare, budget)?,
                Value::Name(text) | Value::Literal(text) => literal(text),
            });
        }
        written.retain(|value| !value.is_null());
        if !compare.order {
            written.sort_by_cached_key(Json::to_string);
            written.dedup();
        }
        if !written.is_empty() {
            props.insert(name.clone(), Json::Array(written));
        }
    }
    path.pop();
    let mut types = node.types.clone();
    types.sort();
    let mut out = serde_json::Map::new();
    out.insert("type".to_owned(), types.into());
    if let Some(id) = name {
        out.insert("id".to_owned(), id.into());
    }
    out.insert("props".to_owned(), props.into());
    Some(Json::Object(out))
}
