//! An index on this host of the sessions in a store, for reports about their usage and for searches.

mod entry;
mod files;
mod left_out;
mod read;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use claw_sessions::{Hit, LineHit, LineSearch, SessionAnswers, UsageCache};
use claw_types::SessionId;
use futures::{StreamExt as _, stream};

use super::usage::agent_id;
use super::{StoredError, StoredSession, StoredSessions};
use crate::{SessionRef, StoreKey, Subpath, pool};

pub use left_out::{LeftOut, LinesLeftOut};

use entry::{Entry, Head, Part};
use files::Files;

/// The number of sessions in a batch. One call on the thread pool reads the index files of a whole batch.
const BATCH: usize = 32;

/// The number of batches that are read concurrently.
const BATCHES: usize = 4;

/// The number of sessions of a batch that are read from the store concurrently, because they have changed.
const READS: usize = 4;

/// An index of the sessions in a store, in a folder of this host. Made by [`StoredSessions::index`].
/// For each session, the index contains the numbers from which the usage is counted, and the texts that people and
/// models have written. Each call lists the sessions of the store, and reads only those that have changed since they
/// were last read. Sessions that are in no list any more are removed from the index. Several processes may use one
/// folder at once.
///
/// A session has changed if its [revision](StoredSession::revision) has changed. If the store reports no revisions, a
/// session has changed if its main transcript was written to at a later time. During the hour after that time, each
/// call reads the session. Results for which only the time was compared are [counted](LeftOut::by_time).
///
/// A damaged entry is made again. The index has at most 4 GiB, and at most 64 MiB for each session. Only the current
/// user can read the folder and the files.
#[derive(Debug, Clone)]
#[must_use]
pub struct SessionIndex {
    sessions: StoredSessions,
    files: Option<Arc<Files>>,
}

/// The model's answers in a store's sessions, from which usage is counted. Returned by
/// [`SessionIndex::usage`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct IndexedUsage {
    /// The sessions with their answers, ordered by the time at which they were last written to, the latest first.
    pub sessions: Vec<(StoredSession, Arc<SessionAnswers>)>,
    /// The data that was not counted.
    pub left_out: LeftOut,
}

/// A line of a transcript in a store that contains the searched text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredHit {
    /// The transcript.
    pub transcript: StoreKey,
    /// The ID of the sub-agent whose transcript contains the match. `None` if the match is in the session's own
    /// transcript.
    pub subagent: Option<String>,
    /// The number of the line in the transcript, counted from 1, as in a file on disk.
    pub line: u64,
    /// The match.
    pub hit: LineHit,
}

impl StoredHit {
    pub(super) fn of(
        session: &SessionRef,
        subpath: Option<Subpath>,
        line: u64,
        hit: LineHit,
    ) -> Self {
        let subagent = subpath.as_ref().and_then(|path| agent_id(path.as_str()));
        Self {
            subagent: subagent.map(ToOwned::to_owned),
            transcript: key(session, subpath),
            line,
            hit,
        }
    }

    /// Converts the hit to a hit on disk. `config_dir` is the configuration folder in which the session is continued.
    /// The field with the file contains the key of the transcript instead.
    pub fn into_hit(self, config_dir: &Path) -> Hit {
        let id = SessionId::from(self.transcript.session().session());
        let mut hit = self
            .hit
            .of(id, config_dir, self.transcript.to_string(), self.line);
        hit.subagent = self.subagent;
        hit
    }
}

/// A function that computes a result from the index entry of a session.
type Visitor<T> = dyn Fn(&StoredSession, &Entry) -> T + Send + Sync;

/// The work that is done for each session: the part of the entry that is read, and the function that uses it.
struct Visit<T> {
    part: Part,
    visit: Box<Visitor<T>>,
}

/// Returns the work that collects the model's answers from the index entry of each session. Reports that use this cache
/// count these answers.
fn counting(cache: &UsageCache) -> Visit<SessionAnswers> {
    let begin = cache.answers(&SessionId::from(""));
    Visit {
        part: Part::Usage,
        visit: Box::new(move |listed, entry| {
            let session = &listed.session;
            let answers = begin.of_session(&SessionId::from(session.session()));
            let mut answers = answers.of_folder(session.project());
            entry.count(&mut answers);
            answers
        }),
    }
}

/// A session of a batch after its entry was read.
enum Visited<T> {
    /// The index has the listed version of the session. The flag is true if only a time was compared to find that out.
    Current(StoredSession, Head, bool, T),
    Changed(StoredSession),
}

/// The result for a session. `index` is the reason why its index entry could not be written.
struct Done<T> {
    session: StoredSession,
    head: Head,
    is_by_time: bool,
    result: T,
    index: Option<StoredError>,
}

impl StoredSessions {
    /// Creates an index of the sessions. Its files are in this folder, which is created when it is needed. Each store
    /// needs a separate folder. Without a folder, every call reads the sessions from the store.
    pub fn index(&self, folder: Option<PathBuf>) -> SessionIndex {
        SessionIndex {
            sessions: self.clone(),
            files: folder.map(|folder| Arc::new(Files::new(folder))),
        }
    }
}

impl SessionIndex {
    /// Returns the model's answers in the sessions of one project, or of all projects if `project` is `None`. Reports
    /// that use this cache count these answers.
    ///
    /// # Errors
    ///
    /// Fails with the errors of [`StoredSessions::list`], and with [`StoredError::Store`] if the store cannot be reached. A
    /// session that cannot be read for another reason is [left out](IndexedUsage::left_out).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the sessions that were read stay in the index.
    pub async fn usage(
        &self,
        project: Option<&str>,
        cache: &UsageCache,
    ) -> Result<IndexedUsage, StoredError> {
        let mut usage = IndexedUsage::default();
        let visit = counting(cache);
        let sessions = &mut usage.sessions;
        let mut lines = Vec::new();
        let left_out = self.each(project, visit, |done| {
            let mut unreadable = LinesLeftOut::none(&done.session.session);
            unreadable.add(done.result.unreadable() + done.head.unreadable, None);
            lines.push(unreadable);
            sessions.push((done.session, Arc::new(done.result)));
            true
        });
        usage.left_out = left_out.await?;
        for lines in lines {
            usage.left_out.add_lines(lines);
        }
        Ok(usage)
    }

    /// Returns the model's answers in one session. Reports that use this cache count these answers. `listed` is the
    /// session as a list of the store contains it.
    ///
    /// # Errors
    ///
    /// Fails with the errors of [`StoredSessions::answers`], and with [`StoredError::LimitExceeded`] for a session whose
    /// entry in the index would have more than 64 MiB.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn answers(
        &self,
        listed: &StoredSession,
        cache: &UsageCache,
    ) -> Result<SessionAnswers, StoredError> {
        let visit = Arc::new(counting(cache));
        let done = self.batch(vec![listed.clone()], &visit, now()).await;
        match done.into_iter().next() {
            Some((_, done)) => Ok(done?.result),
            None => Err(StoredError::not_found(&listed.session)),
        }
    }

    /// Removes the entries of all sessions that are not in `sessions`. `project` is the project of these sessions. It
    /// is `None` if they are the sessions of all projects. [`usage`](Self::usage) and [`search`](Self::search) remove
    /// such entries themselves.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Io`] if the folder cannot be changed.
    pub async fn retain(
        &self,
        project: Option<&str>,
        sessions: HashSet<SessionRef>,
    ) -> Result<(), StoredError> {
        let Some(files) = self.files.clone() else {
            return Ok(());
        };
        let project = project.map(ToOwned::to_owned);
        let folder = files.folder().to_owned();
        let pruned = pool::run(move || files.prune(project.as_deref(), &sessions));
        let pruned = pruned.await;
        pruned.map_err(|error| StoredError::io("cannot write in", folder, error))
    }

    /// Removes the entry of one session. Call this method after the session was deleted. A call of
    /// [`usage`](Self::usage) or [`search`](Self::search) that has read the session before its deletion may still add
    /// the entry again. Then the next such call removes it.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Io`], which has the path of the file, if the file of the entry cannot be removed.
    pub async fn remove(&self, session: &SessionRef) -> Result<(), StoredError> {
        let Some(files) = self.files.clone() else {
            return Ok(());
        };
        let session = session.clone();
        pool::run(move || files.remove(&session)).await
    }

    /// Searches the texts that people and models have written, including the texts of sub-agents. The search covers the
    /// sessions of one project, or of all projects if `project` is `None`. The sessions that were written to last come
    /// first. `found` is called for each session with hits. The hits are in the order of the session's lines. If
    /// `found` returns `false`, the search ends.
    ///
    /// A search of [everything](LineSearch::everything) reads all lines from the store, because the index does not
    /// contain them.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`usage`](Self::usage).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the sessions that were read stay in the index.
    pub async fn search(
        &self,
        project: Option<&str>,
        search: LineSearch,
        mut found: impl FnMut(&StoredSession, Vec<StoredHit>) -> bool + Send,
    ) -> Result<LeftOut, StoredError> {
        if search.is_of_everything() {
            return self.search_lines(project, &search, found).await;
        }
        let visit = Visit {
            part: Part::Text,
            visit: Box::new(move |_, entry| entry.search(&search)),
        };
        let (mut lines, mut kept) = (Vec::new(), 0);
        let left_out = self.each(project, visit, |done| {
            let session = &done.session;
            let searched = done.result;
            kept += done.head.kept;
            let mut unreadable = LinesLeftOut::none(&session.session);
            let first = searched.first.and_then(|(subpath, line)| {
                let subpath = subpath.map(|path| Subpath::new(&path)).transpose().ok()?;
                Some((key(&session.session, subpath), line))
            });
            unreadable.add(searched.unreadable, first);
            lines.push(unreadable);
            let hits = searched
                .hits
                .into_iter()
                .filter_map(|(subpath, line, hit)| {
                    let subpath = subpath.map(|path| Subpath::new(&path)).transpose().ok()?;
                    Some(StoredHit::of(&session.session, subpath, line, hit))
                });
            let hits: Vec<_> = hits.collect();
            hits.is_empty() || found(session, hits)
        });
        let mut left_out = left_out.await?;
        for lines in lines {
            left_out.add_lines(lines);
        }
        left_out.kept = kept;
        Ok(left_out)
    }

    /// Calls `done` for each session, the latest first, until `done` returns `false`.
    async fn each<T: Send + 'static>(
        &self,
        project: Option<&str>,
        visit: Visit<T>,
        mut done: impl FnMut(Done<T>) -> bool + Send,
    ) -> Result<LeftOut, StoredError> {
        let now = now();
        let listing = self.sessions.list(project).await?;
        let mut left_out = LeftOut {
            problems: listing.problems,
            ..LeftOut::default()
        };
        let known: HashSet<_> = listing
            .sessions
            .iter()
            .map(|listed| listed.session.clone())
            .collect();
        let visit = Arc::new(visit);
        let batches: Vec<_> = listing.sessions.chunks(BATCH).map(<[_]>::to_vec).collect();
        let batches = stream::iter(batches).map(|batch| self.batch(batch, &visit, now));
        let mut batches = pin!(batches.buffered(BATCHES));
        while let Some(batch) = batches.next().await {
            for (session, visited) in batch {
                match visited {
                    Ok(mut visited) => {
                        left_out.by_time += u64::from(visited.is_by_time);
                        left_out.index = left_out.index.or(visited.index.take());
                        if !done(visited) {
                            return Ok(left_out);
                        }
                    }
                    Err(error) => left_out.failed(session, error)?,
                }
            }
        }
        let pruned = self.retain(project, known).await;
        left_out.index = left_out.index.or(pruned.err());
        Ok(left_out)
    }

    /// Computes the results for these sessions, and returns them in the same order.
    async fn batch<T: Send + 'static>(
        &self,
        batch: Vec<StoredSession>,
        visit: &Arc<Visit<T>>,
        now: i64,
    ) -> Vec<(SessionRef, Result<Done<T>, StoredError>)> {
        let (files, how) = (self.files.clone(), visit.clone());
        let visited = pool::run(move || {
            let visited = batch.into_iter().map(|listed| {
                let entry = files.as_ref().and_then(|it| it.read(&listed, how.part));
                let entry = entry.map(|entry| (entry.head.is_current(&listed), entry));
                match entry {
                    Some(((true, is_by_time), entry)) => {
                        let result = (how.visit)(&listed, &entry);
                        Visited::Current(listed, entry.head, is_by_time, result)
                    }
                    _ => Visited::Changed(listed),
                }
            });
            visited.collect::<Vec<_>>()
        });
        let visited = stream::iter(visited.await).map(|visited| async {
            match visited {
                Visited::Current(session, head, is_by_time, result) => {
                    let name = session.session.clone();
                    let done = Done {
                        session,
                        head,
                        is_by_time,
                        result,
                        index: None,
                    };
                    (name, Ok(done))
                }
                Visited::Changed(listed) => {
                    let name = listed.session.clone();
                    (name, self.changed(listed, visit, now).await)
                }
            }
        });
        visited.buffered(READS).collect().await
    }

    /// Reads a session from the store, writes its index entry, and computes its result.
    async fn changed<T: Send + 'static>(
        &self,
        session: StoredSession,
        visit: &Arc<Visit<T>>,
        now: i64,
    ) -> Result<Done<T>, StoredError> {
        let entry = self.sessions.entry(&session, now).await?;
        let (files, visit) = (self.files.clone(), visit.clone());
        let done = pool::run(move || {
            let written = files.map_or(Ok(()), |files| {
                let written = files.write(&session.session, &entry);
                written.map_err(|error| StoredError::io("cannot write in", files.folder(), error))
            });
            Done {
                result: (visit.visit)(&session, &entry),
                session,
                head: entry.head,
                is_by_time: false,
                index: written.err(),
            }
        });
        Ok(done.await)
    }

    /// Searches all lines of the sessions.
    async fn search_lines(
        &self,
        project: Option<&str>,
        search: &LineSearch,
        mut found: impl FnMut(&StoredSession, Vec<StoredHit>) -> bool + Send,
    ) -> Result<LeftOut, StoredError> {
        let listing = self.sessions.list(project).await?;
        let mut left_out = LeftOut {
            problems: listing.problems,
            ..LeftOut::default()
        };
        let searched = stream::iter(listing.sessions).map(|listed| async {
            let searched = self.sessions.search_session(&listed.session, search).await;
            (listed, searched)
        });
        let mut searched = pin!(searched.buffered(READS));
        while let Some((listed, searched)) = searched.next().await {
            match searched {
                Ok((hits, unreadable, kept)) => {
                    left_out.kept += kept;
                    left_out.add_lines(unreadable);
                    if !hits.is_empty() && !found(&listed, hits) {
                        break;
                    }
                }
                Err(error) => left_out.failed(listed.session, error)?,
            }
        }
        Ok(left_out)
    }
}

/// Returns the key of a transcript. A `subpath` of `None` stands for the main transcript.
fn key(session: &SessionRef, subpath: Option<Subpath>) -> StoreKey {
    match subpath {
        Some(subpath) => session.at(subpath),
        None => session.main(),
    }
}

/// Returns the time by the clock of this host, in milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}
