//! `TaskCreate`, `TaskGet`, `TaskUpdate` and `TaskList`: tools that read and change single tasks of the to-do list.
//! These tasks are not background tasks, which `TaskStop` stops.

use super::TodoStatus;
use crate::{Json, Map};

/// The input of the `TaskCreate` tool.
#[wire]
pub struct TaskCreateInput {
    /// The title of the task.
    pub subject: String,
    /// The description of the task.
    pub description: String,
    /// The text to show while the task is in progress.
    #[wire(rename = "activeForm")]
    pub active_form: Option<String>,
    /// Additional data for the task, under freely chosen keys.
    pub metadata: Option<Map<Json>>,
}

/// The output of the `TaskCreate` tool.
#[wire]
pub struct TaskCreateOutput {
    /// The task that was created.
    pub task: CreatedTask,
}

/// A task that was added to the to-do list.
#[wire]
pub struct CreatedTask {
    /// The ID of the task.
    pub id: String,
    /// The title of the task.
    pub subject: String,
    /// The description of the task as stored. Absent on results of older CLIs.
    pub description: Option<String>,
}

/// The input of the `TaskGet` tool.
#[wire(rename_all = "camelCase")]
pub struct TaskGetInput {
    /// The ID of the task.
    pub task_id: String,
}

/// The output of the `TaskGet` tool.
#[wire]
pub struct TaskGetOutput {
    /// The task. Null if no task has this ID.
    #[wire(nullable)]
    pub task: Option<ListedTaskDetails>,
}

/// A task of the to-do list with all its details.
#[wire(rename_all = "camelCase")]
pub struct ListedTaskDetails {
    /// The ID of the task.
    pub id: String,
    /// The title of the task.
    pub subject: String,
    /// The description of the task.
    pub description: String,
    /// The status of the task.
    pub status: TodoStatus,
    /// The IDs of tasks that this task blocks.
    pub blocks: Vec<String>,
    /// The IDs of tasks that block this task.
    pub blocked_by: Vec<String>,
}

/// The input of the `TaskUpdate` tool. A property of the task changes only if its field is present.
#[wire(rename_all = "camelCase")]
pub struct TaskUpdateInput {
    /// The ID of the task.
    pub task_id: String,
    /// The new title of the task.
    pub subject: Option<String>,
    /// The new description of the task.
    pub description: Option<String>,
    /// The text to show while the task is in progress.
    pub active_form: Option<String>,
    /// The new status of the task.
    pub status: Option<TaskUpdateStatus>,
    /// The IDs of further tasks that this task blocks.
    pub add_blocks: Option<Vec<String>>,
    /// The IDs of further tasks that block this task.
    pub add_blocked_by: Option<Vec<String>>,
    /// The owner of the task: the agent to which the task is assigned.
    pub owner: Option<String>,
    /// Additional data for the task, under freely chosen keys. A null value removes the key.
    pub metadata: Option<Map<Json>>,
}

/// The new status of a task of the to-do list, or its deletion.
#[wire(open)]
pub enum TaskUpdateStatus {
    /// The task has not been started.
    Pending = "pending",
    /// The task is in progress.
    InProgress = "in_progress",
    /// The task is completed.
    Completed = "completed",
    /// The task is removed from the list.
    Deleted = "deleted",
}

/// The output of the `TaskUpdate` tool.
#[wire(rename_all = "camelCase")]
pub struct TaskUpdateOutput {
    /// Whether the update succeeded.
    pub success: bool,
    /// The ID of the task.
    pub task_id: String,
    /// The names of the fields that changed.
    pub updated_fields: Vec<String>,
    /// The reason why the update failed. Absent if the update succeeded.
    pub error: Option<String>,
    /// The old and the new status. Absent if the status did not change.
    pub status_change: Option<TaskStatusChange>,
}

/// The old and the new status of a task of the to-do list.
#[wire]
pub struct TaskStatusChange {
    /// The old status of the task.
    pub from: TaskUpdateStatus,
    /// The new status of the task.
    pub to: TaskUpdateStatus,
}

/// The input of the `TaskList` tool, which has no fields.
#[wire]
pub struct TaskListInput {}

/// The output of the `TaskList` tool.
#[wire]
pub struct TaskListOutput {
    /// The tasks of the to-do list.
    pub tasks: Vec<ListedTask>,
}

/// A task of the to-do list.
#[wire(rename_all = "camelCase")]
pub struct ListedTask {
    /// The ID of the task.
    pub id: String,
    /// The title of the task.
    pub subject: String,
    /// The status of the task.
    pub status: TodoStatus,
    /// The IDs of tasks that block this task.
    pub blocked_by: Vec<String>,
    /// The owner of the task: the agent to which the task is assigned.
    pub owner: Option<String>,
}
