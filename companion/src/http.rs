//! The loopback HTTP server: who may come in.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::home;

/// Connections at once; more wait to be accepted.
const MAX_CONNECTIONS: usize = 512;
/// The head of a request comes within this time, also the next one of a kept connection.
const HEAD: Duration = Duration::from_secs(20);
/// So does the rest of it, from there: clients are on this machine.
const BODY: Duration = Duration::from_secs(20);

/// Whom the server lets in.
#[derive(Clone)]
pub struct Guard {
    /// What callers show.
    pub token: String,
    /// Where the server listens.
    pub port: u16,
}

/// An error that an agent can repair from.
pub fn problem(status: StatusCode, code: &str, message: &str, detail: &str) -> Response {
    let body = json!({ "code": code, "message": message, "detail": detail });
    json_response(status, &body)
}

/// JSON with a status.
pub fn json_response(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], Body::from(body.to_string())).into_response()
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

impl Guard {
    /// The name under which the request came is this machine's: else a page's own name was made to lead here.
    pub fn knows_host(&self, headers: &HeaderMap) -> bool {
        let host = text(headers, header::HOST).unwrap_or("");
        ["127.0.0.1", "localhost", "[::1]"].iter().any(|known| host == format!("{known}:{}", self.port))
    }

    /// The request carries the token.
    pub fn has_token(&self, headers: &HeaderMap) -> bool {
        let shown = text(headers, header::AUTHORIZATION).and_then(|value| value.split_once(' '));
        shown.is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer") && home::same(token.trim(), &self.token))
    }
}

async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if !guard.knows_host(headers) {
        return problem(
            StatusCode::FORBIDDEN,
            "not_allowed",
            "The Host header names another machine.",
            "Use http://127.0.0.1 and the port.",
        );
    }
    // Only browsers send one, and no web page has business here.
    if headers.contains_key(header::ORIGIN) {
        return problem(StatusCode::FORBIDDEN, "not_allowed", "Requests of web pages are refused.", "Use a client that is no web page.");
    }
    if !guard.has_token(headers) {
        let mut response = problem(
            StatusCode::UNAUTHORIZED,
            "not_allowed",
            "The bearer token is missing or wrong.",
            "Send 'Authorization: Bearer' with the content of the file 'token' in the folder that 'toolmark status' names.",
        );
        response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        return response;
    }
    next.run(request).await
}

async fn receive(State(limit): State<usize>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    match tokio::time::timeout(BODY, axum::body::to_bytes(body, limit)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, Body::from(body))).await,
        Ok(Err(_)) => problem(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            &format!("The request is broken, or longer than {limit} bytes."),
            "Send less.",
        ),
        Err(_) => problem(
            StatusCode::REQUEST_TIMEOUT,
            "timeout",
            &format!("The request did not arrive within {} s.", BODY.as_secs()),
            "Send it whole, at once.",
        ),
    }
}

/// Requests reach these routes whole, of at most so many bytes, or not at all.
pub fn whole(routes: Router, limit: usize) -> Router {
    routes.layer(middleware::from_fn_with_state(limit, receive))
}

/// Puts the guard before every route.
pub fn guarded(routes: Router, guard: Guard) -> Router {
    routes.layer(middleware::from_fn_with_state(guard, check))
}

/// Listens on this machine only.
pub async fn listen(port: u16) -> Result<TcpListener, String> {
    TcpListener::bind(("127.0.0.1", port))
        .await
        .map_err(|error| format!("Port {port} cannot be used: {error}. Pass another one with --port."))
}

/// Serves for ever. A client that is slow or half gone costs a connection for a while, and nothing else.
pub async fn serve(listener: TcpListener, routes: Router) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = room.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // No file handles left, say: they come back.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let service = TowerToHyperService::new(routes.clone());
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let mut server = hyper::server::conn::http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(HEAD);
            // Whatever went wrong with it, it is over.
            let _ = server.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
            drop(place);
        });
    }
}
