//! The parts of JSON-RPC that the engine needs.

use claw_types::Json;
use claw_types::control::{McpMessage, McpMessageResponse};
use serde_json::json;

use super::kind::{Kind, Response};

/// The JSON-RPC code for an internal error.
const INTERNAL: i32 = -32603;

/// The JSON-RPC ID of a message that its server must answer. Notifications and responses have none.
#[derive(Debug)]
pub(crate) struct McpCall(Option<Json>);

impl McpCall {
    pub(super) fn of(message: &McpMessage) -> Self {
        let id = || {
            message.message.get("method")?;
            message.message.get("id")
        };
        Self(id())
    }
}

impl Kind for McpCall {
    type Body = McpMessage;
    /// The server's answer. `None` if the call was cancelled.
    type Answer = Option<Json>;

    fn name(&self) -> &'static str {
        "mcp_message"
    }

    fn response(self, answer: Option<Json>) -> Response {
        answer.map_or(Response::Nothing, |answer| {
            Response::success(&McpMessageResponse::new(answer))
        })
    }

    /// Returns a JSON-RPC error of the server, if the message requires an answer.
    fn safe(self, reason: String) -> Response {
        match self.0.map(|id| failed(&id, &reason)) {
            Some(Ok(answer)) => Response::success(&McpMessageResponse::new(answer)),
            _ => Response::Error(reason),
        }
    }
}

fn failed(id: &Json, message: &str) -> Result<Json, serde_json::Error> {
    let error = json!({"code": INTERNAL, "message": message});
    Json::new(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
}
