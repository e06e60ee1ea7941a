//! The Chrome DevTools Protocol over one WebSocket: commands with their replies, events in their order.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

/// Bytes of one message. A tool may answer with megabytes; a longer message ends the connection, which is made anew.
const MAX_MESSAGE: usize = 64_000_000;
/// Bytes that are read at once: messages are small as a rule, and larger ones take as much as they need.
const READ_BUFFER: usize = 16_384;
/// Bytes of what the browser says about itself.
const MAX_HELLO: usize = 100_000;
/// The browser is on this machine: it answers at once or not at all.
const OPEN_TIME: Duration = Duration::from_secs(5);
/// Commands that wait for their reply. A page that hangs answers none.
const MAX_WAITING: usize = 4_000;

/// Where a browser listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    address: SocketAddr,
    /// `/devtools/browser/…`; without it the browser is asked.
    path: Option<String>,
}

impl Endpoint {
    /// The debugging port of a browser on this machine.
    pub fn port(port: u16) -> Endpoint {
        Endpoint { address: SocketAddr::new(IpAddr::from([127, 0, 0, 1]), port), path: None }
    }

    /// A port and the browser's own address there.
    pub fn at(port: u16, path: &str) -> Endpoint {
        Endpoint { path: Some(path.to_owned()), ..Endpoint::port(port) }
    }

    /// `http://127.0.0.1:9222` or `ws://127.0.0.1:9222/devtools/browser/…`, on this machine only: who holds the other end
    /// of this protocol holds every page of the browser.
    pub fn parse(text: &str) -> Result<Endpoint, String> {
        let url = url::Url::parse(text).map_err(|error| format!("--endpoint '{text}' is no address: {error}."))?;
        if !matches!(url.scheme(), "http" | "ws") {
            return Err(format!("--endpoint '{text}' has the scheme '{}'; http and ws are known.", url.scheme()));
        }
        let ip = match url.host() {
            Some(url::Host::Ipv4(ip)) => IpAddr::V4(ip),
            Some(url::Host::Ipv6(ip)) => IpAddr::V6(ip),
            // Never looked up: a name could lead anywhere.
            Some(url::Host::Domain("localhost")) => IpAddr::from([127, 0, 0, 1]),
            _ => return Err(format!("--endpoint '{text}' is not on this machine. Use 127.0.0.1 (a tunnel, for a browser elsewhere).")),
        };
        if !ip.is_loopback() {
            return Err(format!("--endpoint '{text}' is not on this machine. Use 127.0.0.1 (a tunnel, for a browser elsewhere)."));
        }
        let port = url.port().unwrap_or(9222);
        let path = (url.scheme() == "ws" && url.path().len() > 1).then(|| url.path().to_owned());
        Ok(Endpoint { address: SocketAddr::new(ip, port), path })
    }

    /// The browser's own address at that port. Only its path counts: the browser cannot send us elsewhere.
    async fn path(&self) -> Result<String, String> {
        if let Some(path) = &self.path {
            return Ok(path.clone());
        }
        let mut stream = TcpStream::connect(self.address).await.map_err(|error| error.to_string())?;
        let request = format!("GET /json/version HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address);
        stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
        let nothing = "what listens there is no browser's debugging port";
        let (mut reply, mut buffer) = (Vec::new(), [0; 4096]);
        // Browsers leave the connection open: it is over when it is whole.
        let said: Value = loop {
            let count = stream.read(&mut buffer).await.map_err(|error| error.to_string())?;
            reply.extend_from_slice(buffer.get(..count).unwrap_or(&[]));
            let text = String::from_utf8_lossy(&reply);
            match text.split_once("\r\n\r\n").map(|(_, body)| serde_json::from_str(body)) {
                Some(Ok(said)) => break said,
                _ if count == 0 || reply.len() > MAX_HELLO => return Err(nothing.to_owned()),
                _ => {}
            }
        };
        let url = said.get("webSocketDebuggerUrl").and_then(Value::as_str).and_then(|url| url::Url::parse(url).ok());
        url.map(|url| url.path().to_owned()).ok_or_else(|| nothing.to_owned())
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.address)
    }
}

/// Why a command has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The connection is gone.
    Lost,
    /// The browser's words.
    Said(String),
}

/// What a command came to.
pub type Reply = Result<Box<RawValue>, Refusal>;
/// Runs with the reply, before any later event is handled.
type Then = Box<dyn FnOnce(&Reply) + Send>;

struct Waiting {
    answer: oneshot::Sender<Reply>,
    then: Option<Then>,
}

#[derive(Default)]
struct Table {
    last: u64,
    /// `None` once the connection is gone.
    waiting: Option<HashMap<u64, Waiting>>,
}

/// The way to the browser. Cheap to clone; it ends with the stream, not with its handles.
#[derive(Clone)]
pub struct Connection {
    out: mpsc::UnboundedSender<String>,
    table: Arc<Mutex<Table>>,
}

/// One message of the browser.
#[derive(Deserialize)]
struct Incoming<'m> {
    id: Option<u64>,
    method: Option<&'m str>,
    #[serde(rename = "sessionId")]
    session: Option<&'m str>,
    #[serde(borrow)]
    params: Option<&'m RawValue>,
    #[serde(borrow)]
    result: Option<&'m RawValue>,
    error: Option<Value>,
}

/// What happened in a session (empty: in the browser itself).
pub type OnEvent = Box<dyn FnMut(&str, &str, &RawValue) + Send>;

/// A connection whose events are not read yet.
pub struct Opened {
    /// For commands.
    pub connection: Connection,
    /// To be awaited; says why the connection ended.
    pub reading: std::pin::Pin<Box<dyn Future<Output = String> + Send>>,
}

/// Connects. Events are handled in the order they come, each before the next.
pub async fn open(endpoint: &Endpoint, mut on_event: OnEvent) -> Result<Opened, String> {
    let config =
        WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE)).max_frame_size(Some(MAX_MESSAGE)).read_buffer_size(READ_BUFFER);
    let opening = async {
        let path = endpoint.path().await?;
        let stream = TcpStream::connect(endpoint.address).await.map_err(|error| error.to_string())?;
        // One small message after the other: waiting for more to send costs each call some 40 ms.
        let _ = stream.set_nodelay(true);
        let request = format!("ws://{}{path}", endpoint.address);
        let (socket, _) =
            tokio_tungstenite::client_async_with_config(request, stream, Some(config)).await.map_err(|error| error.to_string())?;
        Ok::<_, String>(socket)
    };
    let socket = tokio::time::timeout(OPEN_TIME, opening).await.unwrap_or_else(|_| Err("it gives no answer".to_owned()))?;
    let (mut sink, mut stream) = socket.split();
    let (out, mut queue) = mpsc::unbounded_channel::<String>();
    let table = Arc::new(Mutex::new(Table { last: 0, waiting: Some(HashMap::new()) }));
    let connection = Connection { out, table: table.clone() };
    let writing = async move {
        while let Some(text) = queue.recv().await {
            if sink.send(Message::text(text)).await.is_err() {
                return;
            }
        }
    };
    let reading = async move {
        let read = async {
            loop {
                match stream.next().await {
                    Some(Ok(Message::Text(text))) => take(&text, &table, &mut on_event),
                    Some(Ok(Message::Close(_))) | None => return "the browser closed it".to_owned(),
                    Some(Ok(_)) => {}
                    Some(Err(tungstenite::Error::Capacity(_))) => return format!("a message of more than {MAX_MESSAGE} bytes came"),
                    Some(Err(error)) => return error.to_string(),
                }
            }
        };
        let why = tokio::select! {
            why = read => why,
            () = writing => "the browser takes nothing any more".to_owned(),
        };
        // Whoever waits hears of it now.
        let waiting = table.lock().ok().and_then(|mut table| table.waiting.take());
        for one in waiting.into_iter().flat_map(HashMap::into_values) {
            let lost = Err(Refusal::Lost);
            if let Some(then) = one.then {
                then(&lost);
            }
            let _ = one.answer.send(lost);
        }
        why
    };
    Ok(Opened { connection, reading: Box::pin(reading) })
}

/// One message. What is no message of the protocol is left aside.
fn take(text: &str, table: &Mutex<Table>, on_event: &mut OnEvent) {
    let Ok(message) = serde_json::from_str::<Incoming<'_>>(text) else { return };
    let Some(id) = message.id else {
        if let (Some(method), Some(params)) = (message.method, message.params) {
            on_event(message.session.unwrap_or(""), method, params);
        }
        return;
    };
    let waiting = table.lock().ok().and_then(|mut table| table.waiting.as_mut()?.remove(&id));
    let Some(waiting) = waiting else { return };
    let reply = match (message.error, message.result) {
        (None, Some(result)) => Ok(result.to_owned()),
        (error, _) => {
            let said = error.as_ref().and_then(|error| error.get("message")).and_then(Value::as_str).unwrap_or("a reply without a result");
            Err(Refusal::Said(said.to_owned()))
        }
    };
    if let Some(then) = waiting.then {
        then(&reply);
    }
    // Nobody may wait any more.
    let _ = waiting.answer.send(reply);
}

/// A reply on its way. Dropped, it is not waited for.
pub struct Coming {
    id: u64,
    table: Arc<Mutex<Table>>,
    reply: oneshot::Receiver<Reply>,
    keep: bool,
}

impl Coming {
    /// The reply, as JSON.
    pub async fn value(self) -> Result<Value, Refusal> {
        let raw = self.raw().await?;
        serde_json::from_str(raw.get()).map_err(|error| Refusal::Said(error.to_string()))
    }

    /// What was to run with the reply does not, once this is dropped.
    pub fn until_dropped(mut self) -> Coming {
        self.keep = false;
        self
    }

    /// The reply.
    pub async fn raw(mut self) -> Reply {
        (&mut self.reply).await.unwrap_or(Err(Refusal::Lost))
    }
}

impl Drop for Coming {
    fn drop(&mut self) {
        if self.keep {
            return;
        }
        if let Ok(mut table) = self.table.lock() {
            table.waiting.as_mut().and_then(|waiting| waiting.remove(&self.id));
        }
    }
}

impl Connection {
    /// Sends a command to a session (empty: to the browser).
    pub fn send(&self, session: &str, method: &str, params: Value) -> Coming {
        self.command(session, method, params, None)
    }

    /// The same; `then` runs with the reply whether it is awaited or not, before any later event is handled.
    pub fn send_then(&self, session: &str, method: &str, params: Value, then: impl FnOnce(&Reply) + Send + 'static) -> Coming {
        self.command(session, method, params, Some(Box::new(then)))
    }

    fn command(&self, session: &str, method: &str, params: Value, then: Option<Then>) -> Coming {
        let (answer, reply) = oneshot::channel();
        let keep = then.is_some();
        let mut id = 0;
        let mut refused = Some((answer, then));
        if let Ok(mut table) = self.table.lock() {
            table.last += 1;
            id = table.last;
            if let Some(waiting) = table.waiting.as_mut().filter(|waiting| waiting.len() < MAX_WAITING)
                && let Some((answer, then)) = refused.take()
            {
                waiting.insert(id, Waiting { answer, then });
            }
        }
        match refused {
            Some((_, then)) => {
                if let Some(then) = then {
                    then(&Err(Refusal::Lost));
                }
            }
            None => {
                let mut message = json!({ "id": id, "method": method, "params": params });
                if let (false, Some(fields)) = (session.is_empty(), message.as_object_mut()) {
                    fields.insert("sessionId".into(), session.into());
                }
                // A connection that is gone has told everybody already.
                let _ = self.out.send(message.to_string());
            }
        }
        Coming { id, table: self.table.clone(), reply, keep }
    }

    /// Sends what needs no reply.
    pub fn tell(&self, session: &str, method: &str, params: Value) {
        drop(self.send_then(session, method, params, |_| {}));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;
    use tokio_tungstenite::WebSocketStream;

    #[test]
    fn only_this_machine() {
        for known in ["http://127.0.0.1:9222", "http://localhost:1", "ws://[::1]:9/devtools/browser/x", "http://127.3.2.1:80/"] {
            assert!(Endpoint::parse(known).is_ok(), "{known}");
        }
        for refused in [
            "http://10.0.0.1:9222",
            "http://example.com:9222",
            "ws://localhost.evil.example/",
            "https://127.0.0.1",
            "9222",
            "http://[::]:9222",
            "http://0.0.0.0:1",
        ] {
            assert!(Endpoint::parse(refused).is_err(), "{refused}");
        }
        assert_eq!(Endpoint::parse("ws://127.0.0.1:7/devtools/browser/x").unwrap(), Endpoint::at(7, "/devtools/browser/x"));
    }

    /// A browser that a test plays: what it was sent comes out, what it says goes in.
    async fn played(events: Arc<Mutex<Vec<String>>>) -> (Opened, WebSocketStream<TcpStream>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = Endpoint::at(listener.local_addr().unwrap().port(), "/devtools/browser/x");
        let accepting = tokio::spawn(async move { tokio_tungstenite::accept_async(listener.accept().await.unwrap().0).await.unwrap() });
        let on_event: OnEvent =
            Box::new(move |session, method, params| events.lock().unwrap().push(format!("{session} {method} {params}")));
        let opened = open(&endpoint, on_event).await.unwrap();
        (opened, accepting.await.unwrap())
    }

    #[tokio::test]
    async fn what_is_malformed_or_answers_nobody_is_left_aside() {
        let events = Arc::new(Mutex::new(Vec::new()));
        let (opened, mut browser) = played(events.clone()).await;
        let reading = tokio::spawn(opened.reading);
        let coming = opened.connection.send("S", "Page.enable", json!({}));
        let sent = browser.next().await.unwrap().unwrap().into_text().unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&sent).unwrap(),
            json!({ "id": 1, "method": "Page.enable", "params": {}, "sessionId": "S" })
        );
        let deep = format!("{{\"method\":\"deep\",\"params\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
        for said in [
            "",
            "no JSON",
            "[1]",
            "{\"id\":99,\"result\":{}}",
            "{\"id\":\"1\",\"result\":{}}",
            "{\"id\":-1}",
            "{\"method\":5}",
            &deep,
            "{\"method\":\"a\",\"params\":{}}",
        ] {
            browser.send(Message::text(said)).await.unwrap();
        }
        browser.send(Message::binary(vec![0xff, 0])).await.unwrap();
        browser.send(Message::text("{\"id\":1,\"result\":{\"ok\":true}}")).await.unwrap();
        assert_eq!(coming.value().await.unwrap(), json!({ "ok": true }));
        // Foreign nesting is not followed before somebody has to.
        assert_eq!(events.lock().unwrap().iter().map(|event| event.get(..5).unwrap().to_owned()).collect::<Vec<_>>(), [" deep", " a {}"]);
        let refused = opened.connection.send("", "Nothing.there", json!({}));
        browser.next().await.unwrap().unwrap();
        browser.send(Message::text("{\"id\":2,\"error\":{\"code\":-32601,\"message\":\"not found\"}}")).await.unwrap();
        assert_eq!(refused.value().await, Err(Refusal::Said("not found".into())));
        drop(browser);
        reading.await.unwrap();
        assert_eq!(opened.connection.send("", "Late", json!({})).value().await, Err(Refusal::Lost));
    }

    #[tokio::test]
    async fn whoever_waits_hears_when_the_browser_goes_away() {
        let (opened, browser) = played(Arc::default()).await;
        let coming = opened.connection.send("", "Never", json!({}));
        drop(browser);
        tokio::join!(async { assert_eq!(coming.value().await, Err(Refusal::Lost)) }, opened.reading);
    }

    #[tokio::test]
    async fn a_message_without_end_ends_the_connection() {
        let (opened, browser) = played(Arc::default()).await;
        // The head of a frame of 2^40 bytes is enough.
        let mut raw = browser.into_inner();
        raw.write_all(&[0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0]).await.unwrap();
        assert!(opened.reading.await.contains("more than"));
    }

    #[tokio::test]
    async fn what_is_no_browser_is_told_as_such() {
        for said in ["", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\n\r\n<html>", "HTTP/1.1 200 OK\r\n\r\n{\"webSocketDebuggerUrl\":5}"] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let endpoint = Endpoint::port(listener.local_addr().unwrap().port());
            tokio::spawn(async move {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut asked = [0; 1024];
                let _ = stream.read(&mut asked).await;
                let _ = stream.write_all(said.as_bytes()).await;
            });
            let Err(problem) = open(&endpoint, Box::new(|_, _, _| {})).await else { panic!("'{said}' was taken for a browser") };
            assert!(problem.contains("what listens there"), "{problem}");
        }
    }
}
