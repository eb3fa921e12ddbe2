//! Bytes to lines that can be passed on byte for byte.

use std::io;

use bytes::{Bytes, BytesMut};
use memchr::memchr;
use tokio_util::codec::Decoder;

use crate::line_codec::{BOM, make_room};
use crate::{DEFAULT_LIMIT, Line};

/// Cuts bytes into [`Piece`]s, for programs that pass a stream on: **all the pieces, one behind the
/// other, are exactly the bytes that came**. Line endings, blank lines, a byte order mark, bytes
/// that are not UTF-8, a last line without an ending and lines over the limit are all in them.
///
/// A line is one piece, and [`Piece::line`] gives it as [`LineCodec`](crate::LineCodec) would, with
/// the same number. A line over the limit passes as several pieces, none of them a line, so that
/// memory stays bounded: by the limit and one read.
///
/// ```
/// use claw_codec::{ExactCodec, decode_line, frame_line, FrameItem};
/// use claw_types::StdoutMessage;
/// use futures::StreamExt as _;
/// use tokio_util::codec::FramedRead;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let input = &b"\xEF\xBB\xBF{\"type\":\"keep_alive\"}\r\n\r\nstray text"[..];
/// let mut pieces = FramedRead::new(input, ExactCodec::new());
/// let (mut output, mut frames) = (Vec::new(), 0);
/// while let Some(piece) = pieces.next().await {
///     let piece = piece?;
///     if let Some(line) = piece.line()
///         && let FrameItem::Frame(_) = decode_line::<StdoutMessage>(line)
///     {
///         frames += 1;
///     }
///     output.extend_from_slice(&piece.bytes);
/// }
/// assert_eq!((&output[..], frames), (input, 1));
/// # Ok::<(), std::io::Error>(()) })?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Cancel safety
///
/// As [`LineCodec`](crate::LineCodec): `FramedRead::next` may be dropped at any time.
#[derive(Debug, Clone)]
pub struct ExactCodec {
    limit: usize,
    /// Lines that are over.
    count: u64,
    /// Bytes that were given out.
    offset: u64,
    /// How much of the buffer is known to hold no line ending.
    scanned: usize,
    /// A line over the limit is going by.
    is_long: bool,
    /// Whether the stream begins with a byte order mark is known.
    started: bool,
}

/// Part of a stream, as it came. Made by [`ExactCodec`] and [`Pieces`](crate::Pieces).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// The bytes: a line with its ending, and with the byte order mark if the stream begins with
    /// one; or a part of a line over the limit. Never empty.
    pub bytes: Bytes,
    /// The number of the line that it belongs to, counted from 1, blank lines included: the
    /// number that [`LineCodec`](crate::LineCodec) gives it.
    pub number: u64,
    /// Where its first byte stands in the stream, counted from 0.
    pub offset: u64,
    /// It belongs to a line over the limit.
    is_long: bool,
    /// How many of its bytes stand before the line.
    bom: usize,
}

impl Piece {
    /// The line, without ending and byte order mark, as [`LineCodec`](crate::LineCodec) gives it.
    /// `None` for a blank line, and for a line over the limit.
    pub fn line(&self) -> Option<Line> {
        if self.is_long {
            return None;
        }
        let content = self.bytes.slice(self.content());
        if content.iter().all(|byte| b" \t\r".contains(byte)) {
            return None;
        }
        Some(Line {
            cut: !self.bytes.ends_with(b"\n"),
            ..Line::new(self.number, content)
        })
    }

    /// Whether it belongs to a line over the limit, which passes unread.
    pub fn is_too_long(&self) -> bool {
        self.is_long
    }

    /// The bytes to pass on where `line`, given without an ending, replaces the line: with the
    /// ending that the line had, and behind the byte order mark if there is one.
    ///
    /// A piece of a line over the limit has no line to be replaced: its own bytes are returned.
    pub fn with_line(&self, line: &[u8]) -> Bytes {
        if self.is_long {
            return self.bytes.clone();
        }
        let content = self.content();
        let parts = [
            &self.bytes[..content.start],
            line,
            &self.bytes[content.end..],
        ];
        parts.concat().into()
    }

    fn content(&self) -> std::ops::Range<usize> {
        let line = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // The mark ends neither with `\r` nor with `\n`.
        self.bom..line.len()
    }
}

/// Shows the numbers, not the bytes: they may hold secrets.
impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Piece")
            .field("number", &self.number)
            .field("offset", &self.offset)
            .field("length", &self.bytes.len())
            .field("is_too_long", &self.is_long)
            .finish_non_exhaustive()
    }
}

impl ExactCodec {
    /// A codec for the start of a stream, with [`DEFAULT_LIMIT`].
    pub fn new() -> Self {
        Self {
            limit: DEFAULT_LIMIT,
            count: 0,
            offset: 0,
            scanned: 0,
            is_long: false,
            started: false,
        }
    }

    /// Takes lines of up to `limit` bytes whole, the line ending not counted. Longer ones pass in
    /// parts.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Gives out the first `end` bytes, which end a line if `is_end`.
    fn give(&mut self, src: &mut BytesMut, end: usize, bom: usize, is_end: bool) -> Piece {
        let mut piece = Piece {
            bytes: src.split_to(end).freeze(),
            number: self.count + 1,
            offset: self.offset,
            is_long: self.is_long,
            bom,
        };
        // A line that came whole may be too long all the same.
        piece.is_long |= piece.content().len() > self.limit;
        self.offset += end as u64;
        self.scanned = 0;
        self.started = true;
        self.count += u64::from(is_end);
        self.is_long = piece.is_long && !is_end;
        piece
    }

    /// How long the byte order mark at the start of `src` is.
    fn bom(&self, src: &[u8]) -> usize {
        if !self.started && src.starts_with(BOM) {
            BOM.len()
        } else {
            0
        }
    }
}

impl Default for ExactCodec {
    fn default() -> Self {
        Self::new()
    }
}

/// The error is never the codec's own.
impl Decoder for ExactCodec {
    type Item = Piece;
    type Error = io::Error;

    fn decode(&mut self, src: &mut BytesMut) -> io::Result<Option<Piece>> {
        let bom = self.bom(src);
        if let Some(at) = memchr(b'\n', &src[self.scanned..]) {
            let end = self.scanned + at + 1;
            return Ok(Some(self.give(src, end, bom, true)));
        }
        self.scanned = src.len();
        let is_bom = !self.started && BOM.starts_with(src);
        // Even if its last byte is half of a line ending, the line is too long.
        let is_over = !is_bom && src.len() - bom > self.limit.saturating_add(1);
        let piece = (!src.is_empty() && (self.is_long || is_over))
            .then(|| self.give(src, src.len(), bom, false));
        make_room(src);
        Ok(piece)
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> io::Result<Option<Piece>> {
        if let Some(piece) = self.decode(src)? {
            return Ok(Some(piece));
        }
        if src.is_empty() {
            // The line over the limit that was going by ends here.
            self.count += u64::from(std::mem::take(&mut self.is_long));
            return Ok(None);
        }
        let bom = self.bom(src);
        // A byte order mark alone is no line.
        let is_line = src.len() > bom;
        Ok(Some(self.give(src, src.len(), bom, is_line)))
    }
}

#[cfg(test)]
mod tests;
