//! The control protocol: requests and answers between host and `claude`, on the same two pipes as
//! the conversation.
//!
//! Either side may make one at any time. An answer carries its request's `request_id`; answers come in
//! any order. A request that claw does not know must be answered with the error
//! `unsupported_request`, or `claude` waits for ever.

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

/// The answer to a control request.
#[wire(tag(type = "control_response"))]
pub struct ControlResponse {
    /// The answer.
    pub response: ControlResponseBody,
}

impl ControlResponse {
    /// A success that carries a payload.
    pub fn success(request_id: impl Into<RequestId>, payload: Json) -> Self {
        Self::new(ControlSuccess::new(request_id).response(payload))
    }

    /// A failure, with the reason in words.
    pub fn error(request_id: impl Into<RequestId>, error: impl Into<String>) -> Self {
        Self::new(ControlError::new(request_id, error))
    }

    /// The request that this answers; `None` for a form of answer that claw does not know.
    pub fn request_id(&self) -> Option<&RequestId> {
        match &self.response {
            ControlResponseBody::Success(success) => Some(&success.request_id),
            ControlResponseBody::Error(error) => Some(&error.request_id),
            ControlResponseBody::Unknown(_) => None,
        }
    }
}

/// An answer: it worked, or it did not.
#[wire]
pub enum ControlResponseBody {
    /// It worked.
    Success(Box<ControlSuccess>),
    /// It did not.
    Error(Box<ControlError>),
}

/// It worked.
#[wire(tag(subtype = "success"))]
pub struct ControlSuccess {
    /// The id of the request.
    pub request_id: RequestId,
    /// What the request wanted to know. Absent on many answers that only confirm.
    pub response: Option<Json>,
    /// On the answer to `initialize`: permission requests that wait, to be taken as if they had
    /// just come.
    pub pending_permission_requests: Option<Vec<ControlRequest>>,
    /// On the answer to `initialize`: dialogs that wait.
    pub pending_user_dialog_requests: Option<Vec<ControlRequest>>,
    /// Elicitations that wait.
    pub pending_elicitation_requests: Option<Vec<ControlRequest>>,
}

/// It did not work.
#[wire(tag(subtype = "error"))]
pub struct ControlError {
    /// The id of the request.
    pub request_id: RequestId,
    /// Why, in words.
    pub error: String,
    /// Why, as a code such as `unsupported_request`.
    pub error_code: Option<String>,
    /// The model that goes on answering, where another could not be set.
    pub model: Option<String>,
    /// Permission requests that wait.
    pub pending_permission_requests: Option<Vec<ControlRequest>>,
    /// Dialogs that wait.
    pub pending_user_dialog_requests: Option<Vec<ControlRequest>>,
    /// Elicitations that wait.
    pub pending_elicitation_requests: Option<Vec<ControlRequest>>,
}

/// The asker no longer waits for an answer. Whoever works on it stops, and sends nothing.
#[wire(tag(type = "control_cancel_request"))]
pub struct ControlCancelRequest {
    /// The id of the request.
    pub request_id: RequestId,
    /// The tool use that was asked about.
    pub tool_use_id: Option<ToolUseId>,
}

/// A sign of life: something takes long. Needs no answer.
#[wire(tag(type = "keep_alive"))]
pub struct KeepAlive {
    /// How far the start has come. Only where start-up marks were asked for.
    pub startup_mark: Option<String>,
}
