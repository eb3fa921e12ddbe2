//! The common interface of all kinds of requests, and the simple kinds.

use claw_types::control::{
    CanUseTool, DialogCancelled, Elicitation, ElicitationResponse, McpMessage, McpMessageResponse,
    PermissionResult, RequestUserDialog, UserDialogResponse,
};
use claw_types::hook::ElicitationAction;
use claw_types::{Json, ToolUseId};
use serde::Serialize;
use serde_json::json;

/// A kind of request. The implementing type is the data that is stored until the request is
/// answered.
pub(crate) trait Kind {
    /// The request of the CLI.
    type Body;

    /// The answer of the host.
    type Answer;

    /// Returns the name for the log.
    fn name(&self) -> &str;

    /// Returns the reason why this answer is not allowed. `None` if it is allowed.
    fn objection(&self, _answer: &Self::Answer) -> Option<String> {
        None
    }

    /// Converts an answer into a response.
    fn response(self, answer: Self::Answer) -> Response;

    /// Returns the response to a request that got no answer, for this reason. It is the response that does the least
    /// harm.
    fn safe(self, reason: String) -> Response;
}

/// A response to write.
#[derive(Debug)]
pub(crate) enum Response {
    Success(Json),
    Error(String),
    /// No response is sent: another program answers, or the CLI no longer awaits a response.
    Nothing,
}

impl Response {
    pub(super) fn success(payload: &impl Serialize) -> Self {
        match Json::new(payload) {
            Ok(payload) => Self::Success(payload),
            Err(error) => Self::Error(format!("the answer cannot be written: {error}")),
        }
    }
}

/// The data that an answer about a tool must repeat.
#[derive(Debug)]
pub(crate) struct ToolUse {
    pub(super) input: Json,
    pub(super) tool_use_id: ToolUseId,
}

impl Kind for ToolUse {
    type Body = CanUseTool;
    type Answer = PermissionResult;

    fn name(&self) -> &'static str {
        "can_use_tool"
    }

    /// Adds the fields that the CLI requires. Older CLIs refuse an allow without an input.
    fn response(self, mut answer: PermissionResult) -> Response {
        match &mut answer {
            PermissionResult::Allow(allow) => {
                allow.updated_input.get_or_insert(self.input);
                allow.tool_use_id.get_or_insert(self.tool_use_id);
            }
            PermissionResult::Deny(deny) => {
                deny.tool_use_id.get_or_insert(self.tool_use_id);
            }
            _ => {}
        }
        Response::success(&answer)
    }

    fn safe(self, reason: String) -> Response {
        self.response(PermissionResult::deny(reason))
    }
}

/// A pending elicitation of an MCP server.
#[derive(Debug)]
pub(crate) struct PendingElicitation;

impl Kind for PendingElicitation {
    type Body = Elicitation;
    type Answer = ElicitationResponse;

    fn name(&self) -> &'static str {
        "elicitation"
    }

    fn response(self, answer: ElicitationResponse) -> Response {
        Response::success(&answer)
    }

    /// The response says that the user dismissed the elicitation.
    fn safe(self, _reason: String) -> Response {
        self.response(ElicitationResponse::new(ElicitationAction::Cancel))
    }
}

/// A pending dialog.
#[derive(Debug)]
pub(crate) struct PendingDialog;

impl Kind for PendingDialog {
    type Body = RequestUserDialog;
    type Answer = UserDialogResponse;

    fn name(&self) -> &'static str {
        "request_user_dialog"
    }

    fn response(self, answer: UserDialogResponse) -> Response {
        Response::success(&answer)
    }

    /// The response says that the user dismissed the dialog.
    fn safe(self, _reason: String) -> Response {
        self.response(DialogCancelled::new().into())
    }
}

/// A request that claw does not know by name.
#[derive(Debug)]
pub(crate) struct OtherRequest {
    pub(crate) subtype: String,
    /// The whole request, including its subtype.
    pub(crate) body: Json,
}

/// The subtype of a request that claw does not know by name.
#[derive(Debug)]
pub(crate) struct OtherKind(pub(super) String);

impl Kind for OtherKind {
    type Body = OtherRequest;
    type Answer = Json;

    fn name(&self) -> &str {
        &self.0
    }

    fn response(self, answer: Json) -> Response {
        Response::Success(answer)
    }

    fn safe(self, reason: String) -> Response {
        Response::Error(reason)
    }
}

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
