//! `system` / `api_error`: an API request that is retried.

use super::Identity;
use crate::{Count, Number, RequestId};

/// A failed API request that will be retried. The message contains all details of the error.
///
/// The CLI sends this message to its own terminal interface. Other hosts receive an `ApiRetry` instead. The types of
/// the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "api_error"))]
pub struct ApiErrorMessage {
    /// The details of the error.
    pub error: ApiErrorDetails,
    /// The delay before the next attempt at the API request, in milliseconds.
    pub retry_in_ms: Number,
    /// The number of the next attempt at the API request.
    pub retry_attempt: Count,
    /// The maximum number of retries.
    pub max_retries: Count,
    fields: Identity!(),
}

/// The details of an API error.
#[wire]
pub struct ApiErrorDetails {
    /// The error message from the API.
    pub message: String,
    /// The error message in the form in which the CLI displays it.
    pub formatted: String,
    /// The error of the network connection. Null if the connection did not fail.
    #[wire(nullable)]
    pub connection: Option<ConnectionError>,
    /// Whether the network is down.
    pub is_network_down: bool,
    /// The limit that the request has reached. Null if it has reached no limit.
    #[wire(nullable)]
    pub rate_limits: Option<ApiErrorLimits>,
    /// The HTTP status of the error.
    pub status: Option<Number>,
    /// The API's ID of the request.
    pub request_id: Option<RequestId>,
}

/// An error of the network connection to the API.
#[wire]
pub struct ConnectionError {
    /// The error code of the operating system, such as `ECONNRESET`.
    pub code: String,
    /// A description of the error.
    pub message: String,
    /// Whether the error concerns TLS certificates.
    pub is_ssl_error: bool,
}

/// The limit that a request has reached.
#[wire]
pub struct ApiErrorLimits {
    /// The time at which the limit is reset, in seconds since 1970.
    pub resets_at: Option<Number>,
    /// The kind of the limit, such as `five_hour`.
    pub rate_limit_type: Option<String>,
}
