#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod append;
mod builder;
mod claims;
mod failure;
mod foreign;
mod leftovers;
mod lists;
mod load;
mod pool;
mod schema;
mod sizes;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use claw_store::adapter::{Adapter, Foreign, ReadAdapter, Result, Scheme, Sdk};
use claw_store::{
    Appended, Batch, Claim, Leftover, ListedSession, Owner, ReadSessions, SessionRef, SessionStore,
    StoreError, StoreKey, StoredLine, Subpath, WriterId,
};
use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::BoxStream;
use tokio_postgres::types::{ToSql, Type};

pub use builder::Builder;
pub use foreign::{ForeignStore, ForeignTable};

use pool::Pool;
use schema::Schema;

/// The URLs of this store, such as `postgres://user@host/database` or `postgres://user@host/database?schema=tenant_a`. Pass
/// this scheme to [`claw_store::open`]. The store then connects as [`Builder::connect`] does.
pub const SCHEME: Scheme =
    Scheme::new(&["postgres", "postgresql"], open_url).foreign(open_foreign_url);

/// A store in a Postgres database. It needs Postgres 11 or newer, and has every capability of
/// [`SessionStore`].
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
pub struct Store {
    pool: Pool,
    schema: Schema,
    /// The maximum length of a line, in bytes.
    line_limit: usize,
    /// Whether lists measure transcripts. `false` after a measurement has failed.
    measures: AtomicBool,
}

/// A parameter of a statement, with its type. The type is given, so that the statement does not have to be prepared.
type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// The parameters that name a transcript: project, session, subpath.
struct Key<'a>([&'a str; 3]);

impl Store {
    /// Connects without TLS, and creates the tables in the schema `claw` if they are missing.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`Builder::connect`].
    pub async fn connect(url: &str) -> Result<Self> {
        Self::builder(url).connect().await
    }

    /// Returns a builder for the store's settings. `url` has one of libpq's forms:
    /// `postgres://user:password@host/database?…`, or `host=… user=…`. A URL can have the option `schema`, which libpq
    /// does not know: see [`Builder::schema`].
    pub fn builder(url: &str) -> Builder {
        Builder::new(url)
    }
}

impl<'a> Key<'a> {
    fn of(key: &'a StoreKey) -> Self {
        // A subpath is never empty, so the empty text means the main transcript.
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

fn open_url(url: &str) -> BoxFuture<'_, Result<Arc<dyn SessionStore>>> {
    async move { Ok(Arc::new(Store::connect(url).await?) as _) }.boxed()
}

fn open_foreign_url<'a>(
    url: &'a str,
    layout: Foreign<'a>,
) -> BoxFuture<'a, Result<Arc<dyn ReadSessions>>> {
    async move {
        if builder::without_schema(url).1.is_some() {
            return Err(StoreError::refused(
                "the schema of an official SDK's table is a part of the table's name: schema.table",
            ));
        }
        let table = match layout.sdk {
            Sdk::TypeScript => ForeignTable::typescript(),
            Sdk::Python => ForeignTable::python(),
        };
        let table = match layout.name {
            Some(name) => table.named(name),
            None => table,
        };
        let store = ForeignStore::connect(Store::builder(url), table).await?;
        Ok(Arc::new(store) as _)
    }
    .boxed()
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("schema", &self.schema.name)
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
        self.entry_of(session).await
    }

    async fn subkeys(&self, session: &SessionRef) -> Result<Vec<Subpath>> {
        self.subkeys_of(session).await
    }
}

impl Adapter for Store {
    const SYSTEM: &'static str = "postgresql";

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

/// Converts a number from the server's signed type.
fn unsigned(number: i64) -> Result<u64> {
    u64::try_from(number).map_err(|_| StoreError::corrupt(format!("a count is {number}")))
}

/// Converts a number to the server's signed type.
fn signed(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|_| StoreError::refused(format!("{number} is too large")))
}
