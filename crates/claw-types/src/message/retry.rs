//! `system` / `api_retry`, `api_error` and `control_request_progress`: a request to the API is tried
//! again.

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

/// A request to the API has failed and is tried again, with all that is known of the error.
///
/// To the CLI's own terminal; other hosts get an [`ApiRetry`]. In no published type.
#[wire(tag(type = "system", subtype = "api_error"))]
pub struct ApiErrorMessage {
    /// What went wrong.
    pub error: ApiErrorDetails,
    /// When it is tried again: in that many milliseconds.
    pub retry_in_ms: Number,
    /// Which attempt that will be.
    pub retry_attempt: Count,
    /// How many there are.
    pub max_retries: Count,
    fields: Identity!(),
}

/// What went wrong with a request to the API.
#[wire]
pub struct ApiErrorDetails {
    /// The API's own words.
    pub message: String,
    /// The words for the person.
    pub formatted: String,
    /// What went wrong with the connection; null where nothing did.
    #[wire(nullable)]
    pub connection: Option<ConnectionError>,
    /// Whether there is no network.
    pub is_network_down: bool,
    /// The limit that was reached; null where none was.
    #[wire(nullable)]
    pub rate_limits: Option<ApiErrorLimits>,
    /// The HTTP status.
    pub status: Option<Number>,
    /// The request.
    pub request_id: Option<RequestId>,
}

/// What went wrong with a connection.
#[wire]
pub struct ConnectionError {
    /// The system's code: `ECONNRESET` ….
    pub code: String,
    /// In words.
    pub message: String,
    /// Whether it is about certificates.
    pub is_ssl_error: bool,
}

/// The limit that a request has reached.
#[wire]
pub struct ApiErrorLimits {
    /// When it ends, in seconds since 1970.
    pub resets_at: Option<Number>,
    /// Which.
    pub rate_limit_type: Option<String>,
}
