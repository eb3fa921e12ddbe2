//! Lines, before anyone reads them.

use std::fmt;

use bytes::Bytes;

use crate::excerpt::excerpt;

/// One line of the stream, exactly as it came.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// Its number in the stream, counted from 1, blank lines included.
    pub number: u64,
    /// Its bytes, without the line ending, and on the first line without a byte order mark. Not
    /// checked in any way: they need not be UTF-8. A slice of the read buffer ([`Line::detach`]).
    pub raw: Bytes,
    /// The stream ended here, without a line ending: the line may lack its end.
    pub cut: bool,
}

impl Line {
    /// Line `number` with the bytes `raw`, given without the line ending that it had.
    pub fn new(number: u64, raw: Bytes) -> Self {
        Self {
            number,
            raw,
            cut: false,
        }
    }

    /// The same line in an allocation of its own, for keeping it long: a line out of the codec
    /// keeps the buffer that it was read into, and that holds its neighbours too.
    #[must_use]
    pub fn detach(self) -> Self {
        Self {
            raw: Bytes::copy_from_slice(&self.raw),
            ..self
        }
    }
}

/// Shows the number and the length, not the bytes: they may hold secrets.
impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line")
            .field("number", &self.number)
            .field("length", &self.raw.len())
            .finish_non_exhaustive()
    }
}

/// What [`LineCodec`](crate::LineCodec) and [`Lines`](crate::Lines) give: one item a line that is
/// not blank.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineItem {
    /// A line within the limit.
    Line(Line),
    /// A line over the limit, of which only the ends were kept.
    TooLong(TooLong),
}

impl LineItem {
    /// The line's number in the stream, counted from 1.
    pub fn number(&self) -> u64 {
        match self {
            Self::Line(line) => line.number,
            Self::TooLong(long) => long.line,
        }
    }
}

/// A line over the limit: skipped, but told of. Sent once the whole line has gone by.
///
/// Head and tail are there to find out what was lost: the CLI writes the `type` of a message near
/// its start or near its end. They overlap if the line is shorter than both together.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is {length} bytes long, the limit is {limit}")]
#[non_exhaustive]
pub struct TooLong {
    /// Its number in the stream, counted from 1.
    pub line: u64,
    /// How long it was, in bytes, without the line ending.
    pub length: u64,
    /// The limit that it exceeded, in bytes.
    pub limit: usize,
    /// Its first bytes: [`EXCERPT`](crate::EXCERPT), or all of a shorter line.
    pub head: Bytes,
    /// Its last bytes: [`EXCERPT`](crate::EXCERPT), or all of a shorter line.
    pub tail: Bytes,
}

impl TooLong {
    /// A line of `length` bytes that exceeds `limit`, with its first and last bytes.
    pub fn new(line: u64, length: u64, limit: usize, head: Bytes, tail: Bytes) -> Self {
        Self {
            line,
            length,
            limit,
            head,
            tail,
        }
    }

    /// The line's start as text that can be shown: at most `max` bytes of it, with control
    /// characters escaped and what is missing counted. It may hold secrets.
    pub fn excerpt(&self, max: usize) -> String {
        excerpt(&self.head, self.length, max)
    }
}

/// Shows the numbers, not the bytes: they may hold secrets.
impl fmt::Debug for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TooLong")
            .field("line", &self.line)
            .field("length", &self.length)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
