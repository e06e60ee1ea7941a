//! The tabs of a browser as a source of pages: which documents they show, and the tools of CDP's `WebMCP` domain. No
//! script is put into a page for this.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::time::Instant;

use super::cdp::{self, Coming, Connection, Endpoint, Refusal};
use super::inject::Inject;
use super::offers::{self, Offers};
use crate::carry::{Failure, MAX_PAGES, MAX_TOOLS, Page, Resource, Source, Tool, line};
use crate::mcp::Boxed;

/// Clients ask for the list at once; tabs that are there have this long to say what they offer.
const READY: Duration = Duration::from_secs(3);
/// A frame that was there before us says which tools it has within this time, or it is told to be silent: now and then
/// Chromium (156) loses a frame's way to its own list while the frame loads, and `getTools` never answers there.
const LOOK_TIME: Duration = Duration::from_secs(2);
/// A command that is no call. A page that hangs answers none.
const COMMAND_TIME: Duration = Duration::from_secs(10);
/// A form that leads to another page has its answer there: the page has this long to load …
const LOAD_TIME: Duration = Duration::from_secs(10);
/// … and this long after it has loaded. A page that went away otherwise gives no answer any more.
const LOADED_TIME: Duration = Duration::from_millis(300);
/// A browser that is not there, or went away, is looked for this often: at first, and at most.
const AGAIN: Duration = Duration::from_millis(500);
const AGAIN_AT_MOST: Duration = Duration::from_secs(5);
/// Updates of resources that a slow client may be behind.
const UPDATES: usize = 256;
/// Characters of a page's error.
const MAX_ERROR: usize = 2_000;

/// The tools of a frame's own document.
const FRAME_TOOLS: &str = "(async () => (await document.modelContext?.getTools?.() ?? [])
  .filter((tool) => (tool.source ?? tool.window) === window)
  .map(({ name, title, description, inputSchema, annotations }) => ({ name, title, description, inputSchema, annotations })))()";

/// A document.
struct Frame {
    /// For agents.
    id: String,
    /// The tab's number and its own there.
    order: (u64, u64),
    origin: String,
    url: String,
    tools: Vec<Tool>,
    /// Tools that are forms: the browser fills and submits them.
    forms: HashSet<String>,
    /// Definitions beyond those that are carried, or that cannot be.
    left_out: usize,
    /// Its document was there before us, and was asked what it has …
    asked: bool,
    /// … and gave no answer.
    silent: bool,
    offers: Offers,
    /// As it was made last; nothing after a change.
    page: Option<Arc<Page>>,
}

impl Frame {
    fn new(id: String, order: (u64, u64)) -> Frame {
        Frame {
            id,
            order,
            origin: String::new(),
            url: String::new(),
            tools: Vec::new(),
            forms: HashSet::new(),
            left_out: 0,
            asked: false,
            silent: false,
            offers: Offers::default(),
            page: None,
        }
    }

    /// It shows another document: nothing of the last one is left.
    fn forget(&mut self) {
        *self = Frame {
            origin: std::mem::take(&mut self.origin),
            url: std::mem::take(&mut self.url),
            ..Frame::new(std::mem::take(&mut self.id), self.order)
        };
    }

    fn place(&mut self, frame: &Value) {
        let part = |name: &str| frame.get(name).and_then(Value::as_str).unwrap_or("");
        self.url = part("url").to_owned() + part("urlFragment");
        self.origin = part("securityOrigin").to_owned();
        self.page = None;
    }

    fn add(&mut self, raw: &Value) {
        let Some(tool) = Tool::read(raw) else {
            self.left_out += 1;
            return;
        };
        let is_form = raw.get("backendNodeId").is_some();
        if is_form {
            self.forms.insert(tool.name.clone());
        } else {
            self.forms.remove(&tool.name);
        }
        self.page = None;
        let full = self.tools.len() >= MAX_TOOLS;
        match self.tools.iter_mut().find(|known| known.name == tool.name) {
            Some(known) => *known = tool,
            None if full => self.left_out += 1,
            None => self.tools.push(tool),
        }
    }

    fn has(&self, raw: &Value) -> bool {
        let name = raw.get("name").and_then(Value::as_str);
        self.tools.iter().any(|tool| Some(tool.name.as_str()) == name)
    }

    fn remove(&mut self, name: &str) {
        self.tools.retain(|tool| tool.name != name);
        self.page = None;
    }

    /// The page, if it offers something (or nobody knows) and is one of the web's or a file.
    fn page(&mut self, title: &str) -> Option<Arc<Page>> {
        let offers = self.silent || !self.tools.is_empty() || !self.offers.resources.is_empty() || !self.offers.prompts.is_empty();
        let known = ["http://", "https://", "file://"].iter().any(|scheme| self.origin.starts_with(scheme));
        if !offers || !known {
            return None;
        }
        let made = self.page.get_or_insert_with(|| {
            let mut page = Page::new(self.id.clone(), &self.origin, &self.url, title);
            page.tools = self.tools.clone();
            page.resources = self.offers.resources.iter().map(|(resource, _)| resource.clone()).collect::<Vec<Resource>>();
            page.prompts = self.offers.prompts.clone();
            if self.left_out > 0 {
                page.notes.push(format!(
                    "{} tools are carried and {} left out: they have no name that can be called, or are more than {MAX_TOOLS}.",
                    page.tools.len(),
                    self.left_out
                ));
            }
            if self.silent {
                page.notes.push(
                    "This frame does not answer what tools it has: those that were there before toolmark connected are missing. Load its page again."
                        .to_owned(),
                );
            }
            page.notes.extend(self.offers.notes.iter().cloned());
            Arc::new(page)
        });
        Some(made.clone())
    }
}

/// A tab of the browser, numbered as they came.
#[derive(Clone, Copy)]
struct Tab {
    number: u64,
}

impl std::fmt::Display for Tab {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "tab-{}", self.number)
    }
}

/// A tab, or a frame that has a process of its own.
struct Session {
    /// Also of its frames.
    tab: Tab,
    is_frame: bool,
    target: String,
    title: String,
    /// Its own document.
    main: String,
    /// Grows with every document that its main frame shows.
    document: u64,
    frames: BTreeMap<String, Frame>,
}

/// What is happening in a call.
enum Step {
    Responded(Responded),
    /// The frame shows another document.
    Navigated(String),
    /// … and that is there.
    Loaded,
    Closed,
    Lost,
}

#[derive(Deserialize)]
struct Responded {
    #[serde(rename = "invocationId")]
    invocation: String,
    status: String,
    output: Option<Box<RawValue>>,
    #[serde(rename = "errorText")]
    error: Option<String>,
    exception: Option<Value>,
}

/// A call on its way.
struct Run {
    session: String,
    frame: String,
    invocation: Option<String>,
    /// Nobody waits any more.
    given_up: bool,
    steps: mpsc::UnboundedSender<Step>,
}

#[derive(Default)]
struct State {
    connection: Option<Connection>,
    sessions: BTreeMap<String, Session>,
    runs: HashMap<u64, Run>,
    /// Tabs that were ever seen.
    tabs: u64,
    last_run: u64,
    /// Frames by tab that were ever seen.
    frames: HashMap<u64, u64>,
    /// What sessions of the start have not said yet: a kind of thing, or the tools of a frame.
    awaited: HashSet<(String, String)>,
    trouble: Option<String>,
}

/// A browser's tabs.
pub struct Tabs {
    this: Weak<Tabs>,
    state: Mutex<State>,
    moved: watch::Sender<u64>,
    updates: broadcast::Sender<(String, String)>,
    ready: watch::Sender<bool>,
    inject: Option<Inject>,
    quiet: bool,
}

impl Tabs {
    /// No browser yet.
    pub fn new(inject: Option<Inject>, quiet: bool) -> Arc<Tabs> {
        Arc::new_cyclic(|this| Tabs {
            this: this.clone(),
            state: Mutex::default(),
            moved: watch::channel(0).0,
            updates: broadcast::channel(UPDATES).0,
            ready: watch::channel(false).0,
            inject,
            quiet,
        })
    }

    /// A thread that broke while it held the lock leaves data that is still of use.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn moved(&self) {
        self.moved.send_modify(|moved| *moved += 1);
    }

    /// Why there are no pages, for agents and on standard error.
    pub fn trouble(&self, words: Option<String>) {
        if let (false, Some(words)) = (self.quiet, &words) {
            eprintln!("toolmark: {words}");
        }
        self.state().trouble = words;
    }

    /// Carries the tabs of the browser there, for as long as it is there.
    pub async fn attach(self: &Arc<Self>, endpoint: &Endpoint) -> Result<String, String> {
        let tabs = self.clone();
        let opened = cdp::open(endpoint, Box::new(move |session, method, params| tabs.on_event(session, method, params))).await?;
        let connection = opened.connection;
        self.state().connection = Some(connection.clone());
        let reading = tokio::spawn(opened.reading);
        let tabs = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(READY).await;
            tabs.ready.send_replace(true);
        });
        if !*self.ready.borrow() {
            self.state().awaited.insert((String::new(), "tabs".to_owned()));
        }
        // Titles and addresses are told of targets that were asked for.
        let pages = json!([{ "type": "page" }]);
        connection.tell("", "Target.setDiscoverTargets", json!({ "discover": true, "filter": pages }));
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true, "filter": pages });
        let attached = within(connection.send("", "Target.setAutoAttach", attach)).await;
        if let Err(failure) = attached {
            reading.abort();
            self.detached();
            return Err(failure.message);
        }
        self.state().trouble = None;
        self.heard("", "tabs");
        let why = reading.await.unwrap_or_else(|error| error.to_string());
        self.detached();
        Ok(why)
    }

    /// The same, again and again.
    pub async fn stay_attached(self: Arc<Self>, endpoint: Endpoint) {
        let mut pause = AGAIN;
        loop {
            let began = Instant::now();
            let trouble = match self.attach(&endpoint).await {
                Ok(why) => format!("The connection to the browser at {endpoint} ended ({why}); it is looked for again."),
                Err(problem) => format!(
                    "No browser can be reached at {endpoint} ({problem}). Start it with --remote-debugging-port={} and a --user-data-dir of its own, or use --launch; it is looked for again.",
                    endpoint.to_string().rsplit(':').next().unwrap_or("9222")
                ),
            };
            if self.state().trouble.as_ref() != Some(&trouble) {
                self.trouble(Some(trouble));
            }
            self.ready.send_replace(true);
            if began.elapsed() > AGAIN_AT_MOST {
                pause = AGAIN;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(AGAIN_AT_MOST);
        }
    }

    /// Asks the browser to end, and cancels what runs.
    pub async fn close_browser(&self) {
        let connection = self.state().connection.clone();
        if let Some(connection) = connection {
            let _ = within(connection.send("", "Browser.close", json!({}))).await;
        }
    }

    /// Cancels what runs in a browser that stays.
    pub async fn let_go(&self) {
        let connection = self.state().connection.clone();
        let Some(connection) = connection else { return };
        for run in self.state().runs.values() {
            if let Some(invocation) = &run.invocation {
                cancel(&connection, &run.session, invocation);
            }
        }
        // What is told in order arrives in order: this answer says that the browser took the rest.
        let _ = within(connection.send("", "Browser.getVersion", json!({}))).await;
    }

    /// No browser will come.
    pub fn give_up(&self) {
        self.detached();
        self.ready.send_replace(true);
    }

    fn detached(&self) {
        let mut state = self.state();
        state.connection = None;
        state.sessions.clear();
        state.awaited.clear();
        for run in state.runs.values() {
            let _ = run.steps.send(Step::Lost);
        }
        drop(state);
        self.moved();
    }

    /// A session of the start said something.
    fn heard(&self, session: &str, what: &str) {
        self.state().awaited.remove(&(session.to_owned(), what.to_owned()));
        self.check_ready();
    }

    fn check_ready(&self) {
        if self.state().awaited.is_empty() {
            self.ready.send_replace(true);
        }
    }

    fn on_event(self: &Arc<Self>, session: &str, method: &str, params: &RawValue) {
        // The answer of a tool may be long: it is not taken apart here.
        if method == "WebMCP.toolResponded" {
            let Ok(responded) = serde_json::from_str::<Responded>(params.get()) else { return };
            let state = self.state();
            let run = state.runs.values().find(|run| run.session == session && run.invocation.as_ref() == Some(&responded.invocation));
            if let Some(run) = run {
                let _ = run.steps.send(Step::Responded(responded));
            }
            return;
        }
        const KNOWN: [&str; 11] = [
            "Target.attachedToTarget",
            "Target.detachedFromTarget",
            "Target.targetInfoChanged",
            "Inspector.detached",
            "Inspector.targetCrashed",
            "Page.frameNavigated",
            "Page.navigatedWithinDocument",
            "Page.frameDetached",
            "Page.domContentEventFired",
            "Page.frameStoppedLoading",
            "WebMCP.toolsAdded",
        ];
        if !KNOWN.contains(&method) && method != "WebMCP.toolsRemoved" {
            return;
        }
        let Ok(params) = serde_json::from_str::<Value>(params.get()) else { return };
        let part = |pointer: &str| params.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
        match method {
            "Target.attachedToTarget" => {
                self.attached(session, &part("/sessionId"), &part("/targetInfo/targetId"), &part("/targetInfo/title"))
            }
            "Target.detachedFromTarget" => self.gone(&part("/sessionId")),
            "Target.targetInfoChanged" => {
                let (target, title) = (part("/targetInfo/targetId"), part("/targetInfo/title"));
                let mut state = self.state();
                if let Some(session) = state.sessions.values_mut().find(|session| session.target == target) {
                    session.title = title;
                    session.frames.values_mut().for_each(|frame| frame.page = None);
                }
            }
            "Inspector.detached" | "Inspector.targetCrashed" => self.gone(session),
            "Page.frameNavigated" => self.navigated(session, params.get("frame").unwrap_or(&Value::Null), &part("/type")),
            "Page.navigatedWithinDocument" => {
                if let Some(frame) = self.state().frame(session, &part("/frameId")) {
                    frame.url = part("/url");
                    frame.page = None;
                }
            }
            "Page.frameDetached" => {
                let mut state = self.state();
                let id = part("/frameId");
                if let Some(session) = state.sessions.get_mut(session) {
                    session.frames.remove(&id);
                }
                for run in state.runs.values().filter(|run| run.session == session && run.frame == id) {
                    let _ = run.steps.send(Step::Closed);
                }
                drop(state);
                self.moved();
            }
            "Page.domContentEventFired" => self.parsed(session),
            "Page.frameStoppedLoading" => {
                let id = part("/frameId");
                for run in self.state().runs.values().filter(|run| run.session == session && run.frame == id) {
                    let _ = run.steps.send(Step::Loaded);
                }
            }
            _ => {
                let tools = params.get("tools").and_then(Value::as_array);
                let mut state = self.state();
                for tool in tools.into_iter().flatten() {
                    let text = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or("");
                    if let Some(frame) = state.frame(session, text("frameId")) {
                        if method == "WebMCP.toolsAdded" { frame.add(tool) } else { frame.remove(text("name")) }
                    }
                }
                drop(state);
                self.moved();
            }
        }
    }

    /// A tab, or a frame of one, can be spoken to.
    fn attached(self: &Arc<Self>, parent: &str, id: &str, target: &str, title: &str) {
        let mut state = self.state();
        let Some(connection) = state.connection.clone() else { return };
        if state.sessions.len() >= MAX_PAGES {
            if state.trouble.is_none() {
                state.trouble = Some(format!("More than {MAX_PAGES} tabs and frames are open; the others are not carried. Close some."));
            }
            connection.tell(parent, "Target.detachFromTarget", json!({ "sessionId": id }));
            return;
        }
        let of = state.sessions.get(parent).map(|session| session.tab);
        let tab = of.unwrap_or_else(|| {
            state.tabs += 1;
            Tab { number: state.tabs }
        });
        let session = Session {
            tab,
            is_frame: of.is_some(),
            target: target.to_owned(),
            title: title.to_owned(),
            main: target.to_owned(),
            document: 0,
            frames: BTreeMap::new(),
        };
        state.sessions.insert(id.to_owned(), session);
        if !*self.ready.borrow() {
            state.awaited.extend(["tools", "offers", "tree", "frames"].map(|what| (id.to_owned(), what.to_owned())));
        }
        drop(state);
        connection.tell(id, "Page.enable", json!({}));
        self.ask_frames(&connection, id);
        let (tabs, key) = (self.clone(), id.to_owned());
        drop(connection.send_then(id, "WebMCP.enable", json!({}), move |reply| {
            if let Err(Refusal::Said(said)) = reply {
                tabs.trouble(Some(format!(
                    "This browser has no WebMCP ({said}). Chromium 149 or newer has it, with --enable-features=WebMCP."
                )));
            }
            tabs.heard(&key, "tools");
        }));
        let frames = json!({ "autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true, "filter": [{ "type": "iframe" }] });
        let (tabs, key) = (self.clone(), id.to_owned());
        // Frames that have a process of their own are told before this is answered.
        drop(connection.send_then(id, "Target.setAutoAttach", frames, move |_| tabs.heard(&key, "frames")));
        self.watch_offers(id);
        // A page that was there before us is parsed already.
        self.parsed(id);
    }

    fn ask_frames(self: &Arc<Self>, connection: &Connection, key: &str) {
        let (tabs, session) = (self.clone(), key.to_owned());
        drop(connection.send_then(key, "Page.getFrameTree", json!({}), move |reply| {
            if let Ok(tree) = reply {
                tabs.placed(&session, &serde_json::from_str(tree.get()).unwrap_or(Value::Null));
            }
            tabs.heard(&session, "tree");
        }));
    }

    /// Where the frames of a session are.
    fn placed(self: &Arc<Self>, session: &str, tree: &Value) {
        let mut state = self.state();
        let mut trees = vec![tree.get("frameTree").unwrap_or(&Value::Null)];
        let mut root = true;
        let starting = !*self.ready.borrow();
        // The browser's own nesting of frames; a list of what is left, because it may be deep.
        while let Some(tree) = trees.pop() {
            let Some(place) = tree.get("frame") else { continue };
            let id = place.get("id").and_then(Value::as_str).unwrap_or("");
            if root && let Some(session) = state.sessions.get_mut(session) {
                session.main = id.to_owned();
            }
            let inner = !std::mem::take(&mut root);
            let known = state.frame(session, id).map(|frame| {
                frame.place(place);
                frame.asked = inner;
            });
            if let (Some(connection), Some(()), true) = (state.connection.clone(), known, inner) {
                if starting {
                    state.awaited.insert((session.to_owned(), id.to_owned()));
                }
                tokio::spawn(self.clone().look_into(connection, session.to_owned(), id.to_owned()));
            }
            trees.extend(tree.get("childFrames").and_then(Value::as_array).into_iter().flatten());
        }
        drop(state);
        self.moved();
    }

    /// Reads the tools of a frame that was there before us: the browser tells those of a session's main document only.
    async fn look_into(self: Arc<Self>, connection: Connection, key: String, id: String) {
        let looking = self.look(&connection, &key, &id);
        tokio::pin!(looking);
        if tokio::time::timeout(LOOK_TIME, &mut looking).await.is_err() {
            self.silent(&key, &id);
            // It may only be slow.
            let _ = tokio::time::timeout(COMMAND_TIME, looking).await;
        }
        self.heard(&key, &id);
    }

    /// In a world of our own, which the page cannot see.
    async fn look(self: &Arc<Self>, connection: &Connection, key: &str, id: &str) -> Option<()> {
        let world = json!({ "frameId": id, "worldName": "toolmark" });
        let world = connection.send(key, "Page.createIsolatedWorld", world).value().await.ok()?;
        let look =
            json!({ "expression": FRAME_TOOLS, "contextId": world.get("executionContextId"), "awaitPromise": true, "returnByValue": true });
        let (tabs, session, frame) = (self.clone(), key.to_owned(), id.to_owned());
        // Taken in its place among the events: what the frame showed after that is not mixed with it.
        let take = move |reply: &cdp::Reply| {
            let found = reply.as_ref().ok().and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok()).unwrap_or(Value::Null);
            let Some(tools) = found.pointer("/result/value").and_then(Value::as_array) else { return };
            if let Some(frame) = tabs.state().frame(&session, &frame) {
                (frame.silent, frame.page) = (false, None);
                // Those that the browser told in the meantime are newer.
                for tool in tools {
                    if !frame.has(tool) {
                        frame.add(tool);
                    }
                }
            }
            tabs.moved();
        };
        connection.send_then(key, "Runtime.evaluate", look, take).until_dropped().raw().await.ok().map(drop)
    }

    /// A frame does not answer: agents are told, and nobody waits for it.
    fn silent(&self, key: &str, id: &str) {
        let mut state = self.state();
        // It may show another document by now, or be gone.
        if let Some(frame) = state.sessions.get_mut(key).and_then(|session| session.frames.get_mut(id)).filter(|frame| frame.asked) {
            (frame.silent, frame.page) = (true, None);
        }
        drop(state);
        self.moved();
        self.heard(key, id);
    }

    /// A frame shows another document.
    fn navigated(self: &Arc<Self>, key: &str, place: &Value, kind: &str) {
        let id = place.get("id").and_then(Value::as_str).unwrap_or("").to_owned();
        let mut state = self.state();
        let Some(frame) = state.frame(key, &id) else { return };
        // No `toolsRemoved` is sent for what was left.
        frame.forget();
        frame.place(place);
        let url = frame.url.clone();
        let connection = state.connection.clone();
        let is_main = state.sessions.get_mut(key).is_some_and(|session| {
            let is_main = session.main == id;
            session.document += u64::from(is_main);
            // Frames of a document that is kept for coming back are not told to be gone.
            session.frames.retain(|frame, _| !is_main || *frame == id);
            is_main
        });
        for run in state.runs.values().filter(|run| run.session == key && (is_main || run.frame == id)) {
            let _ = run.steps.send(if run.frame == id { Step::Navigated(url.clone()) } else { Step::Closed });
        }
        drop(state);
        // A document that comes back whole told its tools before this event: it is asked again.
        if let (Some(connection), "BackForwardCacheRestore") = (&connection, kind) {
            connection.tell(key, "WebMCP.disable", json!({}));
            connection.tell(key, "WebMCP.enable", json!({}));
            self.ask_frames(connection, key);
            self.parsed(key);
        }
        if is_main {
            self.watch_offers(key);
        }
        self.moved();
    }

    /// A tab was closed, or broke.
    fn gone(&self, key: &str) {
        let mut state = self.state();
        state.sessions.remove(key);
        state.awaited.retain(|(session, _)| session != key);
        for run in state.runs.values().filter(|run| run.session == key) {
            let _ = run.steps.send(Step::Closed);
        }
        drop(state);
        self.check_ready();
        self.moved();
    }

    /// The document of a session can be looked at: whether it is to be given Toolmark.
    fn parsed(self: &Arc<Self>, key: &str) {
        let Some(inject) = self.inject.clone() else { return };
        let Some(connection) = self.state().connection.clone() else { return };
        let (tabs, key) = (self.clone(), key.to_owned());
        tokio::spawn(async move {
            if let Err(problem) = inject.give(&connection, &key).await
                && !tabs.quiet
            {
                eprintln!("toolmark: {problem}");
            }
        });
    }

    /// Reads what the main document of a session offers beside tools, now and whenever it changes.
    fn watch_offers(self: &Arc<Self>, key: &str) {
        let state = self.state();
        let (Some(connection), Some(document)) = (state.connection.clone(), state.sessions.get(key).map(|session| session.document)) else {
            return;
        };
        drop(state);
        let (tabs, key) = (self.clone(), key.to_owned());
        tokio::spawn(async move {
            let is_same = || tabs.state().sessions.get(&key).is_some_and(|session| session.document == document);
            let mut seen = None;
            while is_same() {
                let found = offers::next(&connection, &key, seen.as_deref()).await;
                if !is_same() {
                    break;
                }
                let Some((now, offers)) = found else {
                    tabs.heard(&key, "offers");
                    // The document may just be going; a page that broke what this needs is left alone after that.
                    if seen.take().is_none() {
                        break;
                    }
                    continue;
                };
                seen = Some(now);
                tabs.take_offers(&key, offers);
            }
            tabs.heard(&key, "offers");
        });
    }

    fn take_offers(&self, key: &str, offers: Offers) {
        let mut state = self.state();
        let main = state.sessions.get(key).map(|session| session.main.clone()).unwrap_or_default();
        state.awaited.remove(&(key.to_owned(), "offers".to_owned()));
        if let Some(frame) = state.frame(key, &main) {
            let before = std::mem::replace(&mut frame.offers, offers);
            frame.page = None;
            let page = frame.id.clone();
            let frame_offers = &frame.offers;
            let changed: Vec<String> = frame_offers.changed_since(&before);
            drop(state);
            for resource in changed {
                // Nobody listening is no problem.
                let _ = self.updates.send((page.clone(), resource));
            }
        } else {
            drop(state);
        }
        self.check_ready();
        self.moved();
    }

    /// Where a page is: its session, the connection, its frame.
    fn locate(&self, page: &str) -> Result<(Connection, String, String), Failure> {
        let state = self.state();
        let connection = state.connection.clone().ok_or_else(|| {
            let trouble = state.trouble.clone().unwrap_or_else(|| "The browser is not connected.".to_owned());
            Failure::new("disconnected", trouble, "Start the browser again, then call list_page_tools.")
        })?;
        for (key, session) in &state.sessions {
            if let Some((frame, _)) = session.frames.iter().find(|(_, frame)| frame.id == page) {
                return Ok((connection, key.clone(), frame.clone()));
            }
        }
        Err(closed(page))
    }

    async fn invoke(&self, page: &str, tool: &str, input: Value) -> Result<Value, Failure> {
        let (connection, session, frame) = self.locate(page)?;
        let (steps, mut coming) = mpsc::unbounded_channel();
        let (number, is_form) = {
            let mut state = self.state();
            state.last_run += 1;
            let number = state.last_run;
            state.runs.insert(number, Run { session: session.clone(), frame: frame.clone(), invocation: None, given_up: false, steps });
            (number, state.frame(&session, &frame).is_some_and(|frame| frame.forms.contains(tool)))
        };
        let mut running = Running { tabs: self, number, over: false };
        let params = json!({ "frameId": frame, "toolName": tool, "input": input });
        if let Err(refusal) = self.begin(&connection, &session, params, number).raw().await {
            running.over = true;
            return Err(match refusal {
                Refusal::Lost => lost(tool),
                Refusal::Said(said) if said.contains("not found") || said.contains("No frame") => Failure::new(
                    "gone",
                    format!("The page does not offer '{tool}' any more ({said})."),
                    "list_page_tools says what it offers now.",
                ),
                Refusal::Said(said) => {
                    Failure::new("tool_failed", format!("The browser did not call '{tool}': {said}."), "See the tool's inputSchema.")
                }
            });
        }
        let mut went: Option<String> = None;
        let mut until = None;
        loop {
            let step = match until {
                None => coming.recv().await,
                Some(until) => match tokio::time::timeout_at(until, coming.recv()).await {
                    Ok(step) => step,
                    Err(_) => return Err(navigated(tool, went.as_deref().unwrap_or(""))),
                },
            };
            running.over = !matches!(step, Some(Step::Navigated(_) | Step::Loaded));
            match step {
                Some(Step::Responded(responded)) => return outcome(tool, responded, went.as_deref(), is_form),
                Some(Step::Navigated(url)) => {
                    went = Some(url);
                    until = Some(Instant::now() + LOAD_TIME);
                }
                Some(Step::Loaded) if went.is_some() => until = Some(Instant::now() + LOADED_TIME),
                Some(Step::Loaded) => {}
                Some(Step::Closed) => {
                    return Err(Failure::new(
                        "gone",
                        format!("The page was closed while '{tool}' ran: there is no answer."),
                        "It may have done its work. list_page_tools says what is open.",
                    ));
                }
                Some(Step::Lost) | None => return Err(lost(tool)),
            }
        }
    }

    /// Calls a tool; its invocation is known before its answer is handled, which may be the very next message.
    fn begin(&self, connection: &Connection, session: &str, params: Value, number: u64) -> Coming {
        let (this, connection, key) = (self.this.clone(), connection.clone(), session.to_owned());
        connection.clone().send_then(session, "WebMCP.invokeTool", params, move |reply| {
            let Ok(raw) = reply else { return };
            let said = serde_json::from_str::<Value>(raw.get()).unwrap_or(Value::Null);
            let invocation = said.get("invocationId").and_then(Value::as_str).unwrap_or("").to_owned();
            let Some(tabs) = this.upgrade() else { return };
            let mut state = tabs.state();
            match state.runs.get_mut(&number) {
                Some(run) if !run.given_up => run.invocation = Some(invocation),
                // Nobody waits for it any more.
                _ => {
                    state.runs.remove(&number);
                    cancel(&connection, &key, &invocation);
                }
            }
        })
    }
}

/// A call that is waited for. Dropped before its end, it is cancelled in the page.
struct Running<'t> {
    tabs: &'t Tabs,
    number: u64,
    /// The browser knows that it is over, or never began it.
    over: bool,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut state = self.tabs.state();
        let connection = state.connection.clone();
        let Some(run) = state.runs.get_mut(&self.number) else { return };
        match (&run.invocation, connection) {
            (None, Some(_)) if !self.over => {
                run.given_up = true;
                return;
            }
            (Some(invocation), Some(connection)) if !self.over => cancel(&connection, &run.session, invocation),
            _ => {}
        }
        state.runs.remove(&self.number);
    }
}

fn cancel(connection: &Connection, session: &str, invocation: &str) {
    connection.tell(session, "WebMCP.cancelInvocation", json!({ "invocationId": invocation }));
}

/// A reply that comes soon or not at all.
pub async fn within(coming: Coming) -> Result<Value, Failure> {
    match tokio::time::timeout(COMMAND_TIME, coming.value()).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(Refusal::Said(said))) => Err(Failure::new("tool_failed", line(&said, MAX_ERROR), "")),
        Ok(Err(Refusal::Lost)) => Err(Failure::new("disconnected", "The browser went away.", "Start it again, then call list_page_tools.")),
        Err(_) => Err(Failure::new("timeout", "The browser gave no answer.", "The page may hang: reload it.")),
    }
}

fn closed(page: &str) -> Failure {
    Failure::new("gone", format!("Page '{page}' is not open any more."), "list_page_tools says what is open.")
}

fn lost(tool: &str) -> Failure {
    Failure::new(
        "disconnected",
        format!("The browser went away while '{tool}' ran: there is no answer."),
        "It may have done its work. When the browser is back, list_page_tools says what is open.",
    )
}

fn navigated(tool: &str, url: &str) -> Failure {
    Failure::new(
        "navigated",
        format!("The page went to {} while '{tool}' ran, so its answer is lost.", line(url, 500)),
        "It may have done its work, and this may be where it leads: list_page_tools gives the tools of the new page.",
    )
}

/// JSON of a page, also where its text has halves of characters or nests deeper than is read.
fn lenient(raw: &RawValue) -> Value {
    if let Ok(value) = serde_json::from_str(raw.get()) {
        return value;
    }
    let repaired = whole_characters(raw.get());
    serde_json::from_str(&repaired).unwrap_or(Value::String(repaired))
}

/// JSON in which every escaped half of a character that stands alone is U+FFFD.
fn whole_characters(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let half = |text: &str| text.strip_prefix("\\u").and_then(|digits| u32::from_str_radix(digits.get(..4)?, 16).ok());
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match (half(escape), escape.get(6..).and_then(half)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push('\u{fffd}');
                rest = escape.get(6..).unwrap_or("");
                continue;
            }
            _ => 2,
        };
        let (escaped, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(escaped);
        rest = after;
    }
    out + rest
}

/// What a tool answered.
fn outcome(tool: &str, responded: Responded, went: Option<&str>, is_form: bool) -> Result<Value, Failure> {
    let output = responded.output.as_deref().map(lenient);
    match (responded.status.as_str(), went) {
        // What the page before would have answered is lost; of a form, the page after is the answer.
        ("Completed", Some(url)) if is_form => Ok(json!({ "navigated_to": url, "found": output.unwrap_or(Value::Null) })),
        (_, Some(url)) => Err(navigated(tool, url)),
        ("Completed", None) => Ok(output.unwrap_or(Value::Null)),
        ("Canceled", None) => Err(Failure::new("cancelled", format!("'{tool}' was cancelled."), "")),
        (_, None) => {
            let thrown = responded.exception.as_ref().and_then(|thrown| {
                let said = thrown.get("description").and_then(Value::as_str).map(str::to_owned);
                said.or_else(|| thrown.get("value").map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
            });
            let words = responded.error.filter(|error| !error.is_empty()).or(thrown).unwrap_or_else(|| "it gave no reason".to_owned());
            // What follows is the page's call stack.
            let words = words.split("\n    at ").next().unwrap_or("");
            Err(Failure::new("tool_failed", format!("'{tool}' failed: {}", line(words, MAX_ERROR)), ""))
        }
    }
}

impl State {
    /// A frame of a session, known or new.
    fn frame(&mut self, session: &str, id: &str) -> Option<&mut Frame> {
        let session = self.sessions.get_mut(session)?;
        if !session.frames.contains_key(id) {
            if id.is_empty() || session.frames.len() >= MAX_PAGES {
                return None;
            }
            let frame = if session.main == id && !session.is_frame {
                Frame::new(session.tab.to_string(), (session.tab.number, 0))
            } else {
                let number = self.frames.entry(session.tab.number).or_default();
                *number += 1;
                Frame::new(format!("{}-{number}", session.tab), (session.tab.number, *number))
            };
            session.frames.insert(id.to_owned(), frame);
        }
        session.frames.get_mut(id)
    }
}

impl Source for Tabs {
    fn pages(&self) -> Vec<Arc<Page>> {
        let mut state = self.state();
        let mut found = Vec::new();
        for session in state.sessions.values_mut() {
            for frame in session.frames.values_mut() {
                found.extend(frame.page(&session.title).map(|page| (frame.order, page)));
            }
        }
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, page)| page).collect()
    }

    fn ready(&self) -> Boxed<'_, ()> {
        Box::pin(async {
            let mut ready = self.ready.subscribe();
            // Its sender lives as long as this.
            let _ = ready.wait_for(|ready| *ready).await;
        })
    }

    fn trouble(&self) -> Option<String> {
        self.state().trouble.clone()
    }

    fn call<'a>(&'a self, page: &'a str, tool: &'a str, input: Value) -> Boxed<'a, Result<Value, Failure>> {
        Box::pin(self.invoke(page, tool, input))
    }

    fn read<'a>(&'a self, page: &'a str, resource: &'a str) -> Boxed<'a, Result<Value, Failure>> {
        Box::pin(async move {
            let (connection, session, _) = self.locate(page)?;
            offers::ask(&connection, &session, "resource", resource, &json!({})).await
        })
    }

    fn prompt<'a>(&'a self, page: &'a str, prompt: &'a str, input: Value) -> Boxed<'a, Result<Value, Failure>> {
        Box::pin(async move {
            let (connection, session, _) = self.locate(page)?;
            offers::ask(&connection, &session, "prompt", prompt, &input).await
        })
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    fn updates(&self) -> broadcast::Receiver<(String, String)> {
        self.updates.subscribe()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn answers_of_any_kind_are_read() {
        assert_eq!(lenient(&raw("{\"a\":1}")), json!({ "a": 1 }));
        assert_eq!(lenient(&raw("\"\\ud83d\\ude00 \\ud83d \\udc00 \\\\ud800 \\n\"")), json!("😀 \u{fffd} \u{fffd} \\ud800 \n"));
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        assert_eq!(lenient(&raw(&deep)), json!(deep));
    }

    #[test]
    fn what_a_page_threw_is_told_without_its_stack() {
        let thrown = |thrown: Value, error: &str| {
            let responded = Responded {
                invocation: "1".into(),
                status: "Error".into(),
                output: None,
                error: Some(error.into()),
                exception: Some(thrown),
            };
            outcome("t", responded, None, false).unwrap_err().message
        };
        assert_eq!(
            thrown(json!({ "description": "Error: boom: try echo\n    at execute (https://a.example/:1:2)" }), ""),
            "'t' failed: Error: boom: try echo"
        );
        assert_eq!(thrown(json!({ "value": { "a": 1 } }), ""), "'t' failed: {\"a\":1}");
        assert_eq!(thrown(json!({}), "Form validation failed"), "'t' failed: Form validation failed");
        assert_eq!(thrown(json!(5), ""), "'t' failed: it gave no reason");
    }
}
