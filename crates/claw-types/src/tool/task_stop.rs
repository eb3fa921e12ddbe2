//! `TaskStop`, earlier `KillShell`: ends a background task.

/// What `TaskStop` is given.
#[wire]
pub struct TaskStopInput {
    /// The task; for a sub-agent its name will do.
    pub task_id: Option<String>,
    /// The shell: what the key was in earlier CLIs.
    pub shell_id: Option<String>,
}

/// What `TaskStop` gives.
#[wire]
pub struct TaskStopOutput {
    /// That it was ended, in words.
    pub message: String,
    /// The task.
    pub task_id: String,
    /// The kind of task: `local_agent`, `local_bash` ….
    pub task_type: String,
    /// Its command, or what it was for.
    pub command: Option<String>,
}
