//! The errors between an application and a session.

mod cause;

use std::fmt;
use std::sync::Arc;

use claw_transport::{Exited, SessionNotFound, TransportError};

use super::received::Unreadable;
use super::result::TurnResult;

pub(crate) use cause::{Cause, rounded};
pub use cause::{NotCompacted, Refused};

/// The reason why a query, a turn, a request or a session failed.
///
/// The `is_…` methods distinguish the kinds of errors that a program can react to; other methods return the error's
/// data. When a session ends, every waiting caller receives a clone of the same error. Cloning is cheap.
///
/// The text of the error can be printed: quoted text is [escaped](claw_types::escape), so that it cannot control a
/// terminal. The text is a whole sentence; `source` contains only what the text does not. `Debug` shows the same text
/// with its causes, so that a `main` can return this error.
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

/// Methods for the errors of a session that could not be started.
impl Error {
    /// Whether no CLI was found to start.
    pub fn is_not_found(&self) -> bool {
        self.transport().is_some_and(TransportError::is_not_found)
    }

    /// Whether no process was started. Another attempt fails in the same way unless the cause is removed.
    pub fn is_launch_failure(&self) -> bool {
        match &*self.0 {
            Cause::Transport(error) => error.is_launch_failure(),
            Cause::HookNeverCalled { .. } => true,
            _ => false,
        }
    }

    /// Whether a [`Pool`](crate::pool::Pool) had no process for the turn or the call, or its queue was full. Nothing
    /// was sent.
    #[cfg(feature = "pool")]
    pub fn is_busy(&self) -> bool {
        matches!(&*self.0, Cause::Busy { .. })
    }

    /// Whether the session to resume does not exist, or the CLI does not find it in its working
    /// directory.
    pub fn is_session_not_found(&self) -> bool {
        self.session_not_found().is_some()
    }

    /// Returns the session that was not found, with its location if it is stored on this machine.
    pub fn session_not_found(&self) -> Option<&SessionNotFound> {
        self.transport()?.session_not_found()
    }

    /// Whether the session was not started because the CLI never calls a registered hook. The CLI calls no hooks of a
    /// program at the start and the end of its process, or for the event `Setup`.
    pub fn is_hook_never_called(&self) -> bool {
        matches!(&*self.0, Cause::HookNeverCalled { .. })
    }

    /// Whether the CLI did not confirm an option that was sent over stdin, because the CLI is too old or was started
    /// without the required flags. No prompt was sent.
    pub fn is_not_taken(&self) -> bool {
        matches!(&*self.0, Cause::NotTaken { .. })
    }

    /// Whether the CLI is older than [`OLDEST_CLI`](crate::OLDEST_CLI). Messages and effects of this CLI are not
    /// reliable.
    pub fn is_cli_too_old(&self) -> bool {
        matches!(&*self.0, Cause::CliTooOld { .. })
    }
}

/// Methods for the errors that end a session.
impl Error {
    /// Whether the CLI's process ended by itself, not because the session was closed.
    pub fn is_exited(&self) -> bool {
        self.exited().is_some()
    }

    /// Returns how the CLI's process ended, if it ended by itself: its status, the end of its stderr, and the line that
    /// it was writing.
    pub fn exited(&self) -> Option<&Exited> {
        self.transport()?.exited()
    }

    /// Whether your program ended the session, by `close` or by dropping its last handle.
    pub fn is_closed(&self) -> bool {
        matches!(&*self.0, Cause::Closed)
    }

    /// Whether a pipe, a file or a thread failed. For example, the CLI closed its stdout and had to
    /// be ended.
    pub fn is_io(&self) -> bool {
        matches!(self.transport(), Some(TransportError::Io(_)))
    }

    /// Whether the session ended because its recording could not be written.
    pub fn is_recording(&self) -> bool {
        matches!(self.transport(), Some(TransportError::Recording(_)))
    }

    /// Returns the error of the session store, if it ended the session or prevented its start. For example, another
    /// process has claimed the session, this session's claim was lost, or the session could not be loaded.
    #[cfg(feature = "store")]
    pub fn store(&self) -> Option<&claw_store::StoreError> {
        match &*self.0 {
            Cause::Store(error) => Some(error),
            Cause::Stored(claw_store::StoredError::Store(error)) => Some(error),
            _ => None,
        }
    }

    /// Returns the error of the transport, if the transport failed: the CLI could not be started, its process ended, or
    /// a pipe failed.
    pub fn transport(&self) -> Option<&TransportError> {
        match &*self.0 {
            Cause::Transport(error) => Some(error),
            _ => None,
        }
    }
}

/// Methods for the errors of a single request.
impl Error {
    /// Whether the CLI answered a request with an error.
    pub fn is_refused(&self) -> bool {
        self.refused().is_some()
    }

    /// Returns the CLI's error response, if it refused a request.
    pub fn refused(&self) -> Option<&Refused> {
        match &*self.0 {
            Cause::Refused(refused) => Some(refused),
            _ => None,
        }
    }

    /// Returns the CLI's error code, if the CLI refused a request and gave a code.
    pub fn code(&self) -> Option<&str> {
        self.refused()?.code.as_deref()
    }

    /// Whether the CLI did not respond in time.
    pub fn is_timeout(&self) -> bool {
        matches!(&*self.0, Cause::Timeout { .. })
    }

    /// Whether the running CLI wrote nothing in the middle of a turn, or while a hook ran at the start, for longer than
    /// [`SessionBuilder::stall_timeout`](crate::SessionBuilder::stall_timeout) allows. Its process was ended.
    pub fn is_stalled(&self) -> bool {
        matches!(&*self.0, Cause::Stalled { .. })
    }

    /// Returns the name of the hook of a settings file that ran when the start took too long, such as
    /// `SessionStart:startup`. `None` for other errors.
    pub fn running_hook(&self) -> Option<&str> {
        match &*self.0 {
            Cause::Timeout { hook, .. } | Cause::Stalled { hook, .. } => hook.as_deref(),
            _ => None,
        }
    }

    /// Whether the CLI's response to a call cannot be read as the response type of that call.
    pub fn is_bad_answer(&self) -> bool {
        matches!(&*self.0, Cause::BadAnswer { .. })
    }

    /// Whether claw refused the call and sent nothing, because a value in it is not valid or this session does not
    /// allow it.
    pub fn is_bad_request(&self) -> bool {
        matches!(&*self.0, Cause::BadRequest { .. })
    }

    /// Whether claw has stopped reading the CLI's output because too many messages wait for their reader. Then neither
    /// responses nor messages of other streams can arrive. Read the waiting messages, or drop their streams.
    pub fn is_backlogged(&self) -> bool {
        matches!(&*self.0, Cause::Backlogged)
    }

    /// Whether claw has stopped sending because too much data waits for the CLI to read its stdin: the CLI sends
    /// requests and does not read the answers. A call that fails with this error was not sent. Once 64 MiB of answers
    /// wait, the session ends.
    pub fn is_not_reading(&self) -> bool {
        matches!(&*self.0, Cause::NotReading { .. })
    }

    /// Whether the call failed because the session already has a stream of
    /// [`Session::messages`](crate::Session::messages), or because the stream of
    /// [`Session::requests`](crate::Session::requests) was already taken. `Session::requests` also fails with this
    /// error if [`SessionBuilder::answer_requests`](crate::SessionBuilder::answer_requests) was not called.
    pub fn is_taken(&self) -> bool {
        matches!(&*self.0, Cause::MessagesTaken | Cause::RequestsTaken)
    }
}

/// Methods for the errors of a turn.
impl Error {
    /// Whether the turn has no answer, or an answer that describes a failure. [`turn_result`](Self::turn_result)
    /// returns the turn's result.
    pub fn is_turn_failed(&self) -> bool {
        matches!(&*self.0, Cause::Failed(_))
    }

    /// Whether the CLI did not compact the conversation on request of
    /// [`Session::compact`](crate::Session::compact). [`not_compacted`](Self::not_compacted) returns the reason.
    pub fn is_not_compacted(&self) -> bool {
        self.not_compacted().is_some()
    }

    /// Returns the reason why the CLI did not compact the conversation.
    pub fn not_compacted(&self) -> Option<&NotCompacted> {
        match &*self.0 {
            Cause::NotCompacted(why, _) => Some(why),
            _ => None,
        }
    }

    /// Whether another prompt joined this prompt's turn, by [`Session::send`](crate::Session::send) or from another
    /// client, and the CLI answered both together. The result that [`turn_result`](Self::turn_result) returns may
    /// answer the other prompt.
    pub fn is_merged(&self) -> bool {
        matches!(&*self.0, Cause::Merged(_))
    }

    /// Whether the CLI became idle without a result for this prompt: the prompt was cancelled, or
    /// its result was lost.
    pub fn is_result_lost(&self) -> bool {
        matches!(&*self.0, Cause::ResultLost)
    }

    /// Whether the result of the turn arrived but cannot be read.
    pub fn is_unreadable(&self) -> bool {
        self.unreadable().is_some()
    }

    /// Returns the line that contains the result of the turn, if the error is that this line cannot be read. Any other
    /// unreadable line causes no error: it is an item of the stream
    /// ([`Received::Unreadable`](crate::Received::Unreadable)).
    pub fn unreadable(&self) -> Option<&Unreadable> {
        match &*self.0 {
            Cause::Unreadable(line) => Some(line),
            _ => None,
        }
    }

    /// Whether the answer's structured output is missing or does not have the requested form.
    /// [`turn_result`](Self::turn_result) returns the result that arrived instead.
    pub fn is_output(&self) -> bool {
        matches!(&*self.0, Cause::NoOutput(_) | Cause::BadOutput { .. })
    }

    /// Returns the result of the turn, if a result arrived and the error is about it: the turn
    /// [failed](Self::is_turn_failed), it [compacted](Self::is_not_compacted) nothing, the result also answers [another
    /// prompt](Self::is_merged), or the structured [output](Self::is_output) is missing or wrong.
    pub fn turn_result(&self) -> Option<&TurnResult> {
        match &*self.0 {
            Cause::Failed(result)
            | Cause::NotCompacted(_, result)
            | Cause::Merged(result)
            | Cause::NoOutput(result)
            | Cause::BadOutput { result, .. } => Some(result),
            _ => None,
        }
    }
}

impl Error {
    /// Returns the cause, for tests.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn cause(&self) -> &Cause {
        &self.0
    }

    /// Creates an error for a value of the application that cannot be sent.
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

/// Shows the text of the error and its causes, for a `main` that returns the error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Cause::Transport(error) => fmt::Debug::fmt(error, f),
            // For every other cause, the text already contains all data.
            cause => fmt::Display::fmt(cause, f),
        }
    }
}

#[cfg(test)]
mod tests;
