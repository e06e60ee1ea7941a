//! `toolmark status`: every link between a client and a page, and which one is broken.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::clients::{self, Client, Start};
use crate::home::{self, PATIENCE};
use crate::join;

/// Bytes of an answer of the browser, or of the relay to one request.
const MAX_ANSWER: u64 = 20_000_000;
/// Tools that the relay has without any page.
const WITHOUT_PAGES: [&str; 3] = ["list_page_tools", "call_page_tool", "read_page_result"];

/// Where the relay and the browser are looked for.
#[derive(clap::Args)]
pub struct Ports {
    /// The port of the relay
    #[arg(long, default_value_t = 9333, value_name = "PORT")]
    relay_port: u16,
    /// The debugging port of the browser
    #[arg(long, default_value_t = 9222, value_name = "PORT")]
    browser_port: u16,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

/// How a link is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fine,
    Broken,
    /// The clients that are set up do without it.
    Unused,
}

/// One link.
pub struct Link {
    name: &'static str,
    state: State,
    /// What is there, or what to do.
    message: String,
}

impl Link {
    /// A person has to do something.
    pub fn broken(&self) -> bool {
        self.state == State::Broken
    }

    fn word(&self) -> &'static str {
        match self.state {
            State::Fine => "ok",
            State::Broken => "broken",
            State::Unused => "unused",
        }
    }

    /// For programs.
    pub fn to_value(&self) -> Value {
        json!({ "link": self.name, "state": self.word(), "message": self.message })
    }

    /// For people.
    pub fn in_words(&self) -> String {
        format!("{:<7} {:<8} {}", self.word(), self.name, self.message)
    }
}

fn link(name: &'static str, needed: bool, found: Result<String, String>) -> Link {
    match found {
        Ok(message) => Link { name, state: State::Fine, message },
        Err(message) => Link { name, state: if needed { State::Broken } else { State::Unused }, message },
    }
}

/// From the program to the page, in this order.
pub async fn links(ports: &Ports) -> Vec<Link> {
    let (client, starts) = client();
    // Without a client nothing is known of the way that it will take: the relay is the usual one.
    let uses = |word: &str| match starts.as_slice() {
        [] => word == "relay",
        starts => starts.iter().any(|start| start.arguments.first().is_some_and(|first| first == word)),
    };
    let (relay, connect) = (uses("relay"), uses("connect"));
    let token = token();
    let relayed = match &token {
        Ok(token) => tools_of_relay(ports.relay_port, token).await,
        Err(_) => Err(no_relay(ports.relay_port)),
    };
    let tabs = tabs(ports.browser_port).await;
    let page =
        match (&relayed, &tabs) {
            (Ok(tools), _) if relay && *tools > 0 => Ok(format!("Pages offer {tools} tools through the relay.")),
            (_, Ok(tabs)) if connect && *tabs > 0 => Ok(format!("{tabs} tabs of web pages are open in the browser.")),
            _ if connect && !relay => Err("No web page is open in that browser: open one.".to_owned()),
            _ => Err("No page offers tools: open one with data-relay, and type the relay's code there. 'toolmark grants' lists who may and who asks."
                .to_owned()),
        };
    let launches = starts.iter().any(|start| start.arguments.iter().any(|argument| argument == "--launch"));
    vec![
        link("program", starts.is_empty(), in_path()),
        link("token", relay, token.and_then(|_| Ok(format!("'{}' is for its owner only.", home::folder()?.join("token").display())))),
        link("relay", relay, relayed.map(|_| format!("It runs at port {}.", ports.relay_port))),
        link("browser", connect && !launches, tabs.map(|_| format!("It answers at port {}.", ports.browser_port))),
        link("client", true, client),
        link("page", relay || (connect && !launches), page),
    ]
}

fn in_path() -> Result<String, String> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let name = if cfg!(windows) { "toolmark.exe" } else { "toolmark" };
    let found: Option<PathBuf> = std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|path| is_program(path));
    match found {
        Some(path) => Ok(format!("'{}'.", path.display())),
        None => Err(format!(
            "No folder of PATH has 'toolmark': copy or link {} into one. Clients that were set up by 'toolmark install' have its whole path.",
            std::env::current_exe().map_or_else(|_| "it".to_owned(), |path| format!("'{}'", path.display()))
        )),
    }
}

fn is_program(path: &Path) -> bool {
    let Ok(data) = std::fs::metadata(path) else { return false };
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 == 0 {
        return false;
    }
    data.is_file()
}

/// The token, which is not made here.
fn token() -> Result<String, String> {
    let path = home::folder()?.join("token");
    if !path.exists() {
        return Err(format!("'{}' is not there: the first start of 'toolmark relay' or 'toolmark serve --http' makes it.", path.display()));
    }
    home::token()
}

/// What the clients that know us start.
fn client() -> (Result<String, String>, Vec<Start>) {
    let (mut fine, mut problems, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for client in clients::KNOWN {
        match client.file().and_then(|path| clients::installed(&path)) {
            Ok(None) => {}
            Ok(Some(start)) if is_program(Path::new(&start.command)) || start.command == "toolmark" => {
                fine.push(format!("{} starts 'toolmark {}'", client.name(), start.arguments.join(" ")));
                starts.push(start);
            }
            Ok(Some(start)) => {
                problems.push(format!(
                    "{0} starts '{1}', which is no program: run 'toolmark install {0}' again",
                    client.name(),
                    start.command
                ));
            }
            Err(problem) => problems.push(problem),
        }
    }
    let found = match (fine.is_empty(), problems.is_empty()) {
        (false, true) => Ok(format!("{}.", fine.join("; "))),
        (_, false) => Err(format!("{}.", problems.join("; ").trim_end_matches('.'))),
        (true, true) => {
            let names: Vec<&str> = clients::KNOWN.iter().map(Client::name).collect();
            Err(format!("No client starts toolmark: run 'toolmark install' with one of {}.", names.join(", ")))
        }
    };
    (found, starts)
}

fn no_relay(port: u16) -> String {
    format!("Nothing of ours answers at port {port}: start the client, which starts it, or 'toolmark relay --http'.")
}

/// How many tools of pages the relay has. It is asked as a second start asks it: the token is not shown to the port.
async fn tools_of_relay(port: u16, token: &str) -> Result<usize, String> {
    if !matches!(tokio::time::timeout(PATIENCE, TcpStream::connect(("127.0.0.1", port))).await, Ok(Ok(_))) {
        return Err(no_relay(port));
    }
    let stream = join::join(port, token).await?;
    let asked = async {
        let (from, mut to) = tokio::io::split(stream);
        let mut from = BufReader::new(from.take(MAX_ANSWER));
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "toolmark status", "version": env!("CARGO_PKG_VERSION") } } });
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
        to.write_all(format!("{hello}\n").as_bytes()).await.ok()?;
        let mut line = String::new();
        from.read_line(&mut line).await.ok()?;
        to.write_all(format!("{ready}\n{list}\n").as_bytes()).await.ok()?;
        loop {
            line.clear();
            if from.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            let message: Value = serde_json::from_str(&line).ok()?;
            if message.get("id") == Some(&json!(2)) {
                let tools = message.pointer("/result/tools")?.as_array()?;
                let name = |tool: &Value| tool.get("name").and_then(Value::as_str).unwrap_or("").to_owned();
                return Some(tools.iter().filter(|tool| !WITHOUT_PAGES.contains(&name(tool).as_str())).count());
            }
        }
    };
    let silent = || format!("The relay at port {port} does not answer: end it and start it anew.");
    tokio::time::timeout(PATIENCE, asked).await.ok().flatten().ok_or_else(silent)
}

/// How many tabs of web pages the browser at this debugging port has.
async fn tabs(port: u16) -> Result<usize, String> {
    let none = || {
        format!(
            "No browser answers at debugging port {port}: start one with --remote-debugging-port={port} and a --user-data-dir of its own, or let clients start 'toolmark connect --launch'."
        )
    };
    let asked = async {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
        stream
            .write_all(format!("GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n").as_bytes())
            .await
            .ok()?;
        let mut stream = BufReader::new(stream.take(MAX_ANSWER));
        // The browser keeps the connection, whatever one asks for.
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await.ok()?;
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse::<u64>().ok()?,
                None if line.trim_end().is_empty() => break,
                _ => {}
            }
        }
        let mut body = Vec::new();
        stream.take(length.min(MAX_ANSWER)).read_to_end(&mut body).await.ok()?;
        let list: Value = serde_json::from_slice(&body).ok()?;
        let is_page = |tab: &&Value| {
            tab.get("type") == Some(&json!("page")) && tab.get("url").and_then(Value::as_str).is_some_and(|url| url.starts_with("http"))
        };
        Some(list.as_array()?.iter().filter(is_page).count())
    };
    tokio::time::timeout(PATIENCE, asked).await.ok().flatten().ok_or_else(none)
}
