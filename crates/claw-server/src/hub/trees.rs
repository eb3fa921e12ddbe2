//! The states of worktrees in lists of sessions: the states that were last read, and a task that reads them again.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use claw_types::SessionId;
use futures::StreamExt as _;
use futures::stream;
use tokio::time::timeout;

use super::{Edit, Hub};
use crate::Project;
use crate::worktree::{Tree, Worktree, WorktreeState};

/// The time for which the last state of a worktree is shown before git reads the state again.
const FRESH: Duration = Duration::from_secs(10);
/// Maximum time to read the state of one worktree.
const READS: Duration = Duration::from_secs(5);
/// Maximum number of worktrees whose states are kept.
const KEPT: usize = 512;
/// Maximum number of worktrees that wait to be read, and maximum number of waiting sessions for each worktree. Requests
/// beyond these numbers are dropped, and the next list repeats them.
const WAITING: usize = 32;
/// The number of worktrees whose states are read at the same time.
const AT_ONCE: usize = 2;

/// The state of a worktree as it was last read.
#[derive(Debug, Clone)]
struct Known {
    at: Instant,
    /// The state. `None` if it could not be read.
    state: Option<WorktreeState>,
}

/// A worktree whose state is to be read, and the sessions whose rows in lists show the state.
#[derive(Debug)]
struct Waiting {
    project: String,
    worktree: Worktree,
    sessions: BTreeSet<String>,
}

#[derive(Debug, Default)]
struct Inside {
    known: HashMap<PathBuf, Known>,
    waiting: HashMap<PathBuf, Waiting>,
    is_reading: bool,
}

/// The states of the worktrees that lists have recently shown.
#[derive(Debug, Clone, Default)]
pub(super) struct Trees(Arc<Mutex<Inside>>);

impl Trees {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a state. Returns whether it differs from the previous state.
    fn remember(&self, folder: &Path, state: Option<&WorktreeState>) -> bool {
        let mut inside = self.lock();
        if inside.known.len() >= KEPT && !inside.known.contains_key(folder) {
            let oldest = inside.known.iter().min_by_key(|(_, known)| known.at);
            if let Some(oldest) = oldest.map(|(folder, _)| folder.clone()) {
                inside.known.remove(&oldest);
            }
        }
        let known = Known {
            at: Instant::now(),
            state: state.cloned(),
        };
        let before = inside.known.insert(folder.to_owned(), known);
        before.and_then(|known| known.state).as_ref() != state
    }
}

impl Hub {
    /// Returns the state of a session's worktree that was last read. Returns `None` if the state was never read, or
    /// cannot be read. If the state is not fresh, the next [`read_trees`](Self::read_trees) reads it.
    pub(crate) fn peek_tree(
        &self,
        session: &SessionId,
        project: &str,
        worktree: &Worktree,
    ) -> Option<WorktreeState> {
        let mut inside = self.inner.trees.lock();
        let known = inside.known.get(&worktree.folder).cloned();
        if known
            .as_ref()
            .is_some_and(|known| known.at.elapsed() < FRESH)
        {
            return known.and_then(|known| known.state);
        }
        let has_room = inside.waiting.len() < WAITING;
        match inside.waiting.get_mut(&worktree.folder) {
            Some(waiting) if waiting.sessions.len() < WAITING => {
                waiting.sessions.insert(session.as_str().to_owned());
            }
            None if has_room => {
                let waiting = Waiting {
                    project: project.to_owned(),
                    worktree: worktree.clone(),
                    sessions: BTreeSet::from([session.as_str().to_owned()]),
                };
                inside.waiting.insert(worktree.folder.clone(), waiting);
            }
            _ => {}
        }
        known.and_then(|known| known.state)
    }

    /// Starts a task that reads the states of the worktrees that wait to be read. Lists receive the states that have
    /// changed.
    pub(crate) fn read_trees(&self) {
        {
            let mut inside = self.inner.trees.lock();
            if inside.is_reading || inside.waiting.is_empty() {
                return;
            }
            inside.is_reading = true;
        }
        let hub = self.clone();
        tokio::spawn(async move {
            while let Some(all) = hub.next_trees() {
                stream::iter(all)
                    .for_each_concurrent(AT_ONCE, |waiting| hub.read_waiting(waiting))
                    .await;
            }
        });
    }

    /// Takes the worktrees that wait to be read. Returns `None` if no worktree waits, or if the server is ending. The task
    /// that reads the states then ends.
    fn next_trees(&self) -> Option<Vec<Waiting>> {
        let mut inside = self.inner.trees.lock();
        let all: Vec<_> = inside.waiting.drain().map(|(_, waiting)| waiting).collect();
        inside.is_reading = !all.is_empty() && !self.is_ending();
        inside.is_reading.then_some(all)
    }

    async fn read_waiting(&self, waiting: Waiting) {
        let Ok(project) = self.project(&waiting.project) else {
            return;
        };
        let folder = &waiting.worktree.folder;
        let state = read(project, &waiting.worktree).await;
        if self.inner.trees.remember(folder, state.as_ref()) {
            for session in waiting.sessions {
                self.send_tree(session, state.clone());
            }
        }
    }

    /// Reads the state of a session's worktree now. Lists receive the state if it has changed.
    pub(crate) async fn read_tree(
        &self,
        session: &SessionId,
        project: &str,
        worktree: &Worktree,
    ) -> Option<WorktreeState> {
        let state = read(self.project(project).ok()?, worktree).await;
        self.show_tree(session, worktree, state.as_ref());
        state
    }

    /// Sends the state of a session's worktree to lists, if it has changed. The caller has just read the state.
    pub(crate) fn show_tree(
        &self,
        session: &SessionId,
        worktree: &Worktree,
        state: Option<&WorktreeState>,
    ) {
        if self.inner.trees.remember(&worktree.folder, state) {
            self.send_tree(session.as_str().to_owned(), state.cloned());
        }
    }

    fn send_tree(&self, session: String, state: Option<WorktreeState>) {
        self.activity().edits.send(Edit {
            id: session,
            worktree: state,
            ..Edit::default()
        });
    }
}

/// Reads the state of a worktree with git. Returns `None` if it cannot be read within [`READS`].
async fn read(project: &Project, worktree: &Worktree) -> Option<WorktreeState> {
    let state = async { Tree::open(project, worktree).await?.state().await };
    timeout(READS, state).await.ok()?.ok()
}
