//! Cuts bytes into lines.

use std::{io, mem};

use bytes::{Buf as _, BytesMut};
use memchr::memchr;
use tokio_util::codec::Decoder;

use crate::skip::Skip;
use crate::{DEFAULT_LIMIT, Line, LineItem, READ_BUFFER};

pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// With less room than this, the read buffer is renewed: many tiny reads cost more.
const SHORT_READ: usize = READ_BUFFER / 8;

/// Splits bytes into lines, for [`FramedRead`](tokio_util::codec::FramedRead), and writes values that are already
/// lines: `Bytes`, `&[u8]`, `&Frame`. [The crate](crate) defines what a line is, how bad lines are handled and how
/// memory is used.
///
/// The codec looks at every byte only once, even if the input arrives in small pieces. If a file grows after its end
/// was reached, the codec can continue to read it, and the line numbers continue.
///
/// ```
/// use claw_codec::{LineCodec, LineItem};
/// use futures::StreamExt as _;
/// use tokio_util::codec::FramedRead;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let mut lines = FramedRead::new(&b"{\"a\":1}\n{\"b\":2}"[..], LineCodec::new());
/// while let Some(item) = lines.next().await {
///     match item? {
///         LineItem::Line(line) => assert!(line.raw.starts_with(b"{")),
///         LineItem::TooLong(long) => panic!("{long}"),
///         _ => {}
///     }
/// }
/// # Ok::<(), std::io::Error>(()) })?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Cancel safety
///
/// The future of `FramedRead::next` may be dropped at any time: the part of a line that was read stays in the buffer of
/// the `FramedRead` and in the codec.
#[derive(Debug, Clone)]
pub struct LineCodec {
    limit: usize,
    /// The number of complete lines, blank ones included.
    count: u64,
    /// The length of the buffer's beginning that is known to contain no line ending.
    scanned: usize,
    /// The line over the limit that is passing.
    skip: Option<Skip>,
    /// Whether the first three bytes have been checked.
    started: bool,
}

impl LineCodec {
    /// Creates a codec for the start of a stream, with [`DEFAULT_LIMIT`].
    pub fn new() -> Self {
        Self {
            limit: DEFAULT_LIMIT,
            count: 0,
            scanned: 0,
            skip: None,
            started: false,
        }
    }

    /// Sets the maximum length of a line, in bytes without the line ending.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Returns the maximum length of a line, in bytes without the line ending.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Drops the byte order mark. Returns `false` while only a part of the mark has arrived.
    fn start(&mut self, src: &mut BytesMut) -> bool {
        if src.starts_with(BOM) {
            src.advance(BOM.len());
        } else if BOM.starts_with(src) {
            return false;
        }
        self.started = true;
        true
    }

    /// Whether the next line is an ordinary one: not the first, and not the rest of one over the limit.
    fn is_amid(&self) -> bool {
        self.started && self.skip.is_none()
    }

    /// Returns the next item, for a line of any kind. Never inlined: where two ways of making an item meet, each item
    /// would be moved a second time.
    #[inline(never)]
    fn next(&mut self, src: &mut BytesMut) -> Option<LineItem> {
        if !self.started && !self.start(src) {
            return None;
        }
        while let Some(at) = memchr(b'\n', &src[self.scanned..]) {
            let item = self.finish(src, self.scanned + at, 1);
            if item.is_some() {
                return item;
            }
        }
        self.wait(src);
        None
    }

    /// Ends the line that is the first `end` bytes of `src`, with `ending` bytes after it to drop.
    fn finish(&mut self, src: &mut BytesMut, end: usize, ending: usize) -> Option<LineItem> {
        self.scanned = 0;
        self.started = true;
        self.count += 1;
        if let Some(mut skip) = self.skip.take() {
            skip.push(&src[..end]);
            src.advance(end + ending);
            return Some(LineItem::TooLong(skip.finish(self.count, self.limit)));
        }
        let mut raw = cut(src, end, ending);
        let content = raw.strip_suffix(b"\r").unwrap_or(&raw);
        let length = content.len();
        if length > self.limit {
            let long = Skip::start(&raw).finish(self.count, self.limit);
            return Some(LineItem::TooLong(long));
        }
        if content.iter().all(|byte| b" \t\r".contains(byte)) {
            return None;
        }
        raw.truncate(length);
        Some(LineItem::Line(Line {
            cut: ending == 0,
            ..Line::new(self.count, raw.freeze())
        }))
    }

    /// Makes room for more of a line to which all of `src` belongs.
    fn wait(&mut self, src: &mut BytesMut) {
        if let Some(skip) = &mut self.skip {
            skip.push(src);
            src.clear();
        } else if src.len() > self.limit.saturating_add(1) {
            // Even if its last byte is half of a line ending, the line is too long.
            self.skip = Some(Skip::start(src));
            *src = BytesMut::with_capacity(READ_BUFFER);
        }
        self.scanned = src.len();
        make_room(src);
    }
}

/// Makes room for more of a line.
pub(crate) fn make_room(src: &mut BytesMut) {
    if src.capacity() - src.len() < SHORT_READ {
        // Up to the usual size, or to the double, so that a long line is seldom moved.
        src.reserve(src.len().max(READ_BUFFER.saturating_sub(src.len())));
    }
}

/// Takes the first `end` bytes out of `src`, and drops `ending` bytes after them.
///
/// A line longer than the usual read buffer has made it grow. It leaves with that buffer, and the bytes after it move
/// to a new one, so that neither short lines nor the codec keep it. If there are more bytes after the line than in it,
/// they are not moved, because that would cost more than reading did.
fn cut(src: &mut BytesMut, end: usize, ending: usize) -> BytesMut {
    let rest = src.len() - end - ending;
    if end > READ_BUFFER && rest <= end {
        let mut next = BytesMut::with_capacity(READ_BUFFER.max(rest));
        next.extend_from_slice(&src[end + ending..]);
        let mut line = mem::replace(src, next);
        line.truncate(end);
        line
    } else {
        let line = src.split_to(end);
        src.advance(ending);
        line
    }
}

impl Default for LineCodec {
    fn default() -> Self {
        Self::new()
    }
}

/// Decodes lines. Decoding itself never fails: lines over the limit become items, and all errors come from the reader.
impl Decoder for LineCodec {
    type Item = LineItem;
    type Error = io::Error;

    #[inline]
    fn decode(&mut self, src: &mut BytesMut) -> io::Result<Option<LineItem>> {
        if !self.is_amid() {
            return Ok(self.next(src));
        }
        match memchr(b'\n', &src[self.scanned..]) {
            None => self.scanned = src.len(),
            Some(at) => {
                let end = self.scanned + at;
                if end <= self.limit.min(READ_BUFFER) && src[0] > b' ' {
                    // Nearly every line. It is made where it is returned, because moving it would take longer than all
                    // the rest.
                    self.scanned = 0;
                    self.count += 1;
                    let length = end - usize::from(src[end - 1] == b'\r');
                    let mut raw = src.split_to(end + 1);
                    raw.truncate(length);
                    return Ok(Some(LineItem::Line(Line {
                        number: self.count,
                        raw: raw.freeze(),
                        cut: false,
                    })));
                }
                self.scanned = end;
            }
        }
        Ok(self.next(src))
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> io::Result<Option<LineItem>> {
        if let Some(item) = self.decode(src)? {
            return Ok(Some(item));
        }
        if src.is_empty() && self.skip.is_none() {
            return Ok(None);
        }
        Ok(self.finish(src, src.len(), 0))
    }
}

#[cfg(test)]
mod tests;
