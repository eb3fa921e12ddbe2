//! A transport that records another transport.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{Pipes, Replay, Transport, TransportError, create_private_file};

/// A transport that records another transport. It copies all bytes unchanged to two writers. One writer gets the CLI's
/// output, and the other one gets the CLI's input. A third writer can record the [order](Self::with_order) in which the
/// bytes passed.
///
/// Each chunk of bytes is recorded when it passes through, by the task that reads or sends it. A writer is flushed when
/// its direction ends, and whenever the transport is flushed.
///
/// If the bytes cannot be recorded, for example because the disk is full, the read or write of these bytes fails. The
/// session then ends with the error [`TransportError::Recording`]. A recording therefore has no gaps. With
/// [`go_on`](Self::go_on), only the recording ends, and the session continues.
///
/// Nothing is masked. A recording contains the whole conversation, including the output of tools and the headers of MCP
/// servers. [`Replay`] plays it.
pub struct Recorder<T, O, I> {
    transport: T,
    stdout: O,
    stdin: I,
    order: Option<Box<dyn Write + Send>>,
    /// The folder of the recording, for errors.
    folder: Option<PathBuf>,
    goes_on: bool,
}

impl<T, O, I> Recorder<T, O, I> {
    /// Creates a recorder for `transport`. It writes the CLI's output to `stdout` and the CLI's input to `stdin`.
    ///
    /// The recorder writes synchronously, so use files or memory as writers, not sockets.
    pub fn new(transport: T, stdout: O, stdin: I) -> Self {
        Self {
            transport,
            stdout,
            stdin,
            order: None,
            folder: None,
            goes_on: false,
        }
    }

    /// Sets whether the session continues if the recording cannot be written. With `true`, claw logs a warning after a
    /// failed write and writes nothing more to any of the writers. The recording then ends early, possibly in the
    /// middle of a line, but has no gaps. The default is `false`.
    #[must_use]
    pub fn go_on(mut self, goes_on: bool) -> Self {
        self.goes_on = goes_on;
        self
    }

    /// Also records the order in which the bytes passed. The recorder writes one line for each chunk of bytes to
    /// `order`, in the form of [`Replay::ORDER`].
    ///
    /// ```text
    /// {"stream":"stdin","bytes":120,"ms":3}
    /// {"stream":"stdout","bytes":4096,"ms":17}
    /// ```
    ///
    /// In each line, `bytes` is the number of bytes that have passed so far in the chunk's direction, and `ms` is the
    /// number of milliseconds since the transport was opened. In the recorded order, an input precedes the output that
    /// The recorded order does not depend on which tasks read and write: an input precedes the output that it caused,
    /// and an output precedes the input that answers it. Each line is written after the bytes of its chunk. If a
    /// recording breaks off, the order of the bytes after the last line is unknown.
    #[must_use]
    pub fn with_order(mut self, order: impl Write + Send + 'static) -> Self {
        self.order = Some(Box::new(order));
        self
    }
}

impl<T> Recorder<T, File, File> {
    /// Creates a recorder for `transport` that writes to two files. [`create_private_file`] creates them.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`create_private_file`].
    pub fn create(
        transport: T,
        stdout: impl AsRef<Path>,
        stdin: impl AsRef<Path>,
    ) -> io::Result<Self> {
        Ok(Self::new(
            transport,
            create_private_file(stdout)?,
            create_private_file(stdin)?,
        ))
    }

    /// Creates a recorder for `transport` that writes into a folder, which [`Replay::open`] can read. The folder is
    /// created if it does not exist, and an earlier recording in it is replaced. [`create_private_file`] creates the
    /// files.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`create_private_file`]. Also fails if the folder cannot be created.
    pub fn create_in(transport: T, folder: impl AsRef<Path>) -> io::Result<Self> {
        let folder = folder.as_ref();
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
        };
        std::fs::create_dir_all(folder).map_err(named)?;
        let recorder = Self::create(
            transport,
            folder.join(Replay::STDOUT),
            folder.join(Replay::STDIN),
        )?;
        let mut recorder = recorder.with_order(create_private_file(folder.join(Replay::ORDER))?);
        recorder.folder = Some(folder.to_owned());
        Ok(recorder)
    }
}

impl<T, O, I> Transport for Recorder<T, O, I>
where
    T: Transport,
    O: Write + Send + Unpin + 'static,
    I: Write + Send + Unpin + 'static,
{
    async fn open(self) -> Result<Pipes, TransportError> {
        let Pipes {
            reader,
            writer,
            process,
        } = self.transport.open().await?;
        let order = self.order.map(|copy| OrderWriter {
            copy,
            begun: Instant::now(),
        });
        let copies = Arc::new(Copies {
            order: order.map(Mutex::new),
            folder: self.folder,
            goes_on: self.goes_on,
            has_failed: AtomicBool::new(false),
        });
        let reader = Tee {
            inner: reader,
            copy: self.stdout,
            copies: copies.clone(),
        };
        let writer = Tee {
            inner: writer,
            copy: self.stdin,
            copies,
        };
        Ok(Pipes::new(reader, writer, process))
    }

    fn offer_permission_prompts(&mut self) {
        self.transport.offer_permission_prompts();
    }

    fn offer_stderr(&mut self, callback: Arc<dyn Fn(&str) + Send + Sync>) {
        self.transport.offer_stderr(callback);
    }
}

impl<T: fmt::Debug, O: fmt::Debug, I: fmt::Debug> fmt::Debug for Recorder<T, O, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("transport", &self.transport)
            .field("stdout", &self.stdout)
            .field("stdin", &self.stdin)
            .field("has_order", &self.order.is_some())
            .field("goes_on", &self.goes_on)
            .finish_non_exhaustive()
    }
}

struct Tee<T, C> {
    inner: T,
    copy: C,
    copies: Arc<Copies>,
}

/// The state that both directions share.
struct Copies {
    order: Option<Mutex<OrderWriter>>,
    folder: Option<PathBuf>,
    goes_on: bool,
    /// Whether a write to the recording has failed. Nothing more is written then.
    has_failed: AtomicBool,
}

impl Copies {
    fn lock(&self) -> Locked<'_> {
        let order = self.order.as_ref();
        order.map(|order| order.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes a part of the recording. Does nothing if the recording has already ended. If the write fails, the session
    /// ends with an error, or with `goes_on` only the recording ends.
    fn write(&self, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        if self.has_failed.load(Ordering::Relaxed) {
            return Ok(());
        }
        let Err(cause) = write() else {
            return Ok(());
        };
        let failed = RecordingFailed {
            folder: self.folder.clone(),
            cause,
        };
        if self.goes_on {
            tracing::warn!(error = %failed, "the session goes on without its recording");
            self.has_failed.store(true, Ordering::Relaxed);
            return Ok(());
        }
        Err(io::Error::new(failed.cause.kind(), failed))
    }
}

/// The error of a recording that cannot be written. It contains the folder of the recording. The reader or writer of
/// the recorder returns it inside an [`io::Error`].
#[derive(Debug, thiserror::Error)]
#[error(
    "the recording{} cannot be written: {cause}",
    folder.as_ref().map(|folder| format!(" in {}", folder.display())).unwrap_or_default()
)]
pub(crate) struct RecordingFailed {
    folder: Option<PathBuf>,
    /// The text of this error contains the text of `cause`.
    cause: io::Error,
}

/// The writer of the order in which bytes passed.
struct OrderWriter {
    copy: Box<dyn Write + Send>,
    begun: Instant,
}

impl OrderWriter {
    fn record(&mut self, stream: &str, bytes: usize) -> io::Result<()> {
        let ms = self.begun.elapsed().as_millis();
        let line = format!("{{\"stream\":\"{stream}\",\"bytes\":{bytes},\"ms\":{ms}}}\n");
        self.copy.write_all(line.as_bytes())
    }
}

type Locked<'a> = Option<MutexGuard<'a, OrderWriter>>;

fn flush(copy: &mut impl Write, order: Locked<'_>) -> io::Result<()> {
    copy.flush()?;
    order.map_or(Ok(()), |mut order| order.copy.flush())
}

impl<T: AsyncRead + Unpin, C: Write + Unpin> AsyncRead for Tee<T, C> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(cx, buffer))?;
        let chunk = &buffer.filled()[before..];
        let (copy, mut order) = (&mut this.copy, this.copies.lock());
        Poll::Ready(this.copies.write(|| {
            if chunk.is_empty() {
                return flush(copy, order);
            }
            copy.write_all(chunk)?;
            let order = order.as_mut();
            order.map_or(Ok(()), |order| order.record("stdout", chunk.len()))
        }))
    }
}

impl<T: AsyncWrite + Unpin, C: Write + Unpin> AsyncWrite for Tee<T, C> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // The order is locked during the write, because another task may read the CLI's reaction immediately.
        let mut order = this.copies.lock();
        let length = ready!(Pin::new(&mut this.inner).poll_write(cx, bytes))?;
        let copy = &mut this.copy;
        this.copies.write(|| {
            copy.write_all(&bytes[..length])?;
            let order = order.as_mut();
            order.map_or(Ok(()), |order| order.record("stdin", length))
        })?;
        Poll::Ready(Ok(length))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.inner).poll_flush(cx))?;
        let (copy, order) = (&mut this.copy, this.copies.lock());
        Poll::Ready(this.copies.write(|| flush(copy, order)))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.inner).poll_shutdown(cx))?;
        let (copy, order) = (&mut this.copy, this.copies.lock());
        Poll::Ready(this.copies.write(|| flush(copy, order)))
    }
}
