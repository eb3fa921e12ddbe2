//! A transport over any reader and writer.

use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Pipes, Process, Transport, TransportError};

/// Talks to a CLI over a reader and a writer that are already there: a socket, the channel of an
/// ssh session, one end of a `tokio::io::duplex`.
///
/// There is no process on this machine, so that [`Process::exited`] waits until the handle is told
/// to end; what ends the conversation is the end of the reader.
///
/// ```
/// use claw_transport::{Io, Transport};
///
/// # async fn example() -> Result<(), claw_transport::TransportError> {
/// let (ours, _theirs) = tokio::io::duplex(64 * 1024);
/// let (reader, writer) = tokio::io::split(ours);
/// let parts = Io::new(reader, writer).open().await?.into_parts();
/// assert_eq!(parts.process.pid(), None);
/// # Ok(())
/// # }
/// # futures::executor::block_on(example()).unwrap();
/// ```
#[derive(Debug)]
pub struct Io<R, W> {
    reader: R,
    writer: W,
}

impl<R, W> Io<R, W> {
    /// Reads what the CLI writes from `reader`, and writes what it reads to `writer`.
    pub fn new(reader: R, writer: W) -> Self {
        Self { reader, writer }
    }
}

impl<R, W> Transport for Io<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    async fn open(self) -> Result<Pipes, TransportError> {
        Ok(Pipes::new(self.reader, self.writer, Process::detached()))
    }
}
