//! A small MCP server in the scripted API. It supports both of MCP's HTTP transports.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::stream::{self, StreamExt as _};
use serde_json::{Value, json};

use super::{ApiRequest, response};

/// The path for streamable HTTP. Each message is a POST request, and the response to that request contains the answer.
pub(super) const HTTP: &str = "/mcp";
/// The path for the stream of the older transport. It is requested with GET. The response stays open, and contains the
/// answers to all messages.
const SSE: &str = "/sse";
/// The path for the messages of the older transport. Each message is a POST request.
const POSTED: &str = "/sse/messages";

/// The version of MCP that is reported to a client that names no version.
const VERSION: &str = "2025-06-18";

/// The open streams of the older transport, with their numbers as keys.
#[derive(Debug, Default)]
pub(super) struct Mcp {
    streams: Mutex<BTreeMap<usize, UnboundedSender<String>>>,
}

impl Mcp {
    /// Returns the response to a request, if the request is for this server.
    pub(super) fn respond(&self, request: &ApiRequest) -> Option<Response> {
        match (request.method.as_str(), request.route()) {
            ("POST", HTTP) => Some(match answer(&request.body) {
                Some(answer) => response(200, "application/json", answer.to_string()),
                None => response(202, "application/json", ""),
            }),
            // This server sends no messages by itself and has no sessions, so other methods than POST are refused.
            (_, HTTP) => Some(response(405, "text/plain", "POST only")),
            ("GET", SSE) => Some(self.open()),
            ("POST", POSTED) => Some(self.posted(request)),
            _ => None,
        }
    }

    fn open(&self) -> Response {
        let (sender, events) = unbounded();
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let number = streams.len();
        streams.insert(number, sender);
        let endpoint = format!("event: endpoint\ndata: {POSTED}?stream={number}\n\n");
        let events = stream::once(async { endpoint }).chain(events);
        let events = events.map(|event| Ok::<_, std::convert::Infallible>(Bytes::from(event)));
        response(200, "text/event-stream", Body::from_stream(events))
    }

    fn posted(&self, request: &ApiRequest) -> Response {
        let number = request.path.rsplit_once('=');
        let number = number.and_then(|(_, number)| number.parse::<usize>().ok());
        let streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stream) = number.and_then(|number| streams.get(&number)) else {
            return response(404, "text/plain", "no such stream");
        };
        if let Some(answer) = answer(&request.body) {
            // If the client has disconnected, the answer is dropped.
            let _ = stream.unbounded_send(format!("event: message\ndata: {answer}\n\n"));
        }
        response(202, "text/plain", "Accepted")
    }
}

/// Returns the answer to a JSON-RPC message. `None` for a notification.
fn answer(message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    let params = &message["params"];
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"].as_str().unwrap_or(VERSION),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1.0.0"},
        }),
        "tools/list" => json!({"tools": [{
            "name": "add",
            "description": "Adds two numbers",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
                "required": ["a", "b"],
            },
        }]}),
        "tools/call" => {
            let of = |name: &str| params["arguments"][name].as_f64().unwrap_or_default();
            let text = format!("The sum is {}", of("a") + of("b"));
            json!({"content": [{"type": "text", "text": text}]})
        }
        "ping" => json!({}),
        method => {
            let error = json!({"code": -32601, "message": format!("no method {method}")});
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

#[cfg(test)]
mod tests;
