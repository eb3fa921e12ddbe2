//! The items of a stream of messages.

use bytes::Bytes;
use claw_codec::{FrameItem, Malformed, TooLong};
use claw_types::{Frame, Message, escape};

/// A message with its line: the line's number and its exact bytes.
pub type MessageFrame = Frame<Message, Bytes>;

/// A line that the CLI wrote: an item of [`Query`](crate::Query), [`Turn`](crate::Turn) and
/// [`Messages`](crate::Messages).
///
/// ```
/// use claw_client::{Message, Received};
///
/// fn show(received: &Received) {
///     match received {
///         Received::Message(message @ Message::Assistant(_)) => println!("{}", message.text()),
///         Received::Message(_) => {}
///         // Not an error: the following messages still arrive.
///         Received::Unreadable(line) => eprintln!("{line}"),
///     }
/// }
/// ```
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a line can be read or not; who reads messages has to think of both"
)]
pub enum Received {
    /// A message of the conversation.
    Message(Message),
    /// A line that cannot be read as a message.
    Unreadable(Unreadable),
}

impl Received {
    /// Returns the message, if the item is a message.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Self::Message(message) => Some(message),
            Self::Unreadable(_) => None,
        }
    }

    /// Converts the item into the message, if the item is a message.
    pub fn into_message(self) -> Option<Message> {
        self.into_result().ok()
    }

    /// Converts the item into the message. An unreadable line is returned as the error, for programs that treat such a
    /// line as an error.
    ///
    /// # Errors
    ///
    /// Fails if the item is a line that cannot be read. The error is that line.
    pub fn into_result(self) -> Result<Message, Unreadable> {
        match self {
            Self::Message(message) => Ok(message),
            Self::Unreadable(line) => Err(line),
        }
    }
}

/// Converts the item, and discards the line's number and bytes.
impl From<FrameItem<Message>> for Received {
    fn from(item: FrameItem<Message>) -> Self {
        match item {
            FrameItem::Frame(frame) => Self::Message(frame.into_value()),
            FrameItem::Malformed(bad) => Self::Unreadable(Unreadable::Malformed(bad)),
            FrameItem::TooLong(long) => Self::Unreadable(Unreadable::TooLong(long)),
        }
    }
}

/// A line of the CLI that cannot be read.
///
/// The text of `Display` can be printed: it names the line and the error, and quoted text is [escaped](escape). The
/// line itself may contain secrets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The line is not JSON, or does not have the form of its kind.
    #[error("line {} of claude's output cannot be read: {}", .0.line, escape(&.0.error.to_string()))]
    Malformed(Malformed),
    /// The line exceeds the limit of 64 MiB.
    #[error(transparent)]
    TooLong(TooLong),
}

impl Unreadable {
    /// Returns the number of the line in the CLI's output, counted from 1.
    pub fn number(&self) -> u64 {
        match self {
            Self::Malformed(bad) => bad.line,
            Self::TooLong(long) => long.line,
        }
    }

    /// Returns the start of the line as printable text: at most `max` bytes of it. Control characters are escaped, and
    /// the number of missing bytes is added. The text may contain secrets.
    pub fn excerpt(&self, max: usize) -> String {
        match self {
            Self::Malformed(bad) => bad.excerpt(max),
            Self::TooLong(long) => long.excerpt(max),
        }
    }
}
