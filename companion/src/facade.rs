//! The same tools for scripts, over plain HTTP: `GET /manifest`, `POST /invoke`.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};

use crate::audit::{Audit, Entry};
use crate::home;
use crate::http::{json_response, problem};
use crate::mcp::{Caller, MAX_REQUEST, Provider};

/// Characters of a session's and a request's id.
const MAX_ID: usize = 200;
/// Sessions whose order is kept; those that are not used longest are forgotten.
const MAX_SESSIONS: usize = 1_000;
/// First results that are kept for repeated requests, and their bytes.
const MAX_RESULTS: usize = 10_000;
const MAX_RESULT_BYTES: usize = 8_000_000;
/// Refusals before a page was asked: the same request may be made again.
const HARMLESS: [&str; 6] = ["ambiguous", "busy", "invalid_parameter", "missing_parameter", "not_allowed", "not_found"];

/// What was answered, with its status.
#[derive(Clone)]
struct Reply {
    status: StatusCode,
    body: Value,
}

/// First results, the oldest first.
#[derive(Default)]
struct Results {
    known: HashMap<(String, String), (String, Reply, usize)>,
    order: VecDeque<(String, String)>,
    bytes: usize,
}

impl Results {
    /// The first result of a request, and what was asked.
    fn get(&self, key: &(String, String)) -> Option<(String, Reply)> {
        self.known.get(key).map(|(asked, reply, _)| (asked.clone(), reply.clone()))
    }

    fn put(&mut self, key: (String, String), asked: String, reply: Reply) {
        let size = reply.body.to_string().len();
        let (reply, size) = if size > MAX_RESULT_BYTES / 8 {
            let body = json!({ "request_id": key.1, "code": "too_large", "message": "This request was answered already, with more than is kept.", "detail": "Ask again under another request_id, if that does no harm." });
            (Reply { status: StatusCode::CONFLICT, body }, 0)
        } else {
            (reply, size)
        };
        let size = size + asked.len() + key.0.len() + key.1.len();
        self.bytes += size;
        self.order.push_back(key.clone());
        self.known.insert(key, (asked, reply, size));
        while self.order.len() > MAX_RESULTS || self.bytes > MAX_RESULT_BYTES {
            let Some(oldest) = self.order.pop_front() else { return };
            if let Some((_, _, size)) = self.known.remove(&oldest) {
                self.bytes -= size;
            }
        }
    }
}

/// A session's turn, and when it was last used.
type Turn = (Arc<tokio::sync::Mutex<()>>, Instant);

/// The facade over a provider.
pub struct Facade {
    provider: Arc<dyn Provider>,
    audit: Option<Arc<Audit>>,
    turns: Mutex<HashMap<String, Turn>>,
    results: Mutex<Results>,
}

/// Its routes. Requests reach them whole (`http::whole`), and the guard stands before them.
pub fn routes(provider: Arc<dyn Provider>, audit: Option<Arc<Audit>>) -> Router {
    let facade = Arc::new(Facade { provider, audit, turns: Mutex::default(), results: Mutex::default() });
    Router::new().route("/manifest", get(manifest)).route("/invoke", post(invoke)).with_state(facade)
}

/// What a call needs from the person, and what it can do.
fn risk(definition: &Value) -> (&'static str, &'static str) {
    let hint = |name: &str| definition.get("annotations").and_then(|hints| hints.get(name)) == Some(&Value::Bool(true));
    match () {
        () if hint("readOnlyHint") => ("read", "low"),
        () if hint("consequentialHint") || hint("destructiveHint") => ("act", "high"),
        () => ("act", "medium"),
    }
}

async fn manifest(State(facade): State<Arc<Facade>>) -> Response {
    let tools: Vec<Value> = facade.provider.tools().await.into_iter().map(described).collect();
    json_response(
        StatusCode::OK,
        &json!({ "protocol": "toolmark-http", "version": 1, "server_name": "toolmark", "invoke": "/invoke", "tools": tools }),
    )
}

fn described(mut definition: Value) -> Value {
    let (permission, danger) = risk(&definition);
    let mut part = |name: &str| definition.get_mut(name).map(Value::take).filter(|value| !value.is_null());
    let parameters = part("inputSchema").unwrap_or_else(|| json!({ "type": "object" }));
    let mut tool = json!({ "name": part("name"), "description": part("description"), "parameters": parameters, "permission": permission, "danger": danger });
    if let (Some(result), Some(fields)) = (part("outputSchema"), tool.as_object_mut()) {
        fields.insert("result".into(), result);
    }
    tool
}

/// A request as it has to be.
struct Asked {
    session: String,
    request: String,
    tool: String,
    input: Value,
}

/// The request, or what is wrong with it.
fn asked(body: &[u8]) -> Result<Asked, (&'static str, String)> {
    let mut body: Value = serde_json::from_slice(body).map_err(|error| ("invalid_parameter", format!("The body is no JSON: {error}.")))?;
    let text = |name: &'static str| match body.get(name) {
        Some(Value::String(text)) if !text.is_empty() && text.chars().count() <= MAX_ID => Ok(Some(text.clone())),
        None | Some(Value::Null) => Ok(None),
        Some(_) => Err(("invalid_parameter", format!("'{name}' must be text of 1 to {MAX_ID} characters."))),
    };
    let need = |name: &'static str, value: Option<String>| value.ok_or_else(|| ("missing_parameter", format!("'{name}' is required.")));
    let session = need("session_id", text("session_id")?)?;
    let tool = need("tool", text("tool")?)?;
    let request = match text("request_id")? {
        Some(request) => request,
        None => home::random(8).map_err(|problem| ("internal", problem))?,
    };
    let input = match body.get_mut("parameters").map(Value::take) {
        None | Some(Value::Null) => json!({}),
        Some(input @ Value::Object(_)) => input,
        Some(_) => return Err(("invalid_parameter", "'parameters' must be an object.".to_owned())),
    };
    Ok(Asked { session, request, tool, input })
}

async fn invoke(State(facade): State<Arc<Facade>>, request: Request) -> Response {
    const SHAPE: &str = "Send {\"session_id\": \"…\", \"tool\": \"…\", \"parameters\": {…}, \"request_id\": \"…\"}.";
    // It is there already.
    let Ok(body) = axum::body::to_bytes(request.into_body(), MAX_REQUEST).await else {
        return problem(StatusCode::BAD_REQUEST, "invalid_parameter", "The body is broken.", SHAPE);
    };
    let asked = match asked(&body) {
        Ok(asked) => asked,
        Err((code, message)) => return problem(status(code), code, &message, SHAPE),
    };
    // Goes on when the caller goes away: who asks again gets what it came to.
    let done = tokio::spawn(async move { facade.answer(asked).await }).await;
    done.map_or_else(
        |_| problem(StatusCode::INTERNAL_SERVER_ERROR, "internal", "This call failed inside.", "Try other input."),
        |reply| json_response(reply.status, &reply.body),
    )
}

/// Why a call failed.
pub struct Refusal {
    /// What kind of failure.
    pub code: String,
    message: String,
    detail: String,
}

/// Why an MCP result is none, if it is none.
pub fn refusal(result: &Value) -> Option<Refusal> {
    if result.get("isError") != Some(&Value::Bool(true)) {
        return None;
    }
    let text = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or("");
    let told: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let part = |name: &str| told.get("error").and_then(|error| error.get(name)).and_then(Value::as_str).map(str::to_owned);
    // Tools of others say in plain words what went wrong.
    Some(Refusal {
        code: part("code").unwrap_or_else(|| "tool_failed".to_owned()),
        message: part("message").unwrap_or_else(|| text.to_owned()),
        detail: part("hint").unwrap_or_default(),
    })
}

/// What a result says: its structure, else its only text, as JSON if it is that, else its parts.
fn plain(mut result: Value) -> Value {
    if let Some(structured) = result.get_mut("structuredContent").filter(|structured| !structured.is_null()) {
        return structured.take();
    }
    match result.get_mut("content").map(Value::take) {
        Some(Value::Array(parts)) => match parts.as_slice() {
            [part] if part.get("type").is_some_and(|kind| kind == "text") => {
                let text = part.get("text").and_then(Value::as_str).unwrap_or("");
                serde_json::from_str(text).unwrap_or_else(|_| text.into())
            }
            _ => Value::Array(parts),
        },
        _ => Value::Null,
    }
}

/// The HTTP status of a code.
fn status(code: &str) -> StatusCode {
    match code {
        "missing_parameter" | "invalid_parameter" => StatusCode::BAD_REQUEST,
        "not_found" => StatusCode::NOT_FOUND,
        "not_allowed" | "destination_refused" | "confirmation_declined" => StatusCode::FORBIDDEN,
        "gone" => StatusCode::GONE,
        "too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "timeout" => StatusCode::GATEWAY_TIMEOUT,
        "busy" => StatusCode::TOO_MANY_REQUESTS,
        "http_error" | "tool_failed" => StatusCode::BAD_GATEWAY,
        "cancelled" | "ambiguous" => StatusCode::CONFLICT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl Facade {
    /// The turn of a session: its calls are made one after the other, in the order they came.
    fn turn(&self, session: &str) -> Arc<tokio::sync::Mutex<()>> {
        let Ok(mut turns) = self.turns.lock() else { return Arc::default() };
        if !turns.contains_key(session) && turns.len() >= MAX_SESSIONS {
            // One that has calls is held by them.
            let idle = turns.iter().filter(|(_, (turn, _))| Arc::strong_count(turn) == 1);
            if let Some(oldest) = idle.min_by_key(|(_, (_, used))| *used).map(|(name, _)| name.clone()) {
                turns.remove(&oldest);
            }
        }
        let (turn, used) = turns.entry(session.to_owned()).or_insert_with(|| (Arc::default(), Instant::now()));
        *used = Instant::now();
        turn.clone()
    }

    async fn answer(&self, asked: Asked) -> Reply {
        let turn = self.turn(&asked.session);
        let _turn = turn.lock().await;
        let key = (asked.session.clone(), asked.request.clone());
        let what = home::proof(&asked.tool, &asked.input.to_string());
        if let Some((before, reply)) = self.results.lock().ok().and_then(|results| results.get(&key)) {
            if before == what {
                return reply;
            }
            let body = json!({ "request_id": asked.request, "code": "invalid_parameter", "tool": asked.tool, "message": "This request_id was used for another call.", "detail": "Give each call an id of its own; repeat one only to get its first result." });
            return Reply { status: StatusCode::CONFLICT, body };
        }
        let since = Instant::now();
        let result = self.provider.call(&asked.tool, asked.input.clone(), &Caller::default()).await.into_result();
        let refusal = refusal(&result);
        let code = refusal.as_ref().map_or_else(|| "ok".to_owned(), |refusal| refusal.code.clone());
        let elapsed = (since.elapsed().as_secs_f64() * 10_000.0).round() / 10.0;
        if let Some(audit) = &self.audit {
            audit.write(&Entry {
                via: "http",
                request: Some((&asked.session, &asked.request)),
                tool: &asked.tool,
                input: &asked.input,
                code: &code,
                since,
            });
        }
        let reply = match refusal {
            None => Reply {
                status: StatusCode::OK,
                body: json!({ "request_id": asked.request, "code": code, "tool": asked.tool, "result": plain(result), "elapsed_ms": elapsed }),
            },
            Some(Refusal { message, detail, .. }) => Reply {
                status: status(&code),
                body: json!({ "request_id": asked.request, "code": code, "message": message, "detail": detail, "tool": asked.tool, "elapsed_ms": elapsed }),
            },
        };
        if let (false, Ok(mut results)) = (HARMLESS.contains(&code.as_str()), self.results.lock()) {
            results.put(key, what, reply.clone());
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(length: usize) -> Reply {
        Reply { status: StatusCode::OK, body: "x".repeat(length).into() }
    }

    #[test]
    fn first_results_take_bounded_memory() {
        let mut results = Results::default();
        for n in 0..30_000 {
            results.put(("s".to_owned(), n.to_string()), "what".to_owned(), reply(1_000));
            assert!(results.bytes <= MAX_RESULT_BYTES && results.known.len() == results.order.len());
        }
        assert!(results.get(&("s".to_owned(), "0".to_owned())).is_none());
        assert!(results.get(&("s".to_owned(), "29999".to_owned())).is_some());
        results.put(("s".to_owned(), "big".to_owned()), "what".to_owned(), reply(5_000_000));
        let (_, kept) = results.get(&("s".to_owned(), "big".to_owned())).unwrap_or_else(|| (String::new(), reply(0)));
        assert_eq!(kept.body.get("code"), Some(&"too_large".into()));
    }

    #[test]
    fn a_request_says_what_is_wrong_with_it() {
        let code = |body: &str| asked(body.as_bytes()).map_or_else(|(code, _)| code, |_| "ok");
        assert_eq!(code("{"), "invalid_parameter");
        assert_eq!(code("[]"), "missing_parameter");
        assert_eq!(code(r#"{"session_id":"s"}"#), "missing_parameter");
        assert_eq!(code(r#"{"session_id":7,"tool":"t"}"#), "invalid_parameter");
        assert_eq!(code(r#"{"session_id":"s","tool":"t","parameters":[]}"#), "invalid_parameter");
        assert_eq!(code(r#"{"session_id":"s","tool":"t"}"#), "ok");
    }

    #[test]
    fn what_a_tool_can_do_is_told_from_its_hints() {
        assert_eq!(risk(&json!({ "annotations": { "readOnlyHint": true } })), ("read", "low"));
        assert_eq!(risk(&json!({ "annotations": { "consequentialHint": true } })), ("act", "high"));
        assert_eq!(risk(&json!({})), ("act", "medium"));
    }
}
