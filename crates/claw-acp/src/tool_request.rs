//! Converts a permission request of Claude Code to the form of the protocol.

use agent_client_protocol::v1::schema::{
    Content, ContentBlock, TextContent, ToolCallContent, ToolCallLocation, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields,
};
use claw_client::ToolPermissionRequest;
use claw_types::control::{PermissionDeny, PermissionResult};
use claw_view::{SessionFolders, ToolDisplay};

use crate::offer::Offer;
use crate::peer::Peer;
use crate::updates::{asked_for, call_id, locations, operation, title, value};

/// Returns the denial for a permission request that the client answered as cancelled. If such an answer cancels the
/// turn, the denial also interrupts the turn.
pub(crate) fn cancelled(peer: &Peer) -> PermissionResult {
    if !peer.cancels_turns() {
        return PermissionResult::deny("The user dismissed the request.");
    }
    PermissionDeny::new("The user cancelled the turn.")
        .interrupt(true)
        .into()
}

/// Returns the tool call for which the permission is requested. The client replaces the content that it shows for this
/// call by the content of the update. So the update contains the change of the file or the terminal, too.
pub(crate) fn tool_call(
    offer: &Offer,
    folders: &SessionFolders,
    request: &ToolPermissionRequest,
) -> ToolCallUpdate {
    let body = &request.body;
    let display = ToolDisplay::of(&body.tool_name, &body.input).to_string();
    let mut fields = ToolCallUpdateFields::new()
        .title(title(&body.tool_name, Some(&body.input), &display))
        .name(body.tool_name.clone())
        .kind(operation(&body.tool_name))
        .status(ToolCallStatus::Pending)
        .raw_input(value(&body.input));
    let mut places = locations(&body.input);
    if places.is_empty() {
        let blocked = body.blocked_path.as_ref().map(ToolCallLocation::new);
        places.extend(blocked);
    }
    if !places.is_empty() {
        fields = fields.locations(places);
    }
    let mut content = asked_for(offer, &body.tool_use_id, &body.tool_name, &body.input);
    let mut reasons: Vec<String> = Vec::new();
    if let Some(plan) = request.plan().and_then(|plan| plan.plan) {
        reasons.push(plan);
    }
    // The description of a file change is only the path of the file, which the diff already contains.
    let is_change = matches!(content[..], [ToolCallContent::Diff(_), ..]);
    reasons.extend(body.description.clone().filter(|_| !is_change));
    reasons.extend(body.decision_reason.clone());
    let path = folders.asked_path(body);
    reasons.extend(path.map(|path| path.to_string()));
    if !reasons.is_empty() {
        let text = ContentBlock::Text(TextContent::new(reasons.join("\n\n")));
        content.push(ToolCallContent::Content(Content::new(text)));
    }
    if !content.is_empty() {
        fields = fields.content(content);
    }
    ToolCallUpdate::new(call_id(&body.tool_use_id), fields)
}
