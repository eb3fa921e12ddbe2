//! The live sessions of this host, for its administrators.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use claw_types::Number;

use super::{Api, LiveItem};
use crate::actor::Actor;
use crate::hub::{Hub, LiveSession};

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

pub(crate) async fn live(State(api): State<Arc<Api>>, actor: Actor) -> Json<Vec<LiveItem>> {
    let sight = actor.sight(api.hub.projects());
    let mut all = api.hub.live();
    all.retain(|live| sight.has(live.project()));
    all.sort_by_cached_key(LiveSession::id);
    Json(
        all.iter()
            .map(|live| LiveItem::of(&api.hub, live))
            .collect(),
    )
}
