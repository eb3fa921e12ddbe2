#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod append;
mod builder;
mod cache;
mod chain;
mod claims;
mod delete;
mod failure;
mod foreign;
mod leftovers;
mod lines;
mod lists;
mod load;
mod part;
mod paths;
mod pieces;
mod probe;
mod requests;
#[cfg(feature = "s3")]
mod s3;
mod session;
mod uuids;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use claw_store::adapter::{Adapter, ReadAdapter, Result};
use claw_store::{
    Appended, Batch, Claim, Leftover, ListedSession, Owner, SessionRef, StoreKey, StoredLine,
    Subpath, WriterId,
};
use futures::stream::BoxStream;
use object_store::ObjectStore;

pub use builder::Builder;
pub use foreign::ForeignStore;
#[cfg(feature = "s3")]
pub use s3::s3;

use cache::Cache;
use paths::Paths;
use requests::Requests;

/// A store in a bucket of an object store: Amazon S3 and services with its protocol, Google Cloud Storage, or Azure.
/// It has every capability of [`SessionStore`](claw_store::SessionStore).
///
/// The bucket must support conditional writes; opening a bucket without them fails. The crate's README lists the
/// settings; [the protocol](https://github.com/claw-rs/claw/blob/main/docs/object-store.md) describes the objects in
/// the bucket.
///
/// # Runtime
///
/// The store needs a tokio runtime with time enabled. The client of the object store may have further requirements.
pub struct Store {
    requests: Requests,
    paths: Paths,
    /// The maximum length of a line, in bytes.
    line_limit: usize,
    /// The cached state of transcripts. An append to a cached transcript needs only one request.
    cache: Cache,
}

impl Store {
    /// Returns a builder for the store's settings. `objects` is the client of a bucket, such as an `AmazonS3` of the
    /// crate `object_store`: your program chooses its endpoint, credentials, TLS and retries.
    pub fn builder(objects: Arc<dyn ObjectStore>) -> Builder {
        Builder::new(objects)
    }

    /// Opens a store in the folder `claw` of a bucket, with default settings.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Builder::open`].
    pub async fn open(objects: Arc<dyn ObjectStore>) -> Result<Self> {
        Self::builder(objects).open().await
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Leaves out the client, because its output may contain secrets that only its author knows of.
        f.debug_struct("Store")
            .field("prefix", &self.paths.prefix())
            .finish_non_exhaustive()
    }
}

impl ReadAdapter for Store {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine>> {
        self.load_lines(key)
    }

    fn sessions<'a>(&'a self, project: Option<&'a str>) -> BoxStream<'a, Result<ListedSession>> {
        self.list_sessions(project)
    }

    async fn listed(&self, session: &SessionRef) -> Result<Option<ListedSession>> {
        self.entry_of(session.clone()).await
    }

    async fn subkeys(&self, session: &SessionRef) -> Result<Vec<Subpath>> {
        self.subkeys_of(session).await
    }
}

impl Adapter for Store {
    const SYSTEM: &'static str = "s3";

    async fn append(&self, key: &StoreKey, batch: Batch<'_>) -> Result<Appended> {
        self.append_lines(key, batch).await
    }

    async fn next_number(&self, key: &StoreKey, writer: &WriterId) -> Result<u64> {
        self.writer_next(key, writer).await
    }

    async fn delete(&self, key: &StoreKey) -> Result<()> {
        self.delete_transcripts(key).await
    }

    async fn delete_session(&self, session: &SessionRef) -> Result<()> {
        self.delete_for_good(session).await
    }

    async fn is_deleted(&self, session: &SessionRef) -> Result<bool> {
        self.has_tombstone(session).await
    }

    async fn claim(&self, session: &SessionRef, owner: &Owner, ttl: Duration) -> Result<Claim> {
        self.claim_session(session, owner, ttl).await
    }

    async fn renew(&self, claim: &Claim, ttl: Duration) -> Result<()> {
        self.renew_claim(claim, ttl).await
    }

    async fn release(&self, claim: &Claim) -> Result<()> {
        self.release_claim(claim).await
    }

    async fn holder(&self, session: &SessionRef) -> Result<Option<(Owner, Duration)>> {
        self.holder_of(session).await
    }

    async fn leftovers(&self, removes: bool) -> Result<Vec<Leftover>> {
        self.find_leftovers(removes).await
    }
}
