//! `system` / `api_error`: a request to the API is tried again.

use super::Identity;
use crate::{Count, Number, RequestId};

/// A request to the API has failed and is tried again, with all that is known of the error.
///
/// To the CLI's own terminal; other hosts get an `ApiRetry`. In no published type.
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
