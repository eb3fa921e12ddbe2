//! Reads bytes as typed frames.

use std::io;
use std::marker::PhantomData;

use bytes::BytesMut;
use claw_types::{FromLine, ToLine};
use tokio_util::codec::{Decoder, Encoder};

use crate::{EncodeError, FrameItem, LineCodec, to_line};

/// Reads every line as a `T`, and writes any value as a line.
///
/// The codec is [`LineCodec`] followed by [`decode_line`](crate::decode_line). Their documentation and [the crate's
/// documentation](crate) also apply to this codec. Text on the stream that is not JSON, such as a debug line from a
/// library, becomes a [`FrameItem::Malformed`]. The lines after it still arrive.
pub struct FrameCodec<T> {
    lines: LineCodec,
    // A codec makes values of `T` and holds none: it is Send and Sync for every `T`.
    reads: PhantomData<fn() -> T>,
}

impl<T> FrameCodec<T> {
    /// Creates a codec for the start of a stream, with [`DEFAULT_LIMIT`](crate::DEFAULT_LIMIT).
    pub fn new() -> Self {
        LineCodec::new().into()
    }

    /// Sets the maximum length of a line, in bytes without the line ending.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        self.lines.with_limit(limit).into()
    }
}

/// Creates a codec that continues at the position in the stream where the line codec stopped, with the same limit.
impl<T> From<LineCodec> for FrameCodec<T> {
    fn from(lines: LineCodec) -> Self {
        Self {
            lines,
            reads: PhantomData,
        }
    }
}

impl<T> Default for FrameCodec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for FrameCodec<T> {
    fn clone(&self) -> Self {
        self.lines.clone().into()
    }
}

impl<T> std::fmt::Debug for FrameCodec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrameCodec")
            .field("lines", &self.lines)
            .finish()
    }
}

/// Decodes frames. Decoding itself never fails: bad lines become items, and all errors come from the reader.
impl<T: FromLine> Decoder for FrameCodec<T> {
    type Item = FrameItem<T>;
    type Error = io::Error;

    fn decode(&mut self, src: &mut BytesMut) -> io::Result<Option<FrameItem<T>>> {
        Ok(self.lines.decode(src)?.map(FrameItem::from))
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> io::Result<Option<FrameItem<T>>> {
        Ok(self.lines.decode_eof(src)?.map(FrameItem::from))
    }
}

/// Encodes any value of the protocol, as [`to_line`](crate::to_line) does. To write frames unchanged, use
/// [`LineCodec`].
impl<T, M: ToLine> Encoder<M> for FrameCodec<T> {
    type Error = EncodeError;

    fn encode(&mut self, message: M, dst: &mut BytesMut) -> Result<(), EncodeError> {
        self.lines.encode(to_line(&message)?, dst)
    }
}
