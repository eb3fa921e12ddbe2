//! A connection that carries lines.

use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use claw_codec::{LineCodec, LineItem};
use futures::Stream;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_util::codec::Decoder;

use crate::Process;

/// The number of bytes that one read from the pipe requests.
const READ: usize = 64 * 1024;
/// The number of bytes that the next read requests after a read of fewer bytes, and from a pipe that was empty. Most CLIs
/// write nothing most of the time. A buffer of [`READ`] bytes for each of them would be most of a session's memory.
const SMALL_READ: usize = 4 * 1024;

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
    reader: Option<Box<Reader>>,
    codec: LineCodec,
    buffer: BytesMut,
    /// Whether the last read returned fewer bytes than [`SMALL_READ`], or the pipe was empty.
    is_slow: bool,
}

type Reader = dyn AsyncRead + Send + Unpin;

impl Incoming {
    pub(crate) fn new(reader: Box<Reader>, codec: LineCodec) -> Self {
        Self {
            reader: Some(reader),
            codec,
            buffer: BytesMut::new(),
            is_slow: true,
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
            is_slow,
        } = &mut *self;
        while let Some(pipe) = reader {
            if let Some(item) = codec.decode(buffer)? {
                return Poll::Ready(Some(Ok(item)));
            }
            let read = if *is_slow && buffer.is_empty() {
                ready!(poll_small(pipe, buffer, cx))
            } else if let Poll::Ready(read) = pin!(pipe.read_buf(buffer)).poll(cx) {
                read
            } else {
                if buffer.is_empty() {
                    (*is_slow, *buffer) = (true, BytesMut::new());
                }
                return Poll::Pending;
            };
            match read {
                Ok(0) => *reader = None,
                Ok(length) => *is_slow = length < SMALL_READ,
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

/// Reads up to [`SMALL_READ`] bytes into an empty buffer. While the pipe has no bytes, the buffer has no memory. After a read
/// of fewer bytes, it has only the memory of these bytes.
fn poll_small(
    pipe: &mut Reader,
    buffer: &mut BytesMut,
    cx: &mut Context<'_>,
) -> Poll<io::Result<usize>> {
    *buffer = BytesMut::new();
    let mut bytes = [MaybeUninit::uninit(); SMALL_READ];
    let mut bytes = ReadBuf::uninit(&mut bytes);
    ready!(Pin::new(pipe).poll_read(cx, &mut bytes))?;
    let bytes = bytes.filled();
    let capacity = if bytes.len() < SMALL_READ {
        bytes.len()
    } else {
        READ
    };
    buffer.reserve(capacity);
    buffer.extend_from_slice(bytes);
    Poll::Ready(Ok(bytes.len()))
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

#[cfg(test)]
mod tests {
    use futures::{FutureExt as _, StreamExt as _};

    use super::*;

    #[tokio::test]
    async fn a_cli_that_writes_little_has_no_buffer_while_it_is_silent() {
        let (mut cli, reader) = tokio::io::duplex(4 * READ);
        let mut incoming = Incoming::new(Box::new(reader), LineCodec::new());
        let lengths = [
            1,
            SMALL_READ - 1,
            SMALL_READ,
            7,
            3 * READ,
            1,
            READ,
            5,
            5,
            2 * SMALL_READ,
        ];
        let mut lines = Vec::new();
        for length in lengths {
            let line = vec![b'a'; length];
            // The second half of each line arrives later than the first one.
            let (first, second) = line.split_at(length / 2);
            cli.write_all(first).await.unwrap();
            assert!(incoming.next().now_or_never().is_none());
            cli.write_all(&[second, b"\nshort\n"].concat())
                .await
                .unwrap();
            for expected in [&line[..], b"short"] {
                let item = incoming.next().await.unwrap().unwrap();
                assert!(matches!(&item, LineItem::Line(line) if line.raw == expected));
                lines.push(item);
            }
            assert!(incoming.next().now_or_never().is_none());
            assert_eq!(incoming.buffer.capacity(), 0, "{length}");
        }
        let numbers = lines.iter().map(|item| match item {
            LineItem::Line(line) => line.number,
            _ => 0,
        });
        assert!(numbers.eq(1..=20));
        drop(cli);
        assert!(incoming.next().await.is_none());
    }

    #[tokio::test]
    async fn a_long_line_is_the_same_however_slowly_it_arrives() {
        for limit in [100, SMALL_READ, 3 * SMALL_READ] {
            let head = vec![b'h'; limit];
            let tail = vec![b't'; 5 * SMALL_READ + 1];
            let input = [b"{}\n\n", &*head, &*tail, b"\r\n[1]\n\n[2]\r\n", &*tail].concat();
            let codec = || LineCodec::new().with_limit(limit);
            let (mut cli, reader) = tokio::io::duplex(4 * READ);
            cli.write_all(&input).await.unwrap();
            drop(cli);
            let at_once = Incoming::new(Box::new(reader), codec());
            let at_once: Vec<_> = at_once.map(Result::unwrap).collect().await;
            let numbers = at_once.iter().map(LineItem::number);
            assert!(numbers.eq([1, 3, 4, 6, 7]), "{at_once:?}");
            let long = [1, 4].map(|place| match &at_once[place] {
                LineItem::TooLong(long) => (long.line, long.length, long.limit),
                item => panic!("{item:?}"),
            });
            let lengths = [head.len() + tail.len(), tail.len()].map(|length| length as u64);
            assert_eq!(long, [(3, lengths[0], limit), (7, lengths[1], limit)]);
            for size in [7, 100, SMALL_READ - 1, SMALL_READ, SMALL_READ + 1] {
                let (mut cli, reader) = tokio::io::duplex(4 * READ);
                let mut incoming = Incoming::new(Box::new(reader), codec());
                let mut slowly = Vec::new();
                for chunk in input.chunks(size) {
                    cli.write_all(chunk).await.unwrap();
                    // The CLI is silent once each chunk has been read.
                    while let Some(item) = incoming.next().now_or_never() {
                        slowly.push(item.unwrap().unwrap());
                    }
                }
                drop(cli);
                while let Some(item) = incoming.next().await {
                    slowly.push(item.unwrap());
                }
                assert_eq!(slowly, at_once, "{limit} {size}");
            }
        }
    }
}
