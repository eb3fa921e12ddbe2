//! Values to lines.

use std::io;

use bytes::{BufMut as _, Bytes, BytesMut};
use claw_types::Frame;
use memchr::{memchr, memchr2_iter, memmem};
use serde::Serialize;
use tokio_util::codec::Encoder;

use crate::LineCodec;

/// Why something could not be written as a line. Nothing of it has been written then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The value could not be made JSON: its `Serialize` failed, or a map's keys are no strings.
    #[error("the value cannot be written as JSON")]
    Json(#[source] serde_json::Error),
    /// The bytes hold a line feed, so they are more than one line.
    #[error("not one line: a line feed stands at byte {at}")]
    NotOneLine {
        /// Where, counted from 0.
        at: usize,
    },
    /// The writer failed: from [`FramedWrite`](tokio_util::codec::FramedWrite), not from a codec.
    #[error("writing a line failed")]
    Io(#[from] io::Error),
}

impl EncodeError {
    /// The writer failed, not the message.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io(_))
    }
}

/// A value as one line of JSON, without a line ending.
///
/// One line for every reader: raw JSON inside the value is put on one line, and U+2028 and U+2029,
/// which some readers take for line endings, are written as escapes.
///
/// ```
/// let line = claw_codec::to_line(&["two\nlines\u{2028}"])?;
/// assert_eq!(line, r#"["two\nlines\u2028"]"#);
/// # Ok::<(), claw_codec::EncodeError>(())
/// ```
pub fn to_line<T: Serialize + ?Sized>(value: &T) -> Result<Bytes, EncodeError> {
    let mut line = BytesMut::new();
    write_json(value, &mut line)?;
    Ok(line.freeze())
}

/// A frame as one line, without a line ending: the very bytes that it came with, shared, if
/// nobody changed it, otherwise as [`to_line`] writes its value.
///
/// # Errors
///
/// [`EncodeError::NotOneLine`] only for a frame that was put together by hand: a line out of a
/// codec holds no line feed.
pub fn frame_line<T: Serialize>(frame: &Frame<T, Bytes>) -> Result<Bytes, EncodeError> {
    match frame.raw_buffer() {
        Some(raw) => {
            one_line(raw)?;
            Ok(raw.clone())
        }
        None => to_line(frame.value()),
    }
}

/// Appends `value` to `dst` as JSON that is one line for every reader. On an error `dst` is as it
/// was.
pub(crate) fn write_json<T: Serialize + ?Sized>(
    value: &T,
    dst: &mut BytesMut,
) -> Result<(), EncodeError> {
    let start = dst.len();
    if let Err(error) = serde_json::to_writer((&mut *dst).writer(), value) {
        dst.truncate(start);
        return Err(EncodeError::Json(error));
    }
    // serde_json escapes them in strings, so these stand between the tokens of raw JSON, where
    // they mean no more than a space.
    let breaks: Vec<usize> = memchr2_iter(b'\n', b'\r', &dst[start..]).collect();
    for at in breaks {
        dst[start + at] = b' ';
    }
    escape_separators(dst, start);
    Ok(())
}

/// Writes U+2028 and U+2029 behind `start`, which only strings can hold, as their escapes.
fn escape_separators(dst: &mut BytesMut, start: usize) {
    let separator = |tail: &[u8]| match tail.get(2) {
        Some(0xA8) => Some(b"\\u2028"),
        Some(0xA9) => Some(b"\\u2029"),
        _ => None,
    };
    let text = &dst[start..];
    let mut found = memmem::find_iter(text, b"\xE2\x80")
        .filter_map(|at| Some((at, separator(&text[at..])?)))
        .peekable();
    if found.peek().is_none() {
        return;
    }
    let mut escaped = Vec::with_capacity(text.len() + 64);
    let mut done = 0;
    for (at, escape) in found {
        escaped.extend_from_slice(&text[done..at]);
        escaped.extend_from_slice(escape);
        done = at + 3;
    }
    escaped.extend_from_slice(&text[done..]);
    dst.truncate(start);
    dst.extend_from_slice(&escaped);
}

fn one_line(line: &[u8]) -> Result<(), EncodeError> {
    memchr(b'\n', line).map_or(Ok(()), |at| Err(EncodeError::NotOneLine { at }))
}

/// A line without its ending, which is added.
impl Encoder<&[u8]> for LineCodec {
    type Error = EncodeError;

    fn encode(&mut self, line: &[u8], dst: &mut BytesMut) -> Result<(), EncodeError> {
        one_line(line)?;
        dst.reserve(line.len() + 1);
        dst.extend_from_slice(line);
        dst.put_u8(b'\n');
        Ok(())
    }
}

/// A line without its ending, which is added.
impl Encoder<Bytes> for LineCodec {
    type Error = EncodeError;

    fn encode(&mut self, line: Bytes, dst: &mut BytesMut) -> Result<(), EncodeError> {
        self.encode(&line[..], dst)
    }
}

/// A frame, sent on as [`frame_line`] says.
impl<T: Serialize> Encoder<&Frame<T, Bytes>> for LineCodec {
    type Error = EncodeError;

    fn encode(&mut self, frame: &Frame<T, Bytes>, dst: &mut BytesMut) -> Result<(), EncodeError> {
        self.encode(frame_line(frame)?, dst)
    }
}

#[cfg(test)]
mod tests;
