//! Converts tool calls, their terminals, and permission requests for them.

use std::num::NonZeroU32;

use agent_client_protocol::Error;
use agent_client_protocol::{v1::schema as v1, v2::schema as v2};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::convert::{block, same, v2_session};
use super::diff;

/// The members of `_meta` with which terminals are shown to clients of version 1. Version 2 has separate updates for
/// terminals.
const TERMINAL: [&str; 3] = ["terminal_info", "terminal_output", "terminal_exit"];

/// The title of a permission request for a tool call without a title.
const PERMISSION: &str = "Claude asks for a permission";

/// Returns the updates for a new tool call.
pub(super) fn call(call: v1::ToolCall) -> Vec<v2::SessionUpdate> {
    let fields = v1::ToolCallUpdateFields::new()
        .kind(call.kind)
        .status(call.status)
        .title(call.title)
        .name(call.name)
        .raw_input(call.raw_input)
        .raw_output(call.raw_output);
    let fields = fields
        .content(some(call.content))
        .locations(some(call.locations));
    update(v1::ToolCallUpdate::new(call.tool_call_id, fields).meta(call.meta))
}

fn some<T>(all: Vec<T>) -> Option<Vec<T>> {
    Some(all).filter(|all| !all.is_empty())
}

/// Returns the updates for a changed tool call. The update for its terminal comes first.
pub(super) fn update(mut update: v1::ToolCallUpdate) -> Vec<v2::SessionUpdate> {
    let terminal = terminal(&update);
    if let Some(meta) = &mut update.meta {
        meta.retain(|name, _| !TERMINAL.contains(&name.as_str()));
    }
    let terminal = terminal.map(v2::SessionUpdate::TerminalUpdate);
    let call = v2::SessionUpdate::ToolCallUpdate(patch(update));
    terminal.into_iter().chain([call]).collect()
}

/// Returns the update of the terminal in which a tool call is shown.
fn terminal(update: &v1::ToolCallUpdate) -> Option<v2::TerminalUpdate> {
    let content = update.fields.content.as_ref()?;
    let id = content.iter().find_map(|content| match content {
        v1::ToolCallContent::Terminal(terminal) => Some(terminal.terminal_id.0.clone()),
        _ => None,
    })?;
    let mut terminal = v2::TerminalUpdate::new(v2::TerminalId::new(id));
    let input = update.fields.raw_input.as_ref();
    if let Some(command) = input.and_then(|input| input["command"].as_str()) {
        terminal = terminal.command(command.to_owned());
    }
    let meta = |name: &str| update.meta.as_ref()?.get(name);
    if let Some(data) = meta("terminal_output").and_then(|it| it["data"].as_str()) {
        terminal = terminal.output(v2::TerminalOutput::new(STANDARD.encode(data)));
    }
    if let Some(exit) = meta("terminal_exit") {
        let code = exit["exit_code"].as_i64();
        terminal = terminal.exit_status(v2::TerminalExitStatus::new().exit_code(code));
    }
    Some(terminal)
}

fn patch(update: v1::ToolCallUpdate) -> v2::ToolCallUpdate {
    let fields = update.fields;
    let mut patch = v2::ToolCallUpdate::new(v2::ToolCallId::new(update.tool_call_id.0));
    if let Some(name) = fields.name {
        patch = patch.name(name);
    }
    if let Some(title) = fields.title {
        patch = patch.title(title);
    }
    if let Some(kind) = fields
        .kind
        .and_then(|kind| same::<v2::ToolKind>(&kind).ok())
    {
        patch = patch.kind(kind);
    }
    if let Some(status) = fields.status {
        patch = patch.status(match status {
            v1::ToolCallStatus::InProgress => v2::ToolCallStatus::InProgress,
            v1::ToolCallStatus::Completed => v2::ToolCallStatus::Completed,
            v1::ToolCallStatus::Failed => v2::ToolCallStatus::Failed,
            _ => v2::ToolCallStatus::Pending,
        });
    }
    if let Some(all) = fields.content {
        patch = patch.content(all.iter().filter_map(content).collect::<Vec<_>>());
    }
    if let Some(places) = fields.locations {
        patch = patch.locations(places.iter().filter_map(location).collect::<Vec<_>>());
    }
    if let Some(input) = fields.raw_input.filter(|input| !input.is_null()) {
        patch.raw_input = agent_client_protocol::schema::MaybeUndefined::Value(input);
    }
    if let Some(meta) = update.meta.filter(|meta| !meta.is_empty()) {
        patch = patch.meta(meta);
    }
    patch
}

fn content(content: &v1::ToolCallContent) -> Option<v2::ToolCallContent> {
    Some(match content {
        v1::ToolCallContent::Content(content) => {
            let content = v2::Content::new(block(&content.content)?);
            v2::ToolCallContent::Content(Box::new(content))
        }
        v1::ToolCallContent::Diff(diff) => v2::ToolCallContent::Diff(diff::unpack(diff)?),
        v1::ToolCallContent::Terminal(terminal) => {
            let id = v2::TerminalId::new(terminal.terminal_id.0.clone());
            v2::ToolCallContent::Terminal(v2::Terminal::new(id))
        }
        _ => return None,
    })
}

/// Converts a location in a file. Returns `None` if the path is not absolute.
fn location(place: &v1::ToolCallLocation) -> Option<v2::ToolCallLocation> {
    if !place.path.is_absolute() {
        return None;
    }
    let mut location = v2::ToolCallLocation::new(place.path.clone());
    location.line = place.line.and_then(NonZeroU32::new);
    Some(location)
}

/// Converts a permission request. Its explanation is the text after the content of the tool call.
pub(super) fn permission(
    request: &v1::RequestPermissionRequest,
) -> Result<v2::RequestPermissionRequest, Error> {
    let mut call = request.tool_call.clone();
    let title = call.fields.title.clone();
    let title = title.unwrap_or_else(|| PERMISSION.to_owned());
    let mut description = None;
    if let Some(all) = &mut call.fields.content {
        if let Some(v1::ToolCallContent::Content(last)) = all.last()
            && let v1::ContentBlock::Text(text) = &last.content
        {
            description = Some(text.text.clone());
            all.pop();
        }
        // Without content in the update, the client keeps the content that it already shows for the call.
        if all.is_empty() {
            call.fields.content = None;
        }
    }
    let options = request.options.iter().map(same).collect::<Result<_, _>>()?;
    let subject = v2::ToolCallPermissionSubject::new(patch(call));
    let subject = v2::RequestPermissionSubject::ToolCall(Box::new(subject));
    let session = v2_session(&request.session_id);
    Ok(v2::RequestPermissionRequest::new(session, title, options)
        .description(description)
        .subject(subject))
}
