//! `tool_progress` and `tool_use_summary`: what tools do and did.

use super::Identity;
use crate::{Count, Number, ToolUseId};

/// A tool still runs.
///
/// To hosts. Sent for tools that take long: for a shell command of the main conversation as a
/// heartbeat every 30 seconds, the first after 30; for tools of sub-agents, and for retries of their
/// requests to the API, as it happens. That a tool is done is said by its result alone.
#[wire(tag(type = "tool_progress"))]
pub struct ToolProgress {
    /// The tool use; on a heartbeat a name of its own, and `parent_tool_use_id` the tool use.
    pub tool_use_id: ToolUseId,
    /// The tool.
    pub tool_name: String,
    /// The tool use whose sub-agent uses it, or that a heartbeat is for; null for neither.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// How long it has run so far, in seconds.
    pub elapsed_time_seconds: Number,
    fields: Identity!(),
    /// The background task that it runs in. Absent in the foreground.
    pub task_id: Option<String>,
    /// `true` where this is only a sign of life; then `parent_tool_use_id` names the tool use. Absent
    /// on progress of a sub-agent; then `parent_tool_use_id` names the use of the agent tool.
    pub heartbeat: Option<bool>,
    /// The kind of sub-agent that uses it.
    pub subagent_type: Option<String>,
    /// The sub-agent's request that is tried again.
    pub subagent_retry: Option<SubagentRetry>,
}

/// A sub-agent's request to the API that is tried again.
#[wire]
pub struct SubagentRetry {
    /// The sub-agent.
    pub agent_id: String,
    /// Which try it is.
    pub attempt: Count,
    /// How many there may be.
    pub max_retries: Count,
    /// How long until the next, in milliseconds.
    pub retry_delay_ms: Number,
    /// The HTTP status; null where there was no answer.
    #[wire(nullable)]
    pub error_status: Option<Number>,
    /// The kind of failure.
    pub error_category: String,
}

/// What some tool uses did, in a sentence, for people.
///
/// To hosts, after the tool uses that it is about and before the turn's result. Sent only where a host
/// asks for it by the environment variable `CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES`.
#[wire(tag(type = "tool_use_summary"))]
pub struct ToolUseSummary {
    /// The sentence.
    pub summary: String,
    /// The tool uses that it is about, in order.
    pub preceding_tool_use_ids: Vec<ToolUseId>,
    fields: Identity!(),
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
}
