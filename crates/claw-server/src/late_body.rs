//! Bodies that do not come in time.

use std::error::Error;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::extract::rejection::BytesRejection;
use axum::http::header;
use futures::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};

/// Within which a body has to come.
const TIME: Duration = Duration::from_mins(1);
/// What is said of one that has not.
pub(crate) const LATE: &str = "the body did not come within a minute";

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

/// The bound of a body, in bytes.
pub(crate) const BODY: usize = 1 << 20;

/// How long a body of the route may be, in bytes, if it is not the bound of all routes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyBound(pub(crate) usize);

/// The body in one piece. The pieces in which it comes are freed one by one: hundreds of small ones that are kept until the
/// last one has come leave memory that is in use nowhere and fits nothing. What is longer than the route takes is passed on
/// as it comes, and refused by the limit of the route.
pub(crate) fn in_one_piece(request: Request) -> Request {
    let most = request.extensions().get::<BodyBound>();
    let most = most.map_or(BODY, |most| most.0);
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    // Memory that nobody has written to yet is none.
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

/// Whether a body was not read because it did not come in time.
pub(crate) fn is_late(rejection: &BytesRejection) -> bool {
    let causes = std::iter::successors(rejection.source(), |error| (*error).source());
    let mut causes = causes.filter_map(|error| error.downcast_ref::<io::Error>());
    causes.any(|error| error.kind() == io::ErrorKind::TimedOut)
}
