//! A list of sessions as it changes.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use claw_types::SessionId;

use super::scanner::FolderScanner;
use super::signal::ChangeSignal;
use crate::{Error, Session, Sessions};

/// Which sessions to watch: [`Sessions::watch`].
#[derive(Debug, Clone)]
#[must_use = "nothing is watched before `run`"]
pub struct WatchAll<'a> {
    sessions: &'a Sessions,
    project: Option<PathBuf>,
}

/// What has become of a session.
#[derive(Debug)]
#[non_exhaustive]
pub enum Change {
    /// The session exists. Also sent for every session that exists when the watch begins.
    Added(Session),
    /// Its transcript was written to, cut, or replaced, or what is kept beside it was: whether it is archived, its
    /// title.
    Changed(Session),
    /// Its transcript is gone from its place.
    Removed {
        /// The session.
        session_id: SessionId,
        /// Where its transcript was.
        transcript: PathBuf,
    },
    /// Something cannot be looked at. Comes once, until it has become another problem.
    Problem(Error),
}

impl Sessions {
    /// Watches the sessions of all projects, unless one is named.
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

    /// Begins to watch. The folders may be created later.
    pub fn run(self) -> Watching {
        let list = match &self.project {
            Some(directory) => self.sessions.list().project(directory),
            None => self.sessions.list(),
        };
        let projects = self.sessions.projects();
        let is_deep = self.project.is_none();
        // Which folders a project has is asked once, for git is asked as well.
        let folders = self.project.is_some().then(|| list.scope().ok()).flatten();
        let folders = folders.map(|scope| {
            let folders = scope.folders.into_iter();
            folders.map(|folder| folder.path).collect::<Vec<_>>()
        });
        let watched = folders
            .iter()
            .flatten()
            .map(|folder| (folder.clone(), false));
        // It tells of a project's folder that is made later.
        let watched = watched.chain([(projects, is_deep)]).collect::<Vec<_>>();
        Watching {
            scanner: FolderScanner::new(self.sessions.clone(), folders),
            wake: ChangeSignal::new(watched),
            ready: VecDeque::new(),
        }
    }
}

/// The sessions of a folder as they change. Made by [`WatchAll::run`].
///
/// What it gives are differences between one look at the disk and the next one: of a session that changed ten times
/// meanwhile, one. So nothing piles up while nobody asks, and whatever the system forgot to tell is seen two seconds
/// later. After a look ten times as long as it took passes before the next one, so that many sessions cost little. Holds the names and times of the sessions, and no file open. A session that moves is removed from one place
/// and added in another.
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
    /// Waits for the next change, at most this long. `None` where none came.
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
