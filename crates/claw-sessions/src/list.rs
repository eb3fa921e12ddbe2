//! Lists of sessions.

use std::cmp::Reverse;
use std::collections::btree_map::OccupiedEntry;
use std::collections::{BTreeMap, HashSet};
use std::fs::{DirEntry, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use claw_types::store::SessionInfo;
use claw_types::{Count, SessionId};

use crate::continued::is_continued;
use crate::head_tail::HeadTail;
use crate::home::transcripts;
use crate::info::{Stat, cwd, info, is_programmatic};
use crate::slug::sanitized;
use crate::worktrees::worktrees;
use crate::{Error, Session, Sessions, file, real_path};

/// A builder for a list of sessions. Made by [`Sessions::list`].
#[derive(Debug, Clone)]
#[must_use = "nothing is read before `run`"]
pub struct List<'a> {
    sessions: &'a Sessions,
    project: Option<PathBuf>,
    limit: Option<usize>,
    offset: usize,
    larger_than: Option<u64>,
    has_worktrees: bool,
    has_programmatic: bool,
}

/// The sessions of a list, ordered by the time of their last message, newest first; and the files and folders that
/// could not be read. Made by [`List::run`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Listing {
    /// The sessions.
    pub sessions: Vec<SessionInfo>,
    /// The places of `sessions` on disk, in the same order.
    pub on_disk: Vec<Session>,
    /// The files and folders that could not be read. Their sessions are missing from the list.
    pub problems: Vec<Error>,
}

impl Sessions {
    /// Lists sessions, newest first. By default, the list has the sessions of all projects; [`List::project`] selects
    /// one project.
    pub fn list(&self) -> List<'_> {
        List {
            sessions: self,
            project: None,
            limit: None,
            offset: 0,
            larger_than: None,
            has_worktrees: true,
            has_programmatic: true,
        }
    }
}

/// A folder of sessions, and the directory by which it was found.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    /// The index in [`Scope::directories`]. `None` if no directory was requested.
    directory: Option<usize>,
    /// The configuration folder.
    pub(crate) home: Sessions,
    /// The position of the configuration folder among all that are used together, from 0.
    pub(crate) number: usize,
}

/// The folders and directories of a list.
#[derive(Default)]
pub(crate) struct Scope {
    pub(crate) folders: Vec<Folder>,
    /// The requested directory and its other working trees.
    directories: Vec<PathBuf>,
    /// The configuration folders that cannot be read.
    pub(crate) problems: Vec<Error>,
}

impl Scope {
    /// Whether a session in this folder belongs to another directory for which the CLI uses the same folder name.
    pub(crate) fn is_elsewhere(&self, folder: &Folder, ends: &HeadTail) -> bool {
        let directory = folder.directory.map(|at| &*self.directories[at]);
        let is_elsewhere = |directory| {
            cwd(ends).is_some_and(|cwd| is_of_another(&cwd, directory, &self.directories))
        };
        directory.is_some_and(is_elsewhere)
    }
}

struct Candidate {
    id: SessionId,
    /// The index in [`Scope::folders`].
    folder: usize,
    stat: Stat,
}

/// The key by which a list is sorted: the time of a session, its ID, and the index of its configuration folder.
type Place = (i64, String, Reverse<usize>);

/// The requested part of a list.
struct Page {
    /// The IDs of the sessions so far, each with the index of its configuration folder.
    seen: HashSet<(SessionId, usize)>,
    to_pass: usize,
    limit: usize,
    larger_than: Option<u64>,
    sessions: Vec<SessionInfo>,
    on_disk: Vec<Session>,
}

impl Page {
    fn new(offset: usize, limit: Option<usize>, larger_than: Option<u64>) -> Self {
        Self {
            seen: HashSet::new(),
            to_pass: offset,
            limit: limit.unwrap_or(usize::MAX),
            larger_than,
            sessions: Vec::new(),
            on_disk: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.sessions.len() >= self.limit
    }

    /// Adds the next session of the list.
    fn add(&mut self, info: SessionInfo, folder: &Folder) {
        if self.is_full() || !self.seen.insert((info.session_id.clone(), folder.number)) {
            return;
        }
        let size = info.file_size.map_or(0, Count::get);
        if self.larger_than.is_some_and(|bytes| size <= bytes) {
            return;
        }
        if let Some(rest) = self.to_pass.checked_sub(1) {
            self.to_pass = rest;
            return;
        }
        let id = info.session_id.clone();
        let path = transcript_in(&folder.path, &id);
        self.on_disk.push(Session::at(&folder.home, id, path));
        self.sessions.push(info);
    }
}

impl List<'_> {
    /// Sets the directory whose sessions are listed.
    pub fn project(mut self, directory: impl Into<PathBuf>) -> Self {
        self.project = Some(directory.into());
        self
    }

    /// Sets the maximum number of sessions. 0 means no limit, as in the official SDKs.
    pub fn limit(mut self, sessions: usize) -> Self {
        self.limit = (sessions > 0).then_some(sessions);
        self
    }

    /// Sets the number of newest sessions to skip. Sessions that the list would leave out anyway are not counted.
    pub fn offset(mut self, sessions: usize) -> Self {
        self.offset = sessions;
        self
    }

    /// Leaves out sessions whose transcript has this number of bytes or fewer. The transcripts of sub-agents are not
    /// counted.
    pub fn larger_than(mut self, bytes: u64) -> Self {
        self.larger_than = Some(bytes);
        self
    }

    /// Leaves out the sessions of other working trees of the directory's git repository. The call then does not need
    /// to run git.
    pub fn without_worktrees(mut self) -> Self {
        self.has_worktrees = false;
        self
    }

    /// Leaves out sessions that programs started: `claude -p`, the official SDKs, background services.
    pub fn without_programmatic(mut self) -> Self {
        self.has_programmatic = false;
        self
    }

    /// Makes the list, ordered by the time of the last message in each session. The call reads the names and times of
    /// all files, and the beginning and the end of each transcript that is listed.
    ///
    /// The list leaves out the transcripts of sub-agents, sessions without anything to show, sessions whose
    /// conversation continues in another session, and sessions of other directories for which the CLI uses the same
    /// folder name.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the folder that contains all projects exists but cannot be read. A single session or
    /// project folder that cannot be read is one of the [problems](Listing::problems).
    pub fn run(self) -> Result<Listing, Error> {
        let mut scope = self.scope()?;
        let mut problems = std::mem::take(&mut scope.problems);
        let mut candidates = Vec::new();
        for (at, folder) in scope.folders.iter().enumerate() {
            match transcripts(&folder.path) {
                Ok(found) => {
                    candidates.extend(found.into_iter().filter_map(|found| {
                        let stat = stat_of(&found.entry);
                        let stat = stat.map_err(|error| problems.extend(error)).ok()?;
                        Some(Candidate {
                            id: found.id,
                            folder: at,
                            stat,
                        })
                    }));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => problems.push(Error::io("cannot read", &folder.path, error)),
            }
        }
        candidates.sort_by(|a, b| {
            let newer = b.stat.modified.cmp(&a.stat.modified);
            newer.then_with(|| b.id.as_str().cmp(a.id.as_str()))
        });
        let mut ends = HeadTail::default();
        let mut page = Page::new(self.offset, self.limit, self.larger_than);
        // A file is never older than its last message. A session whose last message is newer than the next file is
        // therefore in its final order.
        let mut read = BTreeMap::new();
        for candidate in candidates {
            let is_next = |entry: &OccupiedEntry<'_, Place, (SessionInfo, usize)>| {
                entry.key().0 >= candidate.stat.modified
            };
            while let Some(entry) = read.last_entry().filter(is_next) {
                let (info, folder) = entry.remove();
                page.add(info, &scope.folders[folder]);
            }
            if page.is_full() {
                break;
            }
            match self.read(&scope, &candidate, &mut ends) {
                Ok(Some(info)) => {
                    let active = info.last_modified.as_i64().unwrap_or_default();
                    // If a session has two files, the newer file comes first.
                    let number = scope.folders[candidate.folder].number;
                    let key = (active, candidate.id.as_str().to_owned(), Reverse(number));
                    read.entry(key).or_insert((info, candidate.folder));
                }
                Ok(None) => {}
                Err(error) => problems.extend(error),
            }
        }
        while let Some((_, (info, folder))) = read.pop_last() {
            page.add(info, &scope.folders[folder]);
        }
        Ok(Listing {
            sessions: page.sessions,
            on_disk: page.on_disk,
            problems,
        })
    }

    pub(crate) fn scope(&self) -> Result<Scope, Error> {
        let Some(directory) = &self.project else {
            return self.all_folders();
        };
        let mut scope = Scope {
            directories: vec![real(directory)],
            ..Scope::default()
        };
        if self.has_worktrees {
            scope.directories.extend(worktrees(&scope.directories[0]));
        }
        // The longest path comes first, because a shorter path may be its prefix.
        let mut by_length: Vec<usize> = (1..scope.directories.len()).collect();
        let length = |at: &usize| scope.directories[*at].as_os_str().len();
        by_length.sort_by_key(|at| Reverse(length(at)));
        by_length.insert(0, 0);
        for (number, home) in self.sessions.each().enumerate() {
            let problems = home.problems();
            if !problems.is_empty() {
                scope.problems.extend(problems);
                continue;
            }
            for &at in &by_length {
                for path in home.folders_of(&scope.directories[at]) {
                    if !scope.folders.iter().any(|known| known.path == path) {
                        scope.folders.push(Folder {
                            path,
                            directory: Some(at),
                            home: home.clone(),
                            number,
                        });
                    }
                }
            }
        }
        Ok(scope)
    }

    /// Returns the folders of all projects.
    pub(crate) fn all_folders(&self) -> Result<Scope, Error> {
        let mut scope = Scope::default();
        for (number, home) in self.sessions.each().enumerate() {
            let problems = home.problems();
            if !problems.is_empty() {
                scope.problems.extend(problems);
                continue;
            }
            let folders = match home.project_folders() {
                Ok(folders) => folders.into_iter(),
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => {
                    let error = Error::io("cannot read", home.projects(), error);
                    if home.environment().is_none() {
                        return Err(error);
                    }
                    scope.problems.push(error);
                    continue;
                }
            };
            scope.folders.extend(folders.map(|path| Folder {
                path,
                directory: None,
                home: home.clone(),
                number,
            }));
        }
        Ok(scope)
    }

    fn read(
        &self,
        scope: &Scope,
        candidate: &Candidate,
        ends: &mut HeadTail,
    ) -> Result<Option<SessionInfo>, Option<Error>> {
        let Candidate { id, folder, stat } = candidate;
        let folder = &scope.folders[*folder];
        let path = &transcript_in(&folder.path, id);
        let mut file = file::open(path).map_err(|error| problem(path, error))?;
        ends.read(&mut file, stat.length)
            .map_err(|error| problem(path, error))?;
        let is_left_out =
            !self.has_programmatic && is_programmatic(ends) || is_continued(path, ends);
        if is_left_out {
            return Ok(None);
        }
        if scope.is_elsewhere(folder, ends) {
            return Ok(None);
        }
        let directory = folder.directory.map(|at| &*scope.directories[at]);
        Ok(info(id, ends, stat, &path.with_extension(""), directory))
    }
}

/// Returns the path of a session's transcript in the folder of a project.
fn transcript_in(folder: &Path, id: &SessionId) -> PathBuf {
    folder.join(format!("{}.jsonl", id.as_str()))
}

/// Returns the directory without symbolic links, or the given path if the directory does not exist.
fn real(directory: &Path) -> PathBuf {
    let real = real_path(directory);
    real.unwrap_or_else(|_| directory.to_owned())
}

/// Whether a session's working directory is another directory with the same folder name. Such a directory exists, and
/// is in none of the listed directories.
fn is_of_another(cwd: &str, directory: &Path, listed: &[PathBuf]) -> bool {
    let has_name_of = |path: &Path| sanitized(&path.to_string_lossy()) == sanitized(cwd);
    let cwd = Path::new(cwd);
    if cwd == directory || !has_name_of(directory) {
        return false;
    }
    let Ok(real) = real_path(cwd) else {
        return false;
    };
    !listed
        .iter()
        .any(|listed| real.starts_with(listed) || cwd.starts_with(listed))
}

/// Reads the list entry of a session. Returns `Ok(None)` if there is nothing to show, and `Err(None)` if the session
/// does not exist any more.
#[cfg(feature = "watch")]
pub(crate) fn read(
    session: &Session,
    ends: &mut HeadTail,
) -> Result<Option<SessionInfo>, Option<Error>> {
    let path = session.transcript();
    let stat = stat(path)?;
    let mut file = file::open(path).map_err(|error| problem(path, error))?;
    ends.read(&mut file, stat.length)
        .map_err(|error| problem(path, error))?;
    if is_continued(path, ends) {
        return Ok(None);
    }
    Ok(info(session.id(), ends, &stat, &session.folder(), None))
}

/// Returns the metadata of a transcript. Returns `Err(None)` if the path is not a session or does not exist any more.
pub(crate) fn stat(path: &Path) -> Result<Stat, Option<Error>> {
    stat_by(path.symlink_metadata()).map_err(|error| error.and_then(|error| problem(path, error)))
}

/// Returns the metadata of a directory entry, as [`stat`] does for a path.
pub(crate) fn stat_of(entry: &DirEntry) -> Result<Stat, Option<Error>> {
    stat_by(entry.metadata()).map_err(|error| error.and_then(|error| problem(&entry.path(), error)))
}

fn stat_by(stat: io::Result<Metadata>) -> Result<Stat, Option<io::Error>> {
    let stat = stat?;
    if !stat.is_file() || stat.len() == 0 {
        return Err(None);
    }
    let nanos = |time: Duration| i128::try_from(time.as_nanos()).unwrap_or(i128::MAX);
    let nanos = match stat.modified()?.duration_since(UNIX_EPOCH) {
        Ok(since) => nanos(since),
        Err(before) => -nanos(before.duration()),
    };
    // Rounds to the nearest millisecond, as the official functions do.
    let millis = nanos.saturating_add(500_000).div_euclid(1_000_000);
    let modified = i64::try_from(millis).unwrap_or(i64::MAX);
    Ok(Stat {
        length: stat.len(),
        modified,
    })
}

/// Returns the error of a file, unless the file does not exist any more or was never a session.
fn problem(path: &Path, error: io::Error) -> Option<Error> {
    use std::io::ErrorKind::{InvalidInput, NotFound};
    let is_none = matches!(error.kind(), NotFound | InvalidInput);
    (!is_none).then(|| Error::io("cannot read", path, error))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::{Duration, UNIX_EPOCH};

    use super::stat;

    #[test]
    fn the_time_of_a_file_is_its_nearest_millisecond() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "x").unwrap();
        for (micros, millis) in [
            (123_499, 123),
            (123_500, 124),
            (123_700, 124),
            (999_500, 1000),
        ] {
            let time = UNIX_EPOCH + Duration::from_micros(micros);
            let written = File::options().write(true).open(&file).unwrap();
            written.set_modified(time).unwrap();
            let Ok(stat) = stat(file.path()) else {
                panic!("it is a file")
            };
            assert_eq!(stat.modified, millis, "{micros}");
        }
    }
}
