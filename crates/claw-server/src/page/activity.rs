//! Sends events about all busy sessions to pages.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use futures::stream;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::fragments::PageEvent;
use crate::actor::{Actor, Sight};
use crate::api::events::SIGN_OF_LIFE;
use crate::api::response::Events;
use crate::api::{Api, Refusal};
use crate::hub::{ActivityWatch, BusySessions, Edit, EditWatch};
use crate::limits::LimitsWatch;

/// The minimum time between two updates of a list. A page receives the newest state, and skips the states in between.
const UPDATE: Duration = Duration::from_millis(250);

/// Receives the changes of all sessions for one page.
#[derive(Debug)]
pub(super) struct AllSessions {
    watch: ActivityWatch,
    edits: EditWatch,
    limits: LimitsWatch,
    shows: Shows,
    sight: Sight,
    sent: Option<Value>,
    /// The earliest time of the next update.
    not_before: Instant,
}

/// The form in which a page shows the other sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    /// The page shows the number of sessions that wait for a person.
    Count,
    /// The page shows a list of sessions.
    List,
}

impl AllSessions {
    pub(super) fn new(api: &Api, shows: Shows, sight: Sight) -> Self {
        let activity = api.hub.activity();
        Self {
            watch: activity.watch(),
            edits: activity.edits.watch(),
            limits: activity.watch_limits(),
            shows,
            sight,
            sent: None,
            not_before: Instant::now(),
        }
    }

    /// Waits for the next event. An event is a change of the list of busy sessions, a change of a session's entry in
    /// lists, or a report of the login's limits. `own` is the session that the page shows.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(super) async fn next(&mut self, own: Option<&str>) -> PageEvent {
        loop {
            tokio::select! {
                busy = newest(&mut self.watch, self.not_before) => {
                    self.not_before = Instant::now() + UPDATE;
                    let data = activity(&busy, own, self.shows, &self.sight);
                    if self.sent.as_ref() != Some(&data) {
                        let event = PageEvent::of("activity", &data);
                        self.sent = Some(data);
                        return event;
                    }
                }
                limits = self.limits.next() => return PageEvent::of("limits", &json!(*limits)),
                edit = self.edits.next() => {
                    let is_shown = |edit: &Edit| {
                        self.shows == Shows::List || own.is_some_and(|own| own == edit.id)
                    };
                    match edit {
                        Some(edit) if !is_shown(&edit) => {}
                        // The person may not be allowed to see the changed session, so the event does not name it. The
                        // page then reads its list again.
                        Some(edit) if !self.sight.is_all() && own != Some(&edit.id) => {
                            return PageEvent::of("edited", &Value::Null);
                        }
                        // If changes were missed, `edit` is `None`, and the event contains `null`. The page then reads its list
                        // again.
                        edit => return PageEvent::of("edited", &json!(edit)),
                    }
                }
            }
        }
    }
}

async fn newest(watch: &mut ActivityWatch, not_before: Instant) -> Arc<BusySessions> {
    sleep_until(not_before).await;
    watch.next().await
}

/// Returns the data of an event. The data contains the number of sessions that wait for a person, the number without
/// the session `own`, and the first of these sessions other than `own`.
fn activity(busy: &BusySessions, own: Option<&str>, shows: Shows, sight: &Sight) -> Value {
    let seen;
    let busy = if sight.is_all() {
        busy
    } else {
        seen = busy.of(|project| sight.has(project));
        &seen
    };
    let is_own = |id: &str| own == Some(id);
    let mut asking = busy.sessions.iter().filter(|it| it.asks());
    let own_asks = asking.clone().any(|it| is_own(it.id.as_str()));
    let first = asking.find(|it| !is_own(it.id.as_str()));
    let mut data = json!({"asking": busy.asking, "others": busy.asking - usize::from(own_asks),
        "first": first.map(|it| it.id.as_str()), "firstTitle": first.and_then(|it| it.title.as_deref())});
    if shows == Shows::List {
        data["sessions"] = json!(busy.sessions);
    }
    data
}

/// Returns the event stream of pages that show no session.
pub(super) async fn stream_of_all(
    State(api): State<Arc<Api>>,
    actor: Actor,
) -> Result<Events, Refusal> {
    let slot = api.viewers.acquire("")?;
    let sessions = AllSessions::new(&api, Shows::List, actor.sight(api.hub.projects()));
    let all = stream::unfold((sessions, slot), async |(mut sessions, slot)| {
        let event = tokio::select! {
            event = sessions.next(None) => event,
            () = sleep(SIGN_OF_LIFE) => PageEvent::of("ping", &json!({})),
        };
        let text = Bytes::from(event.text());
        Some((Ok::<_, Infallible>(text), (sessions, slot)))
    });
    Ok(Events::of(all))
}
