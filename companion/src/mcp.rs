//! MCP: the only module that names `rmcp`. What is behind it is a [`Provider`], which speaks JSON values.

use std::borrow::Cow;
use std::collections::HashSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceUpdatedNotificationParam, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast;

/// Entries of one page of a list; clients ask on.
const PAGE: usize = 500;
/// Resources that one client may watch.
const MAX_WATCHED: usize = 1_000;
/// Bytes of a request over HTTP.
pub const MAX_REQUEST: usize = 4_000_000;

/// A future of a provider.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of resources.
    Resources,
    /// The list of prompts.
    Prompts,
    /// The content of one resource.
    Updated(String),
}

/// What a client is offered. Every value has the shape that MCP gives it.
pub trait Provider: Send + Sync + 'static {
    /// What a client is told at the beginning.
    fn instructions(&self) -> String;
    /// Definitions.
    fn tools(&self) -> Boxed<'_, Vec<Value>>;
    /// What it came to. The future is dropped when nobody waits any more.
    fn call<'a>(&'a self, tool: &'a str, input: Value, caller: &'a Caller) -> Boxed<'a, Answer>;
    /// `{uri, name, title, mimeType}`.
    fn resources(&self) -> Boxed<'_, Vec<Value>> {
        Box::pin(async { Vec::new() })
    }
    /// `{uriTemplate, name, …}`.
    fn templates(&self) -> Vec<Value> {
        Vec::new()
    }
    /// `{contents: […]}`, or why not.
    fn read<'a>(&'a self, uri: &'a str) -> Boxed<'a, Result<Value, String>> {
        Box::pin(async move { Err(format!("There is no resource '{uri}'.")) })
    }
    /// `{name, arguments}`.
    fn prompts(&self) -> Boxed<'_, Vec<Value>> {
        Box::pin(async { Vec::new() })
    }
    /// `{messages: […]}`, or why not.
    fn prompt<'a>(&'a self, name: &'a str, _input: Value) -> Boxed<'a, Result<Value, String>> {
        Box::pin(async move { Err(format!("There is no prompt '{name}'.")) })
    }
    /// Tells what changes from now on.
    fn changes(&self) -> broadcast::Receiver<Change>;
}

/// What a call came to.
pub enum Answer {
    /// A JSON object as text; with an `error` in it the call failed.
    Object(String),
    /// A result as MCP has it.
    Result(Value),
}

impl Answer {
    /// The result as MCP has it.
    pub fn into_result(self) -> Value {
        let text = match self {
            Answer::Object(text) => text,
            Answer::Result(result) => return result,
        };
        let structured: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let failed = structured.get("error").is_some_and(Value::is_object);
        let mut result = json!({ "content": [{ "type": "text", "text": text }], "isError": failed });
        // Clients hold structured content against the schema of answers, errors included.
        if let (true, Some(fields)) = (structured.is_object() && !failed, result.as_object_mut()) {
            fields.insert("structuredContent".into(), structured);
        }
        result
    }
}

impl From<Value> for Answer {
    fn from(answer: Value) -> Answer {
        Answer::Object(answer.to_string())
    }
}

/// The client whose call it is.
#[derive(Clone, Default)]
pub struct Caller {
    peer: Option<Peer<RoleServer>>,
}

impl Caller {
    /// Asks the client's model (MCP sampling).
    pub async fn sample(&self, system: &str, question: &str, max_tokens: u32) -> Result<String, String> {
        let peer = self.peer.as_ref().ok_or("This client cannot be asked.")?;
        let sampling = peer
            .peer_info()
            .is_some_and(|info| serde_json::to_value(&*info).is_ok_and(|info| info.pointer("/capabilities/sampling").is_some()));
        if !sampling {
            return Err("This client lends no model (it has no sampling).".to_owned());
        }
        let parameters = json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": question } }], "systemPrompt": system, "maxTokens": max_tokens });
        #[allow(deprecated)] // The client decides whether it still can.
        let parameters: rmcp::model::CreateMessageRequestParams = serde_json::from_value(parameters).map_err(|error| error.to_string())?;
        #[allow(deprecated)] // The client decides whether it still can.
        let result = peer.create_message(parameters).await.map_err(|error| error.to_string())?;
        let result = serde_json::to_value(&result).map_err(|error| error.to_string())?;
        let text = result.pointer("/content/text").or_else(|| result.pointer("/content/0/text")).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| "The client's model answered with no text.".to_owned())
    }
}

/// One client's session.
#[derive(Clone)]
pub struct Session {
    provider: Arc<dyn Provider>,
    watched: Arc<Mutex<HashSet<String>>>,
}

/// A value of ours as one of the library's types.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(format!("Toolmark made a message that MCP does not know: {error}."), None))
}

/// One page of a list, by a cursor that is the number of the first entry.
fn paged(name: &str, all: Vec<Value>, request: Option<PaginatedRequestParams>) -> Result<Value, ErrorData> {
    let cursor = request.and_then(|request| request.cursor);
    let from: usize = match cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| ErrorData::invalid_params("The cursor is none of ours.", None))?,
    };
    let total = all.len();
    let shown: Vec<Value> = all.into_iter().skip(from).take(PAGE).collect();
    let end = from.saturating_add(shown.len());
    let mut result = json!({ name: shown });
    if let (true, Some(fields)) = (end < total, result.as_object_mut()) {
        fields.insert("nextCursor".into(), end.to_string().into());
    }
    Ok(result)
}

impl Session {
    /// A session with this behind it.
    pub fn new(provider: Arc<dyn Provider>) -> Session {
        Session { provider, watched: Arc::default() }
    }

    fn watches(&self, uri: &str) -> bool {
        self.watched.lock().is_ok_and(|watched| watched.contains(uri))
    }

    /// Tells a client of revisions with `initialize` what changes.
    async fn tell(self, peer: Peer<RoleServer>, mut changes: broadcast::Receiver<Change>) {
        while !peer.is_transport_closed() {
            let change = match changes.recv().await {
                Ok(change) => change,
                // Too many at once: the lists are what matters.
                Err(broadcast::error::RecvError::Lagged(_)) => Change::Tools,
                Err(broadcast::error::RecvError::Closed) => return,
            };
            let told = match change {
                Change::Tools => peer.notify_tool_list_changed().await,
                Change::Resources => peer.notify_resource_list_changed().await,
                Change::Prompts => peer.notify_prompt_list_changed().await,
                Change::Updated(uri) if self.watches(&uri) => {
                    peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
                }
                Change::Updated(_) => Ok(()),
            };
            if told.is_err() {
                return;
            }
        }
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> InitializeResult {
        let info = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {
                "tools": { "listChanged": true },
                "resources": { "listChanged": true, "subscribe": true },
                "prompts": { "listChanged": true },
            },
            "serverInfo": { "name": "toolmark", "title": "Toolmark", "version": env!("CARGO_PKG_VERSION") },
            "instructions": self.provider.instructions(),
        });
        serde_json::from_value(info).unwrap_or_default()
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        tokio::spawn(self.clone().tell(context.peer, self.provider.changes()));
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        typed(paged("tools", self.provider.tools().await, request)?)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let input = request.arguments.map_or_else(|| json!({}), Value::Object);
        let caller = Caller { peer: Some(context.peer) };
        let result = tokio::select! {
            answer = self.provider.call(&request.name, input, &caller) => answer.into_result(),
            // Nobody waits for the answer any more.
            () = context.ct.cancelled() => json!({ "content": [], "isError": true }),
        };
        Ok(typed::<CallToolResult>(result)?.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        typed(paged("resources", self.provider.resources().await, request)?)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        typed(paged("resourceTemplates", self.provider.templates(), request)?)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.provider.read(&request.uri).await {
            Ok(found) => Ok(typed::<ReadResourceResult>(found)?.into()),
            Err(problem) => Err(ErrorData::resource_not_found(problem, Some(json!({ "uri": request.uri })))),
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        typed(paged("prompts", self.provider.prompts().await, request)?)
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, _: RequestContext<RoleServer>) -> Result<GetPromptResponse, ErrorData> {
        let input = serde_json::to_value(&request.arguments).unwrap_or(Value::Null);
        let input = if input.is_object() { input } else { json!({}) };
        match self.provider.prompt(&request.name, input).await {
            Ok(found) => Ok(typed::<GetPromptResult>(found)?.into()),
            Err(problem) => Err(ErrorData::invalid_params(problem, None)),
        }
    }

    async fn subscribe(&self, request: SubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let Ok(mut watched) = self.watched.lock() else { return Ok(()) };
        if watched.len() >= MAX_WATCHED {
            return Err(ErrorData::invalid_params(format!("No more than {MAX_WATCHED} resources are watched for one client."), None));
        }
        watched.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        if let Ok(mut watched) = self.watched.lock() {
            watched.remove(&request.uri);
        }
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.provider.changes();
        let sink = context.sink().clone();
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            let told = match change {
                Ok(Change::Tools) | Err(broadcast::error::RecvError::Lagged(_)) => sink.notify_tool_list_changed().await,
                Ok(Change::Resources) => sink.notify_resource_list_changed().await,
                Ok(Change::Prompts) => sink.notify_prompt_list_changed().await,
                Ok(Change::Updated(uri)) => sink.notify_resource_updated(uri).await,
                Err(broadcast::error::RecvError::Closed) => return Ok(()),
            };
            // A category that was not asked for is refused, which ends nothing.
            let _ = told;
        }
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [rmcp::model::ProtocolVersion]> {
        Cow::Borrowed(rmcp::model::ProtocolVersion::KNOWN_VERSIONS)
    }
}

/// What a client says.
pub type Input = Box<dyn tokio::io::AsyncRead + Send + Unpin>;
/// What it is told.
pub type Output = Box<dyn tokio::io::AsyncWrite + Send + Unpin>;

/// Standard input and output as sockets, if they are. Clients in Node (most are) start their servers with those, and not
/// with pipes.
#[cfg(unix)]
fn sockets() -> Option<(Input, Output)> {
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let own = |stream: std::os::fd::BorrowedFd<'_>| Some(std::fs::File::from(stream.try_clone_to_owned().ok()?));
    let place = |file: &std::fs::File| file.metadata().map(|data| (data.dev(), data.ino())).ok();
    let (input, output) = (own(std::io::stdin().as_fd())?, own(std::io::stdout().as_fd())?);
    // Standard error goes on to wait: whoever writes there does not try again.
    let said = own(std::io::stderr().as_fd()).and_then(|file| place(&file));
    let is_socket = |file: &std::fs::File| file.metadata().is_ok_and(|data| data.file_type().is_socket()) && place(file) != said;
    if !is_socket(&input) || !is_socket(&output) {
        return None;
    }
    let open = |file: std::fs::File| {
        let stream = std::os::unix::net::UnixStream::from(OwnedFd::from(file));
        stream.set_nonblocking(true)?;
        tokio::net::UnixStream::from_std(stream)
    };
    Some((Box::new(open(input).ok()?), Box::new(open(output).ok()?)))
}

/// Standard input and output; where the system can wait for them, without a thread between, which costs each message two
/// changes of it.
pub fn stdio() -> (Input, Output) {
    #[cfg(unix)]
    if let Some(streams) = sockets() {
        return streams;
    }
    let (input, output) = rmcp::transport::io::stdio_pipes();
    (Box::new(input), Box::new(output))
}

/// Serves one client over standard input and output until it closes them.
pub async fn serve_stdio(provider: Arc<dyn Provider>) -> Result<(), String> {
    serve_over(provider, stdio()).await
}

/// Serves one client over any pair of streams, one message a line.
pub async fn serve_over<R, W>(provider: Arc<dyn Provider>, streams: (R, W)) -> Result<(), String>
where
    R: tokio::io::AsyncRead + Send + Unpin + 'static,
    W: tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    match Session::new(provider).serve(streams).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(|error| error.to_string()),
        // It went away before it said hello.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// The Streamable HTTP endpoint. Whoever mounts it checks the token; Host and Origin are checked here too.
pub fn http(provider: Arc<dyn Provider>) -> StreamableHttpService<Session, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default().enforce_origin_validation().with_max_request_body_bytes(MAX_REQUEST);
    StreamableHttpService::new(move || Ok(Session::new(provider.clone())), Arc::new(LocalSessionManager::default()), config)
}
