//! `TodoWrite`: the list of what is to do, in one piece.

use claw_types_derive::Wire;

use crate::Extra;
use crate::open_enum::open_enum;

/// What `TodoWrite` is given.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TodoWriteInput {
    /// The whole list, as it is now.
    pub todos: Vec<Todo>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Something to do.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Todo {
    /// What.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// What is said while it is done.
    #[wire(rename = "activeForm")]
    pub active_form: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// How far something to do is.
    TodoStatus {
        /// Not begun.
        Pending = "pending",
        /// Begun.
        InProgress = "in_progress",
        /// Done.
        Completed = "completed",
    }
}

/// What `TodoWrite` gives.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TodoWriteOutput {
    /// The list as it was.
    pub old_todos: Vec<Todo>,
    /// The list as it is.
    pub new_todos: Vec<Todo>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
