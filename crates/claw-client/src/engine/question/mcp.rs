//! JSON-RPC, as far as the engine has to know it.

use claw_types::control::{McpMessage, McpMessageResponse};
use claw_types::{Json, RequestId};
use serde::Serialize;

use super::{Output, Questions};

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

/// The id of a message that its server has to answer. Notices and answers are none.
pub(super) fn call(message: &McpMessage) -> Option<Json> {
    message.message.get("method")?;
    message.message.get("id")
}

impl Questions {
    /// The answer for an MCP server that has none: one of the server's, where it has to give one.
    pub(super) fn no_mcp(
        &mut self,
        id: &RequestId,
        call: Option<Json>,
        reason: String,
    ) -> Option<Output> {
        match call.map(|call| failed(&call, &reason)) {
            Some(Ok(answer)) => self.success(id, &McpMessageResponse::new(answer)),
            _ => self.error(id, reason, None),
        }
    }
}

fn failed(call: &Json, message: &str) -> Result<Json, serde_json::Error> {
    Json::new(&Failed {
        jsonrpc: "2.0",
        id: call,
        error: Fault {
            code: INTERNAL,
            message,
        },
    })
}
