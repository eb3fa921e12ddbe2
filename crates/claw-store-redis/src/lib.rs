#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod append;
mod builder;
mod claims;
mod delete;
mod failure;
mod foreign;
mod index;
mod keys;
mod leftovers;
mod lists;
mod load;
mod server;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use claw_store::adapter::{Adapter, Foreign, ReadAdapter, Result, Scheme};
use claw_store::{
    Appended, Batch, Claim, Leftover, ListedSession, Owner, ReadSessions, SessionRef, SessionStore,
    StoreError, StoreKey, StoredLine, Subpath, WriterId,
};
use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::BoxStream;
use redis::{FromRedisValue, Value};

pub use builder::Builder;
pub use foreign::ForeignStore;

use keys::{Keys, Transcript};
use server::Server;

/// The URLs of this store, such as `redis://host/0`. Pass this scheme to [`claw_store::open`].
pub const SCHEME: Scheme = Scheme::new(&["redis", "rediss"], open_url).foreign(open_foreign_url);

/// A store in a Redis server. It needs Redis 7 or newer, and has every capability of
/// [`SessionStore`].
///
/// The crate's README describes the store's keys and settings, and its requirements for the server.
///
/// # Runtime
///
/// The store needs a tokio runtime with I/O and time enabled. Its connection belongs to the runtime in which it was
/// made.
pub struct Store {
    server: Server,
    /// The prefix of all keys.
    prefix: String,
    /// The maximum length of a line, in bytes.
    line_limit: usize,
}

/// A text in a response, or nil.
type Text = Option<Vec<u8>>;

impl Store {
    /// Connects, and uses keys that begin with `claw:`.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Builder::connect`].
    pub async fn connect(url: &str) -> Result<Self> {
        Self::builder(url).connect().await
    }

    /// Returns a builder for the store's settings. `url` is `redis://user:password@host:port/database`.
    pub fn builder(url: &str) -> Builder {
        Builder::new(url)
    }

    fn keys(&self, session: &SessionRef) -> Keys {
        Keys::of(&self.prefix, session)
    }

    fn transcript(&self, key: &StoreKey) -> Transcript {
        self.keys(key.session()).transcript(key.subpath())
    }
}

fn open_url(url: &str) -> BoxFuture<'_, Result<Arc<dyn SessionStore>>> {
    async move { Ok(Arc::new(Store::connect(url).await?) as _) }.boxed()
}

/// The layout has no effect, because the examples of both SDKs use the same keys.
fn open_foreign_url<'a>(
    url: &'a str,
    layout: Foreign<'a>,
) -> BoxFuture<'a, Result<Arc<dyn ReadSessions>>> {
    let settings = Store::builder(url).prefix(layout.name.unwrap_or_default());
    let store = ForeignStore::new(&settings).map(|store| Arc::new(store) as _);
    std::future::ready(store).boxed()
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("prefix", &self.prefix)
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
    const SYSTEM: &'static str = "redis";

    async fn append(&self, key: &StoreKey, batch: Batch<'_>) -> Result<Appended> {
        self.append_lines(key, batch).await
    }

    async fn next_number(&self, key: &StoreKey, writer: &WriterId) -> Result<u64> {
        self.writer_next(key, writer).await
    }

    async fn delete(&self, key: &StoreKey) -> Result<()> {
        self.delete_lines(key).await
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

    async fn leftovers(&self, _removes: bool) -> Result<Vec<Leftover>> {
        self.find_leftovers().await
    }
}

/// Converts a response to the type of the result that its script returns.
fn read<T: FromRedisValue>(answer: Value) -> Result<T> {
    // The cause is left out, because it would quote data from the server.
    redis::from_redis_value(answer).map_err(|_| StoreError::corrupt("an answer of another shape"))
}

/// Parses a number that the server stores as text. An absent number means 0.
fn number(text: Option<&[u8]>) -> Result<u64> {
    let Some(text) = text else {
        return Ok(0);
    };
    let number = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| StoreError::corrupt("a count is not a number"))
}

/// Returns a text that people can read. Replaces invalid UTF-8.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
