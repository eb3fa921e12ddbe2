//! Lines before they are read.

use std::fmt;

use bytes::Bytes;

use crate::excerpt::excerpt;

/// One line of the stream, exactly as it was read.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The number of the line in the stream, counted from 1, blank lines included.
    pub number: u64,
    /// The bytes of the line, without the line ending and without a byte order mark. They are not validated and need
    /// not be UTF-8. They are a slice of the read buffer (see [`Line::detach`]).
    pub raw: Bytes,
    /// Whether the stream ended before the line had a line ending. If it did, the line may be incomplete.
    pub cut: bool,
}

impl Line {
    /// Creates a line with the number `number` and the bytes `raw`, which do not include the line ending.
    pub fn new(number: u64, raw: Bytes) -> Self {
        Self {
            number,
            raw,
            cut: false,
        }
    }

    /// Copies the line into a separate allocation. Use this for lines that you keep for a long time. Otherwise, such a
    /// line keeps the whole buffer that it was read into, with all other lines in it.
    #[must_use]
    pub fn detach(self) -> Self {
        Self {
            raw: Bytes::copy_from_slice(&self.raw),
            ..self
        }
    }
}

/// Shows the number and the length of the line, but not its bytes, because they may contain secrets.
impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line")
            .field("number", &self.number)
            .field("length", &self.raw.len())
            .finish_non_exhaustive()
    }
}

/// An item of [`LineCodec`](crate::LineCodec) or [`Lines`](crate::Lines). Each line that is not blank gives one item.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineItem {
    /// A line within the limit.
    Line(Line),
    /// A line over the limit, of which only the beginning and the end were kept.
    TooLong(TooLong),
}

impl LineItem {
    /// The number of the line in the stream, counted from 1.
    pub fn number(&self) -> u64 {
        match self {
            Self::Line(line) => line.number,
            Self::TooLong(long) => long.line,
        }
    }
}

/// A line over the length limit, which was skipped. It is returned when the whole line has been read.
///
/// `head` and `tail` help to find out what was lost: the CLI writes the `type` of a message near its start or near its
/// end. `head` and `tail` overlap if the line is shorter than both together.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is {length} bytes long, the limit is {limit}")]
#[non_exhaustive]
pub struct TooLong {
    /// The number of the line in the stream, counted from 1.
    pub line: u64,
    /// The length of the line, in bytes without the line ending.
    pub length: u64,
    /// The limit that the line exceeds, in bytes.
    pub limit: usize,
    /// The first [`EXCERPT`](crate::EXCERPT) bytes of the line, or the whole line if it is shorter.
    pub head: Bytes,
    /// The last [`EXCERPT`](crate::EXCERPT) bytes of the line, or the whole line if it is shorter.
    pub tail: Bytes,
}

impl TooLong {
    /// Creates a line of `length` bytes that exceeds `limit`, with its first and last bytes.
    pub fn new(line: u64, length: u64, limit: usize, head: Bytes, tail: Bytes) -> Self {
        Self {
            line,
            length,
            limit,
            head,
            tail,
        }
    }

    /// Returns the beginning of the line as text that can be shown: at most `max` bytes of it. Control characters are
    /// escaped, and the number of missing bytes is added. The text may contain secrets.
    pub fn excerpt(&self, max: usize) -> String {
        excerpt(&self.head, self.length, max)
    }
}

/// Shows the line number, the length and the limit, but not the bytes, because they may contain secrets.
impl fmt::Debug for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TooLong")
            .field("line", &self.line)
            .field("length", &self.length)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
