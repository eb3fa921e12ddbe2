//! Lines that are read as a type.

use std::fmt;

use bytes::Bytes;
use claw_types::{DecodeError, Frame, FromLine};

use crate::excerpt::excerpt;
use crate::{Line, LineItem, TooLong};

/// The items of [`FrameCodec`](crate::FrameCodec) and [`Frames`](crate::Frames): one for each line that is not blank.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a line is one of these; who reads lines has to think of each"
)]
pub enum FrameItem<T> {
    /// A line that was read, with its value.
    Frame(Frame<T, Bytes>),
    /// A line that is not a valid `T`: stray text, truncated JSON, or a message of the wrong form.
    Malformed(Malformed),
    /// A line over the limit, of which only the beginning and the end were kept.
    TooLong(TooLong),
}

impl<T> FrameItem<T> {
    /// The number of the line in the stream, counted from 1.
    pub fn number(&self) -> u64 {
        match self {
            Self::Frame(frame) => frame.number(),
            Self::Malformed(bad) => bad.line,
            Self::TooLong(long) => long.line,
        }
    }

    /// Returns the frame. `None` if the line could not be read.
    pub fn into_frame(self) -> Option<Frame<T, Bytes>> {
        match self {
            Self::Frame(frame) => Some(frame),
            Self::Malformed(_) | Self::TooLong(_) => None,
        }
    }

    /// Copies the item's bytes into an allocation of their own. Use this for items that you keep for a long time.
    /// Otherwise, such an item keeps the whole buffer that it was read into, with all other lines in it.
    #[must_use]
    pub fn detach(self) -> Self {
        match self {
            Self::Frame(frame) => Self::Frame(detach(frame)),
            Self::Malformed(bad) => Self::Malformed(Malformed {
                raw: Bytes::copy_from_slice(&bad.raw),
                ..bad
            }),
            // Was copied when it was made.
            Self::TooLong(long) => Self::TooLong(long),
        }
    }
}

/// Converts a line item into a frame item. A line within the limit is read as by [`decode_line`].
impl<T: FromLine> From<LineItem> for FrameItem<T> {
    fn from(item: LineItem) -> Self {
        match item {
            LineItem::Line(line) => decode_line(line),
            LineItem::TooLong(long) => Self::TooLong(long),
        }
    }
}

/// A complete line that could not be read.
#[derive(thiserror::Error)]
#[error("line {line} is malformed")]
#[non_exhaustive]
pub struct Malformed {
    /// The number of the line in the stream, counted from 1.
    pub line: u64,
    /// The reason why the line could not be read.
    #[source]
    pub error: DecodeError,
    /// The bytes of the line, without the line ending.
    pub raw: Bytes,
}

impl Malformed {
    /// Creates a line with the number `line` and the bytes `raw`, which could not be read because of `error`.
    pub fn new(line: u64, error: DecodeError, raw: Bytes) -> Self {
        Self { line, error, raw }
    }

    /// Returns the beginning of the line as text that can be shown: at most `max` bytes of it. Control characters are
    /// escaped. If bytes are left out, the text ends with their number. The text may contain secrets.
    pub fn excerpt(&self, max: usize) -> String {
        excerpt(&self.raw, self.raw.len() as u64, max)
    }
}

/// Shows the length of the line, but not its bytes, because they may contain secrets.
impl fmt::Debug for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Malformed")
            .field("line", &self.line)
            .field("error", &self.error)
            .field("length", &self.raw.len())
            .finish_non_exhaustive()
    }
}

/// Reads a line as a `T`. [`FrameCodec`](crate::FrameCodec) does this for every line. Call it yourself if your program
/// looks at each line first, for example to read only some of the lines.
///
/// Returns [`FrameItem::Frame`] or [`FrameItem::Malformed`], without copying the line's bytes.
pub fn decode_line<T: FromLine>(line: Line) -> FrameItem<T> {
    match T::from_line(&line.raw) {
        Ok(value) => FrameItem::Frame(Frame::new(line.number, line.raw, value)),
        Err(error) => FrameItem::Malformed(Malformed::new(line.number, error, line.raw)),
    }
}

/// Copies the frame's line into a separate allocation. Use this for frames that you keep for a long time (see
/// [`Line::detach`]).
pub fn detach<T>(frame: Frame<T, Bytes>) -> Frame<T, Bytes> {
    frame.map_buffer(|line| Bytes::copy_from_slice(&line))
}

#[cfg(test)]
mod tests;
