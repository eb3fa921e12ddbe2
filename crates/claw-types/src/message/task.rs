//! Tasks: `system` / `task_started`, `task_updated`, `task_progress`, `task_notification` and
//! `background_tasks_changed`.

use super::Identity;
use crate::api::Role;
use crate::{Count, Json, JsonOf, Number, ToolUseId};

/// The outcome of a task.
#[wire(open)]
pub enum TaskStatus {
    /// The task was completed.
    Completed = "completed",
    /// The task failed.
    Failed = "failed",
    /// The task was stopped before it was finished.
    Stopped = "stopped",
}

/// A special reason why a task ended.
#[wire(open)]
pub enum TaskEndReason {
    /// The process that ran the task was restarted.
    WorkerRestart = "worker_restart",
}

/// The end of a background task: a shell command or a sub-agent.
///
/// The CLI sends this message when a run of the task ends. Usually a turn without a prompt follows,
/// in which the model reads the outcome. An optional field is absent if it does not apply to this
/// task, or if the CLI is too old to send it.
#[wire(tag(type = "system", subtype = "task_notification"))]
pub struct TaskNotification {
    /// The ID of the task. A sub-agent that is resumed keeps its ID.
    pub task_id: String,
    /// The outcome of the task.
    pub status: TaskStatus,
    /// The path of the file with the task's output: an absolute path on the CLI's machine. May be empty.
    pub output_file: String,
    /// A summary of the task's work, in words.
    pub summary: String,
    fields: Identity!(),
    /// The ID of this run of the task. Each resumption of the task has a new run ID.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
    /// Whether a sub-agent owns the task, and not the main conversation.
    pub owned_by_subagent: Option<bool>,
    /// A short description of the task.
    #[wire(since = "2.1.332")]
    pub description: Option<String>,
    /// The ID of the tool use that started the task.
    pub tool_use_id: Option<ToolUseId>,
    /// A special reason why the task ended. Absent if the task ended by itself, failed or was stopped.
    pub reason: Option<TaskEndReason>,
    /// Whether the summary is a report that the task itself wrote.
    pub summary_is_report: Option<bool>,
    /// The resources that the task used: tokens, tool uses and time. Absent for a shell command.
    pub usage: Option<TaskUsage>,
    /// Links to resources of MCP servers in the task's output.
    pub resource_links: Option<Vec<McpResourceLink>>,
    /// Whether the task is left out of the transcript on disk.
    pub skip_transcript: Option<bool>,
    /// Whether hosts should leave this task out of displays of the session's activity.
    pub ambient: Option<bool>,
    /// How a sub-agent's report reached its caller: `send` (delivered), `flagged` (delivered with a security warning)
    /// or `withheld` (not delivered). Sent only for sub-agents that report with the tool `SubagentHandback`.
    pub handback: Option<String>,
    /// The report that the sub-agent delivered to its caller. The types of the official SDK do not describe its form.
    pub handback_report: Option<Json>,
}

/// The resources that a task used.
#[wire]
pub struct TaskUsage {
    /// The number of input and output tokens.
    pub total_tokens: Count,
    /// The number of tool uses.
    pub tool_uses: Count,
    /// The run time of the task, in milliseconds.
    pub duration_ms: Number,
}

/// The start of a task: a sub-agent, a shell command or a workflow.
///
/// The CLI sends this message for background tasks and for sub-agents in the foreground. An
/// optional field is absent if it does not apply to this task, or if the CLI is too old to send it.
#[wire(tag(type = "system", subtype = "task_started"))]
pub struct TaskStarted {
    /// The ID of the task. A sub-agent that is resumed keeps its ID.
    pub task_id: String,
    /// A short description of the task.
    pub description: String,
    fields: Identity!(),
    /// The ID of this run of the task. Each resumption of the task has a new run ID.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
    /// Whether a sub-agent owns the task, and not the main conversation.
    pub owned_by_subagent: Option<bool>,
    /// The ID of the tool use that started the task.
    pub tool_use_id: Option<ToolUseId>,
    /// The type of the sub-agent.
    pub subagent_type: Option<String>,
    /// Whether the turn continues without waiting for the task.
    pub is_backgrounded: Option<bool>,
    /// The nesting depth of the sub-agent. The depth is 1 for a sub-agent that the main conversation started.
    pub spawn_depth: Option<Count>,
    /// The ID of the task that started this task. Absent if the main conversation started it.
    pub parent_task_id: Option<String>,
    /// The kind of task, such as `local_agent`, `local_bash` or `local_workflow`.
    pub task_type: Option<String>,
    /// The name of the workflow.
    pub workflow_name: Option<String>,
    /// The prompt of the sub-agent.
    pub prompt: Option<String>,
    /// Whether the task is left out of the transcript on disk.
    pub skip_transcript: Option<bool>,
    /// Whether hosts should leave this task out of displays of the session's activity.
    pub ambient: Option<bool>,
    /// Whether a person or an agent waits for the task's result.
    pub awaited: Option<bool>,
}

/// The state of a task.
#[wire(open)]
pub enum TaskState {
    /// The task has not begun.
    Pending = "pending",
    /// The task is running.
    Running = "running",
    /// The task was completed.
    Completed = "completed",
    /// The task failed.
    Failed = "failed",
    /// The task was stopped before it was finished. A [`TaskNotification`] calls this state
    /// `stopped`.
    Killed = "killed",
    /// The task is paused.
    Paused = "paused",
}

/// A change to a task.
///
/// The CLI sends this message when a task changes. The field `patch` contains only those properties of the task that
/// have changed. When a task is stopped, the CLI sends this message, a [`TaskNotification`], or both.
#[wire(tag(type = "system", subtype = "task_updated"))]
pub struct TaskUpdated {
    /// The ID of the task.
    pub task_id: String,
    /// The changed fields of the task.
    pub patch: TaskPatch,
    fields: Identity!(),
    /// The ID of this run of the task.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
}

/// The changed fields of a task. A field that is absent has not changed.
#[wire]
pub struct TaskPatch {
    /// The state of the task.
    pub status: Option<TaskState>,
    /// A short description of the task.
    pub description: Option<String>,
    /// The time at which the task ended, in milliseconds since 1970.
    pub end_time: Option<Number>,
    /// The total time for which the task was paused, in milliseconds.
    pub total_paused_ms: Option<Number>,
    /// The reason why the task failed.
    pub error: Option<String>,
    /// Whether the turn continues without waiting for the task.
    pub is_backgrounded: Option<bool>,
}

/// The progress of a sub-agent.
///
/// The CLI sends this message when a running sub-agent uses a tool.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "system", subtype = "task_progress"))]
pub struct TaskProgress {
    /// The ID of the task.
    pub task_id: String,
    /// A short description of the sub-agent's current work.
    pub description: String,
    /// The resources that the sub-agent has used so far: tokens, tool uses and time.
    pub usage: TaskUsage,
    fields: Identity!(),
    /// The ID of this run of the task.
    #[wire(since = "2.1.329")]
    pub run_id: Option<String>,
    /// The ID of the tool use that started the task.
    pub tool_use_id: Option<ToolUseId>,
    /// The type of the sub-agent.
    pub subagent_type: Option<String>,
    /// The name of the tool that the sub-agent used last.
    pub last_tool_name: Option<String>,
    /// The progress of a workflow, with one JSON object for each phase and each agent of the workflow.
    pub workflow_progress: Option<Vec<Json>>,
    /// The number of tool calls of each running agent of a workflow. Sent in place of `workflow_progress` if only these
    /// numbers changed.
    #[wire(since = "2.1.332")]
    pub workflow_agent_tool_calls: Option<Vec<WorkflowToolCalls>>,
    /// A summary of the sub-agent's work so far, in a sentence. Sent only if summaries were
    /// requested (`agentProgressSummaries`).
    pub summary: Option<String>,
}

/// The number of tool calls of an agent of a workflow.
#[wire(rename_all = "camelCase")]
pub struct WorkflowToolCalls {
    /// The index of the agent. The agent's object in `workflow_progress` contains the same index.
    pub index: Count,
    /// The number of tool calls that the agent has made so far.
    pub tool_calls: Count,
}

/// The tasks that now run in the background.
///
/// The CLI sends this message when a background task starts or ends. The list replaces the previous
/// list.
#[wire(tag(type = "system", subtype = "background_tasks_changed"))]
pub struct BackgroundTasksChanged {
    /// All tasks that now run in the background. Empty if there are none.
    pub tasks: Vec<RunningTask>,
    fields: Identity!(),
}

/// A task that runs in the background.
#[wire]
pub struct RunningTask {
    /// The ID of the task.
    pub task_id: String,
    /// The kind of task, such as `local_agent` or `local_bash`.
    pub task_type: String,
    /// A short description of the task.
    pub description: String,
    /// The ID of this run of the task.
    pub run_id: Option<String>,
    /// The type of the sub-agent.
    pub subagent_type: Option<String>,
    /// The ID of the task that started this task. Absent if the main conversation started it.
    pub parent_task_id: Option<String>,
    /// Whether hosts should leave this task out of displays of the session's activity.
    pub ambient: Option<bool>,
}

/// A link to a resource of an MCP server. Do not trust the link or the resource, because the server is a third party.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct McpResourceLink {
    /// The URI of the resource.
    pub uri: String,
    /// The name of the resource.
    pub name: String,
    /// The display name of the resource.
    pub title: Option<String>,
    /// A description of the resource. Absent if the server gives none.
    pub description: Option<String>,
    /// The MIME type of the resource.
    pub mime_type: Option<String>,
    /// The size of the resource, in bytes.
    pub size: Option<Number>,
    /// The server's annotations for the resource: hints about how to use the resource.
    pub annotations: Option<JsonOf<McpAnnotations>>,
}

/// Hints from an MCP server about the use of a resource or other content. The Model Context Protocol defines these
/// hints.
#[wire(rename_all = "camelCase")]
pub struct McpAnnotations {
    /// The intended audience of the resource or content: the user, the assistant, or both.
    pub audience: Option<Vec<Role>>,
    /// The importance of the resource or content, from 0 (entirely optional) to 1 (required).
    pub priority: Option<Number>,
    /// The time at which the resource or content was last changed, in ISO 8601.
    pub last_modified: Option<String>,
}
