//! What goes on in all sessions, as events of pages.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use futures::stream;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::fragments::PageEvent;
use crate::api::events::SIGN_OF_LIFE;
use crate::api::response::Events;
use crate::api::{Api, Refusal};
use crate::conversation::Phase;
use crate::hub::{ActivityWatch, BusySessions};

/// The shortest time between two updates of a list. A slow page gets the newest state, and nothing of what was in between.
const UPDATE: std::time::Duration = std::time::Duration::from_millis(250);

/// How many other sessions ask, for the page of one session.
#[derive(Debug)]
pub(super) struct Others {
    watch: ActivityWatch,
    told: Option<Counts>,
}

/// How many ask, how many of them are others, and which one is to be seen first.
type Counts = (usize, usize, Option<String>);

impl Others {
    pub(super) fn new(api: &Api) -> Self {
        Self {
            watch: api.hub.activity().watch(),
            told: None,
        }
    }

    /// The next event, once the counts have changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(super) async fn next(&mut self, own: &str) -> PageEvent {
        loop {
            let counts = counts(&*self.watch.next().await, own);
            if self.told.as_ref() != Some(&counts) {
                let (asking, others, first) = &counts;
                let data = json!({"asking": asking, "others": others, "first": first});
                self.told = Some(counts);
                return PageEvent::of("activity", &data);
            }
        }
    }
}

fn counts(busy: &BusySessions, own: &str) -> Counts {
    let mut asking = busy.sessions.iter();
    let own_asks = asking.any(|it| it.phase == Phase::Asking && it.id.as_str() == own);
    let mut others = busy.sessions.iter();
    let first = others.find(|it| it.phase == Phase::Asking && it.id.as_str() != own);
    let first = first.map(|it| it.id.as_str().to_owned());
    (busy.asking, busy.asking - usize::from(own_asks), first)
}

/// The stream of pages that show no session: what goes on in all of them.
pub(super) async fn stream_of_all(State(api): State<Arc<Api>>) -> Result<Events, Refusal> {
    let slot = api.viewers.acquire("")?;
    let watch = api.hub.activity().watch();
    let all = stream::unfold((watch, slot, false), async |(mut watch, slot, is_begun)| {
        let text = update(&mut watch, is_begun).await;
        Some((Ok::<_, Infallible>(Bytes::from(text)), (watch, slot, true)))
    });
    Ok(Events::of(all))
}

async fn update(watch: &mut ActivityWatch, is_begun: bool) -> String {
    if is_begun {
        sleep(UPDATE).await;
    }
    let event = match timeout(SIGN_OF_LIFE, watch.next()).await {
        Ok(busy) => {
            let first = busy.sessions.first();
            let first = first.filter(|it| it.phase == Phase::Asking);
            let data = json!({"asking": busy.asking, "others": busy.asking,
                "first": first.map(|it| it.id.as_str()), "sessions": busy.sessions});
            PageEvent::of("activity", &data)
        }
        Err(_) => PageEvent::of("ping", &json!({})),
    };
    event.text()
}
