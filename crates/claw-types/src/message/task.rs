//! Tasks: `system` / `task_started`, `task_updated`, `task_progress`, `task_notification`
//! and `background_tasks_changed`.

use super::Identity;
use crate::api::Role;
use crate::{Count, Json, JsonOf, Number, ToolUseId};

/// How a task ended.
#[wire(open)]
pub enum TaskStatus {
    /// It did what it should.
    Completed = "completed",
    /// It failed.
    Failed = "failed",
    /// It was ended before.
    Stopped = "stopped",
}

/// Why a task ended, where that is special.
#[wire(open)]
pub enum TaskEndReason {
    /// The process that ran it was started anew.
    WorkerRestart = "worker_restart",
}

/// A background task is over: a shell, a sub-agent.
///
/// To hosts. Sent for each run of a task, when it ends; as a rule a turn follows in which the model
/// reads of it, which nobody prompted. An optional field that is absent does not apply to this task,
/// or the CLI is older than it.
#[wire(tag(type = "system", subtype = "task_notification"))]
pub struct TaskNotification {
    /// The task. A sub-agent that is resumed keeps its own.
    pub task_id: String,
    /// How it ended.
    pub status: TaskStatus,
    /// The file that holds what it wrote: an absolute path on the CLI's machine; may be empty.
    pub output_file: String,
    /// What it did, in words.
    pub summary: String,
    fields: Identity!(),
    /// This run of the task: another one each time that the task is resumed.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// Why it ended, where that is special. Absent where it ended by itself, failed or was stopped.
    pub reason: Option<TaskEndReason>,
    /// Whether the summary is the task's own report.
    pub summary_is_report: Option<bool>,
    /// What it used: tokens, tools, milliseconds. Absent for a shell.
    pub usage: Option<TaskUsage>,
    /// Resources of MCP servers that it points to.
    pub resource_links: Option<Vec<McpResourceLink>>,
    /// Not part of the conversation on disk.
    pub skip_transcript: Option<bool>,
    /// Not worth a person's attention.
    pub ambient: Option<bool>,
    /// How a sub-agent that hands its report back by a tool has done so.
    pub handback: Option<String>,
    /// That report, in a form that is in no published type.
    pub handback_report: Option<Json>,
}

/// What a task used.
#[wire]
pub struct TaskUsage {
    /// Tokens, read and written, put together.
    pub total_tokens: Count,
    /// How often it used a tool.
    pub tool_uses: Count,
    /// How long it ran, in milliseconds.
    pub duration_ms: Number,
}

/// A task begins: a sub-agent, a shell, a workflow.
///
/// To hosts, for background tasks and for sub-agents of the foreground. An optional field that is
/// absent does not apply to this task, or the CLI is older than it.
#[wire(tag(type = "system", subtype = "task_started"))]
pub struct TaskStarted {
    /// The task. A sub-agent that is resumed keeps its own.
    pub task_id: String,
    /// What it is for, in short.
    pub description: String,
    fields: Identity!(),
    /// This run of the task: another one each time that the task is resumed.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// The kind of sub-agent.
    pub subagent_type: Option<String>,
    /// Whether the turn goes on without waiting for it.
    pub is_backgrounded: Option<bool>,
    /// How deep sub-agents stand in one another, from 1.
    pub spawn_depth: Option<Count>,
    /// The task that started it. Absent where the main conversation did.
    pub parent_task_id: Option<String>,
    /// The kind of task: `local_agent`, `local_bash`, `local_workflow` ….
    pub task_type: Option<String>,
    /// The workflow.
    pub workflow_name: Option<String>,
    /// What a sub-agent is asked.
    pub prompt: Option<String>,
    /// Not part of the conversation on disk.
    pub skip_transcript: Option<bool>,
    /// Not worth a person's attention.
    pub ambient: Option<bool>,
    /// Whether somebody waits for it.
    pub awaited: Option<bool>,
}

/// What a task does.
#[wire(open)]
pub enum TaskState {
    /// It has not begun.
    Pending = "pending",
    /// It runs.
    Running = "running",
    /// It did what it should.
    Completed = "completed",
    /// It failed.
    Failed = "failed",
    /// It was ended before: `stopped` in a [`TaskNotification`].
    Killed = "killed",
    /// It waits.
    Paused = "paused",
}

/// Something about a task has changed.
///
/// To hosts. Says only what has changed. A task that is stopped may send this, a
/// [`TaskNotification`], or both.
#[wire(tag(type = "system", subtype = "task_updated"))]
pub struct TaskUpdated {
    /// The task.
    pub task_id: String,
    /// What has changed.
    pub patch: TaskPatch,
    fields: Identity!(),
    /// This run of the task.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
}

/// What has changed of a task. Absent: as it was.
#[wire]
pub struct TaskPatch {
    /// What it does.
    pub status: Option<TaskState>,
    /// What it is for, in short.
    pub description: Option<String>,
    /// When it ended, in milliseconds since 1970.
    pub end_time: Option<Number>,
    /// How long it has waited in all, in milliseconds.
    pub total_paused_ms: Option<Number>,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether the turn goes on without waiting for it.
    pub is_backgrounded: Option<bool>,
}

/// How far a sub-agent has come.
///
/// To hosts, while it runs, when it uses a tool.
#[wire(tag(type = "system", subtype = "task_progress"))]
pub struct TaskProgress {
    /// The task.
    pub task_id: String,
    /// What it does, in short.
    pub description: String,
    /// What it has used so far.
    pub usage: TaskUsage,
    fields: Identity!(),
    /// This run of the task.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
    /// The tool use that started it.
    pub tool_use_id: Option<ToolUseId>,
    /// The kind of sub-agent.
    pub subagent_type: Option<String>,
    /// The tool that it used last.
    pub last_tool_name: Option<String>,
    /// How far each phase and agent of a workflow has come: objects of kinds of their own.
    pub workflow_progress: Option<Vec<Json>>,
    /// What it has done so far, in a sentence. Only where summaries were asked for
    /// (`agent_progress_summaries`).
    pub summary: Option<String>,
}

/// The tasks that run in the background now.
///
/// To hosts, when one comes or goes. The list takes the place of the one before.
#[wire(tag(type = "system", subtype = "background_tasks_changed"))]
pub struct BackgroundTasksChanged {
    /// All of them; empty for none.
    pub tasks: Vec<RunningTask>,
    fields: Identity!(),
}

/// A task that runs in the background.
#[wire]
pub struct RunningTask {
    /// The task.
    pub task_id: String,
    /// The kind of task: `local_agent`, `local_bash` ….
    pub task_type: String,
    /// What it is for, in short.
    pub description: String,
    /// This run of the task.
    pub run_id: Option<String>,
    /// The kind of sub-agent.
    pub subagent_type: Option<String>,
    /// The task that started it. Absent where the main conversation did.
    pub parent_task_id: Option<String>,
    /// Not worth a person's attention.
    pub ambient: Option<bool>,
}

/// A resource of an MCP server that something points to. Of somebody else's making: not to be
/// trusted.
#[wire(rename_all = "camelCase")]
pub struct McpResourceLink {
    /// Its address.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// In what form it is.
    pub mime_type: Option<String>,
    /// Its size in bytes.
    pub size: Option<Number>,
    /// What the server says of its use. An object; what stands in it is the server's.
    pub annotations: Option<JsonOf<McpAnnotations>>,
}

/// What an MCP server says of the use of something, as the Model Context Protocol defines it.
#[wire(rename_all = "camelCase")]
pub struct McpAnnotations {
    /// Whom it is for.
    pub audience: Option<Vec<Role>>,
    /// How much it matters: from 0, not at all, to 1, it is needed.
    pub priority: Option<Number>,
    /// When it was last changed, as ISO 8601.
    pub last_modified: Option<String>,
}
