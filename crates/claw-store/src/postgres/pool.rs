//! Connections, and transactions on them.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _, join, join3};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config, Error, Row, Socket};

use super::{Failure, Param};
use crate::StoreError;
use crate::deadline::Deadline;

/// How long a connection may be unused and is still trusted. Firewalls forget connections after some minutes, without a
/// word.
const IDLE: Duration = Duration::from_mins(1);

/// Connections to one server, a bounded number of them.
pub(super) struct Pool {
    connect: Box<dyn Fn() -> BoxFuture<'static, Result<Connection, Error>> + Send + Sync>,
    slots: Semaphore,
    /// How long a call may take.
    timeout: Duration,
    idle: Mutex<Vec<(Connection, Instant)>>,
}

struct Connection {
    client: Client,
    task: AbortHandle,
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Closes the socket at once, also where the server does not answer.
        self.task.abort();
    }
}

/// The use of a connection. It is closed with the drop, and kept for the next one by [`keep`](Self::keep).
pub(super) struct Lease<'p> {
    pool: &'p Pool,
    connection: Connection,
    begin: String,
    _slot: SemaphorePermit<'p>,
}

impl Pool {
    pub(super) fn new<T>(config: Config, tls: T, connections: usize, timeout: Duration) -> Self
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + 'static,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let connect = move || {
            let (config, tls) = (config.clone(), tls.clone());
            async move {
                let (client, connection) = config.connect(tls).await?;
                // How it ends, the client's calls say.
                let task = tokio::spawn(connection.map(drop)).abort_handle();
                Ok(Connection { client, task })
            }
            .boxed()
        };
        Self {
            connect: Box::new(connect),
            slots: Semaphore::new(connections.max(1)),
            timeout,
            idle: Mutex::default(),
        }
    }

    /// When a call that begins now has to be over.
    pub(super) fn deadline(&self) -> Deadline {
        Deadline::after(self.timeout)
    }

    /// A question, as a transaction of its own.
    pub(super) async fn read(
        &self,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        let deadline = self.deadline();
        let lease = self.lease(deadline).await?;
        let read = lease.transact(lease.query(sql, params));
        let read = deadline.storing_nothing(read).await;
        let rows = read.map_err(StoreError::nothing_stored)?;
        lease.keep();
        Ok(rows)
    }

    /// A connection, once one is free.
    pub(super) async fn lease(&self, deadline: Deadline) -> Result<Lease<'_>, StoreError> {
        deadline
            .storing_nothing(async {
                // Nothing closes it.
                let slot = self.slots.acquire().await.map_err(StoreError::refused)?;
                let connection = match self.take_idle() {
                    Some(connection) => connection,
                    None => (self.connect)()
                        .await
                        .map_err(|error| Failure::from(error).uncommitted())?,
                };
                Ok(Lease {
                    pool: self,
                    connection,
                    begin: begin(self.timeout),
                    _slot: slot,
                })
            })
            .await
    }

    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(connection, since)| since.elapsed() < IDLE && !connection.client.is_closed());
        Some(idle.pop()?.0)
    }
}

/// How a transaction begins. The server ends by itself what a host has left: the settings are those of the transaction,
/// as a connection of PgBouncer has no others.
fn begin(timeout: Duration) -> String {
    let ms = i32::try_from(timeout.as_millis())
        .unwrap_or(i32::MAX)
        .max(1);
    format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL statement_timeout = {ms}; \
         SET LOCAL lock_timeout = {ms}; SET LOCAL idle_in_transaction_session_timeout = {ms}"
    )
}

impl Lease<'_> {
    /// Keeps the connection for the next call. Only where no transaction and no statement is under way.
    pub(super) fn keep(self) {
        let Self {
            pool, connection, ..
        } = self;
        let mut idle = pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((connection, Instant::now()));
    }

    /// Runs statements as one transaction, in one round trip: `statements` has to send all of them when it is first
    /// polled.
    pub(super) async fn transact<T>(
        &self,
        statements: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        let (begun, done, committed) =
            join3(self.simple(&self.begin), statements, self.simple("COMMIT")).await;
        begun.map_err(|error| Failure::from(error).committing())?;
        let done = done.map_err(|error| Failure::from(error).committing())?;
        committed.map_err(|error| Failure::from(error).commit())?;
        Ok(done)
    }

    /// Begins a transaction together with its first statements, in one round trip, as [`transact`](Self::transact).
    pub(super) async fn begin<T>(
        &self,
        statements: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        let (begun, done) = join(self.simple(&self.begin), statements).await;
        begun.map_err(|error| Failure::from(error).uncommitted())?;
        done.map_err(|error| Failure::from(error).uncommitted())
    }

    /// Ends the transaction with its last statements, in one round trip, as [`transact`](Self::transact).
    pub(super) async fn commit<T>(
        &self,
        statements: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        let (done, committed) = join(statements, self.simple("COMMIT")).await;
        let done = done.map_err(|error| Failure::from(error).committing())?;
        committed.map_err(|error| Failure::from(error).commit())?;
        Ok(done)
    }

    /// Ends the transaction without a trace.
    pub(super) async fn roll_back(&self) -> Result<(), StoreError> {
        let done = self.simple("ROLLBACK").await;
        done.map_err(|error| Failure::from(error).uncommitted())
    }

    /// Statements without parameters.
    pub(super) async fn simple(&self, sql: &str) -> Result<(), Error> {
        self.connection.client.batch_execute(sql).await
    }

    /// A statement, and its rows. It is sent when this is first polled, has no name, and leaves nothing behind on the
    /// server.
    pub(super) async fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, Error> {
        self.connection.client.query_typed(sql, params).await
    }
}
