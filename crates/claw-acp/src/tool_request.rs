//! A permission request of Claude Code as the protocol shows it.

use agent_client_protocol::v1::schema::{
    Content, ContentBlock, TextContent, ToolCallContent, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields,
};
use claw_client::ToolPermissionRequest;
use claw_types::control::{PermissionDeny, PermissionResult};
use claw_view::ToolDisplay;

use crate::updates::{call_id, locations, operation, title, value};

/// The denial that also ends the turn, as the person has cancelled it.
pub(crate) fn cancelled() -> PermissionResult {
    PermissionDeny::new("The user cancelled the turn.")
        .interrupt(true)
        .into()
}

/// The tool call that needs the permission.
pub(crate) fn tool_call(request: &ToolPermissionRequest) -> ToolCallUpdate {
    let body = &request.body;
    let display = ToolDisplay::of(&body.tool_name, &body.input).to_string();
    let mut fields = ToolCallUpdateFields::new()
        .title(title(&body.tool_name, Some(&body.input), &display))
        .kind(operation(&body.tool_name))
        .status(ToolCallStatus::Pending)
        .raw_input(value(&body.input));
    let places = locations(&body.input);
    if !places.is_empty() {
        fields = fields.locations(places);
    }
    let mut reasons: Vec<String> = Vec::new();
    if let Some(plan) = request.plan().and_then(|plan| plan.plan) {
        reasons.push(plan);
    }
    reasons.extend(body.description.clone());
    reasons.extend(body.decision_reason.clone());
    if let Some(path) = &body.blocked_path {
        reasons.push(format!(
            "Needs a path outside of the allowed directories: {path}"
        ));
    }
    if !reasons.is_empty() {
        let text = ContentBlock::Text(TextContent::new(reasons.join("\n\n")));
        fields = fields.content(vec![ToolCallContent::Content(Content::new(text))]);
    }
    ToolCallUpdate::new(call_id(&body.tool_use_id), fields)
}
