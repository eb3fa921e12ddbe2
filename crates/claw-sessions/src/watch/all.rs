//! Watches a list of sessions for changes.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use claw_types::SessionId;

use super::scanner::FolderScanner;
use super::signal::ChangeSignal;
use crate::{Error, Session, Sessions};

/// A builder for a watch of sessions. Made by [`Sessions::watch`].
#[derive(Debug, Clone)]
#[must_use = "nothing is watched before `run`"]
pub struct WatchAll<'a> {
    sessions: &'a Sessions,
    project: Option<PathBuf>,
}

/// A change to a session, which [`Watching::next`] returns.
#[derive(Debug)]
#[non_exhaustive]
pub enum Change {
    /// A session has appeared. This is also reported for every session that exists when the watch begins.
    Added(Session),
    /// The session's transcript was written to, truncated or replaced; or the session was archived; or its title
    /// changed.
    Changed(Session),
    /// The session's transcript was deleted or moved.
    Removed {
        /// The ID of the session.
        session_id: SessionId,
        /// The path at which the transcript was.
        transcript: PathBuf,
    },
    /// A file or folder cannot be read. Each problem is reported once.
    Problem(Error),
}

impl Sessions {
    /// Watches sessions. By default, the sessions of all projects are watched; [`WatchAll::project`] selects one
    /// project.
    pub fn watch(&self) -> WatchAll<'_> {
        WatchAll {
            sessions: self,
            project: None,
        }
    }
}

impl WatchAll<'_> {
    /// Sets the directory whose sessions are watched.
    pub fn project(mut self, directory: impl Into<PathBuf>) -> Self {
        self.project = Some(directory.into());
        self
    }

    /// Starts the watch. The folders of the sessions need not exist yet.
    pub fn run(self) -> Watching {
        let list = match &self.project {
            Some(directory) => self.sessions.list().project(directory),
            None => self.sessions.list(),
        };
        let is_deep = self.project.is_none();
        // The folders of a project are determined only once, because this runs git.
        let folders = self.project.is_some().then(|| list.scope().ok()).flatten();
        let folders = folders.map(|scope| {
            let folders = scope.folders.into_iter();
            folders.map(|folder| folder.path).collect::<Vec<_>>()
        });
        let watched = folders
            .iter()
            .flatten()
            .map(|folder| (folder.clone(), false));
        // These folders are watched so that a project folder which is created later is noticed.
        let projects = self.sessions.each().map(|home| (home.projects(), is_deep));
        let watched = watched.chain(projects).collect::<Vec<_>>();
        Watching {
            scanner: FolderScanner::new(self.sessions.clone(), folders),
            wake: ChangeSignal::new(watched),
            ready: VecDeque::new(),
        }
    }
}

/// A running watch, which reports changes to sessions. Made by [`WatchAll::run`].
///
/// The watch scans the disk and reports the differences between two scans. A session that changed several times between
/// two scans is reported once, so that changes do not accumulate between two calls of [`next`](Self::next). If the
/// system does not report a change, a scan finds it two seconds later, or after a hundred times the duration of a scan
/// if that is longer. After a reported change, the watch waits ten times as long as the last scan took, so that many
/// sessions need little computing time. The watch holds the names and times of the sessions, and no open file. A
/// session that was moved is reported as removed from the old path and added at the new path.
pub struct Watching {
    scanner: FolderScanner,
    wake: ChangeSignal,
    ready: VecDeque<Change>,
}

impl std::fmt::Debug for Watching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut watching = f.debug_struct("Watching");
        watching
            .field("sessions", &self.scanner.count())
            .finish_non_exhaustive()
    }
}

impl Watching {
    /// Waits for the next change, but no longer than `most`. Returns `None` if there was no change.
    pub fn next(&mut self, most: Duration) -> Option<Change> {
        let deadline = Instant::now() + most;
        loop {
            if let Some(change) = self.ready.pop_front() {
                return Some(change);
            }
            if self.wake.wait(deadline) {
                self.ready.extend(self.scanner.scan());
                self.wake.done();
            }
            if self.ready.is_empty() && Instant::now() >= deadline {
                return None;
            }
        }
    }
}
