//! Lines, frames and pieces from a blocking reader, without an async runtime.

use std::fmt;
use std::io::{self, BufRead};
use std::iter::FusedIterator;
use std::marker::PhantomData;

use bytes::BytesMut;
use claw_types::FromLine;
use tokio_util::codec::Decoder;

use crate::{ExactCodec, FrameItem, LineCodec, LineItem, Piece, READ_BUFFER};

/// An iterator over the lines of a blocking reader. It returns the same items as [`LineCodec`].
///
/// All errors come from the reader. The iterator ends after an error, and at the end of the stream. Reads that were
/// interrupted by a signal are retried.
pub struct Lines<R>(Items<R, LineCodec>);

/// An iterator over the pieces of a blocking reader. It returns the same items as [`ExactCodec`]. It ends after an
/// error, and at the end of the stream, as [`Lines`] does.
pub struct Pieces<R>(Items<R, ExactCodec>);

/// The items that a codec makes from a reader.
struct Items<R, C> {
    reader: R,
    codec: C,
    buffer: BytesMut,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Reading,
    /// The reader has ended; the buffer may contain more.
    Ending,
    Done,
}

impl<R: BufRead> Lines<R> {
    /// Creates an iterator over the lines of `reader`, with [`DEFAULT_LIMIT`](crate::DEFAULT_LIMIT).
    pub fn new(reader: R) -> Self {
        Self::with_codec(reader, LineCodec::new())
    }

    /// Creates an iterator that splits the bytes of `reader` with `codec`. The codec's limit applies, and line numbers
    /// continue from the codec's current line number.
    pub fn with_codec(reader: R, codec: LineCodec) -> Self {
        Self(Items::new(reader, codec))
    }
}

impl<R: BufRead> Pieces<R> {
    /// Creates an iterator over the pieces of `reader`, with [`DEFAULT_LIMIT`](crate::DEFAULT_LIMIT).
    pub fn new(reader: R) -> Self {
        Self::with_codec(reader, ExactCodec::new())
    }

    /// Creates an iterator that splits the bytes of `reader` with `codec`. The codec's limit applies, and line numbers
    /// continue from the codec's current line number.
    pub fn with_codec(reader: R, codec: ExactCodec) -> Self {
        Self(Items::new(reader, codec))
    }
}

impl<R: BufRead, C: Decoder<Error = io::Error>> Items<R, C> {
    fn new(reader: R, codec: C) -> Self {
        let buffer = BytesMut::with_capacity(READ_BUFFER);
        Self {
            reader,
            codec,
            buffer,
            state: State::Reading,
        }
    }

    /// Reads once, as much as there is room for; the codec makes room. `false` at the end.
    fn read(&mut self) -> io::Result<bool> {
        let chunk = loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        let room = self.buffer.capacity() - self.buffer.len();
        let taken = chunk.len().min(room);
        self.buffer.extend_from_slice(&chunk[..taken]);
        self.reader.consume(taken);
        Ok(taken > 0)
    }

    fn try_next(&mut self) -> io::Result<Option<C::Item>> {
        while self.state == State::Reading {
            if let Some(item) = self.codec.decode(&mut self.buffer)? {
                return Ok(Some(item));
            }
            if !self.read()? {
                self.state = State::Ending;
            }
        }
        if self.state == State::Ending
            && let Some(item) = self.codec.decode_eof(&mut self.buffer)?
        {
            return Ok(Some(item));
        }
        self.state = State::Done;
        Ok(None)
    }

    fn next(&mut self) -> Option<io::Result<C::Item>> {
        let item = self.try_next();
        if item.is_err() {
            self.state = State::Done;
        }
        item.transpose()
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<LineItem>;

    fn next(&mut self) -> Option<io::Result<LineItem>> {
        self.0.next()
    }
}

impl<R: BufRead> FusedIterator for Lines<R> {}

impl<R: BufRead> Iterator for Pieces<R> {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<io::Result<Piece>> {
        self.0.next()
    }
}

impl<R: BufRead> FusedIterator for Pieces<R> {}

impl<R: fmt::Debug, C: fmt::Debug> Items<R, C> {
    /// Does not show what has been read, which may contain secrets.
    fn debug(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("reader", &self.reader)
            .field("codec", &self.codec)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl<R: fmt::Debug> fmt::Debug for Lines<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug("Lines", f)
    }
}

impl<R: fmt::Debug> fmt::Debug for Pieces<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug("Pieces", f)
    }
}

/// Reads the lines of a reader as values of type `T`, without an async runtime. The iterator returns the same items as
/// [`FrameCodec`](crate::FrameCodec). The iterator ends after an error, and at the end of the stream, as [`Lines`]
/// does.
#[derive(Debug)]
pub struct Frames<T, R> {
    lines: Lines<R>,
    reads: PhantomData<fn() -> T>,
}

impl<T: FromLine, R: BufRead> Frames<T, R> {
    /// Creates an iterator over the frames of `reader`, with [`DEFAULT_LIMIT`](crate::DEFAULT_LIMIT).
    pub fn new(reader: R) -> Self {
        Lines::new(reader).into()
    }
}

/// Creates an iterator that reads the remaining lines of a [`Lines`] iterator as values of type `T`.
impl<T: FromLine, R: BufRead> From<Lines<R>> for Frames<T, R> {
    fn from(lines: Lines<R>) -> Self {
        Self {
            lines,
            reads: PhantomData,
        }
    }
}

impl<T: FromLine, R: BufRead> Iterator for Frames<T, R> {
    type Item = io::Result<FrameItem<T>>;

    fn next(&mut self) -> Option<io::Result<FrameItem<T>>> {
        Some(self.lines.next()?.map(FrameItem::from))
    }
}

impl<T: FromLine, R: BufRead> FusedIterator for Frames<T, R> {}
