//! Events around tools and permissions.

use super::base::{HookPlace, HookPrompt, HookTurn};
use crate::control::{McpServerProvenance, PermissionUpdate};
use crate::{Count, Json, ToolUseId};

/// A tool is about to be used: before rules and callbacks decide whether it may.
#[wire(tag(hook_event_name = "PreToolUse"))]
pub struct PreToolUseInput {
    fields: HookPlace!(),
    /// The tool.
    pub tool_name: String,
    /// What it would be given.
    pub tool_input: Json,
    /// The use.
    pub tool_use_id: ToolUseId,
    /// The MCP server whose tool it is.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}

/// A tool was used.
#[wire(tag(hook_event_name = "PostToolUse"))]
pub struct PostToolUseInput {
    fields: HookPlace!(),
    /// The tool.
    pub tool_name: String,
    /// What it was given.
    pub tool_input: Json,
    /// What it gave: any JSON, a shape of the tool's own.
    pub tool_response: Json,
    /// The use.
    pub tool_use_id: ToolUseId,
    /// How long it took, in milliseconds, without the time in which permission was asked for.
    pub duration_ms: Option<Count>,
    /// The MCP server whose tool it is.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}

/// A tool failed.
#[wire(tag(hook_event_name = "PostToolUseFailure"))]
pub struct PostToolUseFailureInput {
    fields: HookPlace!(),
    /// The tool.
    pub tool_name: String,
    /// What it was given.
    pub tool_input: Json,
    /// The use.
    pub tool_use_id: ToolUseId,
    /// Why, in words.
    pub error: String,
    /// It was interrupted.
    pub is_interrupt: Option<bool>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<Count>,
    /// The MCP server whose tool it is.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}

/// All tools of one answer were used; the model is asked next.
#[wire(tag(hook_event_name = "PostToolBatch"))]
pub struct PostToolBatchInput {
    fields: HookPlace!(),
    /// The uses.
    pub tool_calls: Vec<BatchedToolCall>,
    fields: HookTurn!(),
}

/// One use of a tool among those of an answer.
#[wire]
pub struct BatchedToolCall {
    /// The tool.
    pub tool_name: String,
    /// What it was given.
    pub tool_input: Json,
    /// The use.
    pub tool_use_id: ToolUseId,
    /// What the model is shown of its result: text, or blocks. Absent where there is none.
    pub tool_response: Option<Json>,
}

/// A permission is about to be asked for. The host's `can_use_tool` is asked at the same time;
/// the first answer counts.
#[wire(tag(hook_event_name = "PermissionRequest"))]
pub struct PermissionRequestInput {
    fields: HookPlace!(),
    /// The tool.
    pub tool_name: String,
    /// What it would be given.
    pub tool_input: Json,
    /// Changes that would make the question unnecessary.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The MCP server whose tool it is.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}

/// A permission was refused by the classifier of the mode `auto`.
#[wire(tag(hook_event_name = "PermissionDenied"))]
pub struct PermissionDeniedInput {
    fields: HookPlace!(),
    /// The tool.
    pub tool_name: String,
    /// What it would have been given.
    pub tool_input: Json,
    /// The use.
    pub tool_use_id: ToolUseId,
    /// Why, in words.
    pub reason: String,
    /// The MCP server whose tool it is.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}
