//! Bodies that do not come in time.

use std::error::Error;
use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::BytesRejection;
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

/// Whether a body was not read because it did not come in time.
pub(crate) fn is_late(rejection: &BytesRejection) -> bool {
    let causes = std::iter::successors(rejection.source(), |error| (*error).source());
    let mut causes = causes.filter_map(|error| error.downcast_ref::<io::Error>());
    causes.any(|error| error.kind() == io::ErrorKind::TimedOut)
}
