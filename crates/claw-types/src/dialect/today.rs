//! Today's form of a line, whichever way it goes.

use crate::{DecodeError, FromLine, Message, StdinMessage, StdoutMessage};

/// A line in today's form.
///
/// A line that is read does not say which way it goes: what `claude` may write is `Stdout`, though a
/// host may have written it. What was upgraded goes the way that its old form went.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Today {
    /// A line that `claude` writes.
    Stdout(StdoutMessage),
    /// A line that `claude` reads.
    Stdin(StdinMessage),
}

impl Today {
    /// Whether claw does not know its kind.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Stdout(message) => message.is_unknown(),
            Self::Stdin(message) => message.is_unknown(),
        }
    }

    /// The message of the conversation that it is. `None` for control frames and for lines to
    /// `claude`.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Self::Stdout(StdoutMessage::Message(message)) => Some(message),
            _ => None,
        }
    }
}

impl FromLine for Today {
    fn from_line(line: &[u8]) -> Result<Self, DecodeError> {
        let stdout = StdoutMessage::from_line(line);
        if stdout.as_ref().is_ok_and(|message| !message.is_unknown()) {
            return stdout.map(Self::Stdout);
        }
        match StdinMessage::from_line(line) {
            Ok(message) if !message.is_unknown() => Ok(Self::Stdin(message)),
            _ => stdout.map(Self::Stdout),
        }
    }
}

crate::wire::serialize_by_text!(Today);

impl crate::wire::Write for Today {
    fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::GaveUp> {
        match self {
            Self::Stdout(message) => crate::wire::Write::write(message, writer),
            Self::Stdin(message) => crate::wire::Write::write(message, writer),
        }
    }
}
