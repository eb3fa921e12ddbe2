//! How a turn ended.

use std::borrow::Cow;

use claw_types::message::{ResultError, ResultSuccess, TerminalReason};
use claw_types::{Message, MessageUuid, SessionId};
#[cfg(feature = "schemars")]
use schemars::JsonSchema;
#[cfg(feature = "schemars")]
use serde::de::DeserializeOwned;

use crate::Received;
#[cfg(feature = "schemars")]
use crate::{Error, output};

/// The result of a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TurnResult {
    /// It has an answer, which may be an account of a failure: see [`is_error`](Self::is_error).
    Success(Box<ResultSuccess>),
    /// It has none.
    Error(Box<ResultError>),
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
        let reason = match self {
            Self::Success(result) => &result.terminal_reason,
            Self::Error(result) => &result.terminal_reason,
        };
        matches!(
            reason,
            Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools)
        )
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
        match self {
            Self::Success(result) => &result.session_id,
            Self::Error(result) => &result.session_id,
        }
    }

    /// The prompts that it answers, at most 64. None where the CLI is older than 2.1.329, and where
    /// nobody prompted the turn.
    pub fn prompts(&self) -> &[MessageUuid] {
        let prompts = match self {
            Self::Success(result) => &result.user_message_uuids,
            Self::Error(result) => &result.user_message_uuids,
        };
        prompts.as_deref().unwrap_or_default()
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
