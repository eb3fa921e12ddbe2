//! A connection as lines.

use std::fmt;
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use claw_codec::{LineCodec, LineItem};
use futures::Stream;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_util::codec::Decoder;

use crate::Process;

/// How much is read from the pipe at once.
const READ: usize = 64 * 1024;

/// An open connection, as lines. Its two directions never wait for each other.
#[derive(Debug)]
#[non_exhaustive]
pub struct Parts {
    /// The process at the other end. (First, as in [`Pipes`](crate::Pipes).)
    pub process: Process,
    /// The lines that the CLI writes.
    pub incoming: Incoming,
    /// The lines that it is sent.
    pub outgoing: Outgoing,
}

/// The lines that the CLI writes to stdout, until it, and all that inherited its stdout, have
/// closed it.
///
/// An error is one of the pipe; a line that cannot be read is an item.
pub struct Incoming {
    /// `None` at its end.
    reader: Option<Box<dyn AsyncRead + Send + Unpin>>,
    codec: LineCodec,
    buffer: BytesMut,
}

impl Incoming {
    pub(crate) fn new(reader: Box<dyn AsyncRead + Send + Unpin>, codec: LineCodec) -> Self {
        Self {
            reader: Some(reader),
            codec,
            buffer: BytesMut::with_capacity(READ),
        }
    }

    /// The next line, if it has been read already, together with one before it. There may be more
    /// in the pipe.
    pub fn at_hand(&mut self) -> Option<LineItem> {
        self.codec.decode(&mut self.buffer).ok().flatten()
    }
}

impl Stream for Incoming {
    type Item = io::Result<LineItem>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self {
            reader,
            codec,
            buffer,
        } = &mut *self;
        while let Some(pipe) = reader {
            if let Some(item) = codec.decode(buffer)? {
                return Poll::Ready(Some(Ok(item)));
            }
            match ready!(pin!(pipe.read_buf(buffer)).poll(cx)) {
                Ok(0) => *reader = None,
                Ok(_) => {}
                Err(error) => {
                    // Nor is there a rest.
                    *reader = None;
                    (*codec, *buffer) = (LineCodec::new(), BytesMut::new());
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        Poll::Ready(codec.decode_eof(buffer).transpose())
    }
}

impl fmt::Debug for Incoming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Incoming").finish_non_exhaustive()
    }
}

/// Where lines for the CLI's stdin go.
///
/// # Drop
///
/// Closes stdin, as [`close`](Self::close) does, but a line whose sending was cancelled halfway
/// stays cut.
pub struct Outgoing {
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    /// What is left of the line that is being sent, and its line feed.
    line: bytes::buf::Chain<Bytes, Bytes>,
}

impl Outgoing {
    pub(crate) fn new(writer: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        Self {
            writer: Some(writer),
            line: Bytes::new().chain(Bytes::new()),
        }
    }

    /// Sends one line, given without its line ending, and waits until the pipe has taken it.
    ///
    /// # Errors
    ///
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) if a line feed stands in the line: then
    /// nothing is sent. [`BrokenPipe`](io::ErrorKind::BrokenPipe) if the CLI reads no more (or after
    /// [`close`](Self::close)): the way it ended says more then.
    ///
    /// # Cancel safety
    ///
    /// No line is ever cut or sent twice: if the future is dropped, the line was not begun, or its
    /// rest goes out before anything that is sent later. Which of the two is not known, so whoever
    /// must know lets one task do the sending.
    pub async fn send(&mut self, line: Bytes) -> io::Result<()> {
        if line.contains(&b'\n') {
            let message = "a line feed inside of a line";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        self.flush().await?;
        self.line = line.chain(Bytes::from_static(b"\n"));
        self.flush().await
    }

    /// Sends what is left of a line whose sending was cancelled.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn flush(&mut self) -> io::Result<()> {
        let writer = self.writer.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        while self.line.has_remaining() {
            if writer.write_buf(&mut self.line).await? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        // It is let go of: its sender may count what is on its way by what is held.
        self.line = Bytes::new().chain(Bytes::new());
        writer.flush().await
    }

    /// Closes the CLI's stdin: it finishes its turn and ends, and can be asked and answered
    /// nothing more. Does nothing the second time.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: call it again.
    pub async fn close(&mut self) -> io::Result<()> {
        if self.writer.is_none() {
            return Ok(());
        }
        let flushed = self.flush().await;
        if let Some(writer) = &mut self.writer {
            let closed = writer.shutdown().await;
            self.writer = None;
            return flushed.and(closed);
        }
        flushed
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("open", &self.writer.is_some())
            .finish_non_exhaustive()
    }
}
