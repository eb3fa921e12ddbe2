//! Pauses the sessions that work in a folder while git changes the files of the folder.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use claw_types::SessionId;
use tokio::sync::OwnedMutexGuard;

use super::{Hub, LiveSession};
use crate::conversation::Conversation;
use crate::worktree::Problem;

/// The folders in which git runs an operation that a person has requested.
#[derive(Debug, Clone, Default)]
pub(super) struct Operations(Arc<Mutex<HashSet<PathBuf>>>);

impl Operations {
    fn begin(&self, folder: &Path) -> Option<EndOnDrop> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(folder.to_owned()).then(|| EndOnDrop {
            all: self.clone(),
            folder: folder.to_owned(),
        })
    }
}

/// Ends an operation when it is dropped.
#[derive(Debug)]
struct EndOnDrop {
    all: Operations,
    folder: PathBuf,
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&self.folder);
    }
}

/// The right to change the files of a folder with git. Until this value is dropped, no other operation runs in the
/// folder, and new prompts to the sessions that work there wait.
#[derive(Debug)]
pub(crate) struct Paused {
    _operation: EndOnDrop,
    _prompts: Vec<OwnedMutexGuard<()>>,
}

impl Hub {
    /// Returns the live sessions that work in this folder, which is the project's folder or the folder of a worktree.
    fn live_in(&self, project: &str, folder: &Path) -> Vec<LiveSession> {
        let own = self.project(project).map(|project| project.folder.clone());
        let is_in = |live: &LiveSession| match live.worktree() {
            Some(worktree) => worktree.folder == folder,
            None => own.as_deref().is_ok_and(|own| own == folder),
        };
        let live = self.live().into_iter();
        live.filter(|live| live.project() == project && is_in(live))
            .collect()
    }

    /// Whether a turn runs in a session that works in this folder.
    pub(crate) fn has_turn_in(&self, project: &str, folder: &Path) -> bool {
        let live = self.live_in(project, folder);
        live.iter().any(|live| live.read(Conversation::has_turn))
    }

    /// Pauses the sessions that work in a folder. `what` is the name of the folder in error messages.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if a turn runs in one of these sessions, or if another operation runs in the folder.
    pub(crate) fn pause(
        &self,
        project: &str,
        folder: &Path,
        what: &str,
    ) -> Result<Paused, Problem> {
        let Some(operation) = self.inner.operations.begin(folder) else {
            let text = format!("another operation runs in {what}: wait for its end");
            return Err(Problem::new("busy", text));
        };
        let running = || {
            let text = format!(
                "a turn runs in a session that works in {what}: wait for its end, or stop it"
            );
            Problem::new("running", text)
        };
        let mut prompts = Vec::new();
        for live in self.live_in(project, folder) {
            // The lock is held while a prompt is accepted.
            let held = live.accepting.clone().try_lock_owned();
            prompts.push(held.map_err(|_| running())?);
            if live.read(Conversation::has_turn) {
                return Err(running());
            }
        }
        Ok(Paused {
            _operation: operation,
            _prompts: prompts,
        })
    }

    /// Closes the live sessions that work in a folder, and waits for the ends of their processes.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if a process has not ended in time.
    pub(crate) async fn close_in(&self, project: &str, folder: &Path) -> Result<(), Problem> {
        let ids = self.live_in(project, folder).into_iter();
        let ids: Vec<SessionId> = ids.map(|live| live.id()).collect();
        for id in &ids {
            // The session may have been closed just now.
            let _ = self.close(id.as_str());
        }
        for id in &ids {
            if !self.last_process(id).await {
                let text = "the process of the session has not ended: try it again";
                return Err(Problem::new("busy", text));
            }
        }
        Ok(())
    }
}
