//! What can go wrong between an application and a session.

mod cause;

use std::fmt;
use std::sync::Arc;

use claw_transport::{Exited, SessionNotFound, TransportError};

use crate::{TurnResult, Unreadable};

pub(crate) use cause::Cause;
pub use cause::Refused;

/// Why a query, a turn, a request or a session failed.
///
/// The `is_…` methods say which of these it was, as far as a program does something about it; others give what the
/// error has. There is one cause for all who wait when a session ends: each gets a clone, which is cheap.
///
/// Its text can be printed: what it quotes is [escaped](claw_types::escape), so that it steers no terminal. It is a
/// whole sentence; `source` has only what that does not say. `Debug` shows the same text and its causes, so that a
/// `main` may return this error.
///
/// ```no_run
/// use claw_client::types::QueryOptions;
/// use claw_client::{Error, Session};
///
/// async fn answer(prompt: &str) -> Result<Option<String>, Error> {
///     let session = Session::builder(QueryOptions::default()).connect().await?;
///     match session.ask(prompt).await {
///         Ok(answer) => Ok(Some(answer)),
///         // The turn has a result, which says what went wrong and what it cost.
///         Err(error) if error.is_turn_failed() => {
///             eprintln!("{error}: {:?}", error.turn_result());
///             Ok(None)
///         }
///         // The process ended. Its status, its stderr:
///         Err(error) if error.is_exited() => {
///             eprintln!("{:?}", error.exited());
///             Err(error)
///         }
///         Err(error) => Err(error),
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Error(Arc<Cause>);

/// Nothing was started.
impl Error {
    /// Whether there is no CLI to start.
    pub fn is_not_found(&self) -> bool {
        self.transport().is_some_and(TransportError::is_not_found)
    }

    /// Whether nothing was started: trying again without a change is of no use.
    pub fn is_launch_failure(&self) -> bool {
        match &*self.0 {
            Cause::Transport(error) => error.is_launch_failure(),
            Cause::HookNeverCalled { .. } => true,
            _ => false,
        }
    }

    /// Whether a [`Pool`](crate::pool::Pool) had no process for the turn or the call, or its queue was full. Nothing was
    /// sent.
    #[cfg(feature = "pool")]
    pub fn is_busy(&self) -> bool {
        matches!(&*self.0, Cause::Busy { .. })
    }

    /// Whether there is no session of that name to resume, or none that this CLI finds from its working directory.
    pub fn is_session_not_found(&self) -> bool {
        self.session_not_found().is_some()
    }

    /// Which session was not found, and where it is if it is kept on this machine.
    pub fn session_not_found(&self) -> Option<&SessionNotFound> {
        self.transport()?.session_not_found()
    }

    /// Whether a hook was registered that the CLI would never call: callbacks hear nothing of the start and the end
    /// of its process, or of a set-up.
    pub fn is_hook_never_called(&self) -> bool {
        matches!(&*self.0, Cause::HookNeverCalled { .. })
    }

    /// Whether the CLI does not say that it took an option which was handed to it over stdin: it is too old, or was
    /// started without the flags for it. No call was made.
    pub fn is_not_taken(&self) -> bool {
        matches!(&*self.0, Cause::NotTaken { .. })
    }

    /// Whether the CLI is older than [`OLDEST_CLI`](crate::OLDEST_CLI). Nothing that it said or did can be relied
    /// on.
    pub fn is_cli_too_old(&self) -> bool {
        matches!(&*self.0, Cause::CliTooOld { .. })
    }
}

/// The session is over.
impl Error {
    /// Whether the process ended by itself, and not because the session was closed.
    pub fn is_exited(&self) -> bool {
        self.exited().is_some()
    }

    /// How the process ended, where it did so by itself: its status, the end of its stderr, and the line that it
    /// was writing.
    pub fn exited(&self) -> Option<&Exited> {
        self.transport()?.exited()
    }

    /// Whether the session was ended from here, by `close` or with its last handle.
    pub fn is_closed(&self) -> bool {
        matches!(&*self.0, Cause::Closed)
    }

    /// Whether a pipe, a file or a thread failed: the CLI has closed its stdout, say, and had to be ended.
    pub fn is_io(&self) -> bool {
        matches!(self.transport(), Some(TransportError::Io(_)))
    }

    /// What the transport says, where it is the transport that failed: all that happens before the first line, the
    /// end of the process, a pipe.
    pub fn transport(&self) -> Option<&TransportError> {
        match &*self.0 {
            Cause::Transport(error) => Some(error),
            _ => None,
        }
    }
}

/// A request failed.
impl Error {
    /// Whether the CLI answered a request with an error.
    pub fn is_refused(&self) -> bool {
        self.refused().is_some()
    }

    /// What the CLI said, where it refused a request.
    pub fn refused(&self) -> Option<&Refused> {
        match &*self.0 {
            Cause::Refused(refused) => Some(refused),
            _ => None,
        }
    }

    /// The CLI's code, where it refused a request with one.
    pub fn code(&self) -> Option<&str> {
        self.refused()?.code.as_deref()
    }

    /// Whether the CLI did not answer in time.
    pub fn is_timeout(&self) -> bool {
        matches!(&*self.0, Cause::Timeout { .. })
    }

    /// Whether the CLI was alive and silent in the middle of a turn, longer than
    /// [`SessionBuilder::stall_timeout`](crate::SessionBuilder::stall_timeout) lets it. Its process was ended.
    pub fn is_stalled(&self) -> bool {
        matches!(&*self.0, Cause::Stalled { .. })
    }

    /// Whether the CLI answered a call with something that is not an answer of that kind.
    pub fn is_bad_answer(&self) -> bool {
        matches!(&*self.0, Cause::BadAnswer { .. })
    }

    /// Whether what was to be sent is nothing that the CLI would take. Nothing was sent.
    pub fn is_bad_request(&self) -> bool {
        matches!(&*self.0, Cause::BadRequest { .. })
    }

    /// Whether so many messages wait for their reader that nothing more is read, so that no answer, and no message of
    /// another stream, can come. Read the messages, or let go of their streams.
    pub fn is_backlogged(&self) -> bool {
        matches!(&*self.0, Cause::Backlogged)
    }

    /// Whether so much waits for the CLI to read its stdin that nothing more is sent: it makes requests and does not
    /// read the answers. A call that fails with this was not sent. Once 64 MiB of answers wait, the session is
    /// ended.
    pub fn is_not_reading(&self) -> bool {
        matches!(&*self.0, Cause::NotReading { .. })
    }

    /// Whether somebody else already has the only one: [`Session::messages`](crate::Session::messages) or
    /// [`Session::requests`](crate::Session::requests), which are there once. The second one also fails so where
    /// [`SessionBuilder::answer_requests`](crate::SessionBuilder::answer_requests) was not called.
    pub fn is_taken(&self) -> bool {
        matches!(&*self.0, Cause::MessagesTaken | Cause::RequestsTaken)
    }
}

/// A turn failed.
impl Error {
    /// Whether the turn has no answer, or one that tells of a failure: [`turn_result`](Self::turn_result) has it.
    pub fn is_turn_failed(&self) -> bool {
        matches!(&*self.0, Cause::Failed(_))
    }

    /// Whether another prompt came into this one's turn, by [`Session::send`](crate::Session::send) or from another
    /// client, and the CLI answered both together: [`turn_result`](Self::turn_result) may be the other's.
    pub fn is_merged(&self) -> bool {
        matches!(&*self.0, Cause::Merged(_))
    }

    /// Whether the CLI came to rest without a result for this prompt: it was cancelled, or its result lost.
    pub fn is_result_lost(&self) -> bool {
        matches!(&*self.0, Cause::ResultLost)
    }

    /// Whether the result of the turn is there, and cannot be read.
    pub fn is_unreadable(&self) -> bool {
        self.unreadable().is_some()
    }

    /// The line that cannot be read, where the result of the turn is one. (Any other such line is no error:
    /// [`Received::Unreadable`](crate::Received::Unreadable).)
    pub fn unreadable(&self) -> Option<&Unreadable> {
        match &*self.0 {
            Cause::Unreadable(line) => Some(line),
            _ => None,
        }
    }

    /// Whether the answer's output is missing, or not of the form that was asked for. [`turn_result`](Self::turn_result)
    /// has what came instead.
    pub fn is_output(&self) -> bool {
        matches!(&*self.0, Cause::NoOutput(_) | Cause::BadOutput { .. })
    }

    /// The result of the turn, where it has one that is not what was asked for: it
    /// [failed](Self::is_turn_failed), answers [another prompt](Self::is_merged) too, or lacks its
    /// [output](Self::is_output).
    pub fn turn_result(&self) -> Option<&TurnResult> {
        match &*self.0 {
            Cause::Failed(result)
            | Cause::Merged(result)
            | Cause::NoOutput(result)
            | Cause::BadOutput { result, .. } => Some(result),
            _ => None,
        }
    }
}

impl Error {
    /// What tests look at.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn cause(&self) -> &Cause {
        &self.0
    }

    /// What the application gave is nothing that can be sent.
    pub(crate) fn bad_request(what: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self::from(Cause::BadRequest {
            what: what.into(),
            reason: reason.to_string(),
        })
    }
}

impl From<Cause> for Error {
    fn from(cause: Cause) -> Self {
        Self(Arc::new(cause))
    }
}

impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        Cause::Transport(error).into()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.0)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&*self.0, f)
    }
}

/// What a `main` that returns it shows: the text, and what its causes add to it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Cause::Transport(error) => fmt::Debug::fmt(error, f),
            // What they have is in their text.
            cause => fmt::Display::fmt(cause, f),
        }
    }
}

#[cfg(test)]
mod tests;
