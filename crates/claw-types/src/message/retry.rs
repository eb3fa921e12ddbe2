//! `system` / `api_retry` and `control_request_progress`: an API request that is retried.

use super::Identity;
use super::assistant::AssistantMessageError;
use crate::{Count, Number, RequestId, Tri};

/// A failed API request that will be retried.
///
/// The CLI sends this message before it waits for the next attempt. If all attempts have failed, an
/// [`AssistantMessage`](super::AssistantMessage) with `error` follows.
#[wire(tag(type = "system", subtype = "api_retry"))]
pub struct ApiRetry {
    /// The number of the next attempt, counted from 1.
    pub attempt: Count,
    /// The maximum number of retries.
    pub max_retries: Count,
    /// The delay before the next attempt, in milliseconds.
    pub retry_delay_ms: Number,
    /// The HTTP status of the failure. Null if the API did not respond.
    #[wire(nullable)]
    pub error_status: Option<Number>,
    /// The kind of failure.
    pub error: AssistantMessageError,
    fields: Identity!(),
    /// How long the CLI waits for a response from the API. Sent only if the API did not respond in time.
    pub no_response: Option<NoResponse>,
}

/// How long the CLI waits for a response from the API, in the failed attempt and in the next attempt.
#[wire]
pub struct NoResponse {
    /// The time for which the failed attempt waited for a response from the API, in milliseconds.
    pub waited_ms: Number,
    /// The time for which the next attempt will wait for a response from the API, in milliseconds.
    pub retry_wait_ms: Number,
}

/// The progress of a control request.
#[wire(open)]
pub enum ControlRequestStatus {
    /// The CLI has started to process the request.
    Started = "started",
    /// The API request that the control request needs is being retried.
    ApiRetry = "api_retry",
}

/// The progress of a slow control request. The host sent this request to `claude`.
///
/// The CLI sends this message before it responds to a control request that needs the model, such as `side_question`.
#[wire(tag(type = "system", subtype = "control_request_progress"))]
pub struct ControlRequestProgress {
    /// The ID of the host's control request.
    pub request_id: RequestId,
    /// The progress of the control request.
    pub status: ControlRequestStatus,
    fields: Identity!(),
    /// The number of the next attempt at the API request that the control request needs, counted from 1. Sent only if
    /// the status is `api_retry`.
    pub attempt: Option<Count>,
    /// The maximum number of retries of the API request. Sent only if the status is `api_retry`.
    pub max_retries: Option<Count>,
    /// The delay before the next attempt at the API request, in milliseconds. Sent only if the status is `api_retry`.
    pub retry_delay_ms: Option<Number>,
    /// The HTTP status with which the API request failed. Null if the API did not respond. Sent only if the status is
    /// `api_retry`.
    pub error_status: Tri<Number>,
}
