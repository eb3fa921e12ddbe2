//! `Monitor`: watching a command or a socket, whose lines come as events.

use crate::Number;

/// What `Monitor` is given: a command or a socket, but not both.
#[wire]
pub struct MonitorInput {
    /// What is watched, in short. People read it in notices.
    pub description: String,
    /// When it ends, in milliseconds from now; half an hour at most. The model is told.
    pub timeout_ms: Number,
    /// A shell command. Each line that it writes to stdout is an event; it ends when the command
    /// does.
    pub command: Option<String>,
    /// A socket. Each text that it sends is an event; it ends when the socket closes.
    pub ws: Option<MonitorSocket>,
}

/// A WebSocket that is watched.
#[wire]
pub struct MonitorSocket {
    /// Where it is.
    pub url: String,
    /// The subprotocols to ask for.
    pub protocols: Option<Vec<String>>,
}

/// What `Monitor` gives: the task that watches.
#[wire(rename_all = "camelCase")]
pub struct MonitorOutput {
    /// The background task.
    pub task_id: String,
    /// When it ends, in milliseconds; 0 where it does not.
    pub timeout_ms: Number,
    /// It goes on until it is stopped or the session ends.
    pub persistent: Option<bool>,
    /// The command runs in the sandbox, from which the settings would have let it out, because it
    /// was allowed for the sandbox alone.
    pub kept_in_sandbox_by_check: Option<bool>,
}

#[cfg(test)]
mod tests;
