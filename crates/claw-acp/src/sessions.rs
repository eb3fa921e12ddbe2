//! The sessions of the agent: each has one process, however often it is loaded.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_client_protocol::Error;
use futures::future::join_all;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::timeout;

use crate::failure::unknown_session;
use crate::session::LiveSession;

/// How long the end of the agent waits for its sessions to end by themselves. After it, their processes are killed.
const CLOSE: Duration = Duration::from_secs(8);

/// The place of one session. It is locked while the session starts.
type Slot = Arc<AsyncMutex<Option<Arc<LiveSession>>>>;

/// The live sessions by their IDs.
#[derive(Clone, Default)]
pub(crate) struct Sessions(Arc<Mutex<HashMap<String, Slot>>>);

impl Sessions {
    fn slots(&self) -> MutexGuard<'_, HashMap<String, Slot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the live session with this ID, or starts it. If several callers want one session at once, it is started
    /// once.
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
        let slot = self.slots().entry(id.to_owned()).or_default().clone();
        let mut place = slot.lock().await;
        if let Some(live) = &*place
            && !live.is_over()
        {
            return Ok(live.clone());
        }
        *place = None;
        match start().await {
            Ok(live) => {
                *place = Some(live.clone());
                Ok(live)
            }
            Err(error) => {
                drop(place);
                self.forget(id, &slot);
                Err(error)
            }
        }
    }

    /// Returns the live session with this ID.
    pub(crate) async fn get(&self, id: &str) -> Result<Arc<LiveSession>, Error> {
        let slot = self.slots().get(id).cloned();
        let slot = slot.ok_or_else(|| unknown_session(id))?;
        let live = slot.lock().await.clone();
        live.ok_or_else(|| unknown_session(id))
    }

    /// Ends the session with this ID. Its open turns end as cancelled.
    pub(crate) async fn close_one(&self, id: &str) -> Result<(), Error> {
        let slot = self.slots().remove(id);
        let slot = slot.ok_or_else(|| unknown_session(id))?;
        let live = slot.lock().await.take();
        let live = live.ok_or_else(|| unknown_session(id))?;
        live.cancel().await;
        live.close().await
    }

    fn forget(&self, id: &str, slot: &Slot) {
        let mut slots = self.slots();
        if slots.get(id).is_some_and(|known| Arc::ptr_eq(known, slot)) {
            slots.remove(id);
        }
    }

    /// Ends all sessions.
    pub(crate) async fn close(&self) {
        let slots: Vec<_> = self.slots().drain().map(|(_, slot)| slot).collect();
        let ends = slots.into_iter().map(|slot| async move {
            let live = slot.lock().await.take();
            if let Some(live) = live
                && let Err(error) = live.close().await
            {
                tracing::warn!(session = %live.id, error = %error.message, "a session was not closed");
            }
        });
        // What has not ended then is killed as its session is dropped.
        let _ = timeout(CLOSE, join_all(ends)).await;
    }
}
