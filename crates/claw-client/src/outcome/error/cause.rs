//! The list of all causes of errors.

use std::time::Duration;

use claw_transport::TransportError;
use claw_types::escape;
use claw_types::hook::HookEvent;

use crate::outcome::received::Unreadable;
use crate::outcome::result::TurnResult;
use crate::outcome::version::OLDEST_CLI;

/// An error response of the CLI to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refused {
    /// The `subtype` of the call that was refused, such as `set_model`.
    pub subtype: String,
    /// The error message.
    pub error: String,
    /// The error code, such as `unsupported_request`.
    pub code: Option<String>,
}

/// The reason why the CLI did not compact a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotCompacted {
    /// The CLI's own text, such as `Error: No messages to compact`. Empty if it wrote none.
    pub reason: String,
    /// Whether the CLI reported a compaction that failed: the API returned an error, the turn was interrupted, a hook
    /// for `PreCompact` stopped it, or there was too little to summarise. `false` if the CLI refused the command
    /// before: there was nothing to compact, or the command is disabled.
    pub is_failed: bool,
}

/// The cause of an error. The first observer of an error determines it, and it is passed on to all
/// waiting callers.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Cause {
    /// The CLI could not be started, the CLI ended, or a pipe failed.
    #[error(transparent)]
    Transport(TransportError),
    /// This program ended the session.
    #[error("the session is closed")]
    Closed,
    #[error("claude refused {}: {}", .0.subtype, escape(&.0.error))]
    Refused(Refused),
    #[error(
        "claude did not accept the option {option} over stdin (it is older than 2.1.329, or was started \
         without `--await-initialize`); use the delivery `file` instead"
    )]
    NotTaken {
        /// The field of the options.
        option: &'static str,
    },
    #[error(
        "claude {} is too old, {OLDEST_CLI} or newer is needed: `claude update`, or `npm install -g \
         @anthropic-ai/claude-code`",
        escape(found)
    )]
    CliTooOld {
        /// The version of the CLI.
        found: String,
    },
    #[error("claude did not answer {what} within {after:?}{}", while_hook(hook.as_deref()))]
    Timeout {
        /// The kind of the call.
        what: String,
        after: Duration,
        /// The hook of a settings file that was running at the start, if any.
        hook: Option<String>,
    },
    #[error("claude was silent for {silent:?}{}", silence(last.as_deref(), hook.as_deref()))]
    Stalled {
        silent: Duration,
        /// The type of the last line that the CLI wrote, with its subtype.
        last: Option<String>,
        /// The hook of a settings file that was running at the start, if any.
        hook: Option<String>,
    },
    #[error("claude's answer to {subtype} cannot be read: {}", escape(reason))]
    BadAnswer { subtype: String, reason: String },
    #[error("{what} cannot be sent: {reason}")]
    BadRequest { what: String, reason: String },
    #[error("too many messages wait for their reader; nothing more is read until they are taken")]
    Backlogged,
    #[error("claude does not read its stdin: {waiting} bytes wait for it")]
    NotReading {
        /// The number of bytes of answers and requests that wait.
        waiting: usize,
    },
    /// The result of the turn cannot be read.
    #[error(transparent)]
    Unreadable(Unreadable),
    #[error("claude became idle without a result for this prompt")]
    ResultLost,
    #[error(
        "claude never calls a callback for {event} {}; register the hook in a settings file instead \
         (`hooks` in .claude/settings.json)",
        when_not_called(event)
    )]
    HookNeverCalled { event: HookEvent },
    #[error("the turn failed: {}", escape(&.0.text()))]
    Failed(Box<TurnResult>),
    #[error("claude did not compact the conversation{}", because(&.0.reason))]
    NotCompacted(NotCompacted, Box<TurnResult>),
    #[error(
        "claude answered this prompt together with another one, which was sent while its turn ran"
    )]
    Merged(Box<TurnResult>),
    /// The model gave no structured output. The text of this error contains the answer that arrived instead.
    #[error(
        "the answer has no structured output of the requested form: {}",
        escape(&.0.text())
    )]
    #[cfg_attr(
        not(feature = "schemars"),
        expect(dead_code, reason = "made by `output`, which needs the feature")
    )]
    NoOutput(Box<TurnResult>),
    #[error(
        "the answer's structured output does not have the requested form: {}",
        escape(reason)
    )]
    #[cfg_attr(
        not(feature = "schemars"),
        expect(dead_code, reason = "made by `output`, which needs the feature")
    )]
    BadOutput {
        /// The reason why the value is invalid.
        reason: String,
        result: Box<TurnResult>,
    },
    #[error(
        "the session's requests are already being answered, or `SessionBuilder::answer_requests` \
         was not called"
    )]
    RequestsTaken,
    #[error("the session's messages are already being read")]
    MessagesTaken,
    #[cfg(feature = "store")]
    #[error("{0}")]
    Store(std::sync::Arc<claw_store::StoreError>),
    #[cfg(feature = "store")]
    #[error(transparent)]
    Stored(claw_store::StoredError),
    #[cfg(feature = "pool")]
    #[error("no process of the pool was free: {}", busy(*waiting, *waited))]
    Busy {
        /// The number of other turns and calls that wait.
        waiting: usize,
        /// The time for which this turn or call has waited. Set if it was refused because this time was too long.
        waited: Option<Duration>,
    },
}

/// Rounds a measured time to the precision that is useful for a person.
pub(crate) fn rounded(time: Duration) -> Duration {
    let unit = if time < Duration::from_secs(10) {
        100
    } else {
        1000
    };
    let units = time.as_millis().div_ceil(unit);
    Duration::from_millis(u64::try_from(units * unit).unwrap_or(u64::MAX))
}

fn while_hook(hook: Option<&str>) -> String {
    hook.map_or_else(String::new, |hook| {
        format!(": the hook {} runs", escape(hook))
    })
}

fn silence(last: Option<&str>, hook: Option<&str>) -> String {
    match (hook, last) {
        (Some(_), _) => while_hook(hook),
        (None, Some(last)) => {
            format!(
                " in the middle of a turn, after a line of type {}",
                escape(last)
            )
        }
        (None, None) => " in the middle of a turn, after it had started".to_owned(),
    }
}

fn because(reason: &str) -> String {
    if reason.is_empty() {
        String::new()
    } else {
        format!(": {}", escape(reason))
    }
}

#[cfg(feature = "pool")]
fn busy(waiting: usize, waited: Option<Duration>) -> String {
    match waited {
        Some(waited) => format!("none within {:?}", rounded(waited)),
        None => format!("{waiting} turns wait, and no more may"),
    }
}

fn when_not_called(event: &HookEvent) -> &'static str {
    match *event {
        HookEvent::SessionStart => {
            "at the start of a session, but only after a compaction or `/clear`, with the matcher \
             `compact`, `clear` or `compact|clear`"
        }
        HookEvent::SessionEnd => {
            "at the end of a session, but only after `/clear`, with the matcher `clear`"
        }
        _ => "over stdin",
    }
}
