//! Settings for the use of a store by a session.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use claw_sessions::{real_path, slug};
use claw_store::{Limits, Owner, SessionIndex, SessionRef, SessionStore, StoredSessions};

use super::leases::Leases;
use super::timely::Timely;
use super::unstored::{Unstored, Waiting};

/// A store, with settings for its use by a session.
#[derive(Clone)]
#[must_use = "it is given to `SessionBuilder::store`"]
pub struct StoreOptions {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) project: Option<String>,
    pub(crate) owner: Owner,
    pub(crate) ttl: Duration,
    pub(crate) leases: Option<Leases>,
    pub(crate) result_delay: Duration,
    pub(crate) close_delay: Duration,
    pub(crate) leaves_local: bool,
    pub(crate) limits: Limits,
    /// The memory address of the store. It distinguishes the stores of this process.
    pub(super) address: usize,
    timeout: Duration,
    /// The number of entries of this host that were stored separately from the conversations, because another host had
    /// continued the session.
    kept: Arc<AtomicU64>,
    pub(super) waiting: Arc<Waiting>,
    /// The folder of the store's index on this host.
    index: Option<PathBuf>,
}

impl StoreOptions {
    /// Creates options for this store, with the default of every setting.
    pub fn new(store: Arc<dyn SessionStore>) -> Self {
        let address = Arc::as_ptr(&store).cast::<()>().addr();
        Self {
            store,
            address,
            project: None,
            owner: Owner::new(format!("process {}", std::process::id())),
            ttl: Duration::from_secs(15),
            leases: None,
            result_delay: Duration::from_secs(2),
            close_delay: Duration::from_secs(10),
            leaves_local: false,
            limits: Limits::default(),
            timeout: Duration::from_mins(1),
            kept: Arc::default(),
            waiting: Arc::default(),
            index: None,
        }
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn SessionStore> {
        &self.store
    }

    /// Returns the sessions of the store, with the [`timeout`](Self::timeout) and [`limits`](Self::limits) of these
    /// options.
    pub fn sessions(&self) -> StoredSessions {
        StoredSessions::new(self.clone().timely().store).limits(self.limits)
    }

    /// Returns the index of the store's sessions, with the [folder](Self::index_folder) of these options.
    pub fn index(&self) -> SessionIndex {
        self.sessions().index(self.index.clone())
    }

    /// Sets the folder of the store's index on this host, for reports about the usage and for searches. Each store needs a
    /// folder of its own. Default: no folder, so that each report and each search reads the sessions from the store.
    pub fn index_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.index = Some(folder.into());
        self
    }

    /// Sets the name of the project in the store. Default: the name that the CLI gives to the folder of the working
    /// directory (see [`slug`](claw_sessions::slug)). Hosts that have the project in different directories must set the
    /// same name.
    pub fn project(mut self, name: impl Into<String>) -> Self {
        self.project = Some(name.into());
        self
    }

    /// Sets the owner in whose name claw claims sessions. By default, claw creates an owner for this process and these
    /// options, and names it after the process ID.
    ///
    /// While a session runs in this process, other sessions of the same owner and store cannot claim it, just as other
    /// owners cannot. If the session is ending, the claim waits for the end.
    pub fn owner(mut self, owner: Owner) -> Self {
        self.owner = owner;
        self
    }

    /// Sets the address at which the other hosts of the store reach the [owner](Self::owner).
    pub fn address(mut self, address: impl Into<String>) -> Self {
        self.owner = self.owner.at(address);
        self
    }

    /// Sets how long a claim on a session lasts without a renewal. claw renews the claim after each third of this time.
    /// Default: 15 s.
    ///
    /// If a host fails, its sessions cannot be claimed by other hosts until this time has passed. If the store cannot
    /// be reached for four fifths of this time, the session ends.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// Makes sessions use claims that your program holds, instead of making claims themselves. The owner and the time
    /// to live of the claims are then those of the leases.
    pub fn leases(mut self, leases: Leases) -> Self {
        self.leases = Some(leases);
        self
    }

    /// Sets how long claw holds back a turn's result until the turn's lines are stored. Default: 2 s. With zero, no
    /// result is held back.
    pub fn result_delay(mut self, delay: Duration) -> Self {
        self.result_delay = delay;
        self
    }

    /// Ignores transcript lines that this host has and the store lacks. By default, claw brings such lines into the
    /// store when it resumes the session. If another host has continued the session since, the lines are stored beside
    /// the conversation, where [`StoredSessions::kept`](claw_store::StoredSessions::kept) finds them.
    pub fn leave_local(mut self) -> Self {
        self.leaves_local = true;
        self
    }

    /// Sets the timeout of each call to the store, which also applies if the store itself has a timeout. Default: 1
    /// min. While a session is loaded, each 64 KiB that arrive extend the timeout by a second.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how much of a session may be loaded from the store. Loading more than that is an error.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the number of this host's entries that were stored separately from the conversations, because another
    /// host had continued the session. Counts all sessions with these options or with clones of them.
    pub fn kept_entries(&self) -> u64 {
        self.kept.load(Relaxed)
    }

    /// Returns how much of the sessions of this host is not in the store yet. Counts all sessions with these options or
    /// with clones of them. Blocks while it reads the size of each transcript that has lines to store.
    pub fn unstored(&self) -> Unstored {
        self.waiting.sum()
    }

    /// Adds entries that were stored separately from a conversation to the count, and logs their number.
    pub(super) fn kept(&self, session: &SessionRef, entries: u64) {
        if entries > 0 {
            self.kept.fetch_add(entries, Relaxed);
            let (id, project) = (session.session(), session.project());
            tracing::warn!(
                session.id = id,
                project,
                entries,
                "another host has gone on with a session: what only this host had is kept beside it"
            );
        }
    }

    /// Returns the name of this host for display. This is the address of the host, or the owner's name if there is no
    /// address.
    pub(super) fn host(&self) -> &str {
        self.owner.address.as_deref().unwrap_or(&self.owner.name)
    }

    /// Replaces the store with the one that `wrap` returns, such as a store that counts the calls. In every other way,
    /// the new store must behave as the old one.
    pub fn wrap_store(
        mut self,
        wrap: impl FnOnce(Arc<dyn SessionStore>) -> Arc<dyn SessionStore>,
    ) -> Self {
        self.store = wrap(self.store);
        self
    }

    /// Adds the timeout to all calls to the store.
    pub(super) fn timely(mut self) -> Self {
        self.store = Arc::new(Timely::wrap(self.store, self.timeout));
        self
    }

    /// Sets the maximum time for which a session waits at its end until everything is stored. Default: 10 s.
    pub fn close_delay(mut self, delay: Duration) -> Self {
        self.close_delay = delay;
        self
    }
}

/// Returns the default name of a project in a store, for which [`StoreOptions::project`] can set another name. The
/// default is the value of the environment variable `CLAUDE_CODE_PROJECT_DIR_NAME`, or else the name of the folder in
/// which the CLI keeps the transcripts of this working directory. Symbolic links in `directory` are followed.
pub fn project_name(directory: &Path) -> String {
    match std::env::var("CLAUDE_CODE_PROJECT_DIR_NAME") {
        Ok(name) if !name.is_empty() => name,
        _ => {
            let real = std::path::absolute(directory).and_then(|path| real_path(&path));
            slug(real.as_deref().unwrap_or(directory))
        }
    }
}

impl<S: SessionStore> From<Arc<S>> for StoreOptions {
    fn from(store: Arc<S>) -> Self {
        Self::new(store)
    }
}

impl From<Arc<dyn SessionStore>> for StoreOptions {
    fn from(store: Arc<dyn SessionStore>) -> Self {
        Self::new(store)
    }
}

impl Leases {
    /// Creates leases with the store, the owner and the time to live of these options.
    pub fn new(options: &StoreOptions) -> Self {
        let options = options.clone().timely();
        Self::of(options.store, options.owner, options.ttl)
    }
}

impl fmt::Debug for StoreOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreOptions")
            .field("store", &self.store)
            .field("project", &self.project)
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}
