//! What goes on in all sessions, as events of pages.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use futures::stream;
use serde_json::json;
use tokio::time::sleep;

use super::fragments::PageEvent;
use crate::api::events::SIGN_OF_LIFE;
use crate::api::response::Events;
use crate::api::{Api, Refusal};
use crate::conversation::Phase;
use crate::hub::{ActivityWatch, BusySessions};
use crate::limits::{LimitsWatch, LoginLimits};

/// The shortest time between two updates of a list. A slow page gets the newest state, and nothing of what was in between.
const UPDATE: std::time::Duration = std::time::Duration::from_millis(250);

/// How many other sessions ask, for the page of one session.
#[derive(Debug)]
pub(super) struct Others {
    watch: ActivityWatch,
    limits: LimitsWatch,
    told: Option<Counts>,
}

/// How many ask, how many of them are others, and which one is to be seen first.
type Counts = (usize, usize, Option<String>);

impl Others {
    pub(super) fn new(api: &Api) -> Self {
        Self {
            watch: api.hub.activity().watch(),
            limits: api.hub.activity().limits.watch(),
            told: None,
        }
    }

    /// The next event, once the counts or the limits of the login have changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(super) async fn next(&mut self, own: &str) -> PageEvent {
        loop {
            let busy = tokio::select! {
                busy = self.watch.next() => busy,
                limits = self.limits.next() => return of_limits(&limits),
            };
            let counts = counts(&busy, own);
            if self.told.as_ref() != Some(&counts) {
                let (asking, others, first) = &counts;
                let data = json!({"asking": asking, "others": others, "first": first});
                self.told = Some(counts);
                return PageEvent::of("activity", &data);
            }
        }
    }
}

fn of_limits(limits: &LoginLimits) -> PageEvent {
    PageEvent::of("limits", &json!(limits))
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
    let activity = api.hub.activity();
    let watches = (activity.watch(), activity.limits.watch());
    let all = stream::unfold(
        (watches, slot, false),
        async |(mut watches, slot, is_begun)| {
            let text = update(&mut watches, is_begun).await;
            Some((
                Ok::<_, Infallible>(Bytes::from(text)),
                (watches, slot, true),
            ))
        },
    );
    Ok(Events::of(all))
}

async fn update((watch, limits): &mut (ActivityWatch, LimitsWatch), is_begun: bool) -> String {
    if is_begun {
        sleep(UPDATE).await;
    }
    let event = tokio::select! {
        busy = watch.next() => of_all(&busy),
        limits = limits.next() => of_limits(&limits),
        () = sleep(SIGN_OF_LIFE) => PageEvent::of("ping", &json!({})),
    };
    event.text()
}

fn of_all(busy: &BusySessions) -> PageEvent {
    let first = busy.sessions.first();
    let first = first.filter(|it| it.phase == Phase::Asking);
    let data = json!({"asking": busy.asking, "others": busy.asking,
        "first": first.map(|it| it.id.as_str()), "sessions": busy.sessions});
    PageEvent::of("activity", &data)
}
