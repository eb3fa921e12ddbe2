//! A line in the current form, in either direction.

use crate::{DecodeError, FromLine, Message, StdinMessage, StdoutMessage};

/// A line in the current form of the protocol.
///
/// A line does not contain its direction. Therefore each line that `claude` could have written is read as `Stdout`,
/// even if a host wrote it. A line that was upgraded keeps the direction of its older form.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Today {
    /// A line that `claude` writes.
    Stdout(StdoutMessage),
    /// A line that `claude` reads.
    Stdin(StdinMessage),
}

impl Today {
    /// Whether the line is of a kind that this version of claw does not know.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Stdout(message) => message.is_unknown(),
            Self::Stdin(message) => message.is_unknown(),
        }
    }

    /// Returns the conversation message that the line contains. Returns `None` for control messages and for lines to
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

/// Implements serde's traits for a line whose form depends on the whole line: it is read from its text, by
/// [`FromLine`].
macro_rules! by_line {
    ($name:ty) => {
        crate::wire::serialize_by_text!($name);

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let line = crate::Json::deserialize(deserializer)?;
                <$name as crate::FromLine>::from_line(line.as_raw().as_bytes())
                    .map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(super) use by_line;

by_line!(Today);

impl crate::wire::Write for Today {
    fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::Failed> {
        match self {
            Self::Stdout(message) => crate::wire::Write::write(message, writer),
            Self::Stdin(message) => crate::wire::Write::write(message, writer),
        }
    }
}
