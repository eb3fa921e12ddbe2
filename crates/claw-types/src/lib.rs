//! Every message of the Claude Code stream-json protocol, typed and lossless.

mod error;
mod frame;
pub mod options;

pub use error::{DecodeError, DecodeErrorKind};
pub use frame::Frame;

/// A type that stands on a line of its own: reads itself from one, in one pass.
pub trait FromLine: Sized {
    /// Reads one line, without its line ending.
    fn from_line(line: &[u8]) -> Result<Self, DecodeError>;
}

/// Reads one line (without its line ending) as `T`.
pub fn from_line<T: FromLine>(line: &[u8]) -> Result<T, DecodeError> {
    T::from_line(line)
}
