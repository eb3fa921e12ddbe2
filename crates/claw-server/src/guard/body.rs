//! Refuses bodies that are too long.

use axum::http::{HeaderMap, StatusCode, header};

use crate::api::Refusal;
use crate::late_body::PROMPT;

/// Refuses a body whose `Content-Length` is too large, before the body is read.
pub(super) fn fits(headers: &HeaderMap) -> Result<(), Refusal> {
    fits_in(headers, PROMPT as u64)
}

/// Like [`fits`], with another limit in bytes.
pub(crate) fn fits_in(headers: &HeaderMap, longest: u64) -> Result<(), Refusal> {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > longest) {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        return Err(Refusal::new(status, "tooLarge", "the body is too long"));
    }
    Ok(())
}
