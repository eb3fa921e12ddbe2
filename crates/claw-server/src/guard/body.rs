//! Bodies that are too long, or never end.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use futures::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};

use crate::api::Refusal;

/// The longest body of all routes, in bytes.
const LONGEST: u64 = 32 << 20;
/// Within which a body has to come.
const TIME: Duration = Duration::from_mins(1);

/// Refuses a body that says that it is too long, before any of it is read.
pub(super) fn fits(headers: &HeaderMap) -> Result<(), Refusal> {
    fits_in(headers, LONGEST)
}

/// As [`fits`], with another bound in bytes.
pub(crate) fn fits_in(headers: &HeaderMap, longest: u64) -> Result<(), Refusal> {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > longest) {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        return Err(Refusal::new(status, "tooLarge", "the body is too long"));
    }
    Ok(())
}

/// The body, which fails if it does not come in time.
pub(crate) fn in_time(body: Body) -> Body {
    let state = (body.into_data_stream(), None);
    Body::from_stream(stream::unfold(state, async |(mut body, until)| {
        // From its first reading on.
        let until = until.unwrap_or_else(|| Instant::now() + TIME);
        let next = match timeout_at(until, body.next()).await {
            Ok(next) => next?.map_err(io::Error::other),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        Some((next, (body, Some(until))))
    }))
}
