//! How a turn ended.

use std::borrow::Cow;

use claw_types::message::{ResultError, ResultSuccess};
use claw_types::{Message, SessionId};

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

    /// The session that the turn was of: what [`QueryOptions::resume`](claw_types::QueryOptions::resume)
    /// takes.
    pub fn session_id(&self) -> &SessionId {
        match self {
            Self::Success(result) => &result.session_id,
            Self::Error(result) => &result.session_id,
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
