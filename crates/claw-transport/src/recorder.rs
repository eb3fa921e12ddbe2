//! Writes down what passes through a transport.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{Pipes, Replay, Transport, TransportError, create_private_file};

/// Copies what passes through another transport, byte for byte, to two writers: one for what the
/// CLI wrote, one for what it was sent.
///
/// Each chunk is written as it passes, in the task that reads or sends, and flushed at the end of
/// its direction and whenever the transport is. If a copy cannot be written, that read or write
/// fails: a recording has no holes.
///
/// Nothing is masked in it: it holds what was said, tools' output and the headers of MCP servers
/// included. [`Replay`] plays it.
#[derive(Debug)]
pub struct Recorder<T, O, I> {
    transport: T,
    stdout: O,
    stdin: I,
}

impl<T, O, I> Recorder<T, O, I> {
    /// Records `transport`: what the CLI writes goes to `stdout`, what it reads to `stdin`.
    ///
    /// The writers are written to without waiting: files and memory are fine, sockets are not.
    pub fn new(transport: T, stdout: O, stdin: I) -> Self {
        Self {
            transport,
            stdout,
            stdin,
        }
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

    /// Records `transport` into a folder, which is made where it is not there, for [`Replay::open`].
    /// An earlier recording in it is replaced. Its files are made by [`create_private_file`].
    ///
    /// # Errors
    ///
    /// As [`create_private_file`], and if the folder cannot be made.
    pub fn create_in(transport: T, folder: impl AsRef<Path>) -> io::Result<Self> {
        let folder = folder.as_ref();
        let named = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
        };
        std::fs::create_dir_all(folder).map_err(named)?;
        Self::create(
            transport,
            folder.join(Replay::STDOUT),
            folder.join(Replay::STDIN),
        )
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
        let reader = Tee {
            inner: reader,
            copy: self.stdout,
        };
        let writer = Tee {
            inner: writer,
            copy: self.stdin,
        };
        Ok(Pipes::new(reader, writer, process))
    }
}

struct Tee<T, C> {
    inner: T,
    copy: C,
}

impl<T: AsyncRead + Unpin, C: Write + Unpin> AsyncRead for Tee<T, C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let chunk = &buffer.filled()[before..];
        Poll::Ready(if chunk.is_empty() {
            self.copy.flush()
        } else {
            self.copy.write_all(chunk)
        })
    }
}

impl<T: AsyncWrite + Unpin, C: Write + Unpin> AsyncWrite for Tee<T, C> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let length = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes))?;
        self.copy.write_all(&bytes[..length])?;
        Poll::Ready(Ok(length))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_flush(cx))?;
        Poll::Ready(self.copy.flush())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.inner).poll_shutdown(cx))?;
        Poll::Ready(self.copy.flush())
    }
}
