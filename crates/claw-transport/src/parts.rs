//! A connection that carries lines.

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

/// The number of bytes that one read from the pipe requests.
const READ: usize = 64 * 1024;

/// An open connection to a CLI that carries lines. Its two directions are independent of each other.
#[derive(Debug)]
#[non_exhaustive]
pub struct Parts {
    /// The process at the other end. (It is the first field so that it is dropped first, as in
    /// [`Pipes`](crate::Pipes).)
    pub process: Process,
    /// The lines that the CLI writes.
    pub incoming: Incoming,
    /// The sink for lines to the CLI.
    pub outgoing: Outgoing,
}

/// The lines that the CLI writes to stdout, until the CLI and all processes that inherited its stdout have closed it.
///
/// An error of this stream means that reading the pipe failed. A line that is too long is not an error, but an item
/// ([`LineItem::TooLong`]).
pub struct Incoming {
    /// The reader. `None` after its end.
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

    /// Returns the next line if it is already in memory, because it was read together with an earlier line. If this
    /// method returns `None`, the pipe may still contain lines.
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
                    // The remaining bytes in the buffer are dropped too.
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

/// The sink for lines to the CLI's stdin.
///
/// # Drop
///
/// Dropping the sink closes the CLI's stdin, as [`close`](Self::close) does. If the future of a `send` was dropped
/// while a line was partly sent, the line stays incomplete.
pub struct Outgoing {
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    /// The rest of the line that is being sent, and its line feed.
    line: bytes::buf::Chain<Bytes, Bytes>,
}

impl Outgoing {
    pub(crate) fn new(writer: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        Self {
            writer: Some(writer),
            line: Bytes::new().chain(Bytes::new()),
        }
    }

    /// Sends one line and waits until the pipe has accepted it. `line` must not contain its line ending.
    ///
    /// # Errors
    ///
    /// Fails with [`InvalidInput`](io::ErrorKind::InvalidInput), and sends nothing, if the line contains a line feed.
    /// Fails with [`BrokenPipe`](io::ErrorKind::BrokenPipe) if the CLI no longer reads its stdin, or after
    /// [`close`](Self::close). If the CLI has exited, its exit status contains more information about the cause.
    ///
    /// # Cancel safety
    ///
    /// No line is ever truncated or sent twice. If the future is dropped, either no part of the line was sent, or the
    /// rest of the line is sent before the next line. The caller cannot find out which of the two happened. If you must
    /// know this, send all lines from a single task, and never drop its futures.
    pub async fn send(&mut self, line: Bytes) -> io::Result<()> {
        if line.contains(&b'\n') {
            let message = "a line feed inside of a line";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        self.flush().await?;
        self.line = line.chain(Bytes::from_static(b"\n"));
        self.flush().await
    }

    /// Sends the rest of a line whose `send` was cancelled.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub async fn flush(&mut self) -> io::Result<()> {
        let writer = self.writer.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        while self.line.has_remaining() {
            if writer.write_buf(&mut self.line).await? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        // The line is released as soon as it was sent, because the caller may count the unsent bytes by the lines that
        // are still alive.
        self.line = Bytes::new().chain(Bytes::new());
        writer.flush().await
    }

    /// Closes the CLI's stdin. The CLI then finishes its turn and exits. After this, neither requests nor responses can
    /// be sent to it. A second call does nothing.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe. If the future was dropped, call the method again.
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
