//! Questions to the user: of MCP servers, and of the CLI itself.

use claw_types_derive::{Wire, WireUnion};

use super::Request;
use crate::hook::{ElicitationAction, ElicitationMode};
use crate::{Extra, Json, ToolUseId, Unknown};

/// To the host: an MCP server asks the user something. Hooks have been asked before.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "elicitation"))]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for Elicitation {
    type Response = ElicitationResponse;
}

/// The answer to `elicitation`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ElicitationResponse {
    /// What the user did.
    pub action: ElicitationAction,
    /// The values, as the schema wants them. Only where it was answered.
    pub content: Option<Json>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To the host: show this dialog. Only kinds that `initialize` has declared are sent; a host that
/// cannot show it leaves it unanswered, since another one may.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "request_user_dialog"))]
#[non_exhaustive]
pub struct RequestUserDialog {
    /// Which dialog.
    pub dialog_kind: String,
    /// What it shows: a shape of its own.
    pub payload: Json,
    /// The tool use that it belongs to.
    pub tool_use_id: Option<ToolUseId>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for RequestUserDialog {
    type Response = UserDialogResponse;
}

/// The answer to `request_user_dialog`.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum UserDialogResponse {
    /// The user has answered.
    Completed(DialogCompleted),
    /// The user has not: the CLI does what it does without a dialog.
    Cancelled(DialogCancelled),
    /// A form that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// The user has answered a dialog.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(behavior = "completed"))]
#[non_exhaustive]
pub struct DialogCompleted {
    /// The answer: a shape of the dialog's own.
    pub result: Json,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The user has not answered a dialog.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(behavior = "cancelled"))]
#[non_exhaustive]
pub struct DialogCancelled {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
