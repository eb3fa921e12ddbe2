//! The settings of a store.

use std::fmt;
use std::time::Duration;

use claw_store::StoreError;
use claw_store::adapter::{LINE_LIMIT, TIMEOUT};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Config, NoTls, Socket};

use crate::Store;
use crate::pool::Pool;
use crate::schema::Schema;

/// Settings of a [`Store`].
#[derive(Clone)]
#[must_use = "the store is made by `connect`"]
pub struct Builder {
    url: String,
    schema: String,
    connections: usize,
    timeout: Duration,
    pub(crate) line_limit: usize,
    migrate: bool,
}

impl Builder {
    pub(crate) fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            schema: "claw".to_owned(),
            connections: 8,
            timeout: TIMEOUT,
            line_limit: LINE_LIMIT,
            migrate: true,
        }
    }

    /// Sets the name of the schema that contains the tables: at most 63 lower-case letters, digits and underscores.
    /// Default: `claw`. Stores in different schemas share nothing, and a role of the database can be restricted to one
    /// schema.
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = schema.into();
        self
    }

    /// Sets the maximum number of connections. A call that finds no free connection waits for one, up to its timeout.
    /// Default: 8.
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Sets the timeout of each call, including the wait for a connection. For a load, it applies to each page.
    /// Default: 30 seconds. After this time, the database server also ends statements and transactions that the host
    /// has left unfinished.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the maximum length of a line in bytes, for storing and loading. Default: 64 MiB.
    pub fn line_limit(mut self, bytes: usize) -> Self {
        self.line_limit = bytes;
        self
    }

    /// Sets whether missing tables are created. Default: true. Use `false` for a role that may not create tables,
    /// after a role with that permission has connected once.
    pub fn migrate(mut self, migrate: bool) -> Self {
        self.migrate = migrate;
        self
    }

    /// Connects without TLS. Fails if the URL contains `sslmode=require`.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Refused`] for invalid settings, a role or database that does not exist, a missing
    /// permission, or tables of a newer claw. Fails with [`StoreError::Unavailable`] if the server cannot be reached.
    pub async fn connect(self) -> Result<Store, StoreError> {
        self.connect_with(NoTls).await
    }

    /// Connects with TLS through a connector, for example of `tokio-postgres-rustls` or `postgres-native-tls`. Your
    /// program chooses the root certificates to trust. Without `sslmode=require` in the URL the server may decline TLS.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`connect`](Self::connect).
    pub async fn connect_with<T>(self, tls: T) -> Result<Store, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + 'static,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let store = Store {
            pool: self.pool(tls)?,
            schema: Schema::new(&self.schema)?,
            line_limit: self.line_limit,
        };
        let deadline = store.pool.deadline();
        let lease = store.pool.lease(deadline).await?;
        store.schema.prepare(&lease, deadline, self.migrate).await?;
        lease.keep();
        Ok(store)
    }

    /// Returns a pool of connections, which are made on demand.
    pub(crate) fn pool<T>(&self, tls: T) -> Result<Pool, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + 'static,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        // The cause could quote a password.
        let mut config: Config = self
            .url
            .parse()
            .map_err(|_| StoreError::refused("the URL of the Postgres server cannot be read"))?;
        if config.get_application_name().is_none() {
            config.application_name("claw");
        }
        Ok(Pool::new(config, tls, self.connections, self.timeout))
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Does not print the URL, because it contains a password.
        f.debug_struct("Builder")
            .field("schema", &self.schema)
            .field("connections", &self.connections)
            .field("timeout", &self.timeout)
            .field("line_limit", &self.line_limit)
            .field("migrate", &self.migrate)
            .finish_non_exhaustive()
    }
}
