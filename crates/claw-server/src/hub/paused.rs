//! Pauses the sessions that work in a folder while git changes the files of the folder.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claw_types::SessionId;
use tokio::sync::{Notify, OwnedMutexGuard};

use super::{Hub, LiveSession};
use crate::conversation::Conversation;
use crate::worktree::Problem;

/// The folders in which git runs an operation that a person has requested.
#[derive(Debug, Clone, Default)]
pub(super) struct Operations(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    running: Mutex<Running>,
    /// Notified when an operation has ended.
    ended: Notify,
}

#[derive(Debug, Default)]
struct Running {
    folders: HashSet<PathBuf>,
    /// Whether no further operation may begin, because the server ends.
    is_closed: bool,
}

impl Operations {
    fn lock(&self) -> MutexGuard<'_, Running> {
        let running = self.0.running.lock();
        running.unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, folder: &Path) -> Option<EndOnDrop> {
        let mut running = self.lock();
        let may_begin = !running.is_closed && running.folders.insert(folder.to_owned());
        may_begin.then(|| EndOnDrop {
            all: self.clone(),
            folder: folder.to_owned(),
        })
    }

    /// Waits until no operation runs in a folder.
    pub(super) async fn ended_in(&self, folder: &Path) {
        self.wait(|folders| !folders.contains(folder)).await;
    }

    /// Refuses further operations from now on, and waits until all running operations have ended.
    pub(super) async fn ended(&self) {
        self.lock().is_closed = true;
        self.wait(HashSet::is_empty).await;
    }

    async fn wait(&self, is_ended: impl Fn(&HashSet<PathBuf>) -> bool) {
        loop {
            let ended = self.0.ended.notified();
            if is_ended(&self.lock().folders) {
                return;
            }
            ended.await;
        }
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
        self.all.lock().folders.remove(&self.folder);
        self.all.0.ended.notify_waiters();
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
        let live = self.live().into_iter();
        live.filter(|live| live.project() == project && live.folder() == folder)
            .collect()
    }

    /// Begins an operation on the files of a folder. Until the returned value is dropped, no other operation begins in
    /// the folder, and new prompts to the sessions that work in the folder wait. `what` describes the folder in errors.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if another operation runs in the folder, or the server ends.
    fn operate(&self, folder: &Path, what: &str) -> Result<EndOnDrop, Problem> {
        self.inner.operations.begin(folder).ok_or_else(|| {
            let text = if self.is_ending() {
                "the server ends".to_owned()
            } else {
                format!("another operation runs in {what}: wait for its end")
            };
            Problem::new("busy", text)
        })
    }

    /// Pauses one session while files of its folder are restored, and prevents operations of git in the folder.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if a turn runs in the session, or an operation runs in the folder.
    pub(crate) fn hold(&self, live: &LiveSession) -> Result<Paused, Problem> {
        let operation = self.operate(&live.folder(), "the session's folder")?;
        let running = || {
            let text = "a turn is running, which may change files: wait for its end, or stop it";
            Problem::new("running", text)
        };
        let accepting = live.accepting.clone().try_lock_owned();
        let accepting = accepting.map_err(|_| running())?;
        if live.read(Conversation::has_turn) {
            return Err(running());
        }
        Ok(Paused {
            _operation: operation,
            _prompts: vec![accepting],
        })
    }

    /// Returns the IDs of the live sessions that work in a folder.
    pub(crate) fn ids_in(&self, project: &str, folder: &Path) -> Vec<SessionId> {
        let live = self.live_in(project, folder).into_iter();
        live.map(|live| live.id()).collect()
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
        let operation = self.operate(folder, what)?;
        let running = || {
            let text = format!(
                "a turn runs in a session that works in {what}: wait for its end, or stop it"
            );
            Problem::new("running", text)
        };
        let mut prompts = Vec::new();
        for live in self.live_in(project, folder) {
            // While a prompt is accepted, its task holds this lock. If the lock is taken, a turn is about to run.
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

    /// Closes the live sessions that work in a folder, and waits until their processes have ended.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if a process has not ended in time.
    pub(crate) async fn close_in(&self, project: &str, folder: &Path) -> Result<(), Problem> {
        let ids = self.ids_in(project, folder);
        for id in &ids {
            // The call fails only if the session was closed just before. Nothing is left to do then.
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

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn an_operation_is_alone_in_its_folder_and_the_end_waits_for_it() {
        let all = Operations::default();
        let (one, other) = (Path::new("/one"), Path::new("/other"));
        let first = all.begin(one).unwrap();
        assert!(all.begin(one).is_none());
        drop(all.begin(other).unwrap());
        let mut waits = std::pin::pin!(all.ended_in(one));
        assert!(waits.as_mut().now_or_never().is_none());
        assert!(all.ended_in(other).now_or_never().is_some());
        let mut end = std::pin::pin!(all.ended());
        assert!(end.as_mut().now_or_never().is_none());
        assert!(all.begin(other).is_none());
        drop(first);
        assert!(waits.now_or_never().is_some());
        assert!(end.now_or_never().is_some());
    }
}
