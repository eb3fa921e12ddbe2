//! An index of sessions in memory, for servers.

mod page;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use claw_types::SessionId;
use claw_types::store::SessionInfo;

use super::Change;
use super::scanner::FolderScanner;
use super::signal::{ChangeSignal, Notifier};
use crate::continued::next;
use crate::head_tail::HeadTail;
use crate::info::forked_from;
use crate::list::read;
use crate::prompt::last_message;
use crate::{Cost, Error, Session, Sessions};

pub use page::{Cursor, Indexed, NoCursor, Page, PageQuery};

use table::Table;

/// The time after which the thread checks whether the index is still in use.
const ANYBODY: Duration = Duration::from_mins(1);

type ProjectOf = dyn Fn(&Session, &SessionInfo) -> Option<String> + Send + Sync;

/// A builder of an [`Index`]. Made by [`Sessions::index`].
#[must_use = "nothing is read before `run`"]
pub struct IndexBuilder {
    sessions: Sessions,
    project_of: Option<Box<ProjectOf>>,
}

impl std::fmt::Debug for IndexBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexBuilder").finish_non_exhaustive()
    }
}

impl Sessions {
    /// Creates a builder of an index of the sessions of all projects, for a program that lists sessions repeatedly.
    pub fn index(&self) -> IndexBuilder {
        IndexBuilder {
            sessions: self.clone(),
            project_of: None,
        }
    }
}

impl IndexBuilder {
    /// Sets the function that names a session's project. Sessions for which it returns `None` are not in the index.
    ///
    /// The index calls the function whenever it has read a session, on the thread that read it. The function may read
    /// the disk. It must not call the index.
    pub fn project_of(
        mut self,
        name: impl Fn(&Session, &SessionInfo) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.project_of = Some(Box::new(name));
        self
    }

    /// Starts the thread that reads the sessions, and returns without waiting for it.
    ///
    /// # Errors
    ///
    /// Fails if no thread can be started.
    pub fn run(self) -> io::Result<Index> {
        let folders = self.sessions.each().map(|home| (home.projects(), true));
        let wake = ChangeSignal::new(folders);
        let scanner = FolderScanner::new(self.sessions.clone(), None);
        let inner = Arc::new(Inner {
            sessions: self.sessions,
            project_of: self.project_of,
            reading: Mutex::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
            notifier: wake.notifier(),
        });
        let index = Arc::downgrade(&inner);
        let thread = std::thread::Builder::new().name("session-index".to_owned());
        thread.spawn(move || keep_current(&index, scanner, wake))?;
        Ok(Index { inner })
    }
}

/// An index in memory of the sessions of all projects, newest first. A thread that [watches](Sessions::watch) the disk
/// keeps it current. Made by [`Sessions::index`]. Clones share the same index.
///
/// The index contains the sessions that [`Sessions::list`] lists. A change on disk appears in the index after the next
/// scan of the disk. Between two scans, the thread waits 20 ms, or ten times the duration of the last scan if that is
/// longer. If your program changes a session, it should call [`refresh`](Self::refresh) afterwards.
///
/// # Drop
///
/// The thread ends when the last clone is dropped.
#[derive(Clone)]
pub struct Index {
    inner: Arc<Inner>,
}

struct Inner {
    sessions: Sessions,
    project_of: Option<Box<ProjectOf>>,
    /// Held while a transcript is read and its entry is set, so that an older state cannot replace a newer one.
    reading: Mutex<HeadTail>,
    state: Mutex<State>,
    changed: Condvar,
    notifier: Arc<Notifier>,
}

#[derive(Default)]
struct State {
    table: Table,
    /// Whether the first scan is complete.
    is_read: bool,
    /// The number of changes so far.
    revision: u64,
    /// The transcripts that cannot be read, with the errors.
    unread: BTreeMap<PathBuf, String>,
    /// The errors of files and folders that the last scan could not read.
    problems: Vec<String>,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut index = f.debug_struct("Index");
        index.field("sessions", &self.inner.lock().table.len());
        index.finish_non_exhaustive()
    }
}

impl Index {
    /// Returns a page of the list. This does not read the disk. The first call waits until all sessions were read once.
    pub fn page(&self, query: &PageQuery) -> Page {
        self.inner.read().table.page(query)
    }

    /// Returns the session of this ID. If two projects or two configuration folders have a session with this ID, the one
    /// that was changed last is returned. The first call waits as [`page`](Self::page) does.
    pub fn get(&self, id: &SessionId) -> Option<Arc<Indexed>> {
        self.inner.read().table.get(id)
    }

    /// Returns the session of this ID in this configuration folder. If two projects there have a session with this ID,
    /// the one that was changed last is returned. The first call waits as [`page`](Self::page) does.
    pub fn get_in(&self, config_dir: &Path, id: &SessionId) -> Option<Arc<Indexed>> {
        let mut homes = self.inner.sessions.each();
        let number = homes.position(|home| home.config_dir() == config_dir)?;
        self.inner.read().table.get_in(number, id)
    }

    /// Returns the number of sessions. The first call waits as [`page`](Self::page) does.
    pub fn len(&self) -> usize {
        self.inner.read().table.len()
    }

    /// Whether there are no sessions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads one session again immediately. Call this method for a session that this program has changed, created or
    /// deleted.
    pub fn refresh(&self, session: &Session) {
        self.inner.reread(session);
    }

    /// Returns the files and folders that cannot be read. The first call waits as [`page`](Self::page) does.
    pub fn problems(&self) -> Vec<String> {
        let state = self.inner.read();
        let problems = state.problems.iter().chain(state.unread.values());
        problems.cloned().collect()
    }

    /// Waits until the index has changed more than `seen` times, but no longer than `most`. Returns the number of
    /// changes so far. Pass this number as `seen` in the next call.
    pub fn changed(&self, seen: u64, most: Duration) -> u64 {
        let state = self.inner.lock();
        let is_seen = |state: &mut State| state.revision <= seen;
        let waited = self.inner.changed.wait_timeout_while(state, most, is_seen);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.revision
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state after the first scan is complete.
    fn read(&self) -> MutexGuard<'_, State> {
        let state = self.lock();
        let waited = self.changed.wait_while(state, |state| !state.is_read);
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn reread(&self, session: &Session) {
        let transcript = session.transcript();
        let before = self.reread_alone(session);
        // The contents of this transcript determine whether the earlier transcripts are listed.
        for path in before.iter().filter(|path| *path != transcript) {
            let id = path.file_stem().unwrap_or_default();
            let id = SessionId::from(&*id.to_string_lossy());
            let home = self.sessions.containing(path);
            self.reread_alone(&Session::at(&home, id, path.clone()));
        }
    }

    /// Reads a transcript and sets its entry. Returns the transcripts that this one continues.
    fn reread_alone(&self, session: &Session) -> Vec<PathBuf> {
        let transcript = session.transcript();
        let mut ends = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let (found, next) = self.read_transcript(session, &mut ends);
        let mut state = self.lock();
        state.unread.remove(transcript);
        let found = found.unwrap_or_else(|error| {
            let problem = error.map(|error| (transcript.to_owned(), error.to_string()));
            state.unread.extend(problem);
            None
        });
        let number = self.sessions.number_of(transcript);
        state.table.set(session.id(), number, transcript, found);
        state.table.set_next(transcript, next);
        state.revision += 1;
        self.changed.notify_all();
        state.table.before(transcript)
    }

    /// Reads the list entry of a session, and the path of the transcript that continues it.
    fn read_transcript(
        &self,
        session: &Session,
        ends: &mut HeadTail,
    ) -> (Result<Option<Indexed>, Option<Error>>, Option<PathBuf>) {
        let transcript = session.transcript();
        let info = match read(session, ends) {
            Ok(info) => info,
            Err(error) => return (Err(error), None),
        };
        let next = next(ends.tail());
        let next = next.map(|id| transcript.with_file_name(format!("{id}.jsonl")));
        let found = info.and_then(|info| {
            let project = match &self.project_of {
                Some(project_of) => Some(project_of(session, &info)?),
                None => None,
            };
            let mut found = Indexed::new(session.clone(), info, project);
            found.config_dir = self.sessions.number_of(transcript);
            found.cost = Cost::newest(ends.tail());
            found.last_message = last_message(ends.tail());
            found.forked_from = forked_from(ends);
            Some(found)
        });
        (Ok(found), next)
    }

    fn remove(&self, id: &SessionId, transcript: &Path) {
        self.reread(&Session::at(
            &self.sessions.containing(transcript),
            id.clone(),
            transcript.to_owned(),
        ));
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Wakes the thread, which then finds that the index is no longer in use.
        self.notifier.notify();
    }
}

/// Updates the index until its last handle is dropped.
fn keep_current(index: &Weak<Inner>, mut scanner: FolderScanner, mut wake: ChangeSignal) {
    loop {
        let is_time = wake.wait(Instant::now() + ANYBODY);
        if index.strong_count() == 0 {
            return;
        }
        if !is_time {
            continue;
        }
        for change in scanner.scan() {
            let Some(inner) = index.upgrade() else { return };
            match change {
                Change::Added(session) | Change::Changed(session) => inner.reread(&session),
                Change::Removed {
                    session_id,
                    transcript,
                } => inner.remove(&session_id, &transcript),
                // The scanner stores the problems.
                Change::Problem(_) => {}
            }
        }
        wake.done();
        let Some(inner) = index.upgrade() else { return };
        let mut state = inner.lock();
        scanner.problems().clone_into(&mut state.problems);
        state.is_read = true;
        drop(state);
        inner.changed.notify_all();
    }
}
