//! The sessions of the agent. Each session has one process, even if it is loaded several times.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_client_protocol::Error;
use claw_client::transport::wait_for_dropped;
use futures::future::join_all;
use tokio::sync::{Mutex as AsyncMutex, watch};
use tokio::time::timeout;

use crate::failure::unknown_session;
use crate::session::LiveSession;

/// The time for which the agent waits for the end of its sessions when it ends itself. A process that ignores all
/// signals is killed after 7 seconds, or after 8 seconds if its session was dropped while it started. The agent must
/// wait this long, because nothing kills the process after the agent has ended.
const CLOSE: Duration = Duration::from_secs(20);

/// The slot for a session in [`Sessions`].
#[derive(Default)]
struct Place {
    /// The session. The mutex is locked while the session starts.
    live: AsyncMutex<Option<Arc<LiveSession>>>,
    /// The number of cancellations so far. A prompt watches this number from the moment when it arrives, even if the
    /// process is still starting.
    cancels: watch::Sender<u64>,
}

type Slot = Arc<Place>;

/// The live sessions of the agent, with their IDs as keys.
#[derive(Clone, Default)]
pub(crate) struct Sessions(Arc<Mutex<HashMap<String, Slot>>>);

impl Sessions {
    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the live session with this ID, or starts it. If several callers request the same session concurrently,
    /// the session is started once. The slot of a session whose process has ended is kept even if no new process
    /// starts.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while the session starts, the process is ended.
    pub(crate) async fn open<F>(
        &self,
        id: &str,
        start: impl FnOnce() -> F,
    ) -> Result<Arc<LiveSession>, Error>
    where
        F: Future<Output = Result<Arc<LiveSession>, Error>>,
    {
        loop {
            let slot = self.slots().entry(id.to_owned()).or_default().clone();
            let mut place = slot.live.lock().await;
            // Another caller may have removed the slot while this caller waited for the lock.
            if !self.is_current(id, &slot) {
                continue;
            }
            if let Some(live) = &*place
                && !live.has_ended()
            {
                return Ok(live.clone());
            }
            let started = start().await;
            match &started {
                Ok(live) => *place = Some(live.clone()),
                Err(_) if place.is_none() => self.forget(id, &slot),
                Err(_) => {}
            }
            return started;
        }
    }

    /// Returns a receiver that changes when the prompts of a session are cancelled. Returns `None` if the session does
    /// not exist.
    pub(crate) fn cancels(&self, id: &str) -> Option<watch::Receiver<u64>> {
        self.slots().get(id).map(|slot| slot.cancels.subscribe())
    }

    /// Cancels the prompts of a session. Returns whether the session has running prompts.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        let slots = self.slots();
        let Some(slot) = slots.get(id) else {
            return false;
        };
        slot.cancels.send_modify(|count| *count += 1);
        slot.cancels.receiver_count() > 0
    }

    /// Returns the live session with this ID.
    pub(crate) async fn get(&self, id: &str) -> Result<Arc<LiveSession>, Error> {
        let slot = self.slots().get(id).cloned();
        let slot = slot.ok_or_else(|| unknown_session(id))?;
        let live = slot.live.lock().await.clone();
        live.ok_or_else(|| unknown_session(id))
    }

    /// Ends the session with this ID. Its open turns end as cancelled.
    pub(crate) async fn close_one(&self, id: &str) -> Result<(), Error> {
        let slot = self.slots().remove(id);
        let slot = slot.ok_or_else(|| unknown_session(id))?;
        slot.cancels.send_modify(|count| *count += 1);
        let live = slot.live.lock().await.take();
        let live = live.ok_or_else(|| unknown_session(id))?;
        live.interrupt().await;
        live.close().await
    }

    fn is_current(&self, id: &str, slot: &Slot) -> bool {
        let slots = self.slots();
        slots.get(id).is_some_and(|known| Arc::ptr_eq(known, slot))
    }

    fn forget(&self, id: &str, slot: &Slot) {
        if self.is_current(id, slot) {
            self.slots().remove(id);
        }
    }

    /// Ends all sessions.
    pub(crate) async fn close(&self) {
        let slots: Vec<_> = self.slots().drain().map(|(_, slot)| slot).collect();
        let ends = slots.into_iter().map(|slot| async move {
            let live = slot.live.lock().await.take();
            if let Some(live) = live
                && let Err(error) = live.close().await
            {
                tracing::warn!(session = %live.id, error = %error.message, "a session was not closed");
            }
        });
        let all = async {
            join_all(ends).await;
            // If a session's process is still starting, the session is dropped together with the request of the client.
            wait_for_dropped().await;
        };
        // Sessions that have not ended within this time are dropped. Each drop sends SIGTERM to the process.
        let _ = timeout(CLOSE, all).await;
    }
}
