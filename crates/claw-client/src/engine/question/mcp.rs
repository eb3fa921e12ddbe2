//! JSON-RPC, as far as the engine has to know it.

use claw_types::Json;
use claw_types::control::McpMessage;
use serde::Serialize;

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
    message.message.field("method")?;
    message.message.field("id")
}

/// The answer to that message where the server gives none.
pub(super) fn failed(call: &Json, message: &str) -> Result<Json, serde_json::Error> {
    Json::new(&Failed {
        jsonrpc: "2.0",
        id: call,
        error: Fault {
            code: INTERNAL,
            message,
        },
    })
}
