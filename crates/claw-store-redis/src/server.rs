//! The connection to the server.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use claw_store::StoreError;
use claw_store::adapter::{Deadline, Failure};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ScriptInvocation, Value};
use tokio::time::Instant;

use crate::failure::failure;

/// The time for which a connection may be unused before it is replaced. Firewalls drop idle connections after some
/// minutes without notice.
const IDLE: Duration = Duration::from_mins(1);

/// A server. All calls share one connection, and their requests are pipelined.
pub(crate) struct Server {
    client: Client,
    timeout: Duration,
    connection: Mutex<Option<Connection>>,
    /// The call that connects holds this lock, so that no other call connects at the same time.
    connecting: tokio::sync::Mutex<()>,
    /// The number of connections that were made.
    made: AtomicU64,
}

#[derive(Clone)]
struct Connection {
    number: u64,
    used: Instant,
    inner: MultiplexedConnection,
}

impl Server {
    pub(crate) fn new(client: Client, timeout: Duration) -> Self {
        Self {
            client,
            timeout,
            connection: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
            made: AtomicU64::default(),
        }
    }

    /// Returns the deadline of a call that begins now.
    pub(crate) fn deadline(&self) -> Deadline {
        Deadline::after(self.timeout)
    }

    /// Runs a script that stores nothing.
    pub(crate) async fn ask(
        &self,
        deadline: Deadline,
        script: &ScriptInvocation<'_>,
    ) -> Result<Value, StoreError> {
        let connection = self.connection(deadline).await?;
        let answer = self.run(deadline, connection, script).await;
        answer.map_err(Failure::storing_nothing)
    }

    /// Runs a script that stores something.
    pub(crate) async fn change(
        &self,
        deadline: Deadline,
        script: &ScriptInvocation<'_>,
    ) -> Result<Value, StoreError> {
        let connection = self.connection(deadline).await?;
        let answer = self.run(deadline, connection, script).await;
        answer.map_err(Failure::storing)
    }

    /// Runs a command that stores nothing.
    pub(crate) async fn command(
        &self,
        deadline: Deadline,
        command: &Cmd,
    ) -> Result<Value, StoreError> {
        let mut connection = self.connection(deadline).await?;
        let answer = async {
            command
                .query_async(&mut connection.inner)
                .await
                .map_err(failure)
        };
        let answer = deadline.wait(answer, Failure::silent).await;
        if answer.is_err() {
            self.forget(connection.number);
        }
        answer.map_err(Failure::storing_nothing)
    }

    async fn run(
        &self,
        deadline: Deadline,
        mut connection: Connection,
        script: &ScriptInvocation<'_>,
    ) -> Result<Value, Failure> {
        let answer = async {
            script
                .invoke_async(&mut connection.inner)
                .await
                .map_err(failure)
        };
        let answer = deadline.wait(answer, Failure::silent).await;
        if answer.is_err() {
            self.forget(connection.number);
        }
        answer
    }

    /// Returns the current connection, or makes a new one.
    async fn connection(&self, deadline: Deadline) -> Result<Connection, StoreError> {
        let connect = async {
            if let Some(connection) = self.current() {
                return Ok(connection);
            }
            let _one_at_a_time = self.connecting.lock().await;
            // Another call may have connected meanwhile.
            if let Some(connection) = self.current() {
                return Ok(connection);
            }
            // The connection has no timeouts of its own, because the deadline of the call limits the wait.
            let config = AsyncConnectionConfig::new()
                .set_connection_timeout(None)
                .set_response_timeout(None);
            let inner = self
                .client
                .get_multiplexed_async_connection_with_config(&config)
                .await
                .map_err(failure)?;
            let connection = Connection {
                number: self.made.fetch_add(1, Ordering::Relaxed),
                used: Instant::now(),
                inner,
            };
            *self.slot() = Some(connection.clone());
            Ok(connection)
        };
        deadline
            .wait(connect, Failure::silent)
            .await
            .map_err(Failure::storing_nothing)
    }

    fn current(&self) -> Option<Connection> {
        let mut slot = self.slot();
        let connection = slot.as_mut().filter(|found| found.used.elapsed() < IDLE)?;
        connection.used = Instant::now();
        Some(connection.clone())
    }

    /// Removes a connection, so that no new call uses it. Calls that already wait for a response on it continue.
    fn forget(&self, number: u64) {
        let mut slot = self.slot();
        if slot.as_ref().is_some_and(|found| found.number == number) {
            *slot = None;
        }
    }

    fn slot(&self) -> MutexGuard<'_, Option<Connection>> {
        // No code panics while it holds the lock, so the state is consistent even if the lock is poisoned.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
