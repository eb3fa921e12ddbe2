//! Connections, and transactions on them.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use claw_store::StoreError;
use claw_store::adapter::Deadline;
use futures::future::{BoxFuture, FutureExt as _, join, join3};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config, Error, Row, Socket};

use crate::Param;
use crate::failure::{failure, uncertain, uncommitted};

/// The time for which a connection may be unused before it is replaced. Firewalls drop idle connections after some
/// minutes without notice.
const IDLE: Duration = Duration::from_mins(1);

/// A bounded number of connections to one server.
pub(crate) struct Pool {
    connect: Box<dyn Fn() -> BoxFuture<'static, Result<Connection, Error>> + Send + Sync>,
    slots: Semaphore,
    /// The timeout of a call.
    timeout: Duration,
    idle: Mutex<Vec<(Connection, Instant)>>,
}

struct Connection {
    client: Client,
    task: AbortHandle,
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Closes the socket immediately, even if the server does not respond.
        self.task.abort();
    }
}

/// A leased connection. Dropping the lease closes the connection. [`keep`](Self::keep) returns it to the pool.
pub(crate) struct Lease<'p> {
    pool: &'p Pool,
    connection: Connection,
    begin: String,
    _slot: SemaphorePermit<'p>,
}

impl Pool {
    pub(crate) fn new<T>(config: Config, tls: T, connections: usize, timeout: Duration) -> Self
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
                // The result of this task is not needed: the client's calls report how the connection ended.
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

    /// Returns the deadline of a call that begins now.
    pub(crate) fn deadline(&self) -> Deadline {
        Deadline::after(self.timeout)
    }

    /// Runs a query in its own transaction.
    pub(crate) async fn read(
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

    /// Leases a connection. Waits until one is free.
    pub(crate) async fn lease(&self, deadline: Deadline) -> Result<Lease<'_>, StoreError> {
        deadline
            .storing_nothing(async {
                // Acquiring never fails, because the semaphore is never closed.
                let slot = self.slots.acquire().await.map_err(StoreError::refused)?;
                let connection = match self.take_idle() {
                    Some(connection) => connection,
                    None => (self.connect)().await.map_err(uncommitted)?,
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

/// Returns the statements that begin a transaction. They set timeouts, so that the server itself ends a transaction
/// that a host leaves unfinished. The timeouts are set for each transaction, because a connection through PgBouncer
/// keeps no other settings.
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
    /// Returns the connection to the pool. The caller ensures that no transaction and no statement is in progress.
    pub(crate) fn keep(self) {
        let Self {
            pool, connection, ..
        } = self;
        let mut idle = pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((connection, Instant::now()));
    }

    /// Runs statements as one transaction in one round trip. `statements` must send all statements when it is first
    /// polled.
    pub(crate) async fn transact<T>(
        &self,
        statements: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        let (begun, done, committed) =
            join3(self.simple(&self.begin), statements, self.simple("COMMIT")).await;
        begun.map_err(|error| failure(error).storing())?;
        let done = done.map_err(|error| failure(error).storing())?;
        committed.map_err(uncertain)?;
        Ok(done)
    }

    /// Begins a transaction together with its first statements in one round trip, like [`transact`](Self::transact).
    pub(crate) async fn begin<T>(
        &self,
        statements: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        let (begun, done) = join(self.simple(&self.begin), statements).await;
        begun.map_err(uncommitted)?;
        done.map_err(uncommitted)
    }

    /// Ends the transaction with its last statements in one round trip, like [`transact`](Self::transact).
    pub(crate) async fn commit<T>(
        &self,
        statements: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        let (done, committed) = join(statements, self.simple("COMMIT")).await;
        let done = done.map_err(|error| failure(error).storing())?;
        committed.map_err(uncertain)?;
        Ok(done)
    }

    /// Rolls the transaction back.
    pub(crate) async fn rollback(&self) -> Result<(), StoreError> {
        let done = self.simple("ROLLBACK").await;
        done.map_err(uncommitted)
    }

    /// Runs statements without parameters.
    pub(crate) async fn simple(&self, sql: &str) -> Result<(), Error> {
        self.connection.client.batch_execute(sql).await
    }

    /// Runs a statement and returns its rows. The statement is sent when the future is first polled. It is unnamed and
    /// leaves no state on the server.
    pub(crate) async fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, Error> {
        self.connection.client.query_typed(sql, params).await
    }
}
