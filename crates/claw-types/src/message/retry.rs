//! `system` / `api_retry` and `control_request_progress`: a request to the API is tried again.

use claw_types_derive::Wire;

use super::assistant::AssistantMessageError;
use crate::open_enum::open_enum;
use crate::{Count, Extra, MessageUuid, Number, RequestId, SessionId, Tri};

/// A request to the API failed and is tried again.
///
/// To hosts. Sent before each wait. When all tries have failed, an
/// [`AssistantMessage`](super::AssistantMessage) with `error` follows.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "api_retry"))]
#[non_exhaustive]
pub struct ApiRetry {
    /// Which try comes next, from 1.
    pub attempt: Count,
    /// How many there may be.
    pub max_retries: Count,
    /// How long until it comes, in milliseconds.
    pub retry_delay_ms: Number,
    /// The HTTP status of the failure; null where there was no answer.
    #[wire(nullable)]
    pub error_status: Option<Number>,
    /// The kind of failure.
    pub error: AssistantMessageError,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// How long nothing came, where that was the failure. Absent for any other.
    pub no_response: Option<NoResponse>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The API did not answer.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NoResponse {
    /// How long it was waited for, in milliseconds.
    pub waited_ms: Number,
    /// How long the next try will wait, in milliseconds.
    pub retry_wait_ms: Number,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// How far a control request has come.
    ControlRequestStatus {
        /// It is worked on.
        Started = "started",
        /// Its request to the API is tried again.
        ApiRetry = "api_retry",
    }
}

/// A control request of the host's takes long.
///
/// To hosts. Sent for requests that need the model (`side_question`), before the answer.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "control_request_progress"))]
#[non_exhaustive]
pub struct ControlRequestProgress {
    /// The host's request.
    pub request_id: RequestId,
    /// How far it has come.
    pub status: ControlRequestStatus,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Which try comes next, from 1. This and what follows: only with `api_retry`.
    pub attempt: Option<Count>,
    /// How many there may be.
    pub max_retries: Option<Count>,
    /// How long until it comes, in milliseconds.
    pub retry_delay_ms: Option<Number>,
    /// The HTTP status of the failure; null where there was no answer.
    pub error_status: Tri<Number>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
