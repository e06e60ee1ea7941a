//! One page's connection: `webmcp.v1`, as the pages of @mcp-b's relay speak it (2.2.0, which says hello and lists at
//! once, and 4.0.0, which waits for the answer), with pairing for pages that know of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};

use crate::carry::Page;
use crate::grants::{self, Grant};
use crate::home;
use crate::http::{Guard, problem};
use crate::relay::{Out, Relay, offers};

/// What pages and the relay speak.
const PROTOCOL: &str = "webmcp.v1";
/// Bytes of a message: an answer of 10 MB, and its envelope.
const MAX_MESSAGE: usize = 12_000_000;
/// Bytes that are read at once. Every page holds as many, and messages of pages are small as a rule; larger ones take as much as they need.
const READ_BUFFER: usize = 16_384;
/// Bytes of a message from an origin that has no grant: hello, a code, and a list that is not looked at.
const MAX_UNKNOWN_MESSAGE: usize = 1_000_000;
/// A page says hello within this time; embeds list their tools before, and wait 10 s for that.
const HELLO: Duration = Duration::from_secs(20);
/// Between two pings.
const PING: Duration = Duration::from_secs(15);
/// A page that says nothing for so long is not there any more. Longer than a code counts and a call takes: a page that
/// asks the person by prompt() or confirm() hears and says nothing until they have answered.
const SILENCE: Duration = Duration::from_secs(150);
/// A page takes a message within this time.
const TAKE: Duration = Duration::from_secs(10);
/// Messages that make no sense, of one connection.
const MAX_NONSENSE: u32 = 10;
/// What the person is told of one connection's definitions: a page changes them without end.
const MAX_NOTES: u32 = 5;

/// What the endpoint needs.
#[derive(Clone)]
pub struct Endpoint {
    /// The hub.
    pub relay: Arc<Relay>,
    /// Who may come in.
    pub guard: Guard,
}

/// The WebSocket endpoint. The browser's `Origin` decides who it is.
pub async fn connect(
    State(Endpoint { relay, guard }): State<Endpoint>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let refuse = |status, message: &str, detail: &str| problem(status, "not_allowed", message, detail);
    if !guard.knows_host(&headers) {
        return refuse(StatusCode::FORBIDDEN, "The Host header names another machine.", "Use ws://127.0.0.1 and the port.");
    }
    let Ok(upgrade) = upgrade else {
        return refuse(StatusCode::UPGRADE_REQUIRED, "Pages connect here by WebSocket.", "See docs/companion.md for what else there is.");
    };
    let shown = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok()).unwrap_or("");
    let origin = match grants::origin(shown) {
        Ok(origin) if origin == shown => origin,
        // Files and sandboxed frames all are "null"; programs send none.
        _ => {
            return refuse(
                StatusCode::FORBIDDEN,
                "Only pages with an origin of their own connect.",
                "Serve the page over http(s), without a sandbox.",
            );
        }
    };
    let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL);
    if !offered.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|name| name.trim() == PROTOCOL) {
        return refuse(StatusCode::BAD_REQUEST, "This relay speaks webmcp.v1 only.", "Offer that sub-protocol.");
    }
    if !relay.room(&origin) {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many pages are connected.", "Close some.");
    }
    let grant = relay.grant(&origin);
    let most = if offers(grant) { MAX_MESSAGE } else { MAX_UNKNOWN_MESSAGE };
    let (id, outbox) = relay.enter(&origin, grant);
    let entered = Entered { relay, id };
    upgrade.protocols([PROTOCOL]).max_message_size(most).max_frame_size(most).read_buffer_size(READ_BUFFER).on_upgrade(
        move |socket| async move {
            let end =
                Talk { entered: &entered, origin, grant, hello: false, nonsense: 0, noted: 0, port: guard.port }.run(socket, outbox).await;
            if let Some(why) = end {
                eprintln!("toolmark: {why}");
            }
        },
    )
}

/// Takes the page out again, also where the handshake never ends.
struct Entered {
    relay: Arc<Relay>,
    id: u64,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.relay.leave(self.id);
    }
}

/// How far a connection is.
struct Talk<'e> {
    entered: &'e Entered,
    origin: String,
    grant: Option<Grant>,
    hello: bool,
    nonsense: u32,
    noted: u32,
    port: u16,
}

impl Talk<'_> {
    /// Until one side ends it; a word for the person, if they can mend something.
    async fn run(mut self, mut socket: WebSocket, mut outbox: tokio::sync::mpsc::Receiver<Out>) -> Option<String> {
        // Another one each time: any page is told it, and could know the person by it.
        let instance = home::random(8).unwrap_or_default();
        let hello = json!({ "type": "server-hello", "service": "webmcp-local-relay", "version": 1, "host": "127.0.0.1", "port": self.port, "instanceId": instance, "label": "toolmark" });
        if !tell(&mut socket, &hello).await {
            return None;
        }
        let (mut heard, since) = (Instant::now(), Instant::now());
        let mut ping = tokio::time::interval(PING);
        ping.reset();
        loop {
            let late = tokio::time::Instant::from_std(if self.hello { heard + SILENCE } else { since + HELLO });
            let said = tokio::select! {
                message = socket.recv() => message,
                out = outbox.recv() => match out {
                    Some(Out::Tell(message)) if tell(&mut socket, &message).await => continue,
                    Some(Out::Close(code, why)) => { close(&mut socket, code, why).await; return None }
                    Some(Out::Tell(_)) | None => return None,
                },
                _ = ping.tick() => { if tell(&mut socket, &json!({ "type": "ping" })).await { continue } else { return None } }
                () = tokio::time::sleep_until(late) => {
                    close(&mut socket, 1008, if self.hello { "Nothing was heard for too long." } else { "No hello came." }).await;
                    return None;
                }
            };
            let text = match said {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {
                    heard = Instant::now();
                    continue;
                }
                Some(Ok(Message::Binary(_))) => {
                    close(&mut socket, 1003, "Messages are text.").await;
                    return None;
                }
                Some(Ok(Message::Close(_))) | None => return None,
                Some(Err(error)) => {
                    let long = error.to_string().contains("too long") || error.to_string().contains("too big");
                    close(&mut socket, if long { 1009 } else { 1002 }, "This message is too long or broken.").await;
                    return long.then(|| {
                        format!("{} sent a message over {MAX_MESSAGE} bytes and was disconnected; let the tool answer less.", self.origin)
                    });
                }
            };
            heard = Instant::now();
            let message: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
            let answers = match self.take(message) {
                Some(answers) => answers,
                None => {
                    self.nonsense += 1;
                    if self.nonsense >= MAX_NONSENSE {
                        close(&mut socket, 1008, "Too many messages are not as webmcp.v1 has them.").await;
                        return Some(format!("a page of {} was disconnected: it does not speak webmcp.v1.", self.origin));
                    }
                    Vec::new()
                }
            };
            for answer in answers {
                if !tell(&mut socket, &answer).await {
                    return None;
                }
                if answer.get("type").is_some_and(|kind| kind == "pairing/accepted") {
                    close(&mut socket, 1012, "Paired: connect again.").await;
                    return None;
                }
            }
        }
    }

    /// A message of the page, and what is answered; nothing where it makes no sense.
    fn take(&mut self, mut message: Value) -> Option<Vec<Value>> {
        let relay = &self.entered.relay;
        let known = offers(self.grant);
        match message.get("type")?.as_str()? {
            "hello" => {
                if message.get("version").is_some_and(|version| version != 1) {
                    return Some(vec![
                        json!({ "type": "hello/rejected", "reason": "version", "message": "This relay speaks version 1 of webmcp.v1." }),
                    ]);
                }
                self.hello = true;
                if self.grant == Some(Grant::Deny) {
                    let message = format!(
                        "The person does not let {} offer tools; 'toolmark grants set {} read' would allow it.",
                        self.origin, self.origin
                    );
                    return Some(vec![json!({ "type": "hello/rejected", "reason": "denied", "message": message })]);
                }
                let fresh =
                    Page::new("", &self.origin, &self.address(&message), message.get("title").and_then(Value::as_str).unwrap_or(""));
                if known {
                    relay.update(self.entered.id, |page| (page.url, page.title) = (fresh.url, fresh.title));
                }
                let mut answers = vec![json!({ "type": "hello/accepted" })];
                if !known {
                    answers.push(relay.ask(&self.origin));
                }
                Some(answers)
            }
            // A page without a grant offers nothing: it connects again when it has one.
            "tools/list" | "tools/changed" if self.hello && !known => Some(Vec::new()),
            "tools/list" | "tools/changed" if self.hello => {
                // Resources and prompts are our own tag's: other pages have none.
                let list = |name: &str| message.get(name).and_then(Value::as_array);
                let (tools, none) = (list("tools")?, Vec::new());
                let (resources, prompts) = (list("resources").unwrap_or(&none), list("prompts").unwrap_or(&none));
                for note in relay.update(self.entered.id, |page| page.offer(tools, resources, prompts)) {
                    self.noted += 1;
                    if self.noted > MAX_NOTES {
                        break;
                    }
                    eprintln!("toolmark: of a page of {}, {note}", self.origin);
                }
                Some(Vec::new())
            }
            "resource/updated" if self.hello && known => {
                relay.updated(self.entered.id, message.get("name")?.as_str()?);
                Some(Vec::new())
            }
            "result" if self.hello => {
                let result = message.get_mut("result").map(Value::take).unwrap_or(Value::Null);
                relay.answered(self.entered.id, message.get("callId")?.as_str()?, result);
                Some(Vec::new())
            }
            "pairing/code" if self.hello && self.grant.is_none() => {
                let (answer, _) = relay.typed(&self.origin, message.get("code")?.as_str()?);
                Some(vec![answer])
            }
            "pairing/no" if self.hello && self.grant.is_none() => {
                relay.unasked(&self.origin);
                Some(Vec::new())
            }
            "pong" => Some(Vec::new()),
            _ => None,
        }
    }

    /// The page's address, if it is one of its real origin. What it says of its origin counts for nothing.
    fn address(&self, hello: &Value) -> String {
        let said = hello.get("url").and_then(Value::as_str).unwrap_or("");
        let own = url::Url::parse(said).is_ok_and(|url| url.origin().ascii_serialization() == self.origin);
        if own { said.to_owned() } else { format!("{}/", self.origin) }
    }
}

/// Sends a message; whether it was taken.
async fn tell(socket: &mut WebSocket, message: &Value) -> bool {
    matches!(tokio::time::timeout(TAKE, socket.send(Message::Text(message.to_string().into()))).await, Ok(Ok(())))
}

async fn close(socket: &mut WebSocket, code: u16, why: &'static str) {
    let frame = CloseFrame { code, reason: why.into() };
    let _ = tokio::time::timeout(TAKE, socket.send(Message::Close(Some(frame)))).await;
}
