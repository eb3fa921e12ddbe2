//! Scans folders for transcripts, and compares each scan with the previous one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Change;
use crate::scope::Seen;
use crate::{Error, Session, Sessions};

/// The files beside a transcript that a list also reads.
const BESIDE: [&str; 2] = ["archived.json", "custom-title.json"];

/// The maximum number of problems that are remembered and reported.
const PROBLEMS: usize = 20;

/// Scans folders of sessions, and remembers the result.
pub(super) struct FolderScanner {
    sessions: Sessions,
    /// The folders to scan. `None` means the folders of all projects.
    folders: Option<Vec<PathBuf>>,
    known: HashMap<PathBuf, Known>,
    /// The problems of the last scan.
    problems: Vec<String>,
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
        // Most sessions have no folder. For them, no further system call is necessary.
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
            problems: Vec::new(),
        }
    }

    /// Returns the files and folders that the last scan could not read, at most [`PROBLEMS`].
    pub(super) fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Returns the number of sessions that the last scan found.
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }

    /// Scans the folders and returns the changes: first changed sessions, oldest first, then removed sessions, then new
    /// problems.
    pub(super) fn scan(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        let (folders, mut problems) = match &self.folders {
            Some(folders) => (folders.clone(), self.sessions.problems()),
            None => match self.sessions.list().all_folders() {
                Ok(scope) => {
                    let folders = scope.folders.into_iter().map(|folder| folder.path);
                    (folders.collect(), scope.problems)
                }
                // The folders are unknown, so no session is reported as removed.
                Err(error) => {
                    self.set_problems(vec![error], &mut changes);
                    return changes;
                }
            },
        };
        let (mut seen, more) = self.sessions.seen(folders.iter().map(|folder| &**folder));
        problems.extend(more);
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
        // A session that cannot be scanned is not reported as removed.
        let unread = problems.iter().filter(|problem| !problem.is_missing_path());
        let unread: Vec<&Path> = unread.filter_map(Error::path).collect();
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
        self.set_problems(problems, &mut changes);
        changes
    }

    /// Remembers the problems of a scan, and reports those that the scan before it did not have.
    fn set_problems(&mut self, mut problems: Vec<Error>, changes: &mut Vec<Change>) {
        problems.truncate(PROBLEMS);
        let texts: Vec<_> = problems.iter().map(ToString::to_string).collect();
        let before = std::mem::replace(&mut self.problems, texts);
        let problems = problems.into_iter().zip(&self.problems);
        let new = problems.filter(|(_, text)| !before.contains(text));
        changes.extend(new.map(|(problem, _)| Change::Problem(problem)));
    }
}
