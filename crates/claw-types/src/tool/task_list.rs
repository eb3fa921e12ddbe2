//! `TaskCreate`, `TaskGet`, `TaskUpdate` and `TaskList`: the list of what is to do, task by task.
//! These tasks are no background tasks; for those see `TaskStop`.

use claw_types_derive::Wire;

use super::TodoStatus;
use crate::open_enum::open_enum;
use crate::{Extra, Json, Map};

/// What `TaskCreate` is given.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `TaskCreate` gives.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TaskCreateOutput {
    /// The task.
    pub task: CreatedTask,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A task that is new on the list.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CreatedTask {
    /// Names it.
    pub id: String,
    /// What is to do, in short.
    pub subject: String,
    /// What is to do, as it was taken down. Older CLIs do not say.
    pub description: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `TaskGet` is given.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskGetInput {
    /// The task.
    pub task_id: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `TaskGet` gives.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TaskGetOutput {
    /// The task; null where there is none of that name.
    #[wire(nullable)]
    pub task: Option<ListedTaskDetails>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A task of the list, with all that there is to it.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `TaskUpdate` is given. What is absent stays as it is.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// How far a task of the list is, or that it goes.
    TaskUpdateStatus {
        /// Not begun.
        Pending = "pending",
        /// Begun.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
        /// Off the list.
        Deleted = "deleted",
    }
}

/// What `TaskUpdate` gives.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// How far a task of the list was, and is.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TaskStatusChange {
    /// How far it was.
    pub from: TaskUpdateStatus,
    /// How far it is.
    pub to: TaskUpdateStatus,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `TaskList` is given: nothing.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TaskListInput {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `TaskList` gives.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TaskListOutput {
    /// The list.
    pub tasks: Vec<ListedTask>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A task of the list.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
