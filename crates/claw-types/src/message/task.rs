//! `system` / `task_notification`: a background task is over.

use claw_types_derive::Wire;

use crate::open_enum::open_enum;
use crate::{Count, Extra, Json, MessageUuid, Number, SessionId, ToolUseId};

open_enum! {
    /// How a task ended.
    TaskStatus {
        /// It did what it should.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was ended before.
        Stopped = "stopped",
    }
}

/// A background task is over: a shell, a sub-agent.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "task_notification"))]
#[non_exhaustive]
pub struct TaskNotification {
    /// The task.
    pub task_id: String,
    /// How it ended.
    pub status: TaskStatus,
    /// The file that holds what it wrote.
    pub output_file: String,
    /// What it did, in words.
    pub summary: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// The run of the task.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// Why it ended, where that is special.
    pub reason: Option<String>,
    /// Whether the summary is the task's own report.
    pub summary_is_report: Option<bool>,
    /// What it used.
    pub usage: Option<TaskUsage>,
    /// Resources of MCP servers that it points to.
    pub resource_links: Option<Vec<Json>>,
    /// Not part of the conversation on disk.
    pub skip_transcript: Option<bool>,
    /// Not worth a person's attention.
    pub ambient: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a task used.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TaskUsage {
    /// Tokens.
    pub total_tokens: Count,
    /// Tools.
    pub tool_uses: Count,
    /// How long it ran, in milliseconds.
    pub duration_ms: Number,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
