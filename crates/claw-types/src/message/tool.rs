//! `tool_progress` and `tool_use_summary`: the progress and a summary of tool uses.

use super::Identity;
use crate::{Count, Number, ToolUseId};

/// A report that a tool is still running.
///
/// The CLI sends this message for tools that take long. For a shell command of the main conversation, it sends the
/// message every 30 seconds as a heartbeat. For a sub-agent, it sends the message whenever a tool of the sub-agent
/// reports progress, and whenever an API request of the sub-agent is retried. The end of the tool use is reported only
/// by its tool result.
#[wire(tag(type = "tool_progress"))]
pub struct ToolProgress {
    /// The ID of the tool use. On a heartbeat, this ID identifies only the heartbeat, and `parent_tool_use_id` is the
    /// ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The name of the tool.
    pub tool_name: String,
    /// The ID of the tool use that started the sub-agent which uses the tool. On a heartbeat, this is the ID of the
    /// running tool use itself. Null if the message is not a heartbeat and no sub-agent uses the tool.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The time for which the tool has been running, in seconds.
    pub elapsed_time_seconds: Number,
    fields: Identity!(),
    /// The ID of the background task in which the tool runs. Absent if the tool runs in the foreground.
    pub task_id: Option<String>,
    /// Whether this message is only a heartbeat. If so, `parent_tool_use_id` is the ID of the running tool use. Absent
    /// on a message about a sub-agent, whose `parent_tool_use_id` is the ID of the tool use that started the sub-agent.
    pub heartbeat: Option<bool>,
    /// The type of the sub-agent that uses the tool. Absent if no sub-agent uses it.
    pub subagent_type: Option<String>,
    /// The sub-agent's API request that is being retried. Absent if no request is being retried.
    pub subagent_retry: Option<SubagentRetry>,
}

/// A sub-agent's API request that is being retried.
#[wire]
pub struct SubagentRetry {
    /// The ID of the sub-agent.
    pub agent_id: String,
    /// The number of the attempt at the API request.
    pub attempt: Count,
    /// The maximum number of retries.
    pub max_retries: Count,
    /// The delay before the next attempt at the API request, in milliseconds.
    pub retry_delay_ms: Number,
    /// The HTTP status with which the API request failed. Null if the API did not respond.
    #[wire(nullable)]
    pub error_status: Option<Number>,
    /// The kind of API failure, such as `overloaded`.
    pub error_category: String,
}

/// A summary of several tool uses, in a sentence for a person to read.
///
/// The CLI sends this message after the summarised tool uses and before the result of the turn, but
/// only if the environment variable `CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES` requests it.
#[wire(tag(type = "tool_use_summary"))]
pub struct ToolUseSummary {
    /// The summary, in a sentence.
    pub summary: String,
    /// The IDs of the summarised tool uses, in order.
    pub preceding_tool_use_ids: Vec<ToolUseId>,
    fields: Identity!(),
    /// The time of the summary, in ISO 8601.
    pub timestamp: Option<String>,
}
