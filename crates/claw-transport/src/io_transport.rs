//! A transport over any reader and writer.

use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Pipes, Process, Transport, TransportError};

/// A transport to a CLI over an existing reader and writer, such as a socket, the channel of an ssh session, or one end
/// of a `tokio::io::duplex`.
/// This transport has no process on this machine. The future of [`Process::exited`] therefore becomes ready only after
/// the process handle was asked to end the process, for example with [`Process::terminate`]. The conversation ends when
/// the reader reaches its end.
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
    /// Creates a transport that reads the CLI's output from `reader` and writes its input to `writer`.
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
