//! Limits the time in which the body of a request must arrive.

use std::error::Error;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::extract::rejection::BytesRejection;
use axum::http::header;
use futures::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};

/// Maximum time in which the body of a request must arrive.
const TIME: Duration = Duration::from_mins(1);
/// The error text for a body that has not arrived within [`TIME`].
pub(crate) const LATE: &str = "the body did not come within a minute";

/// Returns a body that fails if `body` does not arrive within [`TIME`].
pub(crate) fn in_time(body: Body) -> Body {
    let state = (body.into_data_stream(), None);
    Body::from_stream(stream::unfold(state, async |(mut body, until)| {
        // The time begins with the first read of the body.
        let until = until.unwrap_or_else(|| Instant::now() + TIME);
        let next = match timeout_at(until, body.next()).await {
            Ok(next) => next?.map_err(io::Error::other),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        Some((next, (body, Some(until))))
    }))
}

/// Maximum size of a body, in bytes, unless the route's row sets another maximum.
pub(crate) const BODY: usize = 1 << 20;

/// Maximum size of the body of a request that contains a prompt, in bytes. A prompt may contain images. No route
/// accepts a longer body.
pub(crate) const PROMPT: usize = 32 << 20;

/// Maximum size of the bodies that a route accepts, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyBound(pub(crate) usize);

/// Collects the chunks of the body in one buffer. Each chunk is freed as soon as it is copied. Otherwise hundreds of
/// small chunks would exist until the last one arrives, and would fragment the memory. A body that exceeds the route's
/// limit is not collected. The route receives its chunks, and refuses the body.
pub(crate) fn in_one_piece(request: Request) -> Request {
    let most = request.extensions().get::<BodyBound>();
    let most = most.map_or(BODY, |most| most.0);
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    // The whole buffer is reserved now, because it uses no physical memory until it is written to.
    let whole = Vec::with_capacity(length.map_or(0, |length: usize| length.min(most)));
    request.map(|body| {
        let state = Some((body.into_data_stream(), whole, most));
        Body::from_stream(stream::unfold(state, async |state| {
            let (mut body, mut whole, most) = state?;
            while whole.len() <= most {
                match body.next().await {
                    Some(Ok(piece)) => whole.extend_from_slice(&piece),
                    Some(Err(error)) => return Some((Err(error), None)),
                    None if whole.is_empty() => return None,
                    None => return Some((Ok(Bytes::from(whole)), None)),
                }
            }
            Some((Ok(Bytes::from(whole)), Some((body, Vec::new(), most))))
        }))
    })
}

/// Returns whether a body was not read because it arrived too late.
pub(crate) fn is_late(rejection: &BytesRejection) -> bool {
    let causes = std::iter::successors(rejection.source(), |error| (*error).source());
    let mut causes = causes.filter_map(|error| error.downcast_ref::<io::Error>());
    causes.any(|error| error.kind() == io::ErrorKind::TimedOut)
}
