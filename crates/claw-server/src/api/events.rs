//! Events of a session as server-sent events.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use futures::stream;

use super::extract::LastEvent;
use super::response::Events;
use super::{Api, Refusal};
use crate::conversation::{EventKind, Next};

/// Interval after which a stream without events sends a comment, so that proxies do not close the connection.
pub(crate) const SIGN_OF_LIFE: std::time::Duration = std::time::Duration::from_secs(15);

pub(crate) async fn events(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    last: LastEvent,
) -> Result<Events, Refusal> {
    let live = api.hub.open(&id).await?;
    let place = api.viewers.acquire(&id)?;
    let epoch = live.read(|conversation| conversation.epoch().to_owned());
    let viewer = live.viewer(last.number(&epoch));
    // The comment is sent at once, so that the client sees that it is connected.
    let first = Bytes::from_static(b":\n\n");
    let rest = stream::unfold(
        (viewer, epoch, place),
        async |(mut viewer, epoch, place)| {
            let text = match tokio::time::timeout(SIGN_OF_LIFE, viewer.next()).await {
                Ok(next) => text(&epoch, next?),
                Err(_) => ":\n\n".to_owned(),
            };
            Some((
                Ok::<_, Infallible>(Bytes::from(text)),
                (viewer, epoch, place),
            ))
        },
    );
    Ok(Events::of(futures::StreamExt::chain(
        stream::iter([Ok(first)]),
        rest,
    )))
}

fn text(epoch: &str, next: Next) -> String {
    match next {
        Next::Reset(number, data) => {
            format!("id: {epoch}-{number}\nevent: reset\ndata: {data}\n\n")
        }
        Next::Events(events) => {
            let mut text = String::new();
            for event in events {
                if event.kind != EventKind::Wrapper {
                    let (number, kind, data) = (event.number, event.kind.as_str(), event.data);
                    // Writing to a `String` cannot fail.
                    let _ = write!(
                        text,
                        "id: {epoch}-{number}\nevent: {kind}\ndata: {data}\n\n"
                    );
                }
            }
            text
        }
    }
}
