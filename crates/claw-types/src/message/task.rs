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
///
/// To hosts. Sent once a run of a task, when it ends; as a rule a turn follows in which the model
/// reads of it, which nobody prompted. An optional field that is absent does not apply to this task,
/// or the CLI is older than it.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "task_notification"))]
#[non_exhaustive]
pub struct TaskNotification {
    /// The task. A sub-agent that is resumed keeps its own.
    pub task_id: String,
    /// How it ended.
    pub status: TaskStatus,
    /// The file that holds what it wrote: an absolute path on the CLI's machine; may be empty.
    pub output_file: String,
    /// What it did, in words.
    pub summary: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// This run of the task: another one each time that the task is resumed.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// Why it ended, where that is special: `worker_restart`. Absent where it ended by itself, failed
    /// or was stopped.
    pub reason: Option<String>,
    /// Whether the summary is the task's own report.
    pub summary_is_report: Option<bool>,
    /// What it used. Absent for a shell.
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
    /// Tokens, read and written, put together.
    pub total_tokens: Count,
    /// How often it used a tool.
    pub tool_uses: Count,
    /// How long it ran, in milliseconds.
    pub duration_ms: Number,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
