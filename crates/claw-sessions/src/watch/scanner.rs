//! Scans folders for transcripts, and compares each scan with the previous one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Change;
use crate::scope::Seen;
use crate::{Error, Session, Sessions};

/// The files beside a transcript that a list also reads.
const BESIDE: [&str; 2] = ["archived.json", "custom-title.json"];

/// Scans folders of sessions, and remembers the result.
pub(super) struct FolderScanner {
    sessions: Sessions,
    /// The folders to scan. `None` means the folders of all projects.
    folders: Option<Vec<PathBuf>>,
    known: HashMap<PathBuf, Known>,
    problem: Option<String>,
}

struct Known {
    session: Session,
    marks: Marks,
}

/// The lengths and times of a transcript and of the existing files beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Marks {
    transcript: (u64, i64),
    beside: [Option<(u64, i64)>; BESIDE.len()],
}

impl Marks {
    fn of(seen: &Seen) -> Self {
        let mark = |stat: &crate::info::Stat| (stat.length, stat.modified);
        let mut beside = [None; BESIDE.len()];
        // Most sessions have no folder, so no further system call is necessary.
        if seen.has_folder {
            let folder = seen.session.folder();
            beside = BESIDE.map(|name| {
                let stat = crate::list::stat(&folder.join(name)).ok()?;
                Some(mark(&stat))
            });
        }
        Self {
            transcript: mark(&seen.stat),
            beside,
        }
    }
}

impl FolderScanner {
    pub(super) fn new(sessions: Sessions, folders: Option<Vec<PathBuf>>) -> Self {
        Self {
            sessions,
            folders,
            known: HashMap::new(),
            problem: None,
        }
    }

    /// Whether the last scan found a file or folder that cannot be read.
    pub(super) fn has_problem(&self) -> bool {
        self.problem.is_some()
    }

    /// Returns the number of sessions that the last scan found.
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }

    /// Scans the folders and returns the changes: first changed sessions, oldest first, then removed sessions, then a
    /// new problem.
    pub(super) fn scan(&mut self) -> Vec<Change> {
        let folders = match &self.folders {
            Some(folders) => Ok(folders.clone()),
            None => self.sessions.list().all_folders(),
        };
        let mut changes = Vec::new();
        let folders = match folders {
            Ok(folders) => folders,
            // The folders are unknown, so no session is reported as removed.
            Err(error) => {
                changes.extend(self.problem(error));
                return changes;
            }
        };
        let (mut seen, problems) = self.sessions.seen(folders.iter().map(|folder| &**folder));
        seen.sort_by(|one, other| {
            let (a, b) = (&one.session, &other.session);
            let older = one.stat.modified.cmp(&other.stat.modified);
            older.then_with(|| a.id().as_str().cmp(b.id().as_str()))
        });
        let mut gone = std::mem::take(&mut self.known);
        self.known.reserve(seen.len());
        for seen in seen {
            let marks = Marks::of(&seen);
            let session = seen.session;
            let before = gone.remove(session.transcript()).map(|known| known.marks);
            match before {
                None => changes.push(Change::Added(session.clone())),
                Some(before) if before != marks => changes.push(Change::Changed(session.clone())),
                Some(_) => {}
            }
            let path = session.transcript().to_owned();
            self.known.insert(path, Known { session, marks });
        }
        // A session that cannot be scanned does not count as removed.
        let unread: Vec<&Path> = problems.iter().filter_map(Error::path).collect();
        let is_unread = |path: &Path| unread.iter().any(|unread| path.starts_with(unread));
        let (kept, mut gone): (Vec<_>, Vec<_>) =
            gone.into_iter().partition(|(path, _)| is_unread(path));
        self.known.extend(kept);
        gone.sort_by(|(one, _), (other, _)| one.cmp(other));
        changes.extend(gone.into_iter().map(|(transcript, known)| {
            let session_id = known.session.id().clone();
            Change::Removed {
                session_id,
                transcript,
            }
        }));
        match problems.into_iter().next() {
            Some(error) => changes.extend(self.problem(error)),
            None => self.problem = None,
        }
        changes
    }

    fn problem(&mut self, error: Error) -> Option<Change> {
        let text = error.to_string();
        let is_new = self.problem.as_ref() != Some(&text);
        is_new.then(|| {
            self.problem = Some(text);
            Change::Problem(error)
        })
    }
}
