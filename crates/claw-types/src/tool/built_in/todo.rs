//! `TodoWrite`: writes the whole to-do list.

/// The input of the `TodoWrite` tool.
#[wire]
pub struct TodoWriteInput {
    /// The complete new to-do list.
    pub todos: Vec<Todo>,
}

/// An item of the to-do list.
#[wire]
pub struct Todo {
    /// The text of the item.
    pub content: String,
    /// The status of the item.
    pub status: TodoStatus,
    /// The text to show while the item is in progress.
    #[wire(rename = "activeForm")]
    pub active_form: String,
}

/// The status of an item of the to-do list.
#[wire(open)]
pub enum TodoStatus {
    /// The item has not been started.
    Pending = "pending",
    /// The item is in progress.
    InProgress = "in_progress",
    /// The item is completed.
    Completed = "completed",
}

/// The output of the `TodoWrite` tool.
#[wire(rename_all = "camelCase")]
pub struct TodoWriteOutput {
    /// The to-do list before the change.
    pub old_todos: Vec<Todo>,
    /// The to-do list after the change.
    pub new_todos: Vec<Todo>,
}
