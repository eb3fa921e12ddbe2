//! A list of sessions as it changes.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use claw_types::SessionId;

use super::wake::Wake;
use crate::list::stat;
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
    /// The session is there. Comes for each session that is there at the beginning, too.
    Added(Session),
    /// Its transcript was written to, cut, or replaced.
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

    /// Begins to watch. The folders need not be there yet.
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
        let told = folders
            .iter()
            .flatten()
            .map(|folder| (folder.clone(), false));
        // It tells of a project's folder that is made later.
        let told = told.chain([(projects, is_deep)]).collect::<Vec<_>>();
        Watching {
            sessions: self.sessions.clone(),
            folders,
            wake: Wake::new(told),
            known: BTreeMap::new(),
            problem: None,
            ready: VecDeque::new(),
        }
    }
}

/// The sessions of a folder as they change. Made by [`WatchAll::run`].
///
/// What it gives are differences between one look at the disk and the next one: of a session that changed ten times
/// meanwhile, one. So nothing piles up while nobody asks, and whatever the system forgot to tell is seen two seconds
/// later. Holds the names and times of the sessions, and no file open. A session that moves is removed from one place
/// and added in another.
pub struct Watching {
    sessions: Sessions,
    /// Those of the project. `None` where all are watched.
    folders: Option<Vec<PathBuf>>,
    wake: Wake,
    /// Transcripts, and how long and how old they were.
    known: BTreeMap<PathBuf, (SessionId, u64, i64)>,
    problem: Option<String>,
    ready: VecDeque<Change>,
}

impl std::fmt::Debug for Watching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut watching = f.debug_struct("Watching");
        watching
            .field("sessions", &self.known.len())
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
                self.look();
            }
            if self.ready.is_empty() && Instant::now() >= deadline {
                return None;
            }
        }
    }

    fn look(&mut self) {
        let found = match &self.folders {
            Some(folders) => Ok(self.sessions.found(folders.iter().map(|folder| &**folder))),
            None => self.sessions.scope(None),
        };
        let found = match found {
            Ok(found) => found,
            // Nothing is known: nothing is said to be gone.
            Err(error) => return self.problem(error),
        };
        let unread: Vec<_> = found.problems.iter().filter_map(Error::path).collect();
        let mut gone = std::mem::take(&mut self.known);
        // What cannot be looked at is not gone.
        let kept: Vec<_> = gone
            .keys()
            .filter(|path| unread.iter().any(|unread| path.starts_with(unread)))
            .cloned()
            .collect();
        for path in kept {
            if let Some(known) = gone.remove(&path) {
                self.known.insert(path, known);
            }
        }
        // The oldest first, in the order in which things happened.
        for session in found.sessions.into_iter().rev() {
            let path = session.transcript().to_owned();
            // Gone since its name was read: said at the next look.
            let Ok(stat) = stat(&path) else { continue };
            let known = (session.id().clone(), stat.length, stat.modified);
            match gone.remove(&path) {
                None => self.ready.push_back(Change::Added(session)),
                Some(before) if before != known => self.ready.push_back(Change::Changed(session)),
                Some(_) => {}
            }
            self.known.insert(path, known);
        }
        let gone = gone
            .into_iter()
            .map(|(transcript, (session_id, ..))| Change::Removed {
                session_id,
                transcript,
            });
        self.ready.extend(gone);
        match found.problems.into_iter().next() {
            Some(error) => self.problem(error),
            None => self.problem = None,
        }
    }

    fn problem(&mut self, error: Error) {
        let told = error.to_string();
        if self.problem.as_ref() != Some(&told) {
            self.problem = Some(told);
            self.ready.push_back(Change::Problem(error));
        }
    }
}
