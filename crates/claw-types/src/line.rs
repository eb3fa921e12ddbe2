//! The lines of the protocol, in each direction.

use crate::control::{
    ControlCancelRequest, ControlRequest, ControlResponse, KeepAlive, UpdateEnvironmentVariables,
};
#[cfg(feature = "internal")]
use crate::message::internal::InternalInput;
use crate::message::{Message, UserMessage, UserPrompt};
use crate::{DecodeError, wire};

/// A line that `claude` writes to stdout.
#[wire(envelope)]
pub enum StdoutMessage {
    /// A request to the host.
    ControlRequest(Box<ControlRequest>),
    /// The response to a request from the host.
    ControlResponse(Box<ControlResponse>),
    /// The cancellation of a request that `claude` sent to the host.
    ControlCancelRequest(Box<ControlCancelRequest>),
    /// A message which shows that `claude` is alive while an operation takes long.
    KeepAlive(Box<KeepAlive>),
    /// A message of the conversation, or a line of any other kind.
    #[wire(rest)]
    Message(Message),
}

/// A line that `claude` reads from stdin.
///
/// `claude` exits at once if it reads a line that is not JSON, or a `user` line whose role is not `user`. Therefore
/// write only complete lines of this type, and give each user message the role `user`.
#[wire(envelope)]
pub enum StdinMessage {
    /// A user message: a prompt.
    User(Box<UserPrompt>),
    /// A request to `claude`.
    ControlRequest(Box<ControlRequest>),
    /// The response to a request from `claude`.
    ControlResponse(Box<ControlResponse>),
    /// The cancellation of a request that the host sent to `claude`.
    ControlCancelRequest(Box<ControlCancelRequest>),
    /// A message which shows that the host is alive. The message needs no response.
    KeepAlive(Box<KeepAlive>),
    /// New values for `claude`'s own environment variables.
    UpdateEnvironmentVariables(Box<UpdateEnvironmentVariables>),
    /// A message of a kind that is not part of the official SDK's published types. Without the feature `internal`, the
    /// message becomes [`Unknown`](Self::Unknown). With the feature, it becomes `Unknown` only if it does not have the
    /// form that this crate expects.
    #[cfg(feature = "internal")]
    #[wire(also)]
    Internal(InternalInput),
}

/// If the message has no `parent_tool_use_id`, the line contains a null for it, because the message is for the main
/// conversation.
impl From<UserMessage> for StdinMessage {
    fn from(message: UserMessage) -> Self {
        UserPrompt::from(message).into()
    }
}

/// A type that can be read from a whole line.
pub trait FromLine: Sized {
    /// Reads one line, without its line ending.
    ///
    /// # Errors
    /// Fails if the line is not UTF-8, not JSON, or not an object. Also fails if the line is of a known kind but does
    /// not have the form of that kind. A line of an unknown kind is read as `Unknown`. A line of an internal kind is
    /// also read as `Unknown` if it does not have the form that this crate expects.
    fn from_line(line: &[u8]) -> Result<Self, DecodeError>;
}

/// Reads one line (without its line ending) in one pass.
///
/// The function returns the same values as `serde_json::from_slice`, but is faster. It also accepts an escaped lone
/// surrogate, which JSON allows but a Rust string cannot contain, and reads it as U+FFFD.
///
/// # Errors
/// Fails with the same errors as [`FromLine::from_line`].
pub fn from_line<T: FromLine>(line: &[u8]) -> Result<T, DecodeError> {
    T::from_line(line)
}

/// A type that can be written as a whole line: every type of the protocol, free-form JSON, and types that an
/// application defines.
pub trait ToLine {
    /// Appends the value as one line of JSON, without a line ending.
    ///
    /// # Errors
    /// Fails if the value has no JSON form. `line` is then unchanged.
    fn append_line(&self, line: &mut Vec<u8>) -> Result<(), serde_json::Error>;
}

impl<T: wire::Write + ?Sized> ToLine for T {
    fn append_line(&self, line: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        wire::append_line(&self, line)
    }
}

/// Writes a value as one line of JSON, without a line ending.
///
/// The result is a single line for every reader: line breaks between the tokens of free-form JSON become spaces, and
/// U+2028 and U+2029 are escaped, because some readers treat them as line endings.
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
/// Fails if the value has no JSON form, because it contains a path that is not UTF-8.
pub fn to_line<T: ToLine + ?Sized>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    // Most lines are shorter than this, or not much longer.
    let mut line = Vec::with_capacity(512);
    value.append_line(&mut line)?;
    Ok(line)
}

/// Parses a line of JSON into a [`serde_json::Value`], which schema validators take as input. A lone surrogate is read
/// as U+FFFD, as in [`from_line`], because a `Value` cannot contain a lone surrogate.
///
/// # Errors
/// Fails if the line is not JSON.
pub fn line_to_value(line: &str) -> serde_json::Result<serde_json::Value> {
    serde_json::from_str(line).or_else(|error| {
        // The error of the original line, because it has the position.
        serde_json::from_str(&wire::repair(line)).map_err(|_| error)
    })
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
#[cfg(feature = "transcript")]
from_line!(crate::transcript::Entry);
