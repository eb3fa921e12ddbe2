//! `Monitor`: watches a command or a WebSocket. Each line of the command's stdout, or each message of the WebSocket,
//! becomes an event.

use crate::Number;

/// The input of the `Monitor` tool: a command or a WebSocket, but not both.
#[wire]
pub struct MonitorInput {
    /// A short description of what is watched. People read it in notifications.
    pub description: String,
    /// The time in milliseconds after which the watch ends; at most half an hour. The CLI informs the model when the
    /// watch ends.
    pub timeout_ms: Number,
    /// The shell command to watch. Each line on its stdout is an event. The watch ends when the command ends.
    pub command: Option<String>,
    /// The WebSocket to watch. Each text message is an event. The watch ends when the WebSocket closes.
    pub ws: Option<MonitorSocket>,
}

/// A WebSocket to watch.
#[wire]
pub struct MonitorSocket {
    /// The URL of the WebSocket.
    pub url: String,
    /// The WebSocket subprotocols to request.
    pub protocols: Option<Vec<String>>,
}

/// The output of the `Monitor` tool: the background task that watches.
#[wire(rename_all = "camelCase")]
pub struct MonitorOutput {
    /// The ID of the background task.
    pub task_id: String,
    /// The time in milliseconds after which the watch ends. 0 means that the watch has no time limit.
    pub timeout_ms: Number,
    /// Whether the watch runs until it is stopped or the session ends.
    pub persistent: Option<bool>,
    /// Whether the command runs in the sandbox although the settings exempt it. The reason is that the permission check
    /// of the command relied on the sandbox.
    pub kept_in_sandbox_by_check: Option<bool>,
}

#[cfg(test)]
mod tests;
