//! What pages say about themselves, on its way in.

use serde_json::{Map, Value, json};
use toolmark::text;

use super::{Annotations, MAX_OFFERS, MAX_TOOLS, Page, Prompt, Resource, Tool};

/// Characters of a name; browsers allow 128.
const MAX_NAME: usize = 128;
/// Characters of a title.
pub const MAX_TITLE: usize = 200;
/// Characters of a description. Browsers advise 500; agents read every one before they do anything.
pub const MAX_DESCRIPTION: usize = 1_000;
/// Bytes of an input's schema, for the same reason.
const MAX_SCHEMA: usize = 20_000;
/// Levels of an input's schema.
const MAX_DEPTH: usize = 24;
/// Characters of an address.
pub const MAX_URL: usize = 2_000;
/// Arguments of a prompt.
const MAX_ARGUMENTS: usize = 30;

/// Text of a page: one line, nothing invisible, no longer than this.
pub fn text_of(value: Option<&Value>, limit: usize) -> String {
    line(value.and_then(Value::as_str).unwrap_or(""), limit)
}

/// The same of a text.
pub fn line(raw: &str, limit: usize) -> String {
    // A hostile text is not cleaned whole: what is kept is not longer than this, and invisible characters are few.
    let raw: String = raw.chars().take(limit.saturating_mul(4)).collect();
    let cleaned = text::clean(&raw);
    if cleaned.chars().count() <= limit {
        return cleaned.into_owned();
    }
    cleaned.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

/// A media type, if it is one.
pub fn kind_of(raw: Option<&Value>) -> Option<String> {
    let named = |c: char| c.is_ascii_alphanumeric() || "/+-.;= ".contains(c);
    Some(text_of(raw, MAX_TITLE)).filter(|kind| kind.contains('/') && kind.chars().all(named))
}

/// A name as the page knows it. One that cannot be shown as it is cannot be called either.
fn name_of(raw: &Value) -> Option<String> {
    let name = raw.get("name")?.as_str()?;
    let fits = !name.is_empty() && name.chars().count() <= MAX_NAME && !name.chars().any(|c| text::is_invisible(c) || text::is_space(c));
    fits.then(|| name.to_owned())
}

/// A schema whose words are cleaned.
fn cleaned(schema: &Value, depth: usize) -> Value {
    match schema {
        Value::String(text) => line(text, MAX_DESCRIPTION).into(),
        Value::Array(_) | Value::Object(_) if depth >= MAX_DEPTH => Value::Bool(true),
        Value::Array(values) => values.iter().map(|value| cleaned(value, depth + 1)).collect(),
        Value::Object(fields) => {
            let seen = fields.iter().filter(|(name, _)| !name.chars().any(text::is_invisible));
            Value::Object(seen.map(|(name, value)| (name.clone(), cleaned(value, depth + 1))).collect())
        }
        other => other.clone(),
    }
}

/// The schema of an input as MCP wants it: of type `object`.
fn schema_of(raw: Option<&Value>) -> Value {
    let parsed = match raw {
        // Chrome up to 153, and what speaks as it did.
        Some(Value::String(text)) if text.len() <= MAX_SCHEMA => serde_json::from_str(text).ok(),
        other => other.cloned(),
    };
    let length = parsed.as_ref().map_or(0, |schema| schema.to_string().len());
    if length > MAX_SCHEMA {
        return json!({ "type": "object", "description": format!("What it takes was left out: {length} bytes of schema, of which {MAX_SCHEMA} are carried.") });
    }
    let mut fields = match parsed.map(|schema| cleaned(&schema, 0)) {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    fields.insert("type".into(), "object".into());
    if fields.get("properties").is_some_and(|properties| !properties.is_object()) {
        fields.remove("properties");
    }
    if fields.get("required").is_some_and(|required| !required.as_array().is_some_and(|names| names.iter().all(Value::is_string))) {
        fields.remove("required");
    }
    Value::Object(fields)
}

impl Tool {
    /// As agents are told of it in the browser: `{name, title, description, inputSchema, annotations}`. Nothing, if it
    /// has no name that can be called.
    pub fn read(raw: &Value) -> Option<Tool> {
        let hint = |names: [&str; 2]| {
            let given = |name: &str| raw.get("annotations")?.get(name)?.as_bool();
            names.into_iter().find_map(given).unwrap_or(false)
        };
        Some(Tool {
            name: name_of(raw)?,
            title: text_of(raw.get("title"), MAX_TITLE),
            description: text_of(raw.get("description"), MAX_DESCRIPTION),
            input_schema: schema_of(raw.get("inputSchema")),
            annotations: Annotations {
                read_only: hint(["readOnlyHint", "readOnly"]),
                untrusted: hint(["untrustedContentHint", "untrustedContent"]),
                consequential: hint(["consequentialHint", "consequential"]),
            },
        })
    }
}

impl Resource {
    /// `{name, title, description, mimeType}`, as a page wrote it.
    pub fn read(raw: &Value) -> Option<Resource> {
        Some(Resource {
            name: name_of(raw)?,
            title: text_of(raw.get("title"), MAX_TITLE),
            description: text_of(raw.get("description"), MAX_DESCRIPTION),
            mime_type: kind_of(raw.get("mimeType")).unwrap_or_default(),
        })
    }
}

impl Prompt {
    /// `{name, title, description, arguments}`, as a page wrote it.
    pub fn read(raw: &Value) -> Option<Prompt> {
        let arguments = raw.get("arguments").and_then(Value::as_array).into_iter().flatten().take(MAX_ARGUMENTS);
        let argument = |raw: &Value| {
            let required = raw.get("required").and_then(Value::as_bool).unwrap_or(false);
            Some(json!({ "name": name_of(raw)?, "description": text_of(raw.get("description"), MAX_DESCRIPTION), "required": required }))
        };
        Some(Prompt {
            name: name_of(raw)?,
            title: text_of(raw.get("title"), MAX_TITLE),
            description: text_of(raw.get("description"), MAX_DESCRIPTION),
            arguments: arguments.filter_map(argument).collect(),
        })
    }
}

/// The first of each name that can be read, no more than `limit`; and what was left out.
fn taken<T>(
    raw: &[Value],
    limit: usize,
    what: &str,
    read: fn(&Value) -> Option<T>,
    name: fn(&T) -> &str,
    notes: &mut Vec<String>,
) -> Vec<T> {
    let mut known = std::collections::HashSet::new();
    let mut found = Vec::new();
    for one in raw.iter().filter_map(read) {
        if found.len() < limit && known.insert(name(&one).to_owned()) {
            found.push(one);
        }
    }
    if found.len() < raw.len() {
        notes.push(format!("{} of {} {what} are carried: the others have no name of their own, or are too many.", found.len(), raw.len()));
    }
    found
}

impl Page {
    /// A page that offers nothing yet.
    pub fn new(id: impl Into<String>, origin: &str, url: &str, title: &str) -> Page {
        Page {
            id: id.into(),
            origin: line(origin, MAX_URL),
            url: line(url, MAX_URL),
            title: line(title, MAX_TITLE),
            tools: Vec::new(),
            resources: Vec::new(),
            prompts: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Takes definitions as the page gave them ([`Tool::read`] and so on); what is too much is noted.
    pub fn offer(&mut self, tools: &[Value], resources: &[Value], prompts: &[Value]) {
        self.notes.clear();
        let notes = &mut self.notes;
        self.tools = taken(tools, MAX_TOOLS, "tools", Tool::read, |one| &one.name, notes);
        self.resources = taken(resources, MAX_OFFERS, "resources", Resource::read, |one| &one.name, notes);
        self.prompts = taken(prompts, MAX_OFFERS, "prompts", Prompt::read, |one| &one.name, notes);
    }

    /// The address of one of its resources.
    pub fn resource_uri(&self, name: &str) -> String {
        format!("page://{}/{}/resource/{}", self.host(), self.id, crate::page::encode(name))
    }

    /// The host of its origin, as people read it.
    pub fn host(&self) -> String {
        crate::page::host(&self.origin)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_says_is_cleaned_and_capped() {
        let hidden = "Adds\u{202e} to\u{200b} cart\u{e0041}.\n\n  Now.\u{7}";
        let tool = Tool::read(&json!({ "name": "add", "description": hidden, "title": "x".repeat(900),
            "inputSchema": { "properties": { "q\u{200b}": {}, "a": { "description": hidden, "enum": ["1"] } }, "required": 5 },
            "annotations": { "readOnly": true, "untrustedContentHint": true } }))
        .unwrap();
        assert_eq!(tool.description, "Adds to cart. Now.");
        assert_eq!(tool.title.chars().count(), MAX_TITLE);
        assert_eq!(
            tool.input_schema,
            json!({ "type": "object", "properties": { "a": { "description": "Adds to cart. Now.", "enum": ["1"] } } })
        );
        assert_eq!(tool.annotations, Annotations { read_only: true, untrusted: true, consequential: false });
    }

    #[test]
    fn schemas_of_any_kind_become_objects() {
        for raw in
            [json!(null), json!(5), json!([1]), json!("{\"type\":\"object\"}"), json!("{"), json!({ "type": "string", "properties": [] })]
        {
            assert_eq!(schema_of(Some(&raw)), json!({ "type": "object" }), "{raw}");
        }
        let deep = (0..200).fold(json!({}), |inner, _| json!({ "properties": { "a": inner } }));
        assert!(schema_of(Some(&deep)).to_string().len() < 1_000);
        let huge = json!({ "description": "x".repeat(MAX_SCHEMA) });
        assert!(schema_of(Some(&huge)).to_string().contains("left out"));
    }

    #[test]
    fn what_cannot_be_called_or_is_too_much_is_noted() {
        let mut page = Page::new("tab-1", "https://a.example", "https://a.example/", "A");
        let named = |number: usize| json!({ "name": format!("t{number}") });
        let mut tools: Vec<Value> = (0..MAX_TOOLS + 5).map(named).collect();
        tools.push(json!({ "name": "with space" }));
        page.offer(&tools, &[json!({ "name": "" }), json!(3)], &[]);
        assert_eq!((page.tools.len(), page.resources.len(), page.notes.len()), (MAX_TOOLS, 0, 2));
        page.offer(&[named(1), named(1)], &[], &[]);
        assert_eq!((page.tools.len(), page.notes.len()), (1, 1));
    }
}
