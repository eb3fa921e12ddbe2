//! The control protocol: requests and responses between `claude` and the host (the program that started `claude`). They
//! use the same two pipes as the conversation.
//!
//! Either side can send a request at any time. A response carries the `request_id` of its request. Responses can come
//! in any order. To a request of an unknown kind, the host must respond with the error `unsupported_request`. Otherwise
//! `claude` waits forever.

mod context;
mod dialog;
mod environment;
mod export;
mod file;
mod hook_callback;
mod hooks_listing;
mod host;
mod initialize;
mod initialized;
#[cfg(feature = "internal")]
pub mod internal;
mod listing;
mod mcp;
mod mcp_call;
mod mcp_login;
mod permission;
mod reload;
mod request;
mod rewind;
mod session;
mod settings;
mod settings_files;
mod side;
mod task;
mod usage;
mod workspace;
mod workspace_diff;

pub use context::*;
pub use dialog::*;
pub use environment::*;
pub use export::*;
pub use file::*;
pub use hook_callback::*;
pub use hooks_listing::*;
pub use host::*;
pub use initialize::*;
pub use initialized::*;
pub use listing::*;
pub use mcp::*;
pub use mcp_call::*;
pub use mcp_login::*;
pub use permission::*;
pub use reload::*;
pub use request::*;
pub use rewind::*;
pub use session::*;
pub use settings::*;
pub use settings_files::*;
pub use side::*;
pub use task::*;
pub use usage::*;
pub use workspace::*;
pub use workspace_diff::*;

use crate::{Json, RequestId, ToolUseId};

/// The response to a control request.
#[wire(tag(type = "control_response"))]
pub struct ControlResponse {
    /// The body of the response: success or error.
    pub response: ControlResponseBody,
}

impl ControlResponse {
    /// Creates a success response with a payload.
    pub fn success(request_id: impl Into<RequestId>, payload: Json) -> Self {
        Self::new(ControlSuccess::new(request_id).response(payload))
    }

    /// Creates an error response with a message.
    pub fn error(request_id: impl Into<RequestId>, error: impl Into<String>) -> Self {
        Self::new(ControlError::new(request_id, error))
    }

    /// Returns the ID of the request to which this response belongs. Returns `None` if claw does not know this form of
    /// response.
    pub fn request_id(&self) -> Option<&RequestId> {
        match &self.response {
            ControlResponseBody::Success(success) => Some(&success.request_id),
            ControlResponseBody::Error(error) => Some(&error.request_id),
            ControlResponseBody::Unknown(_) => None,
        }
    }
}

/// The body of a control response: success or error.
#[wire]
pub enum ControlResponseBody {
    /// The request succeeded.
    Success(Box<ControlSuccess>),
    /// The request failed.
    Error(Box<ControlError>),
}

/// The response to a request that succeeded.
#[wire(tag(subtype = "success"))]
pub struct ControlSuccess {
    /// The ID of the request.
    pub request_id: RequestId,
    /// The payload of the response. Many responses only confirm the request and have no payload.
    pub response: Option<Json>,
    /// Permission requests that still wait for a response. The host must handle them as if they had just arrived. Sent
    /// in the response to `initialize`.
    pub pending_permission_requests: Option<Vec<ControlRequest>>,
    /// Dialog requests that still wait for a response. The host must handle them as if they had just arrived. Sent in
    /// the response to `initialize`.
    pub pending_user_dialog_requests: Option<Vec<ControlRequest>>,
    /// Elicitation requests that still wait for a response.
    pub pending_elicitation_requests: Option<Vec<ControlRequest>>,
}

/// The response to a request that failed.
#[wire(tag(subtype = "error"))]
pub struct ControlError {
    /// The ID of the request.
    pub request_id: RequestId,
    /// The error message.
    pub error: String,
    /// The error code, such as `unsupported_request`. Absent if the error has none.
    pub error_code: Option<String>,
    /// The name of the model that the session continues to use. Sent if a request to set another model failed.
    pub model: Option<String>,
    /// Permission requests that still wait for a response.
    pub pending_permission_requests: Option<Vec<ControlRequest>>,
    /// Dialog requests that still wait for a response.
    pub pending_user_dialog_requests: Option<Vec<ControlRequest>>,
    /// Elicitation requests that still wait for a response.
    pub pending_elicitation_requests: Option<Vec<ControlRequest>>,
}

/// The cancellation of a control request by its sender, who no longer waits for the response. The receiver stops its
/// work on the request and sends no response.
#[wire(tag(type = "control_cancel_request"))]
pub struct ControlCancelRequest {
    /// The ID of the cancelled request.
    pub request_id: RequestId,
    /// The ID of the tool use that the request was about.
    pub tool_use_id: Option<ToolUseId>,
}

/// A message which shows that the sending process is alive while an operation takes long. The message needs no
/// response.
#[wire(tag(type = "keep_alive"))]
pub struct KeepAlive {
    /// The step that the start of the CLI has reached, such as `stdin_listen_started`. Sent only if the host asked for
    /// start-up marks.
    pub startup_mark: Option<String>,
}
