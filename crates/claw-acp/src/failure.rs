//! The errors that the client receives. Each contains its cause.

use agent_client_protocol::Error;
use serde_json::json;

/// Returns the error for an invalid request, with the reason.
pub(crate) fn invalid(reason: impl Into<String>) -> Error {
    Error::new(-32602, reason)
}

/// The code for a session that does not exist.
const NOT_FOUND: i32 = -32002;

/// Returns the error for a session that does not exist.
pub(crate) fn unknown_session(id: &str) -> Error {
    Error::new(NOT_FOUND, format!("there is no session `{id}`"))
}

/// Whether an error means that a session does not exist.
pub(crate) fn is_not_found(error: &Error) -> bool {
    i32::from(error.code) == NOT_FOUND
}

/// Returns the error for a failure in the agent or in Claude Code.
pub(crate) fn failed(what: &str, cause: &dyn std::error::Error) -> Error {
    let mut text = format!("{what}: {cause}");
    let mut source = cause.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Some errors already contain the text of their source.
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    Error::new(-32603, text)
}

/// Returns the error for a failure of Claude Code. Its code shows the client how to react.
pub(crate) fn of_claude(what: &str, cause: &claw_client::Error) -> Error {
    let error = failed(what, cause);
    if cause.is_session_not_found() {
        return Error::new(NOT_FOUND, error.message);
    }
    if cause.is_launch_failure() {
        return error.data(json!({"kind": "launch"}));
    }
    error
}
