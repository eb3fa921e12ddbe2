//! Encodes values as lines.

use std::io;

use bytes::{BufMut as _, Bytes, BytesMut};
use claw_types::{Frame, ToLine};
use memchr::memchr;
use tokio_util::codec::Encoder;

use crate::LineCodec;

mod edit;

/// The reason why a value could not be written as a line. No part of the value was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The value has no JSON form, because it contains a path that is not UTF-8.
    #[error("the value cannot be written as JSON")]
    Json(#[source] serde_json::Error),
    /// The bytes to be written contain a line feed, so they are more than one line.
    #[error("not one line: a line feed stands at byte {at}")]
    NotOneLine {
        /// The position of the line feed in bytes, counted from 0.
        at: usize,
    },
    /// The writer failed. This error comes from [`FramedWrite`](tokio_util::codec::FramedWrite), not from a codec.
    #[error("writing a line failed")]
    Io(#[from] io::Error),
}

impl EncodeError {
    /// Whether the error is a failure of the writer, not of the encoding.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io(_))
    }
}

/// Writes a value as one line of JSON, without a line ending, as [`claw_types::to_line`] does.
///
/// # Errors
///
/// Fails with [`EncodeError::Json`] if the value has no JSON form, and with [`EncodeError::NotOneLine`] if an
/// application's own implementation of [`ToLine`] writes a line feed.
pub fn to_line<T: ToLine + ?Sized>(value: &T) -> Result<Bytes, EncodeError> {
    let line = claw_types::to_line(value).map_err(EncodeError::Json)?;
    one_line(&line)?;
    Ok(line.into())
}

/// Returns a frame as one line, without a line ending. If the frame was not changed, the line consists of the exact
/// bytes from which the frame was read. They are shared, not copied. If the frame was changed, the members that changed
/// are replaced in place: all other bytes of the line, the order of its keys and its white space stay as they were. A
/// new member is added behind the others of its object. A line that is not valid UTF-8 is written as by [`to_line`].
///
/// # Errors
///
/// Fails with the same errors as [`to_line`]. Also fails with [`EncodeError::NotOneLine`] for a frame that was put
/// together by hand and whose bytes contain a line feed. A line from a codec never contains a line feed.
pub fn frame_line<T: ToLine>(frame: &Frame<T, Bytes>) -> Result<Bytes, EncodeError> {
    if let Some(raw) = frame.raw_buffer() {
        one_line(raw)?;
        return Ok(raw.clone());
    }
    let line = to_line(frame.value())?;
    Ok(edit::edited(frame.original(), &line).map_or(line, Bytes::from))
}

fn one_line(line: &[u8]) -> Result<(), EncodeError> {
    memchr(b'\n', line).map_or(Ok(()), |at| Err(EncodeError::NotOneLine { at }))
}

/// Encodes a line. The line must be given without its line ending, and the codec adds the line ending.
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

/// Encodes a line. The line must be given without its line ending, and the codec adds the line ending.
impl Encoder<Bytes> for LineCodec {
    type Error = EncodeError;

    fn encode(&mut self, line: Bytes, dst: &mut BytesMut) -> Result<(), EncodeError> {
        self.encode(&line[..], dst)
    }
}

/// Encodes a frame as [`frame_line`] does.
impl<T: ToLine> Encoder<&Frame<T, Bytes>> for LineCodec {
    type Error = EncodeError;

    fn encode(&mut self, frame: &Frame<T, Bytes>, dst: &mut BytesMut) -> Result<(), EncodeError> {
        self.encode(frame_line(frame)?, dst)
    }
}

#[cfg(test)]
mod tests;
