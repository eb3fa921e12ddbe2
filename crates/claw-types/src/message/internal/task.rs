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

/// The new status of some entries of the task list. The CLI itself made this change, so no tool use reports it.
///
/// The CLI sends this message when the entries change. Entries that are not listed have not
/// changed. The types of the official SDK do not include this message.
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

/// A report that all sub-agents in the background were ended, for example by an interrupt. The types of the official
/// SDK do not include this message.
#[wire(tag(type = "system", subtype = "agents_killed"))]
pub struct AgentsKilled {
    fields: Identity!(),
}

/// The start of a scheduled prompt. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "scheduled_task_fire"))]
pub struct ScheduledTaskFire {
    /// A text that describes the scheduled prompt.
    pub content: String,
    fields: Identity!(),
}
