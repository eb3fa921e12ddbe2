//! The store in a Postgres database.

mod append;
mod builder;
mod claims;
mod failure;
mod foreign;
mod lists;
mod load;
mod pool;
mod schema;

use std::fmt;

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::BoxStream;
use tokio_postgres::types::{ToSql, Type};

pub use builder::PostgresBuilder;
pub use foreign::{ForeignPostgres, ForeignTable};

use crate::{
    Appended, Batch, Claims, DeleteSession, ListSessions, ListSubkeys, ReadSessions, SessionStore,
    StoreError, StoreKey, StoredLine, WriterId,
};
use failure::{Failure, corrupt};
use pool::Pool;
use schema::Schema;

/// A store in a Postgres database. It needs Postgres 11 or newer, and has every capability of
/// [`SessionStore`](crate::SessionStore).
///
/// The crate's README describes the store's tables and settings, and its requirements for PgBouncer.
///
/// # Runtime
///
/// The store needs a tokio runtime with I/O and time enabled. Its connections belong to the runtime in which they
/// were made.
///
/// # Cancel safety
///
/// Dropping the future of a call closes its connection.
pub struct PostgresStore {
    pool: Pool,
    schema: Schema,
    /// The maximum length of a line, in bytes.
    line_limit: usize,
}

/// A parameter of a statement, with its type, so that no statement has to be prepared.
type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// The parameters that name a transcript: project, session, subpath.
struct Key<'a>([&'a str; 3]);

impl PostgresStore {
    /// Connects without TLS, and creates the tables in the schema `claw` if they are missing.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`PostgresBuilder::connect`].
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        Self::builder(url).connect().await
    }

    /// Returns a builder for the store's settings. `url` has one of libpq's forms:
    /// `postgres://user:password@host/database?…`, or `host=… user=…`.
    pub fn builder(url: &str) -> PostgresBuilder {
        PostgresBuilder::new(url)
    }
}

impl<'a> Key<'a> {
    fn of(key: &'a StoreKey) -> Self {
        // No subpath is empty, so the empty text can stand for the main transcript.
        let subpath = key.subpath().map_or("", |path| path.as_str());
        Self([key.session().project(), key.session().session(), subpath])
    }

    fn is_main(&self) -> bool {
        self.0[2].is_empty()
    }

    fn params(&self) -> [Param<'_>; 3] {
        self.0.each_ref().map(|part| (part as _, Type::TEXT))
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("schema", &self.schema.name)
            .finish_non_exhaustive()
    }
}

impl ReadSessions for PostgresStore {
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

impl SessionStore for PostgresStore {
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

/// Converts a number from the server's signed type.
fn unsigned(number: i64) -> Result<u64, StoreError> {
    u64::try_from(number).map_err(|_| corrupt(format!("a count is {number}")))
}

/// Converts a number to the server's signed type.
fn signed(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::refused(format!("{number} is too large")))
}
