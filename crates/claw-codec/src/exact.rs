//! Cuts bytes into lines that can be passed on byte for byte.

use std::io;

use bytes::{Bytes, BytesMut};
use memchr::memchr;
use tokio_util::codec::Decoder;

use crate::line_codec::{BOM, make_room};
use crate::{DEFAULT_LIMIT, Line};

/// Splits bytes into [`Piece`]s, for programs that forward a stream: **all the pieces in sequence are exactly the bytes
/// that were read**. They include line endings, blank lines, a byte order mark, invalid UTF-8, a last line without an
/// ending, and lines over the limit.
///
/// A line within the limit is one piece. [`Piece::line`] returns the line as [`LineCodec`](crate::LineCodec) does, with
/// the same line number. A longer line becomes several pieces, for which [`Piece::line`] returns `None`. So the memory
/// that the codec uses is bounded by the limit and the size of one read.
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
/// Cancel safety is the same as for [`LineCodec`](crate::LineCodec): the future of `FramedRead::next` may be dropped at
/// any time.
#[derive(Debug, Clone)]
pub struct ExactCodec {
    limit: usize,
    /// The number of complete lines.
    count: u64,
    /// The number of bytes that were returned.
    offset: u64,
    /// The length of the buffer's beginning that is known to contain no line ending.
    scanned: usize,
    /// Whether a line over the limit is passing.
    is_long: bool,
    /// Whether it is known if the stream begins with a byte order mark.
    started: bool,
}

/// A part of a stream, exactly as it was read. Returned by [`ExactCodec`] and [`Pieces`](crate::Pieces).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Piece {
    /// The bytes of the piece, which is never empty. A piece is either a whole line with its line ending, or a part of
    /// a line over the limit. If the stream begins with a byte order mark, the first piece contains it.
    pub bytes: Bytes,
    /// The number of the line to which the piece belongs. Lines are counted from 1, blank lines included, as
    /// [`LineCodec`](crate::LineCodec) counts them.
    pub number: u64,
    /// The position of the piece's first byte in the stream, counted from 0.
    pub offset: u64,
    /// Whether the piece belongs to a line over the limit.
    is_long: bool,
    /// The number of bytes before the line.
    bom: usize,
}

impl Piece {
    /// Returns the line, without line ending and byte order mark, as [`LineCodec`](crate::LineCodec) returns it. `None`
    /// for a blank line and for a line over the limit.
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

    /// Whether the piece belongs to a line over the limit. Such a line cannot be read.
    pub fn is_too_long(&self) -> bool {
        self.is_long
    }

    /// Returns the piece's bytes, but with `line` in place of the piece's own line. Pass `line` without a line ending.
    /// The line ending and the byte order mark of the piece are kept.
    ///
    /// If the piece belongs to a line over the limit, no line can be replaced, and the piece's own bytes are returned.
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

/// Shows the line number, the offset and the length of the piece, but not its bytes, because they may contain secrets.
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
    /// Creates a codec for the start of a stream, with [`DEFAULT_LIMIT`].
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

    /// Sets the maximum length of a line, in bytes without the line ending. A longer line becomes several pieces.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Returns the first `end` bytes, which end a line if `is_end`.
    fn split_piece(&mut self, src: &mut BytesMut, end: usize, bom: usize, is_end: bool) -> Piece {
        let mut piece = Piece {
            bytes: src.split_to(end).freeze(),
            number: self.count + 1,
            offset: self.offset,
            is_long: self.is_long,
            bom,
        };
        // A line that was read as a whole can still be over the limit.
        piece.is_long |= piece.content().len() > self.limit;
        self.offset += end as u64;
        self.scanned = 0;
        self.started = true;
        self.count += u64::from(is_end);
        self.is_long = piece.is_long && !is_end;
        piece
    }

    /// The length of the byte order mark at the start of `src`.
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

/// Decodes pieces. Decoding itself never fails: all errors come from the reader.
impl Decoder for ExactCodec {
    type Item = Piece;
    type Error = io::Error;

    fn decode(&mut self, src: &mut BytesMut) -> io::Result<Option<Piece>> {
        let bom = self.bom(src);
        if let Some(at) = memchr(b'\n', &src[self.scanned..]) {
            let end = self.scanned + at + 1;
            return Ok(Some(self.split_piece(src, end, bom, true)));
        }
        self.scanned = src.len();
        let is_bom = !self.started && BOM.starts_with(src);
        // Even if its last byte is half of a line ending, the line is too long.
        let is_too_long = !is_bom && src.len() - bom > self.limit.saturating_add(1);
        let piece = (!src.is_empty() && (self.is_long || is_too_long))
            .then(|| self.split_piece(src, src.len(), bom, false));
        make_room(src);
        Ok(piece)
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> io::Result<Option<Piece>> {
        if let Some(piece) = self.decode(src)? {
            return Ok(Some(piece));
        }
        if src.is_empty() {
            // The line over the limit that was passing ends here.
            self.count += u64::from(std::mem::take(&mut self.is_long));
            return Ok(None);
        }
        let bom = self.bom(src);
        // A byte order mark alone is not a line.
        let is_line = src.len() > bom;
        Ok(Some(self.split_piece(src, src.len(), bom, is_line)))
    }
}

#[cfg(test)]
mod tests;
