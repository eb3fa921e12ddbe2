//! Reports sessions whose process is silent for too long.

use std::sync::{Arc, Weak};
use std::time::Duration;

use super::Inner;

/// The shortest and the longest interval between two searches for silent sessions.
const OFTEN: Duration = Duration::from_millis(10);
const SELDOM: Duration = Duration::from_secs(5);

/// Starts a task that reports sessions whose process is silent for too long. The task ends when the hub is dropped.
pub(super) fn watch(hub: &Arc<Inner>) {
    let limit = hub.limits.silence;
    let hub = Arc::downgrade(hub);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep((limit / 8).clamp(OFTEN, SELDOM)).await;
            if !report(&hub, limit) {
                return;
            }
        }
    });
}

/// Reports the sessions whose process has been silent for at least `limit`. Returns `false` if the hub was dropped.
fn report(hub: &Weak<Inner>, limit: Duration) -> bool {
    let Some(hub) = hub.upgrade() else {
        return false;
    };
    // Clones the shared states and not the handles, because a session counts as in use while a cloned handle exists.
    let all: Vec<_> = hub
        .lock()
        .values()
        .map(|live| live.shared.clone())
        .collect();
    for shared in all {
        let Some(silence) = shared.new_silence(limit) else {
            continue;
        };
        hub.activity.counts.change(|totals| totals.silences += 1);
        let waits = silence.waits_for.as_ref();
        tracing::warn!(
            session.id = shared.id().as_str(),
            pid = silence.pid,
            seconds = silence.time.as_secs(),
            waits_for = waits.map(|it| it.kind.as_str()),
            name = waits.and_then(|it| it.name.as_deref()),
            "the session's process is silent"
        );
    }
    true
}
