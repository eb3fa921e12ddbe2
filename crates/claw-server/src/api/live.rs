//! The live sessions of this host, and the sessions of the store with deferred requests, for administrators.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use claw_types::Number;

use super::{Api, LiveItem};
use crate::actor::Actor;
use crate::conversation::{Phase, WaitKind, WaitsFor};
use crate::hub::{Hub, LiveSession, WaitingDeferred};

impl LiveItem {
    fn of(hub: &Hub, live: &LiveSession) -> Self {
        let times = live.times();
        let is_silent = |silence: &Duration| *silence >= hub.silence_limit();
        let silence = times.silence.filter(is_silent);
        Self {
            id: live.id().as_str().to_owned(),
            project: live.project().to_owned(),
            phase: times.phase,
            since: Number::from(times.since.millis).as_f64(),
            phase_seconds: times.since.at.elapsed().as_secs_f64(),
            waits_for: times.waits_for,
            silent_seconds: silence.map(|silence| silence.as_secs_f64()),
            host: hub.owner().and_then(|owner| owner.address.clone()),
            pid: times.pid,
            wall: hub
                .project(live.project())
                .ok()
                .and_then(|project| Some(project.wall.as_ref()?.name().to_owned())),
        }
    }
}

impl From<WaitingDeferred> for LiveItem {
    /// Creates the item of a session that is not live on this host.
    fn from(request: WaitingDeferred) -> Self {
        Self {
            phase: Phase::Deferred,
            since: Number::from(request.since).as_f64(),
            phase_seconds: request.age().as_secs_f64(),
            waits_for: Some(WaitsFor {
                kind: WaitKind::Request,
                name: None,
            }),
            id: request.id.as_str().to_owned(),
            project: request.project,
            silent_seconds: None,
            host: None,
            pid: None,
            wall: None,
        }
    }
}

pub(crate) async fn live(State(api): State<Arc<Api>>, actor: Actor) -> Json<Vec<LiveItem>> {
    let sight = actor.sight(api.hub.projects());
    let stored = api.hub.stored_lately().await;
    let all = api.hub.live();
    let mut items: Vec<_> = all
        .iter()
        .map(|live| LiveItem::of(&api.hub, live))
        .collect();
    for request in api.hub.deferred_in(&stored) {
        let mut live = items.iter_mut();
        match live.find(|item| item.id == request.id.as_str()) {
            // The session was made live after its request was deferred.
            Some(item) => {
                item.since = item.since.min(Number::from(request.since).as_f64());
                item.phase_seconds = item.phase_seconds.max(request.age().as_secs_f64());
            }
            None => items.push(request.into()),
        }
    }
    items.retain(|item| sight.has(&item.project));
    items.sort_by(|one, other| one.id.cmp(&other.id));
    Json(items)
}
