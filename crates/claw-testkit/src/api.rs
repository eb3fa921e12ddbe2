//! A scripted Messages API on loopback, for running the real CLI in tests.
//!
//! ```
//! use claw_testkit::{Block, api::{Answer, Api, Rule, Scenario}};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let scenario = Scenario::new("hello", [
//!     Rule::new(Answer::error(529, "overloaded_error", "Overloaded")).times(1),
//!     Rule::new(Answer::message([Block::text("Hello there!").hold(1, "half")])),
//! ]);
//! let api = Api::start(scenario).await?;
//! // Run the CLI with `api.env()` in a cleared environment. In mid-answer:
//! api.gates().open("half");
//! assert!(api.requests().is_empty());
//! # Ok::<(), std::io::Error>(())
//! # })?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`scenarios`] contains ready-made scenarios. `POST /v1/messages` plays the scenario, either as a stream or as one
//! response, as the request requires. Only streams wait at gates. `POST /v1/messages/count_tokens` returns the
//! scenario's `input_tokens`. The API also contains an MCP server with one tool, `add`: at `/mcp` over streamable HTTP,
//! and at `/sse` over MCP's older SSE transport. Any other request gets an empty response with status 200.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    body::Body,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderName, HeaderValue, StatusCode},
    response::Response,
};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::watch};

use crate::Gates;

mod answer;
mod conversation;
mod mcp;
mod scenario;
pub mod scenarios;
mod sse;

pub use conversation::{Conversation, ToolResult};
pub use scenario::{Answer, ApiError, Reply, Rule, Scenario, When};

use answer::{Ids, Play};
use mcp::Mcp;
use sse::{Chunk, ReplyContext};

/// The headers whose values may be secrets.
const SECRET: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "x-api-key",
];

/// A running API.
///
/// # Drop
/// Dropping the `Api` stops the server. It accepts no new connections, and responses that wait at a gate break off.
#[derive(Debug)]
pub struct Api {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
}

#[derive(Debug)]
struct Shared {
    play: Play,
    mcp: Mcp,
    ids: Ids,
    gates: Gates,
    requests: watch::Sender<()>,
    received: Mutex<Vec<ApiRequest>>,
    stopped: watch::Receiver<bool>,
}

/// A request that the API received.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApiRequest {
    /// The HTTP method.
    pub method: String,
    /// The path and query.
    pub path: String,
    /// The headers, with names in lower case. The values of keys and cookies are replaced by `***`.
    pub headers: Vec<(String, String)>,
    /// The body. Null if it is not JSON.
    pub body: Value,
}

impl ApiRequest {
    /// Returns the messages of the body in a form that is the same in every request of a conversation. The CLI marks
    /// the last messages for the prompt cache. The marks are removed, and content that consists of a single text block
    /// becomes a plain text.
    pub fn messages(&self) -> Vec<Value> {
        let mut messages = self.body["messages"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        for message in &mut messages {
            let Some(blocks) = message["content"].as_array_mut() else {
                continue;
            };
            for block in blocks.iter_mut().filter_map(Value::as_object_mut) {
                block.remove("cache_control");
            }
            if let [block] = &blocks[..]
                && block["type"] == "text"
            {
                message["content"] = block["text"].clone();
            }
        }
        messages
    }

    /// Returns the value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the conversation that the request contains.
    pub fn conversation(&self) -> Conversation {
        Conversation::of(&self.body)
    }

    /// Whether the request asks for a message. Other requests, for example, count tokens.
    pub fn is_message(&self) -> bool {
        self.method == "POST" && self.route() == "/v1/messages"
    }

    fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }
}

impl Api {
    /// Starts the API on a free port of 127.0.0.1, on the current tokio runtime.
    ///
    /// # Errors
    /// Fails if no port is available.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub async fn start(scenario: Scenario) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let shared = Arc::new(Shared {
            play: Play::new(scenario),
            mcp: Mcp::default(),
            ids: Ids::default(),
            gates: Gates::new(),
            requests: watch::Sender::new(()),
            received: Mutex::default(),
            stopped: stopped.clone(),
        });
        let router = Router::new()
            .fallback(serve)
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        let until = async move { stop_of(stopped).await };
        tokio::spawn(async move {
            // Serving fails only if accepting connections fails permanently. The client then sees a refused connection.
            let _ = axum::serve(listener, router)
                .with_graceful_shutdown(until)
                .await;
        });
        Ok(Self {
            address,
            shared,
            stop,
        })
    }

    /// Returns the address on which the API listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the value for the environment variable `ANTHROPIC_BASE_URL`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the environment variables that make the CLI talk to this API and to nothing else. Use them for a child
    /// process with a cleared environment, and set its `HOME` to a temporary folder.
    pub fn env(&self) -> Vec<(&'static str, String)> {
        vec![
            ("ANTHROPIC_BASE_URL", self.base_url()),
            ("ANTHROPIC_API_KEY", "sk-scripted".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
            ("DISABLE_TELEMETRY", "1".to_owned()),
        ]
    }

    /// Returns the gates at which responses wait.
    pub fn gates(&self) -> &Gates {
        &self.shared.gates
    }

    /// Returns all requests that the API has received so far.
    pub fn requests(&self) -> Vec<ApiRequest> {
        self.shared
            .received
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Removes and returns all requests that arrived since the last call. Use this method in long runs, so that the
    /// requests do not fill the memory.
    pub fn take_requests(&self) -> Vec<ApiRequest> {
        let mut received = self
            .shared
            .received
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *received)
    }

    /// Waits until a request arrives for which `fits` returns true, and returns that request. Requests that arrived
    /// before the call are considered, too.
    ///
    /// # Cancel safety
    /// Cancel safe.
    pub async fn received(&self, fits: impl Fn(&ApiRequest) -> bool) -> ApiRequest {
        let mut arrivals = self.shared.requests.subscribe();
        loop {
            if let Some(found) = self.requests().into_iter().find(&fits) {
                return found;
            }
            // This cannot fail, because `self` owns the sender.
            let _ = arrivals.changed().await;
        }
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

async fn stop_of(mut stopped: watch::Receiver<bool>) {
    // An error means that the `Api` was dropped together with the sender.
    let _ = stopped.wait_for(|stop| *stop).await;
}

async fn serve(
    State(shared): State<Arc<Shared>>,
    request: Request,
) -> Result<Response, Infallible> {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX)
        .await
        .unwrap_or_default();
    let request = ApiRequest {
        method: parts.method.to_string(),
        path: parts.uri.to_string(),
        headers: parts.headers.iter().map(visible).collect(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    shared
        .received
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(request.clone());
    shared.requests.send_replace(());
    Ok(respond(&shared, &request))
}

fn visible((name, value): (&HeaderName, &HeaderValue)) -> (String, String) {
    let name = name.as_str().to_owned();
    let shown = if SECRET.contains(&name.as_str()) {
        "***".to_owned()
    } else {
        String::from_utf8_lossy(value.as_bytes()).into_owned()
    };
    (name, shown)
}

fn respond(shared: &Arc<Shared>, request: &ApiRequest) -> Response {
    if request.method == "POST" && request.route() == "/v1/messages/count_tokens" {
        let count = json!({"input_tokens": shared.play.input_tokens()});
        return response(200, "application/json", count.to_string());
    }
    if let Some(answer) = shared.mcp.respond(request) {
        return answer;
    }
    if !request.is_message() {
        return Response::default();
    }
    let request_id = shared.ids.request();
    let conversation = request.conversation();
    let mut answer = match shared.play.answer(&conversation) {
        Answer::Error(error) => refuse(&error, &request_id),
        Answer::Message(mut reply) => {
            let results = conversation.results_text();
            for block in &mut reply.blocks {
                block.fill_input(&results);
            }
            let context = ReplyContext {
                reply: &reply,
                model: &conversation.model,
                input_tokens: shared.play.input_tokens(),
                ids: &shared.ids,
            };
            let mut answer = if request.body["stream"] == true {
                let chunks = context.stream();
                response(200, "text/event-stream", body(Arc::clone(shared), chunks))
            } else {
                response(200, "application/json", context.whole())
            };
            add_headers(&mut answer, &reply.headers);
            answer
        }
    };
    if let Ok(id) = HeaderValue::from_str(&request_id) {
        answer.headers_mut().insert("request-id", id);
    }
    answer
}

fn refuse(error: &ApiError, request_id: &str) -> Response {
    let body = json!({
        "type": "error",
        "error": error.body(),
        "request_id": request_id,
    });
    let mut answer = response(error.status, "application/json", body.to_string());
    add_headers(&mut answer, &error.headers);
    answer
}

/// Adds headers to a response. Invalid headers are left out.
fn add_headers(answer: &mut Response, headers: &BTreeMap<String, String>) {
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            answer.headers_mut().insert(name, value);
        }
    }
}

fn response(status: u16, kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    response
        .headers_mut()
        .insert("content-type", HeaderValue::from_static(kind));
    response
}

/// A reserved gate name. If a block waits for this gate, the connection breaks off.
pub const CUT: &str = "cut the connection";

/// Creates a body that sends each event as a separate chunk, and waits at the gates.
fn body(shared: Arc<Shared>, chunks: Vec<Chunk>) -> Body {
    let state = (shared, chunks.into_iter());
    Body::from_stream(futures::stream::unfold(
        state,
        |(shared, mut chunks)| async move {
            loop {
                match chunks.next()? {
                    Chunk::Event(event) => {
                        return Some((Ok::<Bytes, io::Error>(event), (shared, chunks)));
                    }
                    // The stream ends here without an error, because an error might discard chunks that were sent
                    // before.
                    Chunk::Hold(gate) if gate == CUT => return None,
                    Chunk::Hold(gate) => {
                        let broken = tokio::select! {
                            open = shared.gates.wait(&gate) => open.err(),
                            () = stop_of(shared.stopped.clone()) => {
                                Some(io::Error::other("the scripted API was dropped"))
                            }
                        };
                        if let Some(error) = broken {
                            // No chunk follows the error, because the connection is closed.
                            return Some((Err(error), (shared, Vec::new().into_iter())));
                        }
                    }
                }
            }
        },
    ))
}
