//! The options with which a process resumes a session.

use std::sync::{Arc, Mutex, PoisonError};

use claw_client::Error;
use claw_client::pool::ResumeSource;
use claw_sessions::{Sessions, on_pool};
use claw_types::{QueryOptions, SessionId};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared as SharedFuture};

use super::shared::Shared;
use super::store::StoredProject;
use crate::worktree::Worktree;

/// A future that completes when a process has ended.
pub(super) type Ended = SharedFuture<BoxFuture<'static, ()>>;

/// Resumes the session from its file on disk or in the store, under the session's current ID. Two processes must not
/// write to one file. So if an earlier process of the session is still ending, this waits for its end.
pub(super) struct FromDisk {
    pub(super) shared: Arc<Shared>,
    /// The configuration folder of the session.
    pub(super) home: Sessions,
    /// The session's project in the store. `None` without a store.
    pub(super) store: Option<StoredProject>,
    pub(super) before: Mutex<Option<Ended>>,
}

impl FromDisk {
    fn take_before(&self) -> Option<Ended> {
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        before.take()
    }

    /// Whether the store has the session. If the store is unreachable, returns `false`, and the start of the process
    /// then fails with its own error.
    async fn is_stored(&self, id: &SessionId) -> bool {
        match &self.store {
            Some(store) => store.has(id).await.unwrap_or(false),
            None => false,
        }
    }
}

impl ResumeSource for FromDisk {
    fn resume(
        &self,
        session: &SessionId,
        mut options: QueryOptions,
    ) -> BoxFuture<'_, Result<QueryOptions, Error>> {
        let session = session.clone();
        async move {
            if let Some(before) = self.take_before() {
                before.await;
            }
            let id = self.shared.id();
            let has_begun = id == session || self.is_stored(&id).await || {
                let (home, id) = (self.home.clone(), id.clone());
                on_pool::run(move || home.find(id.as_str()).is_ok()).await
            };
            if has_begun {
                // The CLI itself returns to the session's worktree. So the option for the worktree is removed.
                Worktree::remove_from(&mut options);
                options.resume = Some(id);
            } else {
                // The session has moved to this ID and has no messages yet. So the process begins a session with this
                // ID.
                options.session_id = Some(id);
            }
            Ok(options)
        }
        .boxed()
    }
}
