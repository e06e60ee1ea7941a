//! `toolmark grants` asks the relay that runs which origins wait to be paired, and shows it that the person has the code of
//! one: for pages that cannot ask for it. Neither end shows the other the token, nor the code.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::grants::Grant;
use crate::home::{self, NUMBER, PATIENCE, PROOF};
use crate::http::{Guard, json_response, problem};
use crate::relay::Relay;

/// What the token makes of the number and the code.
const CODE: &str = "toolmark-code";
/// Bytes of its answer: some hundred origins.
const MAX_ANSWER: u64 = 100_000;

/// Where the person asks.
#[derive(Clone)]
pub struct Desk {
    /// Who may ask.
    pub guard: Guard,
    /// Who is asked.
    pub relay: Arc<Relay>,
}

fn asking(token: &str, port: u16, number: &str) -> String {
    home::proof(token, &format!("asking {port} {number}"))
}

fn coded(token: &str, port: u16, number: &str, digits: &str) -> String {
    home::proof(token, &format!("code {port} {number} {digits}"))
}

fn told(token: &str, port: u16, number: &str, body: &str) -> String {
    home::proof(token, &format!("told {port} {number} {body}"))
}

/// The relay's end.
pub async fn answer(State(desk): State<Desk>, headers: HeaderMap) -> Response {
    let shown = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    let (token, port, number) = (&desk.guard.token, desk.guard.port, shown(NUMBER));
    let proven = !number.is_empty() && home::same(shown(PROOF), &asking(token, port, number));
    if !proven || !desk.guard.knows_host(&headers) || headers.contains_key(header::ORIGIN) {
        return problem(StatusCode::FORBIDDEN, "not_allowed", "Only 'toolmark grants' asks here.", "Run it as who runs the relay.");
    }
    let code = shown(CODE);
    let known = |digits: &str| home::same(code, &coded(token, port, number, digits));
    let meant = if code.is_empty() { None } else { desk.relay.coded(known) };
    let body = json!({ "asking": desk.relay.asking(), "meant": meant, "grant": desk.relay.paired().word() });
    let mut response = json_response(StatusCode::OK, &body);
    if let Ok(proof) = HeaderValue::from_str(&told(token, port, number, &body.to_string())) {
        response.headers_mut().insert(HeaderName::from_static(PROOF), proof);
    }
    response
}

/// What the relay told.
pub struct Told {
    /// Origins of pages that are connected and may do nothing yet.
    pub asking: Vec<String>,
    /// The origin that has the code.
    pub meant: Option<String>,
    /// What a code grants there.
    pub grant: Grant,
}

/// The person's end: asks the relay at this port; nothing if none of ours is there.
pub async fn ask(port: u16, token: &str, digits: Option<&str>) -> Option<Told> {
    let number = home::random(16).ok()?;
    let code = digits.map(|digits| format!("{CODE}: {}\r\n", coded(token, port, &number, digits))).unwrap_or_default();
    let head = format!(
        "GET /asking HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{NUMBER}: {number}\r\n{PROOF}: {}\r\n{code}\r\n",
        asking(token, port, &number)
    );
    let asked = async {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
        stream.write_all(head.as_bytes()).await.ok()?;
        let mut answer = String::new();
        stream.take(MAX_ANSWER).read_to_string(&mut answer).await.ok()?;
        Some(answer)
    };
    let answer = tokio::time::timeout(PATIENCE, asked).await.ok().flatten()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let proof = format!("{PROOF}: {}", told(token, port, &number, body));
    if !head.lines().any(|line| line.eq_ignore_ascii_case(&proof)) {
        return None;
    }
    let body: Value = serde_json::from_str(body).ok()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Some(Told {
        asking: body.get("asking")?.as_array()?.iter().filter_map(text).collect(),
        meant: body.get("meant").and_then(text),
        grant: body.get("grant").and_then(Value::as_str).and_then(Grant::of)?,
    })
}
