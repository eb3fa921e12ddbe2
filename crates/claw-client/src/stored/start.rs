//! Prepares a session that is in a store, before the CLI starts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use claw_sessions::{Sessions, real_path, slug};
use claw_store::{
    Epoch, ListedSession, ReadSessions, SessionRef, StoreError, StoredError, StoredSessions,
};
use claw_transport::Process;
use claw_types::{QueryOptions, SessionId};
use futures::TryStreamExt as _;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::config::transfer;
use super::lease::{Lease, Lost, RELEASE};
use super::origin::Origin;
use super::recovery::{bring, recover, recover_later};
use super::running::Life;
use super::task::{Task, claim};
use super::{Lines, Mirror, StoreOptions};
use crate::outcome::error::{Cause, Error};

/// A session that was claimed and checked out of its store.
pub(crate) struct Prepared {
    store: StoreOptions,
    origin: Origin,
    lease: Option<Lease>,
    lost: Lost,
    life: Arc<Life>,
    /// Whether lines of killed processes are left on the disk, so that the recovery must be repeated later.
    is_left: bool,
}

impl Prepared {
    /// Claims the session that the options begin or resume, and checks it out of the store. Changes the options so that
    /// the CLI starts with the checked-out session. `is_own` is true if no transport is set, so that the process is
    /// started with these options.
    pub(crate) async fn new(
        store: StoreOptions,
        options: &mut QueryOptions,
        is_own: bool,
    ) -> Result<Self, Error> {
        if options.persist_session == Some(false) {
            let why = "a session that is not kept on disk cannot be stored";
            return Err(Error::bad_request("persist_session", why));
        }
        let store = store.timely();
        let host = Host::of(options)?;
        let (config, folder) = (host.config.clone(), host.folder.clone());
        let project = store.project.clone().unwrap_or_else(|| host.folder.clone());
        let sessions = &*store.store;
        if options.continue_session == Some(true) && options.resume.is_none() {
            options.continue_session = None;
            let newest = newest(sessions, &project).await?;
            options.resume = newest.map(|newest| newest.session.session().into());
        }
        let resumed = options.resume.clone().filter(is_uuid);
        let is_same = resumed.is_some() && options.fork_session != Some(true);
        let id = match &resumed {
            Some(id) if is_same => id.clone(),
            _ => options
                .session_id
                .get_or_insert_with(|| uuid::Uuid::new_v4().to_string().into())
                .clone(),
        };
        let reference =
            |id: &SessionId| SessionRef::new(&*project, id.as_str()).map_err(StoreError::from);
        let session = reference(&id).map_err(failed)?;
        // If the program holds the claims itself, it also starts the recovery itself.
        let is_left = store.leases.is_none() && recover(&store).await;
        let lost = watch::Sender::new(None);
        let life = Arc::new(Life::default());
        let lease = match &store.leases {
            Some(leases) => leases.claim(&session).await.map(Some),
            None => claim(&store, &session, &lost, &life).await,
        };
        let lease = lease.map_err(failed)?;
        let lost = match &lease {
            Some(lease) => lease.lost_sender().clone(),
            None => lost,
        };
        let epoch = lease.as_ref().map(Lease::epoch);
        let origin = match &resumed {
            Some(id) if is_own => {
                let from = reference(id).map_err(failed)?;
                resume(&store, from, session, epoch, host).await
            }
            _ => Ok(Origin::new(session)),
        };
        let mut origin = match origin {
            Ok(origin) => origin,
            Err(error) => {
                if let Some(lease) = lease {
                    lease.release(RELEASE).await;
                }
                return Err(error);
            }
        };
        if let Some(checkout) = &origin.checkout {
            let folder = checkout.config().to_string_lossy().into_owned();
            let env = options.env.get_or_insert_default();
            env.insert("CLAUDE_CONFIG_DIR", Some(folder));
        }
        if is_own {
            let expected = spawn_blocking(move || {
                origin.expect_main(&config, &folder);
                origin.note(&config);
                origin
            });
            origin = expected.await.map_err(|_| panicked())?;
        }
        options.session_mirror = Some(true);
        Ok(Self {
            store,
            origin,
            lease,
            lost,
            life,
            is_left,
        })
    }

    /// Releases the claim, because the CLI did not start.
    pub(crate) async fn release(self) {
        if let Some(lease) = self.lease {
            lease.release(RELEASE).await;
        }
    }

    /// Starts the mirror of the process's transcripts, and returns the process's lines with the mirror. First records
    /// the process on disk. If this program is killed, the record lets a later program find the lines that are not
    /// stored.
    pub(crate) async fn mirrored(
        self,
        lines: Lines,
        process: &Process,
    ) -> Result<(Lines, Mirror), Error> {
        let (origin, pid) = (self.origin, process.pid());
        let recorded = spawn_blocking(move || {
            if let Some(pid) = pid {
                origin.written_by(pid);
            }
            origin
        });
        let origin = recorded.await.map_err(|_| panicked())?;
        let delay = self.store.result_delay;
        let recovering = self.is_left.then(|| recover_later(self.store.clone()));
        let (lost, life) = (self.lost, self.life);
        let mirror = Task::start(self.store, origin, self.lease, lost, life, process);
        mirror.0.while_it_runs(recovering);
        let lines = lines.mirrored(mirror.0.clone(), delay);
        Ok((lines, mirror))
    }
}

/// The paths of the CLI's configuration and project on this host.
struct Host {
    /// The configuration folder.
    config: PathBuf,
    /// The path of the CLI's file `.claude.json`.
    state: PathBuf,
    /// The name of the project's folder.
    folder: String,
}

impl Host {
    fn of(options: &QueryOptions) -> Result<Self, Error> {
        let set = |name: &str| -> Option<PathBuf> {
            let given = options.env.as_ref().and_then(|env| env.get(name));
            let value = match given {
                Some(given) => given.as_ref().map(Into::into),
                None => std::env::var_os(name),
            };
            value.filter(|value| !value.is_empty()).map(Into::into)
        };
        let wrong = |why| Error::bad_request("a session in a store", why);
        let here = std::env::current_dir().map_err(|_| wrong("there is no working directory"))?;
        let cwd = here.join(options.cwd.as_deref().unwrap_or(Path::new("")));
        let cwd = real_path(&cwd).unwrap_or(cwd);
        let home = set(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let (config, state) = match (set("CLAUDE_CONFIG_DIR"), home) {
            (Some(config), _) => {
                let config = cwd.join(config);
                let state = config.join(".claude.json");
                (config, state)
            }
            (None, Some(home)) => (home.join(".claude"), home.join(".claude.json")),
            (None, None) => return Err(wrong("there is no home folder")),
        };
        let name = set("CLAUDE_CODE_PROJECT_DIR_NAME")
            .and_then(|name| name.into_os_string().into_string().ok());
        Ok(Self {
            config,
            state,
            folder: name.unwrap_or_else(|| slug(&cwd)),
        })
    }
}

/// Prepares the session that the CLI resumes. First, lines that this host has and the store lacks are stored. Then the
/// session is checked out of the store, with the user's configuration. `session` is the session in which the CLI
/// continues: the same session or a fork.
async fn resume(
    options: &StoreOptions,
    from: SessionRef,
    session: SessionRef,
    epoch: Option<Epoch>,
    host: Host,
) -> Result<Origin, Error> {
    let stored = StoredSessions::new(options.store.clone()).limits(options.limits);
    if from == session && !options.leaves_local {
        let here = Sessions::new(&host.config);
        let brought = bring(options, &here, &from, epoch).await;
        brought.map_err(stored_failed)?;
    }
    let within = std::env::temp_dir();
    match stored.checkout_as(&from, &within, &host.folder).await {
        Ok(checkout) => {
            let taken = spawn_blocking(move || {
                let folder = (&*host.folder, &*host.folder);
                transfer(&host.config, &host.state, checkout.config(), folder);
                let mut origin = Origin::new(session);
                origin.has(checkout.session());
                origin.checkout = Some(checkout);
                origin
            });
            taken.await.map_err(|_| panicked())
        }
        // The store does not have the session, so there is nothing to check out. The session is new, or the CLI forks a
        // session that only this host has. If no host has the session, the CLI exits with an error when it starts.
        Err(error) if error.is_not_found() => Ok(Origin::new(session)),
        Err(error) => Err(stored_failed(error)),
    }
}

/// Returns the session of a project that was changed last.
async fn newest(store: &dyn ReadSessions, project: &str) -> Result<Option<ListedSession>, Error> {
    let Some(lists) = store.lists() else {
        let why = "this session store has no lists: name the session to resume";
        return Err(Error::bad_request("continue_session", why));
    };
    let mut newest: Option<ListedSession> = None;
    let mut listed = lists.sessions(Some(project));
    while let Some(found) = listed.try_next().await.map_err(failed)? {
        let is_newer = newest
            .as_ref()
            .is_none_or(|newest| newest.modified < found.modified);
        if is_newer && is_uuid(&found.session.session().into()) {
            newest = Some(found);
        }
    }
    Ok(newest)
}

fn is_uuid(id: &SessionId) -> bool {
    id.as_str().len() == 36 && uuid::Uuid::try_parse(id.as_str()).is_ok()
}

fn panicked() -> Error {
    Error::bad_request("a session in a store", "a thread panicked")
}

fn stored_failed(error: StoredError) -> Error {
    Cause::Stored(error).into()
}

fn failed(error: StoreError) -> Error {
    Cause::Store(Arc::new(error)).into()
}
