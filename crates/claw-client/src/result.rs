//! How a turn ended.

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
    /// It has an answer, which may be an account of a failure: see [`is_error`](Self::is_error).
    Success(Box<ResultSuccess>),
    /// It has none.
    Error(Box<ResultError>),
}

/// A field that both kinds have.
macro_rules! of_both {
    ($result:ident.$field:ident) => {
        match $result {
            Self::Success(result) => &result.$field,
            Self::Error(result) => &result.$field,
        }
    };
}

impl TurnResult {
    /// Whether the turn failed: it has no answer, or one that tells of a failure of the API.
    pub fn is_error(&self) -> bool {
        match self {
            Self::Success(result) => result.is_error,
            Self::Error(_) => true,
        }
    }

    /// Whether the turn was stopped before it was over: by [`Session::interrupt`](crate::Session::interrupt), or
    /// by a no to a tool that was meant for the whole turn ([`PermissionDeny::interrupt`]). Such a turn is an
    /// [error](Self::is_error) too, whose text says little.
    ///
    /// [`PermissionDeny::interrupt`]: claw_types::control::PermissionDeny::interrupt
    pub fn interrupted(&self) -> bool {
        matches!(
            of_both!(self.terminal_reason),
            Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools)
        )
    }

    /// Why the turn ended. `None` where the CLI does not say it.
    pub fn terminal_reason(&self) -> Option<&TerminalReason> {
        of_both!(self.terminal_reason).as_ref()
    }

    /// What the CLI's process has cost **so far**, in US dollars, sub-agents included: a sum over its
    /// turns, of which the last is to be taken. [`Session::usage`](crate::Session::usage) goes on over
    /// `/clear`, where this begins anew.
    pub fn total_cost_usd(&self) -> f64 {
        of_both!(self.total_cost_usd).as_f64()
    }

    /// The tokens of this turn, of the main conversation alone.
    pub fn usage(&self) -> &Usage {
        of_both!(self.usage)
    }

    /// Tokens and cost so far, a model each, sub-agents included: sums, as
    /// [`total_cost_usd`](Self::total_cost_usd) is one.
    pub fn model_usage(&self) -> &Map<ModelUsage> {
        of_both!(self.model_usage)
    }

    /// How many answers of the model this turn took.
    pub fn num_turns(&self) -> u64 {
        of_both!(self.num_turns).get()
    }

    /// How long the turn took, from the prompt to its result.
    pub fn duration(&self) -> Duration {
        milliseconds(of_both!(self.duration_ms))
    }

    /// How long the API's answers took, summed: with sub-agents beside one another more than
    /// [`duration`](Self::duration).
    pub fn api_duration(&self) -> Duration {
        milliseconds(of_both!(self.duration_api_ms))
    }

    /// The uses of tools that were refused in this turn, by whomever.
    pub fn permission_denials(&self) -> &[PermissionDenial] {
        of_both!(self.permission_denials)
    }

    /// The output of the form that was asked for, as JSON. `None` where none was asked for, or the
    /// model gave none.
    pub fn structured_output(&self) -> Option<&Json> {
        match self {
            Self::Success(result) => result.structured_output.as_ref(),
            Self::Error(_) => None,
        }
    }

    /// The output of the form that was asked for, read as what it should be. The session was built
    /// with [`SessionBuilder::output_as`](crate::SessionBuilder::output_as) for `T`, or with a schema
    /// that `T` fits.
    ///
    /// Models sometimes wrap what they were asked for: `{"output": …}`. Of an object with that key
    /// alone
    ///
    /// - what is inside is read first, where the schema of `T` is one of an object and allows no key
    ///   `output` on purpose: it has `properties` without it and neither `additionalProperties` (but
    ///   `false`), `patternProperties`, `$ref`, `allOf`, `anyOf` nor `oneOf` beside them;
    /// - the whole is read first everywhere else;
    ///
    /// and the other one where the first is no `T`.
    ///
    /// # Errors
    ///
    /// [`Error::is_turn_failed`] if the turn failed; [`Error::is_output`] if the model gave none, or
    /// one that is no `T`.
    #[cfg(feature = "schemars")]
    pub fn output<T: DeserializeOwned + JsonSchema>(self) -> Result<T, Error> {
        output::read(self)
    }

    /// The session that the turn was of: what [`QueryOptions::resume`](claw_types::QueryOptions::resume)
    /// takes.
    pub fn session_id(&self) -> &SessionId {
        of_both!(self.session_id)
    }

    /// The prompts that it answers, at most 64. None where the CLI is older than 2.1.329, and where
    /// nobody prompted the turn.
    pub fn prompts(&self) -> &[MessageUuid] {
        of_both!(self.user_message_uuids)
            .as_deref()
            .unwrap_or_default()
    }

    /// The answer's text.
    ///
    /// # Errors
    ///
    /// [`Error::is_turn_failed`], with the result, if the turn [failed](Self::is_error).
    pub fn answer(self) -> Result<String, Error> {
        match self {
            Self::Success(result) if !result.is_error => Ok(result.result),
            failed => Err(Cause::Failed(Box::new(failed)).into()),
        }
    }

    /// The answer's text, or what went wrong, in words.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Success(result) => Cow::Borrowed(&result.result),
            Self::Error(result) => {
                Cow::Owned(result.errors.as_deref().unwrap_or_default().join("; "))
            }
        }
    }
}

/// What is no time is none.
fn milliseconds(number: &Number) -> Duration {
    Duration::try_from_secs_f64(number.as_f64() / 1000.0).unwrap_or_default()
}

/// Gives what is no result back.
impl TryFrom<Received> for TurnResult {
    type Error = Received;

    fn try_from(received: Received) -> Result<Self, Received> {
        match received {
            Received::Message(message) => message.try_into().map_err(Received::Message),
            line @ Received::Unreadable(_) => Err(line),
        }
    }
}

/// Gives a message that is no result back.
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
