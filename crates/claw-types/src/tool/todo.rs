//! `TodoWrite`: the list of what is to do, in one piece.

/// What `TodoWrite` is given.
#[wire]
pub struct TodoWriteInput {
    /// The whole list, as it is now.
    pub todos: Vec<Todo>,
}

/// Something to do.
#[wire]
pub struct Todo {
    /// What.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// What is said while it is done.
    #[wire(rename = "activeForm")]
    pub active_form: String,
}

/// How far something to do is.
#[wire(open)]
pub enum TodoStatus {
    /// Not begun.
    Pending = "pending",
    /// Begun.
    InProgress = "in_progress",
    /// Done.
    Completed = "completed",
}

/// What `TodoWrite` gives.
#[wire(rename_all = "camelCase")]
pub struct TodoWriteOutput {
    /// The list as it was.
    pub old_todos: Vec<Todo>,
    /// The list as it is.
    pub new_todos: Vec<Todo>,
}
