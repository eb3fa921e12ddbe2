//! Synchronises the sessions of a disk with those of a store.

mod append;
mod find;
mod place;
mod pull;
mod relation;
mod state;
#[cfg(feature = "watch")]
mod watch;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use claw_sessions::{Session, Sessions, shared_project_name};
use futures::StreamExt as _;

pub use self::pull::{Pull, PullOutcome, Pulled};
use self::relation::{Relation, relate};
use self::state::{Mark, State, digest, stamp};
use super::import::{ImportProblem, project};
use super::private::{make_file, make_folders};
use super::{Import, Imported, StoredError, StoredSessions};
use crate::{Epoch, Owner, SessionRef, StoreError, agent_metadata, pool};

/// The number of sessions that are stored concurrently.
const AT_ONCE: usize = 8;

/// The maximum number of forks that are tried for one session. A fork stores the disk's session under another ID. If
/// the disk has changed lines that are already in a fork, the next fork is tried.
const FORKS: usize = 8;

/// The time to live of a claim while the lines of a session are stored. If a process is killed, its claim does not
/// delay the other processes of the same disk, because all of them have the same owner.
const TTL: Duration = Duration::from_mins(1);

/// Stores the sessions that the CLI writes on a disk. Also copies the sessions of other machines from the store to the
/// disk.
///
/// The sessions are those of the ordinary CLI, in its own configuration folder. A session's project in the store is the
/// [`shared_project_name`] of the session's directory, so that every machine finds the session. If the store already
/// has the session in another project, the session stays in that project.
///
/// The main transcript and the transcripts of sub-agents are stored. Other files are not stored: memory, the file
/// history from which the CLI restores files, and the stored results of tools. Lines that record the session's
/// directory are left out, because each machine has another directory.
///
/// In a store with claims, a session is claimed while its lines are stored. So only one process at a time stores its
/// lines.
#[derive(Debug, Clone)]
#[must_use]
pub struct SessionSync {
    stored: StoredSessions,
    sessions: Sessions,
    folder: PathBuf,
    name: String,
    project: Option<String>,
    directory: Option<PathBuf>,
}

/// The result of [`SessionSync::run`] for a session.
#[derive(Debug)]
#[non_exhaustive]
pub struct Synced {
    /// The session on the disk.
    pub session: Session,
    /// The result.
    pub outcome: SyncOutcome,
    /// The first lines and files that could not be stored. They stay on the disk. All others are stored.
    pub problems: Vec<ImportProblem>,
}

/// The outcome for a session: whether it was stored.
#[derive(Debug)]
#[non_exhaustive]
pub enum SyncOutcome {
    /// The session has not changed since it was stored.
    Unchanged,
    /// Every complete line is stored.
    Stored {
        /// The session in the store.
        to: SessionRef,
        /// The number of lines that are new in the store.
        new: u64,
    },
    /// The store has all entries of the disk, and further entries. [`SessionSync::pull`] writes these to the disk.
    Behind {
        /// The session in the store.
        to: SessionRef,
    },
    /// The store and the disk have different lines at the same position. Either another machine has continued the
    /// session, or the file was changed. The store's session is not changed, and the session of the disk is stored
    /// under another ID.
    Forked {
        /// The session under which the disk's session is stored.
        to: SessionRef,
        /// The number of lines that are new in the store.
        new: u64,
    },
    /// The session was not stored, or not completely. The next call stores the rest. If the error is
    /// [`Held`](StoreError::Held), another process writes the session.
    Failed(StoredError),
}

impl SessionSync {
    /// Creates a synchronisation of these sessions with a store. The folder `state` contains records of what is stored.
    /// The folder need not exist. Each pair of a store and a configuration folder needs a separate folder, on the same
    /// file system as the configuration folder. If the records are missing, the sessions are compared with the store.
    pub fn new(stored: StoredSessions, sessions: Sessions, state: impl Into<PathBuf>) -> Self {
        Self {
            stored,
            sessions,
            folder: state.into(),
            name: "claw".to_owned(),
            project: None,
            directory: None,
        }
    }

    /// Sets the name of the owner of claims, for people to read.
    pub fn owner(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the project name under which the store keeps all sessions.
    pub fn project(mut self, name: impl Into<String>) -> Self {
        self.project = Some(name.into());
        self
    }

    /// Sets the directory whose sessions are stored. By default, the sessions of all directories are stored.
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Stores the lines that the store lacks. `synced` is called for each session when it is done. Up to eight sessions
    /// are stored at the same time.
    ///
    /// A last line without a line end is left for the next call. A second call stores no line twice, even if the first
    /// call was killed at any moment.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Sessions`] if the list of sessions cannot be read, with [`StoredError::Io`] if the
    /// folder of the state cannot be written, and with [`StoredError::Store`] if the store cannot be listed. Errors of
    /// single sessions are [outcomes](SyncOutcome::Failed).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the lines that were already stored remain in the store. A later call stores the others.
    pub async fn run(&self, mut synced: impl FnMut(Synced)) -> Result<(), StoredError> {
        let run = self.begin().await?;
        let (sessions, directory) = (self.sessions.clone(), self.directory.clone());
        let found = pool::run(move || match directory {
            Some(directory) => sessions.all_in(&directory),
            None => sessions.all(),
        });
        let found = found.await?;
        let first = found.problems.into_iter().next();
        let mut done = futures::stream::iter(found.sessions)
            .map(|session| run.session(session))
            .buffer_unordered(AT_ONCE);
        while let Some(done) = done.next().await {
            synced(done);
        }
        first.map_or(Ok(()), |problem| Err(problem.into()))
    }

    /// Reads the data that all sessions need.
    async fn begin(&self) -> Result<Run<'_>, StoredError> {
        let mut stored: HashMap<String, Vec<String>> = HashMap::new();
        if self.stored.store.lists().is_some() {
            for listed in self.stored.listed(None).await? {
                let (project, id) = (listed.session.project(), listed.session.session());
                let projects = stored.entry(id.to_owned()).or_default();
                projects.push(project.to_owned());
            }
        }
        Ok(Run {
            sync: self,
            owner: self.owned().await?,
            stored,
            names: Mutex::default(),
            verified: Mutex::default(),
        })
    }

    /// Returns the owner of the claims. All processes that use this folder have the same owner.
    async fn owned(&self) -> Result<Owner, StoredError> {
        let path = self.folder.join("owner");
        let read = pool::run(move || {
            let made = path.parent().map_or(Ok(()), make_folders).and_then(|()| {
                let id = uuid::Uuid::new_v4().to_string();
                let mut file = make_file(&path)?;
                file.write_all(id.as_bytes())?;
                Ok(id)
            });
            let id = made.or_else(|_| fs::read_to_string(&path));
            id.map_err(|error| StoredError::io("cannot write", path, error))
        });
        let id = read.await?;
        // The file is incomplete, because a process was killed while it wrote the file. Each process then has its own
        // owner.
        Ok(if uuid::Uuid::try_parse(&id).is_ok() {
            Owner::known(id, &*self.name)
        } else {
            Owner::new(&*self.name)
        })
    }
}

/// The state of one call that stores sessions.
struct Run<'a> {
    sync: &'a SessionSync,
    owner: Owner,
    /// The sessions that the store had at the beginning. Each session ID is mapped to the projects that have a session
    /// with this ID.
    stored: HashMap<String, Vec<String>>,
    /// The project names of directories that were already determined.
    names: Mutex<HashMap<PathBuf, Arc<str>>>,
    /// The IDs of writers that were already compared with the store. The store has the recorded number of their lines.
    verified: Mutex<HashSet<String>>,
}

impl Run<'_> {
    async fn session(&self, session: Session) -> Synced {
        let mut problems = Vec::new();
        let outcome = self.try_session(&session, &mut problems).await;
        Synced {
            session,
            outcome: outcome.unwrap_or_else(SyncOutcome::Failed),
            problems,
        }
    }

    async fn try_session(
        &self,
        session: &Session,
        problems: &mut Vec<ImportProblem>,
    ) -> Result<SyncOutcome, StoredError> {
        let path = State::path(&self.sync.folder, session);
        let (here, file) = (session.clone(), path.clone());
        let read = pool::run(move || Ok((stamp(&here)?, State::read(&file))));
        let read = read.await;
        let (stamp, state) =
            read.map_err(|error| StoredError::io("cannot read", session.transcript(), error))?;
        let known = state.as_ref().map(|state| &state.stamp);
        if stamp.is_some() && stamp.as_ref() == known {
            return Ok(SyncOutcome::Unchanged);
        }
        let to = match &state {
            // A session that is already stored keeps its project and ID in the store. Other sessions are stored under
            // their own ID. One of these is a copy of another session, after the copy was continued on this disk.
            Some(state) if !state.is_copy => state.to()?,
            _ => self.target(session).await?,
        };
        let store = &*self.sync.stored.store;
        let claim = match store.claims() {
            Some(claims) => Some((claims, claims.claim(&to, &self.owner, TTL).await?)),
            None => None,
        };
        let epoch = claim.as_ref().map(|(_, claim)| claim.epoch);
        let pulled = state.as_ref().and_then(|state| state.pulled);
        let done = self.store(session, to, state, epoch, problems).await;
        if let Some((claims, claim)) = claim {
            // If the release fails, the claim expires after its time to live.
            let _ = claims.release(&claim).await;
        }
        let (outcome, mut state) = done?;
        state.stamp = stamp.unwrap_or_default();
        state.pulled = pulled;
        write(state, path).await?;
        Ok(outcome)
    }

    /// Stores the lines of a session that the store lacks.
    async fn store(
        &self,
        session: &Session,
        to: SessionRef,
        state: Option<State>,
        epoch: Option<Epoch>,
        problems: &mut Vec<ImportProblem>,
    ) -> Result<(SyncOutcome, State), StoredError> {
        let mut appended = 0;
        if let Some(mut state) = state {
            let is_done = self.append(session, &to, &mut state, epoch, &mut appended, problems);
            if is_done.await? {
                let new = appended;
                return Ok((SyncOutcome::Stored { to, new }, state));
            }
            // The problems are cleared, because the import reports the problems of the whole session again.
            problems.clear();
        }
        match self.relation(session, &to).await? {
            None | Some(Relation::Same | Relation::Ahead) => {
                let (new, state) = self.import(session, &to, epoch, problems).await?;
                let new = appended + new;
                Ok((SyncOutcome::Stored { to, new }, state))
            }
            Some(Relation::Behind) => {
                let state = State::new(&to);
                Ok((SyncOutcome::Behind { to }, state))
            }
            Some(Relation::Diverged { here, .. }) => self.fork(session, &to, here, problems).await,
        }
    }

    /// Stores a session under another ID, because the store has different lines under the session's own ID.
    async fn fork(
        &self,
        session: &Session,
        to: &SessionRef,
        mut first: String,
        problems: &mut Vec<ImportProblem>,
    ) -> Result<(SyncOutcome, State), StoredError> {
        for _ in 0..FORKS {
            let id = fork_id(to.session(), &first);
            let fork = SessionRef::new(to.project(), id).map_err(StoreError::from)?;
            if let Some(Relation::Diverged { here, .. }) = self.relation(session, &fork).await? {
                // The session on the disk also differs from this fork, because the file was changed after the fork was
                // stored. The next attempt uses another ID.
                first = here;
                continue;
            }
            let path = self.sync.folder.join("forks").join(fork.session());
            let own = session.id().as_str().to_owned();
            let written = pool::run(move || {
                path.parent().map_or(Ok(()), make_folders)?;
                fs::write(&path, own)
            });
            let folder = || self.sync.folder.join("forks");
            let written = written.await;
            written.map_err(|error| StoredError::io("cannot write into", folder(), error))?;
            // No epoch is passed, because the claim is not for the fork but for the session's own ID. While this claim
            // is held, no other process makes the same fork.
            let (new, state) = self.import(session, &fork, None, problems).await?;
            return Ok((SyncOutcome::Forked { to: fork, new }, state));
        }
        let text = format!("{to} has changed too often on the disk");
        Err(StoreError::refused(text).into())
    }

    /// Compares a session with the one in the store. Returns `None` if the store has no such session.
    async fn relation(
        &self,
        session: &Session,
        to: &SessionRef,
    ) -> Result<Option<Relation>, StoredError> {
        let stored = &self.sync.stored;
        let checkout = match stored.checkout(to, &self.sync.folder).await {
            Ok(checkout) => checkout,
            Err(error) if error.is_not_found() => return Ok(None),
            Err(error) => return Err(error),
        };
        let here = session.transcript().to_owned();
        let there = checkout.session().transcript().to_owned();
        let relation = pool::run(move || relate(&here, &there)).await;
        checkout.close().await?;
        Ok(Some(relation?))
    }

    /// Stores all lines of a session that the store lacks, even if they are not at the end of a transcript.
    async fn import(
        &self,
        session: &Session,
        to: &SessionRef,
        epoch: Option<Epoch>,
        problems: &mut Vec<ImportProblem>,
    ) -> Result<(u64, State), StoredError> {
        let stored = &self.sync.stored;
        let mut import = Import::new(session).to(to.clone()).growing();
        if let Some(epoch) = epoch {
            import = import.epoch(epoch);
        }
        let imported = import.limits(stored.limits).run(&*stored.store).await?;
        let Imported {
            new,
            ends,
            problems: found,
            ..
        } = imported;
        problems.extend(found);
        let mut state = State::new(to);
        let session = session.clone();
        let made = pool::run(move || {
            for end in ends {
                let name = end.subpath.as_ref().map_or("", crate::Subpath::as_str);
                if name.is_empty() {
                    state.total = end.total;
                }
                let path = match &end.subpath {
                    Some(subpath) => super::checkout::path_of(&session.folder(), subpath)?,
                    None => session.transcript().to_owned(),
                };
                let metadata = path.with_extension("meta.json");
                let mark = Mark::new(&path, end.offset, end.lines);
                let Ok(mut mark) = mark else {
                    // The transcript has only a metadata file, so there is no position in a file to record.
                    continue;
                };
                mark.metadata = agent_metadata(&metadata)
                    .ok()
                    .map(|line| digest(line.as_str().as_bytes()));
                state.transcripts.insert(name.to_owned(), mark);
            }
            Ok::<_, StoredError>(state)
        });
        Ok((new, made.await?))
    }

    /// Returns the project and the ID under which a session is stored for the first time. If the store already has the
    /// session in another project, that project is used.
    async fn target(&self, session: &Session) -> Result<SessionRef, StoredError> {
        let id = session.id().as_str();
        let name = match &self.sync.project {
            Some(name) => name.clone(),
            None => self.name(session).await?,
        };
        let projects = self.stored.get(id);
        let project = match projects.and_then(|projects| projects.first()) {
            Some(first) if !projects.is_some_and(|all| all.contains(&name)) => first.clone(),
            _ => name,
        };
        Ok(SessionRef::new(project, id).map_err(StoreError::from)?)
    }

    /// Returns the name of the project of a session's directory.
    async fn name(&self, session: &Session) -> Result<String, StoredError> {
        let here = session.clone();
        let Some(directory) = pool::run(move || here.directory()).await? else {
            return Ok(project(session));
        };
        let names = || self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let known = names().get(&directory).cloned();
        if let Some(name) = known {
            return Ok(name.to_string());
        }
        let path = directory.clone();
        let name = pool::run(move || shared_project_name(&path)).await;
        names().insert(directory, name.as_str().into());
        Ok(name)
    }
}

/// Returns the ID for the fork of a session. `first` is the UUID of the first entry on the disk that the store's
/// session does not have at this position. Every machine computes the same ID.
fn fork_id(session: &str, first: &str) -> String {
    let mut digest = crate::digest::Digest::default();
    digest.add(session.as_bytes());
    digest.add(first.as_bytes());
    let bytes = digest.bytes();
    uuid::Builder::from_random_bytes(bytes)
        .into_uuid()
        .to_string()
}

async fn write(state: State, path: PathBuf) -> Result<(), StoredError> {
    let written = pool::run(move || {
        state
            .write(&path)
            .map_err(|error| StoredError::io("cannot write", path, error))
    });
    written.await
}
