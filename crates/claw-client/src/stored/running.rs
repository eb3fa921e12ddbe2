//! Lists the sessions that run in this program, so that the program does not take a claim away from its own session.

use std::any::Any;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use claw_store::SessionRef;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

static RUNNING: LazyLock<Mutex<HashMap<Key, Other>>> = LazyLock::new(Mutex::default);

/// Identifies a running session. For the store, all claims with the same key have the same holder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The memory address of the store.
    pub(super) store: usize,
    /// The ID of the owner.
    pub(super) owner: String,
    pub(super) session: SessionRef,
}

/// A running session.
struct Other {
    life: Arc<Life>,
    /// This channel closes after the claim is released.
    released: watch::Receiver<()>,
}

/// Records whether a session continues, or is about to end by itself.
#[derive(Default)]
pub(super) struct Life {
    /// The handles of the session. Set after the handles were created.
    handles: OnceLock<Weak<dyn Any + Send + Sync>>,
    is_ending: AtomicBool,
}

impl Life {
    /// Sets the handles of the session. The session ends with the last of them.
    pub(super) fn has(&self, handles: Weak<dyn Any + Send + Sync>) {
        let _ = self.handles.set(handles);
    }

    pub(super) fn ends(&self) {
        self.is_ending.store(true, Relaxed);
    }

    fn is_ending(&self) -> bool {
        let handles = self.handles.get();
        self.is_ending.load(Relaxed) || handles.is_some_and(|handles| handles.strong_count() == 0)
    }
}

/// The record of a running session. The record is removed when this value is dropped.
pub(super) struct Running {
    key: Key,
    _released: watch::Sender<()>,
}

impl Running {
    /// Records that this session runs. If the session is already recorded and is ending, waits for its end. Returns
    /// `None` if the session already runs and is not ending, or if its end takes longer than `patience`.
    pub(super) async fn begin(key: &Key, life: &Arc<Life>, patience: Duration) -> Option<Self> {
        let until = Instant::now() + patience;
        loop {
            let mut released = match all().entry(key.clone()) {
                Entry::Vacant(free) => {
                    let (sender, released) = watch::channel(());
                    let life = life.clone();
                    free.insert(Other { life, released });
                    let key = key.clone();
                    return Some(Self {
                        key,
                        _released: sender,
                    });
                }
                Entry::Occupied(other) if other.get().life.is_ending() => {
                    other.get().released.clone()
                }
                Entry::Occupied(_) => return None,
            };
            timeout_at(until, released.changed()).await.ok().map(drop)?;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        all().remove(&self.key);
    }
}

fn all() -> MutexGuard<'static, HashMap<Key, Other>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
