//! Questions to the user: elicitations from MCP servers, and dialogs from the CLI.

use crate::hook::{ElicitationAction, ElicitationMode};
use crate::{Json, ToolUseId};

/// To the host: answer an elicitation, which is a question from an MCP server to the user. Before the CLI sends this
/// request, it runs the hooks for elicitations.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(subtype = "elicitation"), response = ElicitationResponse)]
pub struct Elicitation {
    /// The name of the MCP server.
    pub mcp_server_name: String,
    /// The question, as text to show to the user.
    pub message: String,
    /// The mode of the elicitation. Absent means `form`.
    pub mode: Option<ElicitationMode>,
    /// The URL that the MCP server wants the user to visit. Sent only in the mode `url`.
    pub url: Option<String>,
    /// The ID of the elicitation. The message `elicitation_complete` refers to it.
    pub elicitation_id: Option<String>,
    /// The JSON Schema of the requested answer. Sent only in the mode `form`.
    pub requested_schema: Option<Json>,
    /// The order in which the host should ask for the values.
    pub property_order: Option<Vec<String>>,
    /// The title of the elicitation.
    pub title: Option<String>,
    /// The display name of the MCP server.
    pub display_name: Option<String>,
    /// A description of the MCP server.
    pub description: Option<String>,
}

/// The response to `elicitation`.
#[wire]
pub struct ElicitationResponse {
    /// The user's reaction to the elicitation.
    pub action: ElicitationAction,
    /// The requested values, in the form that the field `requested_schema` of the request describes. Sent only with the
    /// action `accept`.
    pub content: Option<Json>,
}

/// To the host: show a dialog. The CLI sends only the kinds of dialogs that the host declared in `initialize`. A host
/// that cannot show the dialog should not respond, so that another host of the session can show it.
#[wire(tag(subtype = "request_user_dialog"), response = UserDialogResponse)]
pub struct RequestUserDialog {
    /// The kind of dialog, such as `refusal_fallback_prompt`. The kind determines the form of `payload`.
    pub dialog_kind: String,
    /// The contents of the dialog, in a form that depends on its kind.
    pub payload: Json,
    /// The ID of the tool use that the dialog belongs to.
    pub tool_use_id: Option<ToolUseId>,
}

/// The response to `request_user_dialog`.
#[wire]
pub enum UserDialogResponse {
    /// The user has answered the dialog.
    Completed(DialogCompleted),
    /// The user has not answered the dialog. The CLI proceeds as if there were no dialog.
    Cancelled(DialogCancelled),
}

/// The response with the answer to a dialog.
#[wire(tag(behavior = "completed"))]
pub struct DialogCompleted {
    /// The answer, in a form that depends on the kind of the dialog.
    pub result: Json,
}

/// The response to a dialog request if the user has not answered the dialog.
#[wire(tag(behavior = "cancelled"))]
pub struct DialogCancelled {}
