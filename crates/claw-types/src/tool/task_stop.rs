//! `TaskStop`, earlier `KillShell`: ends a background task.

use claw_types_derive::Wire;

use crate::Extra;

/// What `TaskStop` is given.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TaskStopInput {
    /// The task; for a sub-agent its name will do.
    pub task_id: Option<String>,
    /// The shell: what the key was in earlier CLIs.
    pub shell_id: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What `TaskStop` gives.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TaskStopOutput {
    /// That it was ended, in words.
    pub message: String,
    /// The task.
    pub task_id: String,
    /// The kind of task: `local_agent`, `local_bash` ….
    pub task_type: String,
    /// Its command, or what it was for.
    pub command: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
