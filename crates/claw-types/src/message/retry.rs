//! `system` / `api_retry` and `control_request_progress`: a request to the API is tried again.

use super::Identity;
use super::assistant::AssistantMessageError;
use crate::{Count, Number, RequestId, Tri};

/// A request to the API failed and is tried again.
///
/// To hosts. Sent before each wait. When all tries have failed, an
/// [`AssistantMessage`](super::AssistantMessage) with `error` follows.
#[wire(tag(type = "system", subtype = "api_retry"))]
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
    fields: Identity!(),
    /// How long nothing came, where that was the failure. Absent for any other.
    pub no_response: Option<NoResponse>,
}

/// The API did not answer.
#[wire]
pub struct NoResponse {
    /// How long it was waited for, in milliseconds.
    pub waited_ms: Number,
    /// How long the next try will wait, in milliseconds.
    pub retry_wait_ms: Number,
}

/// How far a control request has come.
#[wire(open)]
pub enum ControlRequestStatus {
    /// It is worked on.
    Started = "started",
    /// Its request to the API is tried again.
    ApiRetry = "api_retry",
}

/// A control request of the host's takes long.
///
/// To hosts. Sent for requests that need the model (`side_question`), before the answer.
#[wire(tag(type = "system", subtype = "control_request_progress"))]
pub struct ControlRequestProgress {
    /// The host's request.
    pub request_id: RequestId,
    /// How far it has come.
    pub status: ControlRequestStatus,
    fields: Identity!(),
    /// Which try comes next, from 1. This and what follows: only with `api_retry`.
    pub attempt: Option<Count>,
    /// How many there may be.
    pub max_retries: Option<Count>,
    /// How long until it comes, in milliseconds.
    pub retry_delay_ms: Option<Number>,
    /// The HTTP status of the failure; null where there was no answer.
    pub error_status: Tri<Number>,
}
