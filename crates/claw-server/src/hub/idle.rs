//! Closes unused live sessions. Their history stays on disk and is read when the session is opened again.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use claw_types::SessionId;

use super::{Inner, LiveSession};

/// The shortest and the longest interval between two searches for unused sessions.
const OFTEN: Duration = Duration::from_millis(10);
const SELDOM: Duration = Duration::from_mins(1);

/// Starts a task that closes sessions that have been unused for too long. The task ends when the hub is dropped.
pub(super) fn watch(hub: &Arc<Inner>) {
    let limit = hub.limits.idle;
    let hub = Arc::downgrade(hub);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep((limit / 4).clamp(OFTEN, SELDOM)).await;
            if !close(&hub, limit) {
                return;
            }
        }
    });
}

/// Closes the sessions that have been unused for at least `limit`. Returns `false` if the hub was dropped.
fn close(hub: &Weak<Inner>, limit: Duration) -> bool {
    let Some(hub) = hub.upgrade() else {
        return false;
    };
    let now = Instant::now();
    let is_unused = |live: &mut LiveSession| {
        live.unused_since()
            .is_some_and(|since| now.saturating_duration_since(since) >= limit)
    };
    let closed: Vec<_> = hub.lock().extract_if(|_, live| is_unused(live)).collect();
    for (_, live) in closed {
        hub.end_process(&live);
        live.close();
    }
    true
}

/// Among the sessions that `is_of` selects, closes the one that has been unused for the longest time. Returns `false` if all of
/// them are in use.
pub(super) fn evict_unused(
    hub: &Inner,
    all: &mut HashMap<SessionId, LiveSession>,
    is_of: impl Fn(&LiveSession) -> bool,
) -> bool {
    let unused = all
        .iter()
        .filter(|(_, live)| is_of(live))
        .filter_map(|(id, live)| Some((live.unused_since()?, id)));
    let Some((_, oldest)) = unused.min_by_key(|(since, _)| *since) else {
        return false;
    };
    let oldest = oldest.clone();
    if let Some(live) = all.remove(&oldest) {
        hub.end_process(&live);
        live.close();
    }
    true
}
