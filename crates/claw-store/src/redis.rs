//! The store in a Redis server.

mod append;
mod builder;
mod claims;
mod delete;
mod failure;
mod foreign;
mod index;
mod keys;
mod lists;
mod load;
mod server;

use std::fmt;

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::BoxStream;
use redis::{FromRedisValue, Value};

pub use builder::RedisBuilder;
pub use foreign::ForeignRedis;

use crate::{
    Appended, Batch, Claims, DeleteSession, ListSessions, ListSubkeys, ReadSessions, SessionRef,
    SessionStore, StoreError, StoreKey, StoredLine, WriterId,
};
use failure::corrupt;
use keys::{Keys, Transcript};
use server::Server;

/// A store in a Redis server. It needs Redis 7 or newer, and has every capability of
/// [`SessionStore`](crate::SessionStore).
///
/// The crate's README describes the store's keys and settings, and its requirements for the server.
///
/// # Runtime
///
/// The store needs a tokio runtime with I/O and time enabled. Its connection belongs to the runtime in which it was
/// made.
pub struct RedisStore {
    server: Server,
    /// The prefix of all keys.
    prefix: String,
    /// The maximum length of a line, in bytes.
    line_limit: usize,
}

/// A text in a response, or nil.
type Text = Option<Vec<u8>>;

impl RedisStore {
    /// Connects, and uses keys that begin with `claw:`.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`RedisBuilder::connect`].
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        Self::builder(url).connect().await
    }

    /// Returns a builder for the store's settings. `url` is `redis://user:password@host:port/database`.
    pub fn builder(url: &str) -> RedisBuilder {
        RedisBuilder::new(url)
    }

    fn keys(&self, session: &SessionRef) -> Keys {
        Keys::of(&self.prefix, session)
    }

    fn transcript(&self, key: &StoreKey) -> Transcript {
        self.keys(key.session()).transcript(key.subpath())
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl ReadSessions for RedisStore {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        self.load_lines(key)
    }

    fn lists(&self) -> Option<&dyn ListSessions> {
        Some(self)
    }

    fn subkeys(&self) -> Option<&dyn ListSubkeys> {
        Some(self)
    }
}

impl SessionStore for RedisStore {
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, StoreError>> {
        self.append_lines(key, batch).boxed()
    }

    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.writer_next(key, writer).boxed()
    }

    fn deletes(&self) -> Option<&dyn DeleteSession> {
        Some(self)
    }

    fn claims(&self) -> Option<&dyn Claims> {
        Some(self)
    }
}

/// Converts a response to the type that its script returns.
fn read<T: FromRedisValue>(answer: Value) -> Result<T, StoreError> {
    // The cause would quote data from the server.
    redis::from_redis_value(answer).map_err(|_| corrupt("an answer of another shape"))
}

/// Parses a number that the server stores as text. An absent number means 0.
fn number(text: Option<&[u8]>) -> Result<u64, StoreError> {
    let Some(text) = text else {
        return Ok(0);
    };
    let number = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| corrupt("a count is not a number"))
}

/// Returns a text for a person. Invalid UTF-8 is replaced.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
