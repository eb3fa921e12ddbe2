//! What can stand on a line, in each direction.

use crate::control::{
    ControlCancelRequest, ControlRequest, ControlResponse, KeepAlive, UpdateEnvironmentVariables,
};
#[cfg(feature = "internal")]
use crate::message::internal::InternalInput;
use crate::message::{Message, UserMessage, UserPrompt};
use crate::{DecodeError, wire};

/// A line that `claude` writes.
#[wire(envelope)]
pub enum StdoutMessage {
    /// A question to the host.
    ControlRequest(Box<ControlRequest>),
    /// The answer to a question of the host's.
    ControlResponse(Box<ControlResponse>),
    /// `claude` no longer waits for an answer.
    ControlCancelRequest(Box<ControlCancelRequest>),
    /// A sign of life.
    KeepAlive(Box<KeepAlive>),
    /// All else: the conversation and what goes with it.
    #[wire(rest)]
    Message(Message),
}

/// A line that `claude` reads.
///
/// `claude` ends at once on a line that is not JSON, and on a `user` line whose role is not `user`:
/// write whole lines of these types and neither can happen.
#[wire(envelope)]
pub enum StdinMessage {
    /// A prompt, or another turn of the user's.
    User(Box<UserPrompt>),
    /// A question to `claude`.
    ControlRequest(Box<ControlRequest>),
    /// The answer to a question of `claude`'s.
    ControlResponse(Box<ControlResponse>),
    /// The host no longer waits for an answer.
    ControlCancelRequest(Box<ControlCancelRequest>),
    /// A sign of life. Needs no answer.
    KeepAlive(Box<KeepAlive>),
    /// Other values for `claude`'s own environment.
    UpdateEnvironmentVariables(Box<UpdateEnvironmentVariables>),
    /// A kind that is in no published type. Without the feature `internal`, and where it does not have
    /// the form that claw knows, it is [`Unknown`](Self::Unknown).
    #[cfg(feature = "internal")]
    #[wire(also)]
    Internal(InternalInput),
}

/// What claw writes says that it is for the main conversation, with a null.
impl From<UserMessage> for StdinMessage {
    fn from(message: UserMessage) -> Self {
        UserPrompt::from(message).into()
    }
}

/// A type that can stand on a line of its own.
pub trait FromLine: Sized {
    /// Reads one line, without its line ending.
    ///
    /// # Errors
    /// Where the line is not UTF-8, not JSON, not an object, or of a published kind that does not fit.
    /// A kind that is not known is no error, and neither is an internal one of another form.
    fn from_line(line: &[u8]) -> Result<Self, DecodeError>;
}

/// Reads one line (without its line ending) in one pass.
///
/// Gives the same values as `serde_json::from_slice`, faster, and repairs what JSON allows and
/// Rust's text does not: an escaped half of a surrogate pair is read as U+FFFD.
///
/// # Errors
/// See [`FromLine::from_line`].
pub fn from_line<T: FromLine>(line: &[u8]) -> Result<T, DecodeError> {
    T::from_line(line)
}

/// A type that can be written on a line of its own: every type of the protocol, free JSON, and what an
/// application makes one.
pub trait ToLine {
    /// Appends the value as one line of JSON, without a line ending.
    ///
    /// # Errors
    /// Where the value has no JSON form. `line` is as it was then.
    fn append_line(&self, line: &mut Vec<u8>) -> Result<(), serde_json::Error>;
}

impl<T: wire::Write + ?Sized> ToLine for T {
    fn append_line(&self, line: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        wire::append_line(&self, line)
    }
}

/// A value as one line of JSON, without a line ending.
///
/// One line for every reader: line breaks between tokens of free JSON become spaces, and U+2028 and
/// U+2029, which some readers take for line endings, are written as escapes.
///
/// ```
/// use claw_types::control::KeepAlive;
///
/// let line = claw_types::to_line(&KeepAlive::new())?;
/// assert_eq!(line, br#"{"type":"keep_alive"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Where the value has no JSON form: it holds a path that is not UTF-8.
pub fn to_line<T: ToLine + ?Sized>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    // Most lines are shorter than this, or not much longer.
    let mut line = Vec::with_capacity(512);
    value.append_line(&mut line)?;
    Ok(line)
}

macro_rules! from_line {
    ($($union:ty),+) => {$(
        impl FromLine for $union {
            fn from_line(line: &[u8]) -> Result<Self, DecodeError> {
                wire::decode_line(line)
            }
        }
    )+};
}
from_line!(Message, StdoutMessage, StdinMessage);
