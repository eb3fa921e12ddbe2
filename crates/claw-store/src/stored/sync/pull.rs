//! Copies the sessions of a store to a disk.

use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use claw_sessions::{Session, real_path, shared_project_name, slug};
use claw_types::SessionId;

use super::find::Candidates;
use super::place::{exists, extend, move_file, place, rename_session, size};
use super::relation::{Relation, relate};
use super::state::{Mark, State, stamp};
use super::{SessionSync, fork_id};
use crate::stored::contents::Contents;
use crate::stored::private::make_folders;
use crate::stored::{Checkout, StoredError};
use crate::{SessionRef, StoreError, pool};

/// A pull, which copies the sessions of projects from a store to the disk, so that the CLI can resume them in the
/// projects' directories. Made by [`SessionSync::pull`] and [`SessionSync::pull_all`].
#[derive(Debug)]
#[must_use = "a pull does nothing until it is planned or run"]
pub struct Pull<'a> {
    sync: &'a SessionSync,
    scope: Scope,
}

/// The projects whose sessions a pull copies.
#[derive(Debug, Clone)]
enum Scope {
    /// Only the project of this directory.
    Directory(PathBuf),
    /// All projects whose directory is found. The search includes these directories.
    All(Vec<PathBuf>),
}

/// The result of a pull for a session.
#[derive(Debug)]
#[non_exhaustive]
pub struct Pulled {
    /// The session in the store.
    pub from: SessionRef,
    /// The directory to which the session belongs on this disk. `None` if no directory was found.
    pub directory: Option<PathBuf>,
    /// The result.
    pub outcome: PullOutcome,
    /// The files of the session that exist on the disk with other contents. They were not changed.
    pub left: Vec<PathBuf>,
}

/// The outcome of a pull for one session, whether the pull was made or only planned.
#[derive(Debug)]
#[non_exhaustive]
pub enum PullOutcome {
    /// The disk already had the whole conversation.
    Unchanged,
    /// The disk did not have the session. The session was written to the disk.
    New,
    /// The disk had only the beginning of the conversation. The rest was added.
    Extended,
    /// The disk has another continuation of the session, which was not changed. The store's session was written to the
    /// disk under another ID.
    Forked {
        /// The ID of the store's session on this disk.
        id: SessionId,
        /// Whether this call has created the fork, or has added lines to it.
        is_changed: bool,
    },
    /// A running `claude` uses the session, so the session was not changed.
    Running {
        /// The ID of the process.
        pid: u32,
    },
    /// No directory of this machine belongs to the session's project, or several directories do. The session was not
    /// written to the disk. Only [`SessionSync::pull_all`] has this result.
    NoDirectory {
        /// The directories that belong to the project.
        candidates: Vec<PathBuf>,
    },
    /// The session could not be written to the disk. No file was overwritten.
    Failed(StoredError),
}

impl SessionSync {
    /// Prepares a pull of the sessions of a directory. Their project in the store has the directory's
    /// [`shared_project_name`], or the name that was set with [`project`](Self::project).
    pub fn pull(&self, directory: impl Into<PathBuf>) -> Pull<'_> {
        Pull {
            sync: self,
            scope: Scope::Directory(directory.into()),
        }
    }

    /// Prepares a pull of the sessions of all projects whose directory is found on this machine. A directory belongs to
    /// a project if its [`shared_project_name`] is the name of the project in the store. The search covers
    /// `directories` and the directories in them, the directories of the sessions on this disk and those beside them,
    /// and the subdirectories of repositories that the names of the projects contain.
    ///
    /// At most 10,000 directories are compared, and at most 1,000 in one directory. The search starts git for
    /// directories that are repositories, that have sessions, or that have the name of a project.
    pub fn pull_all(&self, directories: impl IntoIterator<Item = PathBuf>) -> Pull<'_> {
        Pull {
            sync: self,
            scope: Scope::All(directories.into_iter().collect()),
        }
    }
}

impl Pull<'_> {
    /// Returns what [`run`](Self::run) would do, and changes no session. `pulled` is called for each session.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`run`](Self::run).
    pub async fn plan(&self, pulled: impl FnMut(Pulled)) -> Result<(), StoredError> {
        self.pull(false, pulled).await
    }

    /// Copies the sessions to the disk. `pulled` is called for each session when it is done. Nothing is overwritten. If
    /// the disk has the beginning of a session, the rest is appended. If both sides have continued a session, the
    /// disk's session is not changed, and the store's session is written under another ID. If the process is killed,
    /// another call copies the rest.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Sessions`] if the list of sessions on the disk cannot be read, with
    /// [`StoredError::Io`] if the directory does not exist, and with [`StoredError::Lacks`] or [`StoredError::Store`] if
    /// the store cannot be listed. Errors of single sessions are [outcomes](PullOutcome::Failed).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the sessions that were already copied stay on the disk.
    pub async fn run(&self, pulled: impl FnMut(Pulled)) -> Result<(), StoredError> {
        self.pull(true, pulled).await
    }

    async fn pull(&self, is_run: bool, mut pulled: impl FnMut(Pulled)) -> Result<(), StoredError> {
        let sync = self.sync;
        let (sessions, folder) = (sync.sessions.clone(), sync.folder.clone());
        let (set, scope) = (sync.project.clone(), self.scope.clone());
        let read = pool::run(move || {
            let mut places = HashMap::new();
            let mut name = set;
            if let Scope::Directory(given) = scope {
                let directory = real_path(&given)
                    .map_err(|error| StoredError::io("cannot find", given, error))?;
                let project = name.unwrap_or_else(|| shared_project_name(&directory));
                let folder = sessions.folder_of(&directory);
                places.insert(project.clone(), Ok((directory, folder)));
                name = Some(project);
            }
            make_folders(&folder).map_err(|error| StoredError::io("cannot make", folder, error))?;
            let found = sessions.all()?.sessions.into_iter();
            let here = found.map(|session| (session.id().as_str().to_owned(), session));
            let here: HashMap<_, _> = here.collect();
            Ok::<_, StoredError>((Arc::new(here), places, name))
        });
        let (here, mut places, name) = read.await?;
        let mut listed = sync.stored.listed(name.as_deref()).await?;
        // Sessions that were changed earlier are written first. So the CLI's list, which is sorted by time, has the
        // right order.
        listed.sort_by_key(|listed| listed.modified);
        if let Scope::All(given) = &self.scope {
            let projects = listed.iter().map(|listed| listed.session.project());
            let projects = projects.map(str::to_owned).collect();
            let (given, here) = (given.clone(), Arc::clone(&here));
            let sessions = sync.sessions.clone();
            let find = move || {
                let found = Candidates::collect(&given, here.values()).find(projects);
                let with_folder = |directory: PathBuf| {
                    let folder = sessions.folder_of(&directory);
                    (directory, folder)
                };
                let places = found.into_iter();
                let places = places.map(|(project, found)| (project, found.map(with_folder)));
                places.collect()
            };
            places = pool::run(find).await;
        }
        for found in listed {
            let mut left = Vec::new();
            let place = places.get(found.session.project());
            let (directory, outcome) = match place.cloned().unwrap_or(Err(Vec::new())) {
                Ok((directory, folder)) => {
                    let target = Target {
                        sync,
                        folder,
                        directory,
                        here: Arc::clone(&here),
                        is_run,
                    };
                    let brought = target.bring(&found.session, found.modified, &mut left);
                    let outcome = brought.await.unwrap_or_else(PullOutcome::Failed);
                    (Some(target.directory), outcome)
                }
                Err(candidates) => (None, PullOutcome::NoDirectory { candidates }),
            };
            pulled(Pulled {
                from: found.session,
                directory,
                outcome,
                left,
            });
        }
        Ok(())
    }
}

/// The folder of a directory's sessions, into which a pull writes.
struct Target<'a> {
    sync: &'a SessionSync,
    folder: PathBuf,
    directory: PathBuf,
    /// The sessions on the disk, by their IDs.
    here: Arc<HashMap<String, Session>>,
    is_run: bool,
}

impl Target<'_> {
    async fn bring(
        &self,
        from: &SessionRef,
        modified: i64,
        left: &mut Vec<PathBuf>,
    ) -> Result<PullOutcome, StoredError> {
        let id = from.session().to_owned();
        let known = self.here.get(&id).cloned();
        let (folder, own) = (self.sync.folder.clone(), known.clone());
        let mark = folder.join("forks").join(&id);
        let read = pool::run(move || {
            let state = own.and_then(|own| State::read(&State::path(&folder, &own)));
            (state, exists(&mark))
        });
        let (state, is_own_fork) = read.await;
        // This disk has created the store's session, as a fork of another session. The disk already has that other
        // session, so nothing is copied.
        if is_own_fork && known.is_none() {
            return Ok(PullOutcome::Unchanged);
        }
        let pulled = state.as_ref().and_then(|state| state.pulled);
        // The recorded state may belong to another session of the store. Then the disk may have a fork of this session,
        // and the code below finds out whether the fork still exists.
        let is_of = state.as_ref().is_some_and(|state| state.session == id);
        if is_of && pulled == Some(modified) {
            return Ok(PullOutcome::Unchanged);
        }
        let stored = &self.sync.stored;
        let project = slug(&self.directory);
        let checkout = stored
            .checkout_as(from, &self.sync.folder, &project)
            .await?;
        let total = checkout.transcripts().first().map_or(0, |main| main.lines);
        let mut job = Job {
            folder: self.folder.clone(),
            state: self.sync.folder.clone(),
            directory: self.directory.clone(),
            here: known,
            from: from.clone(),
            modified,
            total,
            is_run: self.is_run,
            left: Vec::new(),
        };
        // An earlier pull may have written a fork of the session. This list shows whether the disk has the fork.
        let forks = Arc::clone(&self.here);
        let done = pool::run(move || {
            let outcome = job.bring(&checkout, &forks);
            (outcome, job.left, checkout)
        });
        let (outcome, found, checkout) = done.await;
        left.extend(found);
        checkout.close().await?;
        outcome
    }
}

/// The part of a pull of one session that blocks on the disk.
struct Job {
    folder: PathBuf,
    state: PathBuf,
    directory: PathBuf,
    here: Option<Session>,
    from: SessionRef,
    modified: i64,
    total: u64,
    is_run: bool,
    left: Vec<PathBuf>,
}

impl Job {
    fn bring(
        &mut self,
        checkout: &Checkout,
        all: &HashMap<String, Session>,
    ) -> Result<PullOutcome, StoredError> {
        if self.is_run {
            // The record of the checkout's files is removed. So if this process is killed, the next checkout removes
            // the folder. That loses nothing, because the store has the session.
            let record = checkout.config().join(Contents::NAME);
            fs::remove_file(&record)
                .map_err(|error| StoredError::io("cannot remove", record, error))?;
        }
        let mut there = checkout.session().clone();
        let Some(mut here) = self.here.clone() else {
            self.add(&there, false)?;
            return Ok(PullOutcome::New);
        };
        let mut fork = None;
        loop {
            let relation = relate(here.transcript(), there.transcript())?;
            let there_first = match relation {
                Relation::Diverged { there, .. } => there,
                Relation::Behind => {
                    if let Some(pid) = here.running_process()? {
                        return Ok(PullOutcome::Running { pid });
                    }
                    self.extend(&here, &there, fork.is_some())?;
                    return Ok(match fork {
                        None => PullOutcome::Extended,
                        Some(id) => PullOutcome::Forked {
                            id,
                            is_changed: true,
                        },
                    });
                }
                Relation::Same | Relation::Ahead => {
                    self.remember(&here, &there, relation == Relation::Same, fork.is_some())?;
                    return Ok(match fork {
                        None => PullOutcome::Unchanged,
                        Some(id) => PullOutcome::Forked {
                            id,
                            is_changed: false,
                        },
                    });
                }
            };
            let id = fork_id(self.from.session(), &there_first);
            let known = all.get(&id).cloned();
            let session = SessionId::from(&*id);
            if !self.is_run && known.is_none() {
                return Ok(PullOutcome::Forked {
                    id: session,
                    is_changed: true,
                });
            }
            if self.is_run {
                there = renamed(checkout, &there, &id)?;
            }
            let Some(known) = known else {
                self.add(&there, true)?;
                return Ok(PullOutcome::Forked {
                    id: session,
                    is_changed: true,
                });
            };
            if fork.as_ref() == Some(&session) {
                let text = format!("{id} has changed on the disk");
                return Err(StoreError::refused(text).into());
            }
            here = known;
            fork = Some(session);
        }
    }

    /// Writes a session that the disk does not have. The main transcript is written last.
    fn add(&mut self, there: &Session, is_copy: bool) -> Result<(), StoredError> {
        if !self.is_run {
            return Ok(());
        }
        there.note_directory(&self.directory)?;
        let name = format!("{}.jsonl", there.id().as_str());
        let to = self.folder.join(name);
        let beside = to.with_extension("");
        let placed = self.place_beside(&there.folder(), &beside);
        let placed = placed.and_then(|()| move_file(there.transcript(), &to));
        placed.map_err(|error| StoredError::io("cannot write", &to, error))?;
        let here = self.session(there.id())?;
        self.write_state(&here, is_copy, true)
    }

    fn extend(
        &mut self,
        here: &Session,
        there: &Session,
        is_copy: bool,
    ) -> Result<(), StoredError> {
        if !self.is_run {
            return Ok(());
        }
        let placed = self.place_beside(&there.folder(), &here.folder());
        let placed = placed.and_then(|()| extend(there.transcript(), here.transcript()));
        placed.map_err(|error| StoredError::io("cannot write", here.transcript(), error))?;
        self.note_directory(here)?;
        self.write_state(here, is_copy, true)
    }

    /// Records that the disk has the whole conversation of the store.
    fn remember(
        &mut self,
        here: &Session,
        there: &Session,
        is_same: bool,
        is_copy: bool,
    ) -> Result<(), StoredError> {
        if !self.is_run {
            return Ok(());
        }
        let placed = self.place_beside(&there.folder(), &here.folder());
        placed.map_err(|error| StoredError::io("cannot write into", here.folder(), error))?;
        if is_same {
            self.note_directory(here)?;
        }
        let path = State::path(&self.state, here);
        match State::read(&path) {
            Some(mut state) => {
                state.pulled = Some(self.modified);
                state
                    .write(&path)
                    .map_err(|error| StoredError::io("cannot write", path, error))
            }
            // The disk may have lines that the store lacks, such as titles. So the session is not recorded as stored.
            None => self.write_state(here, is_copy, false),
        }
    }

    /// Records the directory in a session whose file is in the directory's folder. Does nothing if a CLI runs with the
    /// session.
    fn note_directory(&self, here: &Session) -> Result<(), StoredError> {
        if here.transcript().parent() == Some(&*self.folder) && here.running_process()?.is_none() {
            here.note_directory(&self.directory)?;
        }
        Ok(())
    }

    /// Records the state of a session after a pull. `is_stored` is true if the store has all lines of the session.
    fn write_state(
        &self,
        here: &Session,
        is_copy: bool,
        is_stored: bool,
    ) -> Result<(), StoredError> {
        let mut state = State::new(&self.from);
        state.pulled = Some(self.modified);
        state.is_copy = is_copy;
        let path = State::path(&self.state, here);
        let write = || {
            if is_stored {
                state.stamp = stamp(here)?.unwrap_or_default();
                state.total = self.total;
                let main = here.transcript();
                let (bytes, lines) = size(main)?;
                let mark = Mark::new(main, bytes, lines)?;
                state.transcripts.insert(String::new(), mark);
                // The recorded positions of all transcripts are removed, because the transcripts of the sub-agents have
                // none. So the next call compares all transcripts of the session with the store.
                if here.folder().join("subagents").is_dir() {
                    state.transcripts.clear();
                }
            }
            state.write(&path)
        };
        let written: io::Result<()> = { write }();
        written.map_err(|error| StoredError::io("cannot write", path, error))
    }

    fn session(&self, id: &SessionId) -> Result<Session, StoredError> {
        let projects = self.folder.parent().unwrap_or(Path::new(""));
        let config = projects.parent().unwrap_or(Path::new(""));
        let sessions = claw_sessions::Sessions::new(config);
        Ok(sessions.find_in(&self.directory, id.as_str())?)
    }

    /// Moves the files of a session's folder from a checkout to the disk.
    fn place_beside(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let mut folders = vec![(from.to_owned(), to.to_owned())];
        while let Some((from, to)) = folders.pop() {
            let entries = match fs::read_dir(&from) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let entry = entry?;
                let (from, to) = (entry.path(), to.join(entry.file_name()));
                if entry.file_type()?.is_dir() {
                    folders.push((from, to));
                } else if !place(&from, &to)? {
                    self.left.push(to);
                }
            }
        }
        Ok(())
    }
}

/// Changes the ID of a session in a checkout.
fn renamed(checkout: &Checkout, session: &Session, id: &str) -> Result<Session, StoredError> {
    let old = session.id().as_str();
    let path = session.transcript();
    let to = path.with_file_name(format!("{id}.jsonl"));
    let rename = || {
        let mut transcripts = vec![path.to_owned()];
        let mut folders = vec![session.folder()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten() {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "jsonl") {
                    transcripts.push(path);
                }
            }
        }
        for transcript in transcripts {
            rename_session(&transcript, old, id)?;
        }
        if session.folder().is_dir() {
            fs::rename(session.folder(), to.with_extension(""))?;
        }
        fs::rename(path, &to)
    };
    rename().map_err(|error: io::Error| StoredError::io("cannot write", &to, error))?;
    Ok(claw_sessions::Sessions::new(checkout.config()).find(id)?)
}
