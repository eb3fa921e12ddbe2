//! Tasks: `system` / `task_list_statuses`, `agents_killed` and `scheduled_task_fire`.

use super::Identity;

/// How far an entry of the task list has come.
#[wire(open)]
pub enum TaskListStatus {
    /// It has not begun.
    Pending = "pending",
    /// It is being done.
    InProgress = "in_progress",
    /// It is done.
    Completed = "completed",
}

/// Entries of the task list have come further, without a tool use that says so.
///
/// To hosts, when it happens. Entries that are not named are as they were. In no published type.
#[wire(tag(type = "system", subtype = "task_list_statuses"))]
pub struct TaskListStatuses {
    /// The entries.
    pub statuses: Vec<TaskListEntryStatus>,
    fields: Identity!(),
}

/// An entry of the task list.
#[wire]
pub struct TaskListEntryStatus {
    /// Its name.
    pub id: String,
    /// How far it has come.
    pub status: TaskListStatus,
}

/// The sub-agents in the background were ended, as on an interrupt. In no published type.
#[wire(tag(type = "system", subtype = "agents_killed"))]
pub struct AgentsKilled {
    fields: Identity!(),
}

/// A scheduled prompt begins. In no published type.
#[wire(tag(type = "system", subtype = "scheduled_task_fire"))]
pub struct ScheduledTaskFire {
    /// A text that says so.
    pub content: String,
    fields: Identity!(),
}
