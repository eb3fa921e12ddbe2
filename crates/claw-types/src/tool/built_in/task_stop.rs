//! `TaskStop` (earlier `KillShell`): stops a background task.

/// The input of the `TaskStop` tool.
#[wire]
pub struct TaskStopInput {
    /// The ID of the background task. If the task is a sub-agent, the name of the sub-agent is also accepted.
    pub task_id: Option<String>,
    /// The ID of the background shell. Earlier CLIs use this field in place of `task_id`.
    pub shell_id: Option<String>,
}

/// The output of the `TaskStop` tool.
#[wire]
pub struct TaskStopOutput {
    /// A text that confirms that the task was stopped.
    pub message: String,
    /// The ID of the background task.
    pub task_id: String,
    /// The type of the task, such as `local_agent` or `local_bash`.
    pub task_type: String,
    /// The command or the purpose of the task.
    pub command: Option<String>,
}
