//! The handle of a session, the state that all handles of a session share, and their commands to the driver.
//!
//! This layer imports `outcome`, `engine`, `waiting`, `mcp` and `stored`. What a handle can do is in the layers above.

pub(crate) mod commands;
pub(crate) mod shared;

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

use claw_transport::{Exit, Process, Shutdown};
use claw_types::control::InitializeResponse;
use tokio::sync::oneshot;

use crate::outcome::error::Error;
use crate::outcome::usage::UsageTotals;
use commands::Command;
use shared::Shared;

/// A conversation with a running CLI, for any number of turns.
///
/// Clones of this type are handles of the same session: one clone can read the messages that another clone's
/// prompts cause. The futures that the methods return borrow nothing, and keep the session alive.
///
/// ```no_run
/// use claw_client::{PermissionResult, QueryOptions, Session};
///
/// # async fn example() -> Result<(), claw_client::Error> {
/// let session = Session::builder(QueryOptions::default())
///     .can_use_tool(|request| async move {
///         match request.tool_name() {
///             "Bash" => PermissionResult::deny("no shell here"),
///             _ => PermissionResult::allow(),
///         }
///     })
///     .connect()
///     .await?;
/// println!("{}", session.ask("What is 2 + 2?").await?);
/// session.close().await?;
/// # Ok(())
/// # }
/// ```
///
/// # On a `current_thread` runtime
///
/// The task of a session runs in the runtime in which the session was started. A `current_thread` runtime runs this
/// task only while the runtime is polled. Between two `block_on`s, and while code of the program blocks the thread, no
/// callback runs and nothing is read (a CLI that has written 64 KiB waits; nothing is lost). At most one second of
/// such a pause is counted toward the deadlines of this session. The CLI's own deadlines, such as that of a hook,
/// continue to run. Dropping the session ends the process at any time.
///
/// # When its runtime is shut down
///
/// The session ends with the runtime in which it was started. Its process is ended in the same way as by
/// [`close`](Self::close), and all operations fail with an error for which [`Error::is_closed`] is true. A call of
/// `close` in another runtime waits for the end.
///
/// # Drop
///
/// The session ends when its last handle is dropped. A [`Turn`](crate::Turn) or [`Query`](crate::Query) of the session
/// counts as a handle. The process is then ended and reaped by a thread of claw, which needs no runtime.
/// [`close`](Self::close) ends the process in an orderly way and returns its exit status.
#[derive(Clone)]
pub struct Session {
    pub(crate) shared: Arc<Shared>,
}

impl Session {
    /// Returns the tokens and the cost of this session so far, sub-agents included, according to the results that have
    /// arrived. Sends nothing to the CLI.
    ///
    /// [`TurnResult::usage`](crate::TurnResult::usage) returns the tokens of one turn, without sub-agents. The totals
    /// in a result start again at zero after `/clear`; the totals of this method do not. In a resumed session,
    /// the totals of this method start at zero, because the process is new.
    pub fn usage(&self) -> UsageTotals {
        self.shared.usage()
    }

    /// Ends the session: asks the CLI to end, closes its stdin, and ends the process by a signal if it still runs
    /// after 5 s. Open turns fail with an error for which [`Error::is_closed`] is true.
    ///
    /// # Errors
    ///
    /// Fails if not even SIGKILL ends the process: [`Error::transport`] returns the cause. If the session had already
    /// ended in another way, fails with the cause of that end.
    ///
    /// # Cancel safety
    ///
    /// After the first poll of the future, the session ends even if the future is dropped.
    pub fn close(&self) -> impl Future<Output = Result<Exit, Error>> + Send + 'static + use<> {
        self.close_with(Shutdown::default())
    }

    /// Ends the session as [`close`](Self::close) does, with other time limits.
    pub fn close_with(
        &self,
        steps: Shutdown,
    ) -> impl Future<Output = Result<Exit, Error>> + Send + 'static + use<> {
        let shared = self.shared.clone();
        async move {
            let (done, closed) = oneshot::channel();
            let asked = shared.command(Command::Close { steps, done });
            match (asked, closed.await) {
                (Ok(()), Ok(closed)) => closed,
                _ => match (shared.inbox.ended(), shared.process.exit()) {
                    // The session was already closed by a request.
                    (Some(end), Some(exit)) if end.is_closed() => Ok(exit),
                    // The runtime of the session's task was shut down, so this call ends the
                    // process.
                    (_, None) => Ok(shared.process.shutdown(steps).await?),
                    _ => Err(shared.ended()),
                },
            }
        }
    }

    /// Returns the mirror, which copies the session's transcripts to its store. Returns `None` if
    /// [`SessionBuilder::store`](crate::SessionBuilder::store) was not called.
    #[cfg(feature = "store")]
    pub fn mirror(&self) -> Option<&crate::stored::Mirror> {
        self.shared.mirror.as_ref()
    }

    /// Waits until the process has ended and, if the session has a store, its lines are stored. After that, another
    /// process may continue the session. The future keeps neither the session nor the process alive.
    #[cfg(any(feature = "pool", feature = "store"))]
    pub(crate) fn finished(&self) -> impl Future<Output = Exit> + Send + use<> {
        let exited = self.process().exited();
        #[cfg(feature = "store")]
        let mirror = self.shared.mirror.clone();
        async move {
            let exit = exited.await;
            #[cfg(feature = "store")]
            if let Some(mirror) = mirror {
                mirror.finished().await;
            }
            exit
        }
    }

    /// Returns the process of the CLI.
    pub fn process(&self) -> &Process {
        &self.shared.process
    }

    /// Returns the CLI's response to `initialize`. `None` before it has arrived.
    pub fn info(&self) -> Option<&InitializeResponse> {
        self.shared.info()
    }

    /// Returns the time at which the usage limit of the login is reset, as the CLI reported it last. `None` if the API
    /// accepts requests, and if the CLI has reported no limit or no time. With an API key the CLI reports none.
    ///
    /// The CLI reports a limit only when it changes: a later turn that ends at the same limit has no
    /// [`RateLimitEvent`](claw_types::Message::RateLimitEvent). See [`LimitWait`](crate::LimitWait).
    pub fn limit_reset(&self) -> Option<SystemTime> {
        self.shared.limit_reset()
    }

    /// Returns the number of messages that were discarded because they had no reader. The messages that
    /// [`messages`](Self::messages) still returns are newer.
    pub fn skipped(&self) -> u64 {
        self.shared.inbox.skipped()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("process", &self.shared.process)
            .finish_non_exhaustive()
    }
}
