//! Hook events about tools and permissions.

use super::base::{HookPlace, HookPrompt, HookTurn};
use crate::control::{McpServerProvenance, PermissionUpdate};
use crate::{Count, Json, ToolUseId};

/// The hook input for a tool that is about to be used, before permission rules and permission callbacks decide whether
/// it may run.
#[wire(tag(hook_event_name = "PreToolUse"))]
pub struct PreToolUseInput {
    fields: HookPlace!(),
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool receives if its use is allowed.
    pub tool_input: Json,
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The MCP server that provides the tool. Absent for the CLI's own tools.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}

/// The hook input for a tool that was used successfully.
#[wire(tag(hook_event_name = "PostToolUse"))]
pub struct PostToolUseInput {
    fields: HookPlace!(),
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool received.
    pub tool_input: Json,
    /// The output of the tool: any JSON, in the tool's own form.
    pub tool_response: Json,
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The duration of the tool use, in milliseconds, without the time spent waiting for a
    /// permission.
    pub duration_ms: Option<Count>,
    /// The MCP server that provides the tool. Absent for the CLI's own tools.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}

/// The hook input for a tool use that failed.
#[wire(tag(hook_event_name = "PostToolUseFailure"))]
pub struct PostToolUseFailureInput {
    fields: HookPlace!(),
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool received.
    pub tool_input: Json,
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The error message.
    pub error: String,
    /// Whether the tool was interrupted. Absent means `false`.
    pub is_interrupt: Option<bool>,
    /// The duration of the tool use, in milliseconds.
    pub duration_ms: Option<Count>,
    /// The MCP server that provides the tool. Absent for the CLI's own tools.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}

/// The hook input after all tool uses that the model requested in one message are complete, before the next request to
/// the model.
#[wire(tag(hook_event_name = "PostToolBatch"))]
pub struct PostToolBatchInput {
    fields: HookPlace!(),
    /// The tool uses that the model requested in its last message.
    pub tool_calls: Vec<BatchedToolCall>,
    fields: HookTurn!(),
}

/// A tool use that the model requested together with others in one message, with its result.
#[wire]
pub struct BatchedToolCall {
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool received.
    pub tool_input: Json,
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The result in the form in which the model receives it: text or content blocks. Absent if the tool use has no
    /// result.
    pub tool_response: Option<Json>,
}

/// The hook input for a permission that is about to be requested. At the same time, the CLI sends the host a
/// `can_use_tool` request. The CLI acts on the response that arrives first.
#[wire(tag(hook_event_name = "PermissionRequest"))]
pub struct PermissionRequestInput {
    fields: HookPlace!(),
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool receives if its use is allowed.
    pub tool_input: Json,
    /// Suggested changes to the permissions. With one of these changes, the request would be unnecessary. Absent if
    /// there are none.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The MCP server that provides the tool. Absent for the CLI's own tools.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}

/// The hook input for a tool use that the classifier of the permission mode `auto` denied.
#[wire(tag(hook_event_name = "PermissionDenied"))]
pub struct PermissionDeniedInput {
    fields: HookPlace!(),
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the model gave for the denied tool use.
    pub tool_input: Json,
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The reason for the denial, in words.
    pub reason: String,
    /// The MCP server that provides the tool. Absent for the CLI's own tools.
    pub mcp_server: Option<McpServerProvenance>,
    fields: HookTurn!(),
}

/// The hook input for a shell command in the text of a skill or slash command. The CLI runs such a command itself, when
/// it loads the text, and puts the output in the command's place. The model requests no tool use.
///
/// CLIs before 2.1.332 do not call hooks for this event.
#[wire(tag(hook_event_name = "PreSkillShellCommand"))]
pub struct PreSkillShellCommandInput {
    fields: HookPlace!(),
    /// The name of the shell tool that runs the command: `Bash` or `PowerShell`.
    pub tool_name: String,
    /// The shell command that the text contains.
    pub tool_input: SkillShellCommand,
    /// The ID of this command. No tool use in the transcript has this ID.
    pub tool_use_id: ToolUseId,
    /// The name of the skill or slash command whose text contains the command.
    pub command_name: String,
    /// The source of the skill or slash command, such as `projectSettings`.
    pub command_source: Option<String>,
    /// The party that had the text loaded.
    pub invoked_by: SkillInvoker,
    fields: HookTurn!(),
}

/// A shell command in the text of a skill or slash command.
#[wire]
pub struct SkillShellCommand {
    /// The command, with the arguments of the skill inserted.
    pub command: String,
}

/// The party that had the text of a skill or slash command loaded.
#[wire(open)]
pub enum SkillInvoker {
    /// The user typed the slash command, or the host sent it.
    User = "user",
    /// The model used the tool `Skill`, or scheduled the turn.
    Claude = "claude",
    /// Another party, such as a sub-agent whose type lists the skill. Also sent if the party is not known.
    Other = "other",
}
