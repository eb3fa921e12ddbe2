//! A store in a folder of this host. The folder has the layout of the CLI's configuration folder.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{self, BoxStream, StreamExt as _};

use crate::adapter::{Adapter, ReadAdapter, Result};
use crate::{
    Appended, Batch, Claim, ListedSession, Owner, SessionRef, StoreKey, StoredLine, Subpath,
    WriterId, pool,
};

mod cache;
mod claims;
mod clock;
mod list;
mod load;
mod locked;
mod paths;
mod state;

use load::Loading;
use locked::Inner;

/// A store in a folder on this host.
///
/// The folder is laid out like the CLI's configuration folder (`projects/<project>/<session>.jsonl`), so that every
/// function of claw-sessions can read it: `Sessions::new(root)`. The folder `.claw-store` holds all other data: the
/// number of lines that each writer has stored, summaries, claims, and locks.
///
/// If another program, such as the CLI itself, appends lines to a transcript, these lines belong to the transcript too.
/// The store skips lines that are not JSON objects, as the CLI does.
///
/// All processes of one host may use the folder. Do not put it on a network file system: the store needs local file
/// locks, which a network file system may lack or implement differently.
///
/// Some file systems ignore the case of names, as those of Windows and macOS do by default. There, keys that differ
/// only in the case of their letters are the same key. The CLI's own folders and session IDs have the same limit.
#[derive(Clone)]
pub struct FsStore(Arc<Inner>);

impl FsStore {
    /// Creates a store in this folder. The folder need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Inner::new(root.into())))
    }

    /// Sets whether an append waits until its lines are on the disk, so that they also survive a loss of power.
    /// Default: true. If `false`, appends are several times as fast. Their lines survive the end of the process, but
    /// may be lost if the power fails.
    #[must_use]
    pub fn sync(self, is_synced: bool) -> Self {
        self.with(|inner| inner.is_synced = is_synced)
    }

    /// Sets how long a call waits for another process that writes the same session. Default: 30 seconds.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        self.with(|inner| inner.timeout = timeout)
    }

    /// Returns the folder of the store.
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    fn with(self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Inner::new(self.0.root.clone());
        inner.is_synced = self.0.is_synced;
        inner.timeout = self.0.timeout;
        change(&mut inner);
        Self(Arc::new(inner))
    }

    fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Inner) -> Result<T> + Send + 'static,
    ) -> BoxFuture<'static, Result<T>> {
        let inner = Arc::clone(&self.0);
        pool::run(move || call(&inner)).boxed()
    }
}

impl fmt::Debug for FsStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FsStore").field(&self.0.root).finish()
    }
}

impl ReadAdapter for FsStore {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine>> {
        let begin = self.run({
            let key = key.clone();
            move |inner| Loading::begin(inner, key)
        });
        let chunks = stream::once(begin).flat_map(|loading| match loading {
            Ok(loading) => stream::unfold(loading, |loading| async {
                let loading = loading?;
                let (chunk, rest) = pool::run(move || loading.next()).await;
                (!chunk.is_empty()).then(|| (stream::iter(chunk), rest))
            })
            .flatten()
            .boxed(),
            Err(error) => stream::iter([Err(error)]).boxed(),
        });
        chunks.boxed()
    }

    fn sessions<'a>(&'a self, project: Option<&'a str>) -> BoxStream<'a, Result<ListedSession>> {
        let project = project.map(ToOwned::to_owned);
        let names = self.run(move |inner| inner.transcripts(project.as_deref()));
        let listed = move |names: Result<Vec<SessionRef>>| match names {
            Ok(names) => stream::iter(names)
                .map(|session| self.run(move |inner| inner.listed(session)))
                .buffered(8)
                .filter_map(|listed| async { listed.transpose() })
                .boxed(),
            Err(error) => stream::iter([Err(error)]).boxed(),
        };
        stream::once(names).flat_map(listed).boxed()
    }

    async fn listed(&self, session: &SessionRef) -> Result<Option<ListedSession>> {
        let session = session.clone();
        self.run(move |inner| inner.listed(session)).await
    }

    async fn subkeys(&self, session: &SessionRef) -> Result<Vec<Subpath>> {
        let session = session.clone();
        self.run(move |inner| inner.subpaths(&session)).await
    }
}

impl Adapter for FsStore {
    const SYSTEM: &'static str = "file";

    async fn append(&self, key: &StoreKey, batch: Batch<'_>) -> Result<Appended> {
        let (key, writer) = (key.clone(), batch.writer.clone());
        let (number, epoch) = (batch.number, batch.epoch);
        let lines = batch.lines.to_vec();
        self.run(move |inner| {
            let batch = Batch {
                writer: &writer,
                number,
                lines: &lines,
                epoch,
            };
            inner.lock(key.session())?.append(&key, &batch)
        })
        .await
    }

    async fn next_number(&self, key: &StoreKey, writer: &WriterId) -> Result<u64> {
        let (key, writer) = (key.clone(), writer.clone());
        self.run(move |inner| {
            if !inner.has(&key)? {
                return Ok(0);
            }
            let found = inner.lock(key.session())?.settle(&key)?;
            Ok(found.map_or(0, |found| found.state.next(&writer)))
        })
        .await
    }

    async fn delete(&self, key: &StoreKey) -> Result<()> {
        let key = key.clone();
        self.run(move |inner| {
            if !inner.has_any(key.session())? {
                return Ok(());
            }
            inner.lock(key.session())?.delete(&key)
        })
        .await
    }

    async fn delete_session(&self, session: &SessionRef) -> Result<()> {
        let session = session.clone();
        self.run(move |inner| {
            let locked = inner.lock(&session)?;
            locked.leave_tombstone()?;
            locked.delete(&session.main())
        })
        .await
    }

    async fn is_deleted(&self, session: &SessionRef) -> Result<bool> {
        let session = session.clone();
        self.run(move |inner| inner.is_deleted(&session)).await
    }

    async fn claim(&self, session: &SessionRef, owner: &Owner, ttl: Duration) -> Result<Claim> {
        let (session, owner) = (session.clone(), owner.clone());
        self.run(move |inner| inner.lock(&session)?.claim(&session, owner, ttl))
            .await
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        let claim = claim.clone();
        self.run(move |inner| inner.lock(&claim.session)?.renew(&claim, ttl))
            .await
    }

    async fn release(&self, claim: &Claim) -> Result<()> {
        let claim = claim.clone();
        self.run(move |inner| inner.lock(&claim.session)?.release(&claim))
            .await
    }

    async fn holder(&self, session: &SessionRef) -> Result<Option<(Owner, Duration)>> {
        let session = session.clone();
        self.run(move |inner| inner.holder(&session)).await
    }
}
