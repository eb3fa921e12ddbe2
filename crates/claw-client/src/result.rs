//! The result of a turn.

use std::borrow::Cow;
use std::time::Duration;

use claw_types::api::Usage;
use claw_types::message::{
    ModelUsage, PermissionDenial, ResultError, ResultSuccess, TerminalReason,
};
use claw_types::{Json, Map, Message, MessageUuid, Number, SessionId};
#[cfg(feature = "schemars")]
use schemars::JsonSchema;
#[cfg(feature = "schemars")]
use serde::de::DeserializeOwned;

use crate::error::Cause;
#[cfg(feature = "schemars")]
use crate::output;
use crate::{Error, Received};

/// The result of a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TurnResult {
    /// The turn has an answer. The answer may describe a failure: see [`is_error`](Self::is_error).
    Success(Box<ResultSuccess>),
    /// The turn has no answer.
    Error(Box<ResultError>),
}

/// Reads a field that both kinds have.
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

    /// Whether the turn ended because the API accepted no more requests (status 429). If a usage limit of the login is
    /// the cause, a [`RateLimitEvent`](Message::RateLimitEvent) of the turn says until when
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

    /// Returns the token usage of this turn, for the main conversation only.
    pub fn usage(&self) -> &Usage {
        of_both!(self.usage)
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

    /// Returns the tool uses that were denied in this turn, for whatever reason.
    pub fn permission_denials(&self) -> &[PermissionDenial] {
        of_both!(self.permission_denials)
    }

    /// Returns the structured output as JSON. `None` if none was requested, or if the model gave
    /// none.
    pub fn structured_output(&self) -> Option<&Json> {
        match self {
            Self::Success(result) => result.structured_output.as_ref(),
            Self::Error(_) => None,
        }
    }

    /// Deserializes the structured output of the turn. The session must have been built with
    /// [`SessionBuilder::output_as`](crate::SessionBuilder::output_as) for `T`, or with a schema that `T` fits.
    ///
    /// Models sometimes wrap the requested output: `{"output": …}`. For an object whose only key is `output`, this
    /// method tries both the inner value and the whole object:
    ///
    /// - The inner value is tried first if the schema of `T` describes an object that does not intentionally allow the
    ///   key `output`: the schema has `properties` without that key, and beside them none of `additionalProperties`
    ///   (except `false`), `patternProperties`, `$ref`, `allOf`, `anyOf` and `oneOf`.
    /// - Otherwise, the whole object is tried first.
    ///
    /// If the value that is tried first is not a `T`, the other value is tried.
    ///
    /// # Errors
    ///
    /// Fails if the turn failed ([`Error::is_turn_failed`] is true for that error), and if the model gave no output or
    /// output that is not a `T` ([`Error::is_output`] is true).
    #[cfg(feature = "schemars")]
    pub fn output<T: DeserializeOwned + JsonSchema>(self) -> Result<T, Error> {
        output::read(self)
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

    /// Returns the text of the answer.
    ///
    /// # Errors
    ///
    /// Fails if the turn [failed](Self::is_error): [`Error::is_turn_failed`] is true for that error, which contains
    /// the result.
    pub fn answer(self) -> Result<String, Error> {
        match self {
            Self::Success(result) if !result.is_error => Ok(result.result),
            failed => Err(Cause::Failed(Box::new(failed)).into()),
        }
    }

    /// Returns the text of the answer, or a description of the failure.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Success(result) => Cow::Borrowed(&result.result),
            Self::Error(result) => {
                Cow::Owned(result.errors.as_deref().unwrap_or_default().join("; "))
            }
        }
    }
}

/// Converts milliseconds. An invalid duration counts as zero.
fn milliseconds(number: &Number) -> Duration {
    Duration::try_from_secs_f64(number.as_f64() / 1000.0).unwrap_or_default()
}

/// Converts an item that is the result of a turn. Any other item is returned as the error.
impl TryFrom<Received> for TurnResult {
    type Error = Received;

    fn try_from(received: Received) -> Result<Self, Received> {
        match received {
            Received::Message(message) => message.try_into().map_err(Received::Message),
            line @ Received::Unreadable(_) => Err(line),
        }
    }
}

/// Converts a message that is the result of a turn. Any other message is returned as the error.
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

#[cfg(test)]
mod tests;
