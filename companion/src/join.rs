//! A second start joins the first: its client is served by the program that has the port already.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::home;
use crate::http::{Guard, problem};
use crate::mcp::{self, Provider};

/// What both ends call it.
const NAME: &str = "toolmark-mcp";
/// Whoever joins shows a number that was never used, and what the token makes of it: the port may be somebody else's, and
/// the token is not for them. The answer shows the same for the way back.
const NUMBER: &str = "toolmark-number";
const PROOF: &str = "toolmark-proof";
/// The running program answers within this time.
const PATIENCE: Duration = Duration::from_secs(3);
/// Bytes of its answer's head.
const MAX_HEAD: usize = 4_000;

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

/// Carries standard input and output over to the program that has the port. Whether it was the client that ended it.
pub async fn carry(stream: TcpStream) -> bool {
    let (mut from, mut to) = stream.into_split();
    let up = async {
        let _ = tokio::io::copy(&mut tokio::io::stdin(), &mut to).await;
        let _ = to.shutdown().await;
    };
    let down = async {
        let mut out = tokio::io::stdout();
        let mut buffer = vec![0u8; 16_000];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            let Some(part) = buffer.get(..count) else { return };
            if out.write_all(part).await.is_err() || out.flush().await.is_err() {
                return;
            }
        }
    };
    tokio::pin!(down);
    tokio::select! {
        () = up => {
            // What is still being answered is waited for.
            let _ = tokio::time::timeout(PATIENCE, down).await;
            true
        }
        () = &mut down => false,
    }
}
