//! Questions to the user: of MCP servers, and of the CLI itself.

use crate::hook::{ElicitationAction, ElicitationMode};
use crate::{Json, ToolUseId};

/// To the host: an MCP server asks the user something. Hooks have been asked before.
#[wire(tag(subtype = "elicitation"), response = ElicitationResponse)]
pub struct Elicitation {
    /// The server.
    pub mcp_server_name: String,
    /// What it says.
    pub message: String,
    /// How it wants to be answered; absent for values.
    pub mode: Option<ElicitationMode>,
    /// The page that it wants to be visited.
    pub url: Option<String>,
    /// Names the question, for `elicitation_complete`.
    pub elicitation_id: Option<String>,
    /// The JSON Schema of the answer.
    pub requested_schema: Option<Json>,
    /// The order in which the values are to be asked for.
    pub property_order: Option<Vec<String>>,
    /// A title for the question.
    pub title: Option<String>,
    /// The server's name for people.
    pub display_name: Option<String>,
    /// What the server is.
    pub description: Option<String>,
}

/// The answer to `elicitation`.
#[wire]
pub struct ElicitationResponse {
    /// What the user did.
    pub action: ElicitationAction,
    /// The values, as the schema wants them. Only where it was answered.
    pub content: Option<Json>,
}

/// To the host: show this dialog. Only kinds that `initialize` has declared are sent; a host that
/// cannot show it leaves it unanswered, since another one may.
#[wire(tag(subtype = "request_user_dialog"), response = UserDialogResponse)]
pub struct RequestUserDialog {
    /// Which dialog.
    pub dialog_kind: String,
    /// What it shows: a shape of its own.
    pub payload: Json,
    /// The tool use that it belongs to.
    pub tool_use_id: Option<ToolUseId>,
}

/// The answer to `request_user_dialog`.
#[wire]
pub enum UserDialogResponse {
    /// The user has answered.
    Completed(DialogCompleted),
    /// The user has not: the CLI does what it does without a dialog.
    Cancelled(DialogCancelled),
}

/// The user has answered a dialog.
#[wire(tag(behavior = "completed"))]
pub struct DialogCompleted {
    /// The answer: a shape of the dialog's own.
    pub result: Json,
}

/// The user has not answered a dialog.
#[wire(tag(behavior = "cancelled"))]
pub struct DialogCancelled {}
