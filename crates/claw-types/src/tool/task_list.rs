//! `TaskCreate`, `TaskGet`, `TaskUpdate` and `TaskList`: the list of what is to do, task by task.
//! These tasks are no background tasks; for those see `TaskStop`.

use super::TodoStatus;
use crate::{Json, Map};

/// What `TaskCreate` is given.
#[wire]
pub struct TaskCreateInput {
    /// What is to do, in short.
    pub subject: String,
    /// What is to do.
    pub description: String,
    /// What is said while it is done.
    #[wire(rename = "activeForm")]
    pub active_form: Option<String>,
    /// Anything else, by keys of one's own.
    pub metadata: Option<Map<Json>>,
}

/// What `TaskCreate` gives.
#[wire]
pub struct TaskCreateOutput {
    /// The task.
    pub task: CreatedTask,
}

/// A task that is new on the list.
#[wire]
pub struct CreatedTask {
    /// Names it.
    pub id: String,
    /// What is to do, in short.
    pub subject: String,
    /// What is to do, as it was taken down. Older CLIs do not say.
    pub description: Option<String>,
}

/// What `TaskGet` is given.
#[wire(rename_all = "camelCase")]
pub struct TaskGetInput {
    /// The task.
    pub task_id: String,
}

/// What `TaskGet` gives.
#[wire]
pub struct TaskGetOutput {
    /// The task; null where there is none of that name.
    #[wire(nullable)]
    pub task: Option<ListedTaskDetails>,
}

/// A task of the list, with all that there is to it.
#[wire(rename_all = "camelCase")]
pub struct ListedTaskDetails {
    /// Names it.
    pub id: String,
    /// What is to do, in short.
    pub subject: String,
    /// What is to do.
    pub description: String,
    /// How far it is.
    pub status: TodoStatus,
    /// The tasks that wait for it.
    pub blocks: Vec<String>,
    /// The tasks that it waits for.
    pub blocked_by: Vec<String>,
}

/// What `TaskUpdate` is given. What is absent stays as it is.
#[wire(rename_all = "camelCase")]
pub struct TaskUpdateInput {
    /// The task.
    pub task_id: String,
    /// What is to do, in short.
    pub subject: Option<String>,
    /// What is to do.
    pub description: Option<String>,
    /// What is said while it is done.
    pub active_form: Option<String>,
    /// How far it is.
    pub status: Option<TaskUpdateStatus>,
    /// More tasks that wait for it.
    pub add_blocks: Option<Vec<String>>,
    /// More tasks that it waits for.
    pub add_blocked_by: Option<Vec<String>>,
    /// Who does it.
    pub owner: Option<String>,
    /// Anything else, by keys of one's own; a null takes a key away.
    pub metadata: Option<Map<Json>>,
}

/// How far a task of the list is, or that it goes.
#[wire(open)]
pub enum TaskUpdateStatus {
    /// Not begun.
    Pending = "pending",
    /// Begun.
    InProgress = "in_progress",
    /// Done.
    Completed = "completed",
    /// Off the list.
    Deleted = "deleted",
}

/// What `TaskUpdate` gives.
#[wire(rename_all = "camelCase")]
pub struct TaskUpdateOutput {
    /// Whether it was done.
    pub success: bool,
    /// The task.
    pub task_id: String,
    /// The keys that are others now.
    pub updated_fields: Vec<String>,
    /// Why it was not done.
    pub error: Option<String>,
    /// How far it was, and is.
    pub status_change: Option<TaskStatusChange>,
}

/// How far a task of the list was, and is.
#[wire]
pub struct TaskStatusChange {
    /// How far it was.
    pub from: TaskUpdateStatus,
    /// How far it is.
    pub to: TaskUpdateStatus,
}

/// What `TaskList` is given: nothing.
#[wire]
pub struct TaskListInput {}

/// What `TaskList` gives.
#[wire]
pub struct TaskListOutput {
    /// The list.
    pub tasks: Vec<ListedTask>,
}

/// A task of the list.
#[wire(rename_all = "camelCase")]
pub struct ListedTask {
    /// Names it.
    pub id: String,
    /// What is to do, in short.
    pub subject: String,
    /// How far it is.
    pub status: TodoStatus,
    /// The tasks that it waits for.
    pub blocked_by: Vec<String>,
    /// Who does it.
    pub owner: Option<String>,
}
