//! The turns that run in this worker. Each is identified by the owner of its claim.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;

/// The running turns. They can be interrupted, and their end can be awaited.
#[derive(Clone, Default)]
pub(crate) struct Running(Arc<watch::Sender<HashMap<String, watch::Sender<bool>>>>);

/// A running turn. Dropping the `RunningTurn` removes the turn from [`Running`].
pub(crate) struct RunningTurn {
    running: Running,
    owner: String,
    interrupted: watch::Receiver<bool>,
}

impl Running {
    /// Adds a turn. `owner` has claimed its session, and no other turn has the same owner.
    pub(crate) fn add(&self, owner: &str) -> RunningTurn {
        let (sender, interrupted) = watch::channel(false);
        self.0.send_modify(|turns| {
            turns.insert(owner.to_owned(), sender);
        });
        RunningTurn {
            running: self.clone(),
            owner: owner.to_owned(),
            interrupted,
        }
    }

    /// Interrupts a turn. Returns whether the turn runs in this worker.
    pub(crate) fn interrupt(&self, owner: &str) -> bool {
        let turns = self.0.borrow();
        let turn = turns.get(owner);
        turn.map(|turn| turn.send_replace(true)).is_some()
    }

    /// Returns the number of running turns.
    pub(crate) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// Waits until no turn is running.
    pub(crate) async fn idle(&self) {
        let mut turns = self.0.subscribe();
        // The wait cannot fail, because `self` owns the sender.
        let _ = turns.wait_for(HashMap::is_empty).await;
    }
}

impl RunningTurn {
    /// Waits until the interruption of the turn is requested.
    pub(crate) async fn interrupted(&mut self) {
        // The wait cannot fail, because `Running` holds the sender until this `RunningTurn` is dropped.
        let _ = self.interrupted.wait_for(|is| *is).await;
    }
}

impl Drop for RunningTurn {
    fn drop(&mut self) {
        self.running.0.send_modify(|turns| {
            turns.remove(&self.owner);
        });
    }
}
