//! JSON-RPC, as far as the engine has to know it.

use claw_types::Json;
use claw_types::control::{McpMessage, McpMessageResponse};
use serde::Serialize;

use super::kind::{Kind, Response};

/// JSON-RPC's code for a fault of the server's own.
const INTERNAL: i32 = -32603;

#[derive(Serialize)]
struct Failed<'a> {
    jsonrpc: &'a str,
    id: &'a Json,
    error: Fault<'a>,
}

#[derive(Serialize)]
struct Fault<'a> {
    code: i32,
    message: &'a str,
}

/// The JSON-RPC id of a message that its server has to answer. Notices and answers have none.
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
    /// What the server answers. Nothing where the call was cancelled.
    type Answer = Option<Json>;

    fn name(&self) -> &'static str {
        "mcp_message"
    }

    fn response(self, answer: Option<Json>) -> Response {
        answer.map_or(Response::Nothing, |answer| {
            Response::success(&McpMessageResponse::new(answer))
        })
    }

    /// An answer of the server's, where it has to give one.
    fn safe(self, reason: String) -> Response {
        match self.0.map(|id| failed(&id, &reason)) {
            Some(Ok(answer)) => Response::success(&McpMessageResponse::new(answer)),
            _ => Response::Error(reason),
        }
    }
}

fn failed(id: &Json, message: &str) -> Result<Json, serde_json::Error> {
    Json::new(&Failed {
        jsonrpc: "2.0",
        id,
        error: Fault {
            code: INTERNAL,
            message,
        },
    })
}
