//! The result of a turn, and the wait after a turn that ended at a usage limit.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use claw_types::api::Usage;
use claw_types::message::{
    ModelUsage, PermissionDenial, ResultError, ResultSuccess, TerminalReason,
};
use claw_types::{Count, Json, Map, Message, MessageUuid, Number, SessionId, Tri};

use super::received::Received;

/// The result of a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TurnResult {
    /// The turn has an answer. The answer may describe a failure: see [`is_error`](Self::is_error). If a stream of claw
    /// or [`FinalAnswer`](crate::FinalAnswer) created this value, `result` is the whole answer (see
    /// [`text`](Self::text)).
    Success(Box<ResultSuccess>),
    /// The turn has no answer.
    Error(Box<ResultError>),
}

/// Reads a field that both variants have.
macro_rules! of_both {
    ($result:ident.$field:ident) => {
        match $result {
            Self::Success(result) => &result.$field,
            Self::Error(result) => &result.$field,
        }
    };
}

impl TurnResult {
    /// Whether the turn failed: it has no answer, or an answer that describes a failure of the API.
    pub fn is_error(&self) -> bool {
        match self {
            Self::Success(result) => result.is_error,
            Self::Error(_) => true,
        }
    }

    /// Whether the turn ended because the API accepted no more requests (status 429). If the cause is a usage limit of
    /// the login, a [`RateLimitEvent`](Message::RateLimitEvent) of the turn contains the end of the limit
    /// ([`RateLimitInfo::rejected_until`](claw_types::message::RateLimitInfo::rejected_until)).
    pub fn is_rate_limited(&self) -> bool {
        let status = match self {
            Self::Success(result) if result.is_error => result.api_error_status.value(),
            Self::Success(_) | Self::Error(_) => None,
        };
        status.and_then(Number::as_u64) == Some(429)
    }

    /// Whether the turn was interrupted: by [`Session::interrupt`](crate::Session::interrupt), or by the denial of a
    /// tool use that also stops the turn ([`PermissionDeny::interrupt`]). An interrupted turn also counts as an
    /// [error](Self::is_error).
    ///
    /// [`PermissionDeny::interrupt`]: claw_types::control::PermissionDeny::interrupt
    pub fn interrupted(&self) -> bool {
        let reason = self.terminal_reason();
        reason.is_some_and(TerminalReason::is_interruption)
    }

    /// Returns the reason why the turn ended. `None` if the CLI does not report it.
    pub fn terminal_reason(&self) -> Option<&TerminalReason> {
        of_both!(self.terminal_reason).as_ref()
    }

    /// Returns the cost of the CLI's process **so far**, in US dollars, sub-agents included: a running total, so use
    /// only the value of the last turn. The total restarts at `/clear`; the totals of
    /// [`Session::usage`](crate::Session::usage) do not.
    pub fn total_cost_usd(&self) -> f64 {
        of_both!(self.total_cost_usd).as_f64()
    }

    /// Returns the token usage of this turn, for the main conversation only. [`input_tokens`](Self::input_tokens),
    /// [`output_tokens`](Self::output_tokens), [`cache_read_tokens`](Self::cache_read_tokens),
    /// [`cache_creation_tokens`](Self::cache_creation_tokens) and [`total_tokens`](Self::total_tokens) return its
    /// numbers.
    pub fn usage(&self) -> &Usage {
        of_both!(self.usage)
    }

    /// Returns the number of input tokens of this turn, without those that were read from or written to the cache. For
    /// the main conversation only. 0 if the CLI does not report it.
    pub fn input_tokens(&self) -> u64 {
        number(&self.usage().input_tokens)
    }

    /// Returns the number of output tokens of this turn, for the main conversation only.
    pub fn output_tokens(&self) -> u64 {
        self.usage().output_tokens.get()
    }

    /// Returns the number of input tokens that this turn read from the cache, for the main conversation only. 0 if the
    /// CLI does not report it.
    pub fn cache_read_tokens(&self) -> u64 {
        number(&self.usage().cache_read_input_tokens)
    }

    /// Returns the number of input tokens that this turn wrote to the cache, for the main conversation only. 0 if the
    /// CLI does not report it.
    pub fn cache_creation_tokens(&self) -> u64 {
        number(&self.usage().cache_creation_input_tokens)
    }

    /// Returns the number of all tokens of this turn: input with and without the cache, and output. For the main
    /// conversation only.
    pub fn total_tokens(&self) -> u64 {
        let input = self.input_tokens();
        let cached = self
            .cache_read_tokens()
            .saturating_add(self.cache_creation_tokens());
        input
            .saturating_add(cached)
            .saturating_add(self.output_tokens())
    }

    /// Returns the tokens and the cost so far by model, sub-agents included. The values are running totals, like
    /// [`total_cost_usd`](Self::total_cost_usd).
    pub fn model_usage(&self) -> &Map<ModelUsage> {
        of_both!(self.model_usage)
    }

    /// Returns the number of answers of the model in this turn.
    pub fn num_turns(&self) -> u64 {
        of_both!(self.num_turns).get()
    }

    /// Returns the duration of the turn, from the prompt to its result.
    pub fn duration(&self) -> Duration {
        milliseconds(of_both!(self.duration_ms))
    }

    /// Returns the total duration of the API requests. With parallel sub-agents it can exceed
    /// [`duration`](Self::duration).
    pub fn api_duration(&self) -> Duration {
        milliseconds(of_both!(self.duration_api_ms))
    }

    /// Returns the tool uses that were denied in this turn, for any reason.
    pub fn permission_denials(&self) -> &[PermissionDenial] {
        of_both!(self.permission_denials)
    }

    /// Returns the structured output as JSON. `None` if no output was requested, or if the model gave no output.
    pub fn structured_output(&self) -> Option<&Json> {
        match self {
            Self::Success(result) => result.structured_output.as_ref(),
            Self::Error(_) => None,
        }
    }

    /// Returns the ID of the turn's session, for
    /// [`QueryOptions::resume`](claw_types::QueryOptions::resume).
    pub fn session_id(&self) -> &SessionId {
        of_both!(self.session_id)
    }

    /// Returns the UUIDs of the prompts that the result answers, at most 64. The list is empty with CLIs older than
    /// 2.1.329, and for turns without a prompt.
    pub fn prompts(&self) -> &[MessageUuid] {
        of_both!(self.user_message_uuids)
            .as_deref()
            .unwrap_or_default()
    }

    /// Whether the turn answered more than one prompt. The CLI answers waiting prompts together in one turn, and adds
    /// prompts that arrive during a turn to that turn. All these prompts have this one result, including the prompt
    /// whose turn it was, for which [`Turn::merged_into`](crate::Turn::merged_into) is `None`. Always false with CLIs
    /// older than 2.1.329, which do not list the [prompts](Self::prompts).
    pub fn is_shared(&self) -> bool {
        self.prompts().len() > 1
    }

    /// Returns the text of the answer, or a description of the failure.
    ///
    /// The answer is the text of all text blocks of the model's last message, joined. If the model continued a message
    /// that was cut off, the text of that message comes first. A result that your program itself converts from a
    /// message has only the text of the last block, because the CLI writes only this block into the message; use
    /// [`FinalAnswer`](crate::FinalAnswer) instead.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Success(result) => Cow::Borrowed(&result.result),
            Self::Error(result) => {
                Cow::Owned(result.errors.as_deref().unwrap_or_default().join("; "))
            }
        }
    }
}

/// Returns a number of tokens. An absent number counts as zero.
fn number(tokens: &Tri<Count>) -> u64 {
    tokens.value().map_or(0, |tokens| tokens.get())
}

/// Converts milliseconds. An invalid duration counts as zero.
fn milliseconds(number: &Number) -> Duration {
    Duration::try_from_secs_f64(number.as_f64() / 1000.0).unwrap_or_default()
}

/// Converts an item that is the result of a turn. Any other item is returned as the error. The text is the CLI's text
/// of the result, which is only the last block of the answer: see [`FinalAnswer`](crate::FinalAnswer).
impl TryFrom<Received> for TurnResult {
    type Error = Received;

    fn try_from(received: Received) -> Result<Self, Received> {
        match received {
            Received::Message(message) => message.try_into().map_err(Received::Message),
            line @ Received::Unreadable(_) => Err(line),
        }
    }
}

/// Converts a message that is the result of a turn. Any other message is returned as the error. The text is the CLI's
/// text of the result, which is only the last block of the answer: see [`FinalAnswer`](crate::FinalAnswer).
impl TryFrom<Message> for TurnResult {
    type Error = Message;

    fn try_from(message: Message) -> Result<Self, Message> {
        match message {
            Message::ResultSuccess(result) => Ok(Self::Success(result)),
            Message::ResultError(result) => Ok(Self::Error(result)),
            other => Err(other),
        }
    }
}

/// Time that is added to the reset of a limit. Without it, a machine whose clock is slightly ahead of the service's
/// clock would send the prompt too early.
const MARGIN: Duration = Duration::from_secs(5);

/// The wait for the reset of a usage limit, after which a prompt is sent again. A pool with a `limit_wait` waits by
/// itself; this type is for programs that wait without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitWait {
    /// The time at which the prompt is sent again: five seconds after the reset.
    pub until: SystemTime,
    /// The time from now until the prompt is sent again.
    pub left: Duration,
}

impl LimitWait {
    /// Returns the wait of a prompt whose turn has this result. `reset` is the time at which the limit is reset, as
    /// [`Session::limit_reset`](crate::Session::limit_reset) returns it. `None` if the turn did not end at a limit, if
    /// the time of the reset is unknown, or if the wait takes longer than `longest`.
    pub fn after(
        result: &TurnResult,
        reset: Option<SystemTime>,
        longest: Duration,
    ) -> Option<Self> {
        let reset = reset.filter(|_| result.is_rate_limited())?;
        let until = reset.checked_add(MARGIN)?;
        let left = until.duration_since(SystemTime::now()).unwrap_or_default();
        (left <= longest).then_some(Self { until, left })
    }
}

#[cfg(test)]
mod tests {
    use claw_types::from_line;

    use super::*;

    /// Returns the result of a recorded session.
    fn result(line: &str) -> TurnResult {
        let message: Message = from_line(line.as_bytes()).unwrap();
        message.try_into().unwrap()
    }

    fn last_result(recording: &str) -> TurnResult {
        let mut line = recording
            .lines()
            .filter(|line| line.contains(r#""type":"result""#));
        result(line.next_back().unwrap())
    }

    #[test]
    fn an_interrupted_turn_is_recognised() {
        for recording in [
            include_str!("../../../../fixtures/interrupt/stdout.ndjson"),
            include_str!("../../../../fixtures/interrupt_tool/stdout.ndjson"),
            include_str!("../../../../fixtures/deny_interrupt/stdout.ndjson"),
        ] {
            let lines = recording.lines();
            let mut results = lines.filter(|line| line.contains(r#""type":"result""#));
            assert!(results.any(|line| {
                let result = result(line);
                result.interrupted() && result.is_error()
            }));
        }
        for recording in [
            include_str!("../../../../fixtures/text/stdout.ndjson"),
            include_str!("../../../../fixtures/max_turns/stdout.ndjson"),
            include_str!("../../../../fixtures/server_error/stdout.ndjson"),
        ] {
            assert!(!last_result(recording).interrupted());
        }
    }
}
