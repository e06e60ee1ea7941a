//! A second start joins the first: its client is served by the program that has the port already.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::home::{self, NUMBER, PATIENCE, PROOF};
use crate::http::{Guard, problem};
use crate::mcp::{self, Input, Output, Provider};

/// What both ends call it.
const NAME: &str = "toolmark-mcp";
/// Bytes of its answer's head.
const MAX_HEAD: usize = 4_000;
/// Bytes of a message of a client. Longer ones are left out, as `rmcp` does where nobody stands between.
const MAX_MESSAGE: usize = 16 * 1024 * 1024;
/// Bytes of a message of the running program, which caps each part of a result.
const MAX_ANSWER: usize = 256 * 1024 * 1024;

/// Where others join.
#[derive(Clone)]
pub struct Door {
    /// Who may come in.
    pub guard: Guard,
    /// What they are offered.
    pub provider: Arc<dyn Provider>,
    /// How many clients there are; the program stays as long as there is one.
    pub clients: watch::Sender<usize>,
}

/// A client that is counted.
pub struct Counted(watch::Sender<usize>);

impl Counted {
    /// One more.
    pub fn new(clients: &watch::Sender<usize>) -> Counted {
        clients.send_modify(|count| *count += 1);
        Counted(clients.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

fn asking(token: &str, port: u16, number: &str) -> String {
    home::proof(token, &format!("join {port} {number}"))
}

fn welcoming(token: &str, port: u16, number: &str) -> String {
    home::proof(token, &format!("welcome {port} {number}"))
}

/// The running program's end.
pub async fn welcome(State(door): State<Door>, mut request: Request) -> Response {
    let shown = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or("").to_owned();
    let (token, port, number) = (&door.guard.token, door.guard.port, shown(NUMBER));
    let proven = !number.is_empty() && home::same(&shown(PROOF), &asking(token, port, &number));
    if shown("upgrade") != NAME || !proven || !door.guard.knows_host(request.headers()) || request.headers().contains_key(header::ORIGIN) {
        return problem(
            StatusCode::FORBIDDEN,
            "not_allowed",
            "Other starts of toolmark join here, and nobody else.",
            "Use /mcp, /manifest or /invoke.",
        );
    }
    let Ok(proof) = HeaderValue::from_str(&welcoming(token, port, &number)) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let upgrade = hyper::upgrade::on(&mut request);
    let counted = Counted::new(&door.clients);
    tokio::spawn(async move {
        let _counted = counted;
        if let Ok(stream) = upgrade.await {
            let _ = mcp::serve_over(door.provider, tokio::io::split(TokioIo::new(stream))).await;
        }
    });
    let headers = [
        (header::CONNECTION, HeaderValue::from_static("upgrade")),
        (header::UPGRADE, HeaderValue::from_static(NAME)),
        (header::HeaderName::from_static(PROOF), proof),
    ];
    (StatusCode::SWITCHING_PROTOCOLS, headers, Body::empty()).into_response()
}

/// The second start's end: a connection to the program that has the port, if it is one of ours.
pub async fn join(port: u16, token: &str) -> Result<TcpStream, String> {
    let other = || format!("Port {port} is used by another program. Pass another one with --port.");
    let number = home::random(16)?;
    let asked = async {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
        // One small message after the other: waiting for more to send costs a call some 40 ms.
        let _ = stream.set_nodelay(true);
        let head = format!(
            "GET /join HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: upgrade\r\nUpgrade: {NAME}\r\n{NUMBER}: {number}\r\n{PROOF}: {}\r\n\r\n",
            asking(token, port, &number)
        );
        stream.write_all(head.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        // Byte by byte: what comes after the head is the client's.
        while !answer.ends_with(b"\r\n\r\n") && answer.len() < MAX_HEAD {
            answer.push(stream.read_u8().await.ok()?);
        }
        let answer = String::from_utf8_lossy(&answer).to_ascii_lowercase();
        let proven = answer.contains(&format!("{PROOF}: {}\r\n", welcoming(token, port, &number)));
        (answer.starts_with("http/1.1 101 ") && proven).then_some(stream)
    };
    tokio::time::timeout(PATIENCE, asked).await.ok().flatten().ok_or_else(other)
}

/// Messages, one a line. What is no UTF-8 is for whoever reads them to say.
struct Messages<R> {
    from: BufReader<R>,
    most: usize,
    line: Vec<u8>,
    /// This one is too long: what is left of it is passed over.
    long: bool,
}

impl<R: AsyncRead + Unpin> Messages<R> {
    fn new(from: R, most: usize) -> Messages<R> {
        Messages { from: BufReader::new(from), most, line: Vec::new(), long: false }
    }

    /// The next message; nothing at the end. May be dropped and asked again.
    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let read = self.from.fill_buf().await.unwrap_or(&[]);
            let over = read.is_empty();
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = end.and_then(|end| read.get(..end)).unwrap_or(read);
            self.long |= self.line.len() + part.len() > self.most;
            if self.long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.from.consume(used);
            if (end.is_some() || over) && !std::mem::take(&mut self.long) && !self.line.is_empty() {
                return Some(std::mem::take(&mut self.line));
            }
            if over {
                return None;
            }
        }
    }
}

/// A client on standard input and output, served by another program, or in its place by this one.
pub struct Client {
    messages: Messages<Input>,
    out: Output,
    /// What it said first, for whoever serves it next.
    hello: Option<Vec<u8>>,
    initialized: Option<Vec<u8>>,
    /// Its requests that are not answered.
    asked: HashMap<String, Value>,
}

/// What a message is, and whose answer.
#[derive(Default, Deserialize)]
struct Parts {
    id: Option<Value>,
    method: Option<String>,
}

fn parts(message: &[u8]) -> Parts {
    serde_json::from_slice(message).unwrap_or_default()
}

impl Client {
    /// Nothing was said yet.
    pub fn new() -> Client {
        let (input, out) = mcp::stdio();
        Client { messages: Messages::new(input, MAX_MESSAGE), out, hello: None, initialized: None, asked: HashMap::new() }
    }

    /// Carries messages between the client and whoever serves it, until one of them ends; whether it was the client.
    pub async fn talk<S: AsyncRead + AsyncWrite>(&mut self, stream: S) -> bool {
        let (from, mut to) = tokio::io::split(stream);
        let mut from = Messages::new(from, MAX_ANSWER);
        if !self.go_on(&mut from, &mut to).await {
            return false;
        }
        loop {
            tokio::select! {
                line = self.messages.next() => {
                    let Some(line) = line else { break };
                    match parts(&line) {
                        Parts { method: Some(method), .. } if method == "notifications/initialized" => self.initialized = Some(line.clone()),
                        Parts { id: Some(id), method: Some(method) } => {
                            if method == "initialize" {
                                self.hello = Some(line.clone());
                            }
                            self.asked.insert(id.to_string(), id);
                        }
                        _ => {}
                    }
                    if !write(&mut to, &line).await {
                        return false;
                    }
                }
                line = from.next() => {
                    let Some(line) = line else { return false };
                    if let Parts { id: Some(id), method: None } = parts(&line) {
                        self.asked.remove(&id.to_string());
                    }
                    if !write(&mut self.out, &line).await {
                        return true;
                    }
                }
            }
        }
        // What is still being answered is waited for.
        let _ = to.shutdown().await;
        let rest = async {
            while let Some(line) = from.next().await {
                if !write(&mut self.out, &line).await {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(PATIENCE, rest).await;
        true
    }

    /// Takes up where another one ended: the client said hello once, and waits for answers that do not come.
    async fn go_on<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(&mut self, from: &mut Messages<R>, to: &mut W) -> bool {
        let Some(hello) = self.hello.clone() else { return true };
        if !write(to, &hello).await {
            return false;
        }
        if parts(&hello).id.is_some_and(|id| self.asked.contains_key(&id.to_string())) {
            // Its hello was not answered yet.
            return true;
        }
        let answered = tokio::time::timeout(PATIENCE, from.next()).await;
        if !matches!(answered, Ok(Some(_))) {
            return false;
        }
        if let Some(initialized) = &self.initialized
            && !write(to, initialized).await
        {
            return false;
        }
        for (_, id) in self.asked.drain() {
            let message = "The relay that worked on this has ended; whether it had an effect is not known. Call again.";
            let failed = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32_000, "message": message } });
            if !write(&mut self.out, failed.to_string().as_bytes()).await {
                return false;
            }
        }
        for list in ["tools", "resources", "prompts"] {
            let changed = json!({ "jsonrpc": "2.0", "method": format!("notifications/{list}/list_changed") });
            if !write(&mut self.out, changed.to_string().as_bytes()).await {
                return false;
            }
        }
        true
    }
}

/// Writes a message; whether it could.
async fn write<W: AsyncWrite + Unpin>(to: &mut W, line: &[u8]) -> bool {
    to.write_all(line).await.is_ok() && to.write_all(b"\n").await.is_ok() && to.flush().await.is_ok()
}
