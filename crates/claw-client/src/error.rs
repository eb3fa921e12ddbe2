//! What can go wrong between an application and a session.

use std::time::Duration;

use claw_codec::Line;
use claw_transport::{Exit, TransportError};
use claw_types::Json;
use claw_types::escape;
use claw_types::hook::HookEvent;

use crate::{TurnResult, Unreadable};

/// Why a query, a turn, a request or a line failed.
///
/// Its text can be printed: what it quotes is [escaped](escape), so that it steers no terminal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The CLI could not be started, or a pipe failed.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The process ended before it had done what was asked.
    #[error("claude{} ended{}: {exit}{}", which(*pid), inside(cut.as_ref()), quote(stderr))]
    Exited {
        /// Which process. `None` where it is not on this machine.
        pid: Option<u32>,
        /// How the process ended.
        exit: Exit,
        /// The end of what it wrote to stderr, secrets masked.
        stderr: String,
        /// The line that it was writing, as far as it came. It may hold secrets.
        cut: Option<Line>,
    },
    /// The session was ended from here, by `close` or with its last handle.
    #[error("the session is closed")]
    Closed,
    /// The CLI answered a control request with an error.
    #[error("claude refused {subtype}: {}", escape(error))]
    Control {
        /// What was asked.
        subtype: String,
        /// Why, in words.
        error: String,
        /// Why, as a code such as `unsupported_request`.
        code: Option<String>,
    },
    /// The CLI does not say that it took an option which was handed to it over stdin; it is too old,
    /// or was started without the flags for it. Nothing was asked of it.
    #[error(
        "claude did not take the option {option} over stdin (it is older than 2.1.329, or was started \
         without `--await-initialize`); with the delivery `file` it gets it in another way"
    )]
    NotTaken {
        /// The field of the options.
        option: &'static str,
    },
    /// The CLI is older than any that claw knows to work. Nothing that it said or did can be relied
    /// on.
    #[error(
        "claude {} is too old, {needed} or newer is needed: `claude update`, or `npm install -g @anthropic-ai/claude-code`",
        escape(found)
    )]
    CliTooOld {
        /// Its version.
        found: String,
        /// The oldest that is supported: [`OLDEST_CLI`](crate::OLDEST_CLI).
        needed: String,
    },
    /// The CLI did not answer in time.
    #[error("claude did not answer {what} within {after:?}")]
    Timeout {
        /// What was asked.
        what: String,
        /// How long was waited.
        after: Duration,
    },
    /// The answer is there, and is none to what was asked.
    #[error("claude's answer to {subtype} cannot be read: {}", escape(reason))]
    BadAnswer {
        /// What was asked.
        subtype: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// What was to be sent is nothing that the CLI would take. Nothing was sent.
    #[error("{what} cannot be sent: {reason}")]
    BadRequest {
        /// What was to be sent.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// So many messages wait for their reader that nothing more is read, so that no answer, and no
    /// message of another stream, can come. Read the messages, or let go of their streams.
    #[error("too many messages wait for their reader; nothing can be read before they are taken")]
    Backlogged,
    /// So much waits for the CLI to read its stdin that nothing more is sent: it asks and does not
    /// listen. A request that fails with this was not sent. Once 64 MiB of answers wait, the session
    /// is ended.
    #[error("claude does not read its stdin: {waiting} bytes wait for it")]
    NotReading {
        /// How many bytes of answers and requests wait.
        waiting: usize,
    },
    /// The result of the turn is there, and cannot be read. (Any other line that cannot be read is no
    /// error: [`Received::Unreadable`](crate::Received::Unreadable).)
    #[error(transparent)]
    Unreadable(Unreadable),
    /// The CLI came to rest without a result for this prompt: it was cancelled, or its result lost.
    #[error("claude came to rest without a result for this prompt")]
    ResultLost,
    /// A hook was registered that the CLI would never call: callbacks hear nothing of the start and
    /// the end of its process, or of a set-up. Nothing was started.
    #[error(
        "claude never calls a callback for {event} {}; write it into a settings file instead \
         (`hooks` in .claude/settings.json)",
        when_not_called(event)
    )]
    HookNeverCalled {
        /// The event.
        event: HookEvent,
    },
    /// The turn has no answer, or one that tells of a failure.
    #[error("the turn failed: {}", escape(&.0.text()))]
    Failed(Box<TurnResult>),
    /// Another prompt came into this one's turn, by [`Session::send`](crate::Session::send) or from
    /// another client, and the CLI answered both together: the answer may be the other's.
    #[error(
        "claude answered this prompt together with another one, which was sent while its turn ran"
    )]
    Merged(Box<TurnResult>),
    /// The answer has no output of the form that was asked for: the model did not give it.
    #[error(
        "the answer has no output of the form that was asked for: {}",
        escape(text)
    )]
    NoOutput {
        /// What the answer says instead.
        text: String,
    },
    /// The answer's output is not of the form that was asked for.
    #[error(
        "the answer's output is not of the form that was asked for: {}",
        escape(reason)
    )]
    BadOutput {
        /// What is wrong with it.
        reason: String,
        /// The output.
        output: Json,
    },
    /// Somebody else already answers the session's requests, or its builder was not told that
    /// anybody would.
    #[error(
        "the session's requests are already being answered, or `SessionBuilder::answer_requests` \
         was not called"
    )]
    RequestsTaken,
    /// Somebody else already reads the session's messages.
    #[error("the session's messages are already being read")]
    MessagesTaken,
}

impl Error {
    /// Whether there is no CLI to start.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Transport(error) if error.is_not_found())
    }

    /// Whether nothing was started: trying again without a change is of no use.
    pub fn is_launch_failure(&self) -> bool {
        matches!(self, Self::Transport(error) if error.is_launch_failure())
    }

    /// Whether the process ended by itself before it had done what was asked.
    pub fn is_exited(&self) -> bool {
        match self {
            Self::Exited { .. } => true,
            Self::Transport(error) => error.is_exited(),
            _ => false,
        }
    }

    /// Whether there is no session of that name to resume, or none that this CLI finds from its working
    /// directory.
    pub fn is_session_not_found(&self) -> bool {
        matches!(self, Self::Transport(error) if error.is_session_not_found())
    }

    /// Whether the session was ended from here.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed)
    }

    /// Whether the CLI did not answer in time.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout { .. })
    }

    /// Whether the answer's output is missing, or not of the form that was asked for.
    pub fn is_output(&self) -> bool {
        matches!(self, Self::NoOutput { .. } | Self::BadOutput { .. })
    }

    /// The CLI's code, where it refused a request with one.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Control { code, .. } => code.as_deref(),
            _ => None,
        }
    }
}

fn when_not_called(event: &HookEvent) -> &'static str {
    match *event {
        HookEvent::SessionStart => {
            "at the start (with the matcher `compact`, `clear` or `compact|clear` it does, after these)"
        }
        HookEvent::SessionEnd => "at the end (with the matcher `clear` it does, after that)",
        _ => "over stdin",
    }
}

fn which(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})"))
        .unwrap_or_default()
}

fn inside(cut: Option<&Line>) -> String {
    cut.map(|line| format!(" in the middle of line {}", line.number))
        .unwrap_or_default()
}

fn quote(stderr: &str) -> String {
    match stderr.trim() {
        "" => String::new(),
        text => format!("; stderr: {}", escape(text)),
    }
}
