//! Records what passes through a transport.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{Pipes, Replay, Transport, TransportError, create_private_file};

/// A transport that copies what passes through another one, byte for byte, to two writers: one for the CLI's output,
/// one for its input. A third one may be added for the [order](Self::with_order) in which they passed.
///
/// Each chunk is written as it passes, in the task that reads or sends. It is flushed at the end of its direction and
/// whenever the transport is. If a copy cannot be written, that read or write fails: a recording has no gaps.
///
/// Nothing is masked: a recording contains the whole conversation, the output of tools and the headers of MCP servers
/// included. [`Replay`] plays it.
pub struct Recorder<T, O, I> {
    transport: T,
    stdout: O,
    stdin: I,
    order: Option<Box<dyn Write + Send>>,
}

impl<T, O, I> Recorder<T, O, I> {
    /// Records `transport`: the CLI's output goes to `stdout`, its input to `stdin`.
    ///
    /// Writers are written to synchronously: files and memory are fine, sockets are not.
    pub fn new(transport: T, stdout: O, stdin: I) -> Self {
        Self {
            transport,
            stdout,
            stdin,
            order: None,
        }
    }

    /// Writes to `order` which bytes passed when, one line for each chunk, in the form of [`Replay::ORDER`].
    ///
    /// ```text
    /// {"stream":"stdin","bytes":120,"ms":3}
    /// {"stream":"stdout","bytes":4096,"ms":17}
    /// ```
    ///
    /// `bytes` is the number of bytes of that stream that passed, `ms` the number of milliseconds since the transport
    /// was opened. Input precedes the output that it caused, and output precedes the input that answers it, whichever
    /// tasks read and write. The line is written after the bytes themselves. If a recording breaks off, the bytes after
    /// the last line have no place in the order.
    #[must_use]
    pub fn with_order(mut self, order: impl Write + Send + 'static) -> Self {
        self.order = Some(Box::new(order));
        self
    }
}

impl<T> Recorder<T, File, File> {
    /// Records `transport` into two files, made by [`create_private_file`].
    ///
    /// # Errors
    ///
    /// As [`create_private_file`].
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

    /// Records `transport` into a folder for [`Replay::open`]. The folder is created if needed. An earlier recording in
    /// it is replaced. Its files are made by [`create_private_file`].
    ///
    /// # Errors
    ///
    /// As [`create_private_file`], and if the folder cannot be created.
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
        Ok(recorder.with_order(create_private_file(folder.join(Replay::ORDER))?))
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
        let order = self.order.map(|copy| Order {
            copy,
            begun: Instant::now(),
        });
        let order = order.map(Mutex::new).map(Arc::new);
        let reader = Tee {
            inner: reader,
            copy: self.stdout,
            order: order.clone(),
        };
        let writer = Tee {
            inner: writer,
            copy: self.stdin,
            order,
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
            .finish()
    }
}

struct Tee<T, C> {
    inner: T,
    copy: C,
    order: Option<Arc<Mutex<Order>>>,
}

/// The writer for which bytes passed when.
struct Order {
    copy: Box<dyn Write + Send>,
    begun: Instant,
}

impl Order {
    fn passed(&mut self, stream: &str, bytes: usize) -> io::Result<()> {
        let ms = self.begun.elapsed().as_millis();
        let line = format!("{{\"stream\":\"{stream}\",\"bytes\":{bytes},\"ms\":{ms}}}\n");
        self.copy.write_all(line.as_bytes())
    }
}

type Locked<'a> = Option<MutexGuard<'a, Order>>;

fn lock(order: Option<&Mutex<Order>>) -> Locked<'_> {
    order.map(|order| order.lock().unwrap_or_else(PoisonError::into_inner))
}

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
        let mut order = lock(this.order.as_deref());
        if chunk.is_empty() {
            return Poll::Ready(flush(&mut this.copy, order));
        }
        this.copy.write_all(chunk)?;
        if let Some(order) = &mut order {
            order.passed("stdout", chunk.len())?;
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin, C: Write + Unpin> AsyncWrite for Tee<T, C> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // Held while it is written: another task may read the consequences at once.
        let mut order = lock(this.order.as_deref());
        let length = ready!(Pin::new(&mut this.inner).poll_write(cx, bytes))?;
        this.copy.write_all(&bytes[..length])?;
        if let Some(order) = &mut order {
            order.passed("stdin", length)?;
        }
        Poll::Ready(Ok(length))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.inner).poll_flush(cx))?;
        Poll::Ready(flush(&mut this.copy, lock(this.order.as_deref())))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(&mut this.inner).poll_shutdown(cx))?;
        Poll::Ready(flush(&mut this.copy, lock(this.order.as_deref())))
    }
}
