//! Tasks: `system` / `task_list_statuses`, `agents_killed` and `scheduled_task_fire`.

use super::Identity;

/// The progress of an entry of the task list.
#[wire(open)]
pub enum TaskListStatus {
    /// The work has not begun.
    Pending = "pending",
    /// The work is in progress.
    InProgress = "in_progress",
    /// The work is complete.
    Completed = "completed",
}

/// The progress of entries of the task list without a tool use that reports it.
///
/// Sent to hosts at the time of the change. Entries that are not listed have not changed. Not part
/// of the published types.
#[wire(tag(type = "system", subtype = "task_list_statuses"))]
pub struct TaskListStatuses {
    /// The entries that have changed.
    pub statuses: Vec<TaskListEntryStatus>,
    fields: Identity!(),
}

/// The progress of one entry of the task list.
#[wire]
pub struct TaskListEntryStatus {
    /// The ID of the entry.
    pub id: String,
    /// The progress of the entry.
    pub status: TaskListStatus,
}

/// The end of all sub-agents in the background, for example after an interrupt. Not part of the
/// published types.
#[wire(tag(type = "system", subtype = "agents_killed"))]
pub struct AgentsKilled {
    fields: Identity!(),
}

/// The start of a scheduled prompt. Not part of the published types.
#[wire(tag(type = "system", subtype = "scheduled_task_fire"))]
pub struct ScheduledTaskFire {
    /// A text about the scheduled prompt.
    pub content: String,
    fields: Identity!(),
}
