//! What clients see of one or several sources.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::names::{Names, Owner};
use super::result::{self, Kept, first};
use super::{Failure, Page, Prompt, Resource, Source, Tool};
use crate::mcp::{Answer, Boxed, Caller, Change, Provider};

/// Our own tools: clients that ask for the list only once reach every page through them.
pub const OWN: [&str; 3] = ["list_page_tools", "call_page_tool", "read_page_result"];
/// A page changes its tools one by one: clients hear of the first change at once, and of what follows when this long
/// nothing moved.
const SETTLE: Duration = Duration::from_millis(40);
/// … but never later than this.
const SETTLE_AT_MOST: Duration = Duration::from_millis(400);
/// A call takes no longer. People may be asked inside one; clients give up after a minute unless told otherwise.
const CALL_TIME: Duration = Duration::from_secs(120);
/// Changes that a slow client may be behind.
const CHANGES: usize = 256;
/// Bytes of definitions in one answer of `list_page_tools`.
const MAX_SHOWN: usize = 30_000;
/// Characters of a description there, where all pages are listed.
const SHORT: usize = 160;
/// Names that an error lists.
const NAMED: usize = 20;

/// A tool as clients have it.
#[derive(Clone)]
pub struct Listed {
    /// What clients call it.
    pub name: String,
    /// Its definition on the first of its pages.
    pub tool: Tool,
    /// Pages of one origin that have it.
    pub pages: Vec<Arc<Page>>,
}

/// What was told last, to tell whether it changed.
#[derive(Default, PartialEq)]
struct Told {
    tools: Vec<Value>,
    resources: Vec<Value>,
    prompts: Vec<Value>,
}

/// The pages of all sources, for MCP clients.
pub struct Carry {
    sources: Vec<Arc<dyn Source>>,
    instructions: String,
    call_time: Duration,
    names: Mutex<Names>,
    prompt_names: Mutex<Names>,
    kept: Kept,
    changes: broadcast::Sender<Change>,
    told: Mutex<Told>,
}

impl Carry {
    /// Carries these from now on. `instructions` is what clients are told at the beginning.
    pub fn new(sources: Vec<Arc<dyn Source>>, instructions: &str) -> Arc<Carry> {
        let carry = Arc::new(Carry {
            sources,
            instructions: instructions.to_owned(),
            call_time: CALL_TIME,
            names: Mutex::default(),
            prompt_names: Mutex::default(),
            kept: Kept::default(),
            changes: broadcast::channel(CHANGES).0,
            told: Mutex::default(),
        });
        for source in &carry.sources {
            tokio::spawn(follow(Arc::downgrade(&carry), source.clone()));
            tokio::spawn(pass_updates(Arc::downgrade(&carry), source.updates()));
        }
        carry
    }

    /// All pages, source by source.
    pub fn pages(&self) -> Vec<Arc<Page>> {
        self.sources.iter().flat_map(|source| source.pages()).collect()
    }

    /// A page and whose it is.
    fn page(&self, id: &str) -> Result<(&Arc<dyn Source>, Arc<Page>), Failure> {
        for source in &self.sources {
            if let Some(page) = source.pages().into_iter().find(|page| page.id == id) {
                return Ok((source, page));
            }
        }
        let open: Vec<String> = self.pages().iter().take(NAMED).map(|page| page.id.clone()).collect();
        let hint = if open.is_empty() {
            "No page is open that offers tools.".to_owned()
        } else {
            format!("Open: {}. list_page_tools says what they are.", open.join(", "))
        };
        Err(Failure::new("not_found", format!("There is no page '{}'.", super::foreign::line(id, 100)), hint))
    }

    /// The tools of all pages. One that several pages of an origin have is listed once.
    pub fn listed(&self) -> Vec<Listed> {
        grouped(&self.pages(), &self.names, |page| page.tools.iter().map(|tool| (tool.name.as_str(), tool)).collect())
            .into_iter()
            .map(|(name, tool, pages)| Listed { name, tool: tool.clone(), pages })
            .collect()
    }

    fn prompts_listed(&self) -> Vec<(String, Prompt, Vec<Arc<Page>>)> {
        grouped(&self.pages(), &self.prompt_names, |page| page.prompts.iter().map(|prompt| (prompt.name.as_str(), prompt)).collect())
            .into_iter()
            .map(|(name, prompt, pages)| (name, prompt.clone(), pages))
            .collect()
    }

    /// Every resource with its address and its page. The page's id is in it: what it leads to never changes.
    fn resources_listed(&self) -> Vec<(String, Resource, Arc<Page>)> {
        let address = |page: &Page, resource: &Resource| page.resource_uri(&resource.name);
        self.pages()
            .iter()
            .flat_map(|page| page.resources.iter().map(|one| (address(page, one), one.clone(), page.clone())).collect::<Vec<_>>())
            .collect()
    }

    /// The only page that has a tool or prompt under this name.
    fn only(
        &self,
        what: &str,
        name: &str,
        names: &Mutex<Names>,
        has: impl Fn(&Page, &str) -> bool,
        known: &dyn Fn() -> Vec<String>,
    ) -> Result<(Arc<Page>, String), Failure> {
        let owner: Option<Owner> = names.lock().ok().and_then(|names| names.owner(name).cloned());
        let Some((origin, own_name)) = owner else {
            let mut names = known();
            let left = names.len().saturating_sub(NAMED);
            names.truncate(NAMED);
            let more = if left > 0 { format!(" and {left} more; see list_page_tools") } else { String::new() };
            return Err(Failure::new(
                "not_found",
                format!("There is no {what} '{}'.", super::foreign::line(name, 100)),
                format!("There are: {}{more}.", names.join(", ")),
            ));
        };
        let mut having: Vec<Arc<Page>> = self.pages().into_iter().filter(|page| page.origin == origin && has(page, &own_name)).collect();
        match (having.pop(), having.is_empty()) {
            (Some(page), true) => Ok((page, own_name)),
            (None, _) => Err(Failure::new(
                "gone",
                format!("No open page of {origin} offers '{name}' any more."),
                "list_page_tools says what is open now.",
            )),
            (Some(last), false) => {
                having.push(last);
                let told: Vec<String> = having.iter().take(NAMED).map(|page| format!("{} ({})", page.id, first(&page.url, 200))).collect();
                let hint = format!("Call call_page_tool with 'page' and tool '{own_name}'. Pages: {}.", told.join(", "));
                Err(Failure::new("ambiguous", format!("{} pages of {origin} offer '{own_name}'.", having.len()), hint))
            }
        }
    }

    /// Calls a tool under the name that clients have for it.
    pub async fn call_listed(&self, name: &str, input: Value) -> Result<Value, Failure> {
        // A name is known from the first list on; a client may have it from an earlier session.
        if self.names.lock().is_ok_and(|names| names.owner(name).is_none()) {
            self.ready().await;
            self.listed();
        }
        let known = || self.listed().into_iter().map(|listed| listed.name).collect();
        let has = |page: &Page, tool: &str| page.tools.iter().any(|known| known.name == tool);
        let (page, tool) = self.only("tool", name, &self.names, has, &known)?;
        self.call_on(&page.id, &tool, input).await
    }

    /// Calls a tool of a page, by the page's id and the page's name for it; an MCP result.
    pub async fn call_on(&self, page: &str, tool: &str, input: Value) -> Result<Value, Failure> {
        let (source, page) = self.page(page)?;
        if !page.tools.iter().any(|known| known.name == tool) {
            let mut names: Vec<&str> = page.tools.iter().map(|tool| tool.name.as_str()).collect();
            names.truncate(NAMED);
            let hint = format!("It offers: {}. list_page_tools with this page tells all.", names.join(", "));
            return Err(Failure::new(
                "not_found",
                format!("Page '{}' offers no tool '{}'.", page.id, super::foreign::line(tool, 100)),
                hint,
            ));
        }
        let output = tokio::time::timeout(self.call_time, source.call(&page.id, tool, input)).await.unwrap_or_else(|_| {
            Err(Failure::new(
                "timeout",
                format!("'{tool}' gave no answer within {} seconds and was cancelled.", self.call_time.as_secs()),
                "It may have done a part of its work: look before calling it again.",
            ))
        })?;
        let mut result = result::of_tool(&output, &page, &self.kept);
        if let Some(fields) = result.as_object_mut() {
            // Whatever the page says about its text: it is the page's.
            fields.insert(
                "_meta".into(),
                json!({ "toolmark/origin": page.origin, "toolmark/page": page.id, "toolmark/untrustedContent": true }),
            );
        }
        Ok(result)
    }

    async fn ready(&self) {
        for source in &self.sources {
            source.ready().await;
        }
    }

    fn list_page_tools(&self, input: &Value) -> Result<Value, Failure> {
        let offset = usize::try_from(input.get("offset").and_then(Value::as_u64).unwrap_or(0)).unwrap_or(usize::MAX);
        let asked = input.get("page").and_then(Value::as_str);
        let pages = match asked {
            Some(id) => vec![self.page(id)?.1],
            None => self.pages(),
        };
        let names: HashMap<(String, String), String> = self
            .listed()
            .into_iter()
            .filter_map(|listed| Some(((listed.pages.first()?.origin.clone(), listed.tool.name.clone()), listed.name)))
            .collect();
        let (mut shown, mut bytes, mut at, mut told) = (Vec::new(), 0usize, 0usize, offset);
        for page in &pages {
            let mut tools = Vec::new();
            for tool in &page.tools {
                at += 1;
                if at <= offset || bytes >= MAX_SHOWN {
                    continue;
                }
                let mut one = match asked {
                    Some(_) => definition(&tool.name, tool, page),
                    None => json!({ "name": tool.name, "description": super::foreign::line(&tool.description, SHORT) }),
                };
                if let (Some(name), Some(fields)) = (names.get(&(page.origin.clone(), tool.name.clone())), one.as_object_mut()) {
                    fields.insert("listed_as".into(), name.clone().into());
                }
                bytes += one.to_string().len();
                told = at;
                tools.push(one);
            }
            // One without tools has resources or prompts, and stands at the beginning only.
            if tools.is_empty() && (!page.tools.is_empty() || offset > 0 || bytes >= MAX_SHOWN) {
                continue;
            }
            let mut one = json!({ "page": page.id, "origin": page.origin, "url": page.url, "title": page.title, "tools": tools });
            if let (false, Some(fields)) = (page.notes.is_empty(), one.as_object_mut()) {
                fields.insert("notes".into(), json!(page.notes));
            }
            bytes += page.url.len() + page.title.len();
            shown.push(one);
        }
        let mut answer = json!({ "pages": shown });
        if let Some(fields) = answer.as_object_mut() {
            let trouble: Vec<String> = self.sources.iter().filter_map(|source| source.trouble()).collect();
            if !trouble.is_empty() {
                fields.insert("message".into(), trouble.join(" ").into());
            } else if pages.is_empty() {
                fields.insert("message".into(), "No page is open that offers tools.".into());
            }
            if told < at {
                fields.insert("more".into(), json!({ "offset": told, "total": at }));
            }
        }
        Ok(answer)
    }

    async fn own_tool(&self, tool: &str, input: Value) -> Result<Answer, Failure> {
        let text = |name: &str| {
            let given = input.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            given.ok_or_else(|| {
                Failure::new(
                    "missing_parameter",
                    format!("'{name}' is required and is text."),
                    "list_page_tools gives pages and their tools.",
                )
            })
        };
        match tool {
            "list_page_tools" => {
                self.ready().await;
                self.list_page_tools(&input).map(Answer::from)
            }
            "read_page_result" => {
                let offset = usize::try_from(input.get("offset").and_then(Value::as_u64).unwrap_or(0)).unwrap_or(usize::MAX);
                self.kept.read(text("result")?, offset).map(Answer::Result)
            }
            _ => {
                let (page, tool) = (text("page")?, text("tool")?);
                let arguments = match input.get("arguments") {
                    None | Some(Value::Null) => json!({}),
                    Some(Value::Object(fields)) => Value::Object(fields.clone()),
                    // Models write objects as text.
                    Some(Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_object).ok_or_else(no_arguments)?,
                    Some(_) => return Err(no_arguments()),
                };
                self.call_on(page, tool, arguments).await.map(Answer::Result)
            }
        }
    }

    /// Tells clients what is different from what they were told.
    fn tell(&self) {
        let now = Told { tools: self.definitions(), resources: self.resource_values(), prompts: self.prompt_values() };
        let Ok(mut told) = self.told.lock() else { return };
        // Nobody listening is no problem.
        if now.tools != told.tools {
            let _ = self.changes.send(Change::Tools);
        }
        if now.resources != told.resources {
            let _ = self.changes.send(Change::Resources);
        }
        if now.prompts != told.prompts {
            let _ = self.changes.send(Change::Prompts);
        }
        *told = now;
    }

    fn definitions(&self) -> Vec<Value> {
        let define = |listed: Listed| Some(definition(&listed.name, &listed.tool, listed.pages.first()?));
        self.listed().into_iter().filter_map(define).collect()
    }

    fn resource_values(&self) -> Vec<Value> {
        let told = |(uri, resource, _): (String, Resource, Arc<Page>)| {
            let kind = if resource.mime_type.is_empty() { "text/plain" } else { resource.mime_type.as_str() };
            json!({ "uri": uri, "name": resource.name, "title": resource.title, "description": resource.description, "mimeType": kind })
        };
        self.resources_listed().into_iter().map(told).collect()
    }

    fn prompt_values(&self) -> Vec<Value> {
        let told = |(name, prompt, _): (String, Prompt, Vec<Arc<Page>>)| json!({ "name": name, "title": prompt.title, "description": prompt.description, "arguments": prompt.arguments });
        self.prompts_listed().into_iter().map(told).collect()
    }
}

fn no_arguments() -> Failure {
    Failure::new("invalid_parameter", "'arguments' is no object.", "Pass the tool's input as an object.")
}

/// What pages have, by origin and name, each once, under the name that clients have for it.
fn grouped<'p, T>(
    pages: &'p [Arc<Page>],
    names: &Mutex<Names>,
    of: impl Fn(&'p Page) -> Vec<(&'p str, &'p T)>,
) -> Vec<(String, &'p T, Vec<Arc<Page>>)> {
    let mut owners: Vec<Owner> = Vec::new();
    let mut found: Vec<(&T, Vec<Arc<Page>>)> = Vec::new();
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    for page in pages {
        for (name, one) in of(page) {
            match places.get(&(page.origin.as_str(), name)).and_then(|at| found.get_mut(*at)) {
                Some((_, having)) => having.push(page.clone()),
                None => {
                    places.insert((&page.origin, name), found.len());
                    owners.push((page.origin.clone(), name.to_owned()));
                    found.push((one, vec![page.clone()]));
                }
            }
        }
    }
    let given = names.lock().map(|mut names| names.assign(&owners)).unwrap_or_default();
    given.into_iter().zip(found).map(|(name, (one, having))| (name, one, having)).collect()
}

/// A definition as MCP has it. The host stands in it because agents see the tools of all pages as one list.
fn definition(name: &str, tool: &Tool, page: &Page) -> Value {
    let hints = tool.annotations;
    json!({
        "name": name,
        "title": tool.title,
        "description": format!("{} (Tool of the web page {}.)", tool.description, page.host()).trim_start(),
        "inputSchema": tool.input_schema,
        "annotations": { "readOnlyHint": hints.read_only, "destructiveHint": hints.consequential, "openWorldHint": true },
        "_meta": { "toolmark/origin": page.origin, "toolmark/untrustedContent": hints.untrusted },
    })
}

/// Our own tools, the same whatever is open.
fn own_tools() -> Vec<Value> {
    let tool = |name: &str, title: &str, description: &str, read_only: bool, properties: Value, required: Value| {
        json!({ "name": name, "title": title, "description": description,
            "inputSchema": { "type": "object", "properties": properties, "required": required, "additionalProperties": false },
            "annotations": { "readOnlyHint": read_only, "destructiveHint": !read_only, "openWorldHint": !read_only },
            "_meta": { "toolmark/untrustedContent": true } })
    };
    let text = |description: &str| json!({ "type": "string", "description": description, "maxLength": 200 });
    let number = |description: &str| json!({ "type": "integer", "minimum": 0, "description": description });
    vec![
        tool(
            "list_page_tools",
            "Tools of open pages",
            "The web pages that are open and the tools that each offers now. Pass `page` for one page's tools with what they take.",
            true,
            json!({ "page": text("Id of one page, as in the list."), "offset": number("From `more`.") }),
            json!([]),
        ),
        tool(
            "call_page_tool",
            "Call a tool of a page",
            "Calls a tool of an open web page. Use it for tools that list_page_tools shows and your own list does not, or when several pages have the same tool.",
            false,
            json!({ "page": text("Id of the page."), "tool": text("`name` of the tool."), "arguments": { "type": "object", "description": "The tool's input." } }),
            json!(["page", "tool"]),
        ),
        tool(
            "read_page_result",
            "Rest of a long result",
            "Reads on in a result that was cut, without calling its tool again.",
            true,
            json!({ "result": text("Id that the cut result named."), "offset": number("Where to go on.") }),
            json!(["result"]),
        ),
    ]
}

/// Tells what changed; whether anybody carries it still.
fn tell(carry: &std::sync::Weak<Carry>) -> bool {
    carry.upgrade().is_some_and(|carry| {
        carry.tell();
        true
    })
}

/// Follows one source until nobody carries it any more.
async fn follow(carry: std::sync::Weak<Carry>, source: Arc<dyn Source>) {
    let mut changes = source.changes();
    drop(source);
    loop {
        if changes.changed().await.is_err() {
            return;
        }
        if !tell(&carry) {
            return;
        }
        let late = tokio::time::Instant::now() + SETTLE_AT_MOST;
        let mut more = false;
        while let Ok(moved) = tokio::time::timeout_at(late.min(tokio::time::Instant::now() + SETTLE), changes.changed()).await {
            if moved.is_err() {
                break;
            }
            more = true;
        }
        if more && !tell(&carry) {
            return;
        }
    }
}

/// Passes on what a source says about resources.
async fn pass_updates(carry: std::sync::Weak<Carry>, mut updates: broadcast::Receiver<(String, String)>) {
    loop {
        let (page, resource) = match updates.recv().await {
            Ok(update) => update,
            Err(broadcast::error::RecvError::Lagged(_)) => continue,
            Err(broadcast::error::RecvError::Closed) => return,
        };
        let Some(carry) = carry.upgrade() else { return };
        if let Ok((_, page)) = carry.page(&page) {
            let _ = carry.changes.send(Change::Updated(page.resource_uri(&resource)));
        }
    }
}

impl Provider for Carry {
    fn instructions(&self) -> String {
        self.instructions.clone()
    }

    fn tools(&self) -> Boxed<'_, Vec<Value>> {
        Box::pin(async move {
            self.ready().await;
            let mut tools = own_tools();
            tools.extend(self.definitions());
            tools
        })
    }

    fn call<'a>(&'a self, tool: &'a str, input: Value, _: &'a Caller) -> Boxed<'a, Answer> {
        Box::pin(async move {
            let result = if OWN.contains(&tool) {
                self.own_tool(tool, input).await
            } else {
                self.call_listed(tool, input).await.map(Answer::Result)
            };
            result.unwrap_or_else(|failure| failure.to_value().into())
        })
    }

    fn resources(&self) -> Boxed<'_, Vec<Value>> {
        Box::pin(async move {
            self.ready().await;
            self.resource_values()
        })
    }

    fn read<'a>(&'a self, uri: &'a str) -> Boxed<'a, Result<Value, String>> {
        Box::pin(async move {
            let found = self.resources_listed().into_iter().find(|(known, ..)| known == uri);
            let (_, resource, page) =
                found.ok_or_else(|| format!("There is no resource '{uri}'. Its page may have been closed or left."))?;
            let (source, _) = self.page(&page.id).map_err(in_words)?;
            let output = tokio::time::timeout(self.call_time, source.read(&page.id, &resource.name)).await;
            let output = output.map_err(|_| format!("The page did not give '{uri}' in time."))?.map_err(in_words)?;
            Ok(result::of_resource(uri, &resource, &output))
        })
    }

    fn prompts(&self) -> Boxed<'_, Vec<Value>> {
        Box::pin(async move {
            self.ready().await;
            self.prompt_values()
        })
    }

    fn prompt<'a>(&'a self, name: &'a str, input: Value) -> Boxed<'a, Result<Value, String>> {
        Box::pin(async move {
            let known = || self.prompts_listed().into_iter().map(|(name, ..)| name).collect();
            let listed = self.prompts_listed();
            let has = |page: &Page, prompt: &str| page.prompts.iter().any(|known| known.name == prompt);
            // Several pages of an origin may have it, and no client can say which it means: the newest.
            let newest = listed
                .iter()
                .find(|(listed, ..)| listed == name)
                .and_then(|(_, prompt, pages)| Some((pages.last()?.clone(), prompt.name.clone())));
            let (page, own_name) = match newest {
                Some(found) => found,
                None => self.only("prompt", name, &self.prompt_names, has, &known).map_err(in_words)?,
            };
            let prompt =
                page.prompts.iter().find(|prompt| prompt.name == own_name).ok_or_else(|| format!("There is no prompt '{name}'."))?;
            let absent = prompt.arguments.iter().find(|argument| {
                let required = argument.get("required").and_then(Value::as_bool).unwrap_or(false);
                required && argument.get("name").and_then(Value::as_str).is_some_and(|name| input.get(name).is_none())
            });
            if let Some(argument) = absent {
                return Err(format!("The prompt needs the argument {}.", argument.get("name").unwrap_or(&Value::Null)));
            }
            let (source, _) = self.page(&page.id).map_err(in_words)?;
            let output = tokio::time::timeout(self.call_time, source.prompt(&page.id, &own_name, input)).await;
            let output = output.map_err(|_| format!("The page did not give the prompt '{name}' in time."))?.map_err(in_words)?;
            result::of_prompt(&prompt.description, &output, &page).map_err(in_words)
        })
    }

    fn changes(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }
}

fn in_words(failure: Failure) -> String {
    format!("{} {}", failure.message, failure.hint).trim().to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use tokio::sync::watch;

    /// Pages that a test puts there. The tool `slow` never answers, `cancelled` counts whom nobody waited for.
    struct Fake {
        pages: Mutex<Vec<Arc<Page>>>,
        moved: watch::Sender<u64>,
        updates: broadcast::Sender<(String, String)>,
        cancelled: Arc<Mutex<usize>>,
    }

    struct Dropped(Arc<Mutex<usize>>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }

    impl Fake {
        fn show(&self, pages: Vec<Page>) {
            *self.pages.lock().unwrap() = pages.into_iter().map(Arc::new).collect();
            self.moved.send_modify(|moved| *moved += 1);
        }
    }

    impl Source for Fake {
        fn pages(&self) -> Vec<Arc<Page>> {
            self.pages.lock().unwrap().clone()
        }

        fn call<'a>(&'a self, page: &'a str, tool: &'a str, input: Value) -> Boxed<'a, Result<Value, Failure>> {
            Box::pin(async move {
                if tool == "slow" {
                    let _dropped = Dropped(self.cancelled.clone());
                    std::future::pending::<()>().await;
                }
                Ok(json!({ "page": page, "tool": tool, "input": input }))
            })
        }

        fn read<'a>(&'a self, page: &'a str, resource: &'a str) -> Boxed<'a, Result<Value, Failure>> {
            Box::pin(async move { Ok(json!(format!("{resource} of {page}"))) })
        }

        fn prompt<'a>(&'a self, page: &'a str, prompt: &'a str, input: Value) -> Boxed<'a, Result<Value, Failure>> {
            Box::pin(async move { Ok(json!(format!("{prompt} of {page} with {input}"))) })
        }

        fn changes(&self) -> watch::Receiver<u64> {
            self.moved.subscribe()
        }

        fn updates(&self) -> broadcast::Receiver<(String, String)> {
            self.updates.subscribe()
        }
    }

    fn page(id: &str, origin: &str, tools: &[&str]) -> Page {
        let mut page = Page::new(id, origin, &format!("{origin}/{id}"), "Title");
        let tools: Vec<Value> = tools.iter().map(|name| json!({ "name": name, "description": "Does it." })).collect();
        page.offer(&tools, &[json!({ "name": "cart" })], &[json!({ "name": "compare", "arguments": [{ "name": "a", "required": true }] })]);
        page
    }

    fn carried(pages: Vec<Page>) -> (Arc<Fake>, Arc<Carry>) {
        let fake = Arc::new(Fake {
            pages: Mutex::default(),
            moved: watch::channel(0).0,
            updates: broadcast::channel(8).0,
            cancelled: Arc::default(),
        });
        fake.show(pages);
        (fake.clone(), Carry::new(vec![fake], ""))
    }

    async fn call(carry: &Carry, tool: &str, input: Value) -> Value {
        carry.call(tool, input, &Caller::default()).await.into_result()
    }

    fn code(result: &Value) -> String {
        let said: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        said["error"]["code"].as_str().unwrap_or("").to_owned()
    }

    #[tokio::test]
    async fn each_tool_reaches_its_own_page() {
        let (_, carry) = carried(vec![page("a-1", "https://a.example", &["pay", "look"]), page("b-1", "https://b.example", &["pay"])]);
        let names: Vec<String> = carry.listed().into_iter().map(|listed| listed.name).collect();
        assert_eq!(names, ["a_example_pay", "look", "b_example_pay"]);
        let result = call(&carry, "b_example_pay", json!({ "x": 1 })).await;
        assert_eq!(result["structuredContent"], json!({ "page": "b-1", "tool": "pay", "input": { "x": 1 } }));
        assert_eq!(result["_meta"]["toolmark/origin"], "https://b.example");
        let result = call(&carry, "call_page_tool", json!({ "page": "a-1", "tool": "pay", "arguments": "{\"y\":2}" })).await;
        assert_eq!(result["structuredContent"]["input"], json!({ "y": 2 }));
        for (name, input, expected) in [
            ("pay", json!({}), "not_found"),
            ("call_page_tool", json!({ "page": "a-1", "tool": "none" }), "not_found"),
            ("call_page_tool", json!({ "page": "c-1", "tool": "pay" }), "not_found"),
            ("call_page_tool", json!({ "page": "a-1" }), "missing_parameter"),
            ("call_page_tool", json!({ "page": "a-1", "tool": "pay", "arguments": 5 }), "invalid_parameter"),
            ("list_page_tools", json!({ "page": "zzz" }), "not_found"),
        ] {
            let result = call(&carry, name, input).await;
            assert_eq!((result["isError"].as_bool(), code(&result).as_str()), (Some(true), expected), "{name}: {result}");
        }
    }

    #[tokio::test]
    async fn pages_of_one_origin_are_told_apart_by_the_page() {
        let (fake, carry) = carried(vec![page("a-1", "https://a.example", &["pay"]), page("a-2", "https://a.example", &["pay"])]);
        assert_eq!(carry.listed().len(), 1);
        assert_eq!(code(&call(&carry, "pay", json!({})).await), "ambiguous");
        fake.show(vec![page("a-2", "https://a.example", &["pay"])]);
        assert_eq!(call(&carry, "pay", json!({})).await["structuredContent"]["page"], "a-2");
        fake.show(vec![]);
        assert_eq!(code(&call(&carry, "pay", json!({})).await), "gone");
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_without_answer_is_cancelled_in_the_page() {
        let (fake, carry) = carried(vec![page("a-1", "https://a.example", &["slow"])]);
        assert_eq!(code(&call(&carry, "call_page_tool", json!({ "page": "a-1", "tool": "slow" })).await), "timeout");
        assert_eq!(*fake.cancelled.lock().unwrap(), 1);
    }

    #[tokio::test]
    async fn a_thousand_tools_are_all_told_part_by_part() {
        let names: Vec<String> = (0..1_000).map(|number| format!("tool_{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (_, carry) = carried(vec![page("a-1", "https://a.example", &names), page("b-1", "https://b.example", &["last"])]);
        let (mut got, mut offset) = (Vec::new(), 0);
        loop {
            let answer = call(&carry, "list_page_tools", json!({ "offset": offset })).await["structuredContent"].clone();
            assert!(answer.to_string().len() < 2 * MAX_SHOWN);
            for page in answer["pages"].as_array().unwrap() {
                got.extend(page["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
            }
            match answer["more"]["offset"].as_u64() {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert_eq!((got.len(), got.last().unwrap().as_str()), (1_001, "last"));
        let one = call(&carry, "list_page_tools", json!({ "page": "b-1" })).await;
        assert_eq!(one["structuredContent"]["pages"][0]["tools"][0]["inputSchema"]["type"], "object");
    }

    #[tokio::test]
    async fn resources_and_prompts_of_pages() {
        let (fake, carry) = carried(vec![page("a-1", "https://a.example", &[])]);
        assert_eq!(carry.resources().await[0]["uri"], "page://a.example/a-1/resource/cart");
        assert_eq!(carry.read("page://a.example/a-1/resource/cart").await.unwrap()["contents"][0]["text"], "cart of a-1");
        assert!(carry.read("page://a.example/a-9/resource/cart").await.is_err());
        assert!(carry.prompt("compare", json!({})).await.unwrap_err().contains("\"a\""));
        let said = carry.prompt("compare", json!({ "a": "1" })).await.unwrap();
        assert_eq!(said["messages"][0]["content"]["text"], "compare of a-1 with {\"a\":\"1\"}");
        let mut changes = carry.changes();
        fake.updates.send(("a-1".into(), "cart".into())).unwrap();
        assert_eq!(changes.recv().await.unwrap(), Change::Updated("page://a.example/a-1/resource/cart".into()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_move_is_told_at_once_and_those_that_follow_once() {
        let (fake, carry) = carried(vec![]);
        tokio::task::yield_now().await;
        let mut changes = carry.changes();
        let mut told = Vec::new();
        let began = tokio::time::Instant::now();
        for count in 0..5 {
            let names: Vec<String> = (0..=count).map(|number| format!("t{number}")).collect();
            fake.show(vec![page("a-1", "https://a.example", &names.iter().map(String::as_str).collect::<Vec<_>>())]);
            tokio::task::yield_now().await;
            while let Ok(change) = changes.try_recv() {
                told.push((began.elapsed(), change));
            }
        }
        let at_once = Duration::ZERO;
        assert_eq!(told, [Change::Tools, Change::Resources, Change::Prompts].map(|change| (at_once, change)));
        told.clear();
        while let Ok(Ok(change)) = tokio::time::timeout(Duration::from_secs(2), changes.recv()).await {
            told.push((at_once, change));
        }
        assert_eq!(told, [(at_once, Change::Tools)]);
    }
}
