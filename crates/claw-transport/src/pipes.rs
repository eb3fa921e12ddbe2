//! A connection that carries bytes.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use claw_codec::LineCodec;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Incoming, Outgoing, Parts, Process, TransportError};

/// A way to connect to a CLI. Opening the transport returns the pipes of the connection.
pub trait Transport: Send {
    /// Opens the connection. Starts the process, if the transport has one.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it starts a process, the process is ended.
    fn open(self) -> impl Future<Output = Result<Pipes, TransportError>> + Send;

    /// Announces to the transport, before `open`, that the caller answers permission requests. A transport that starts
    /// a CLI then makes the CLI send permission requests. Without this call, the CLI denies every tool use that needs a
    /// permission request. The default implementation does nothing.
    fn offer_permission_prompts(&mut self) {}

    /// Offers the transport, before `open`, a callback for each line of stderr. The default implementation does
    /// nothing. A transport that already has a callback keeps its own.
    fn offer_stderr(&mut self, callback: Arc<dyn Fn(&str) + Send + Sync>) {
        let _ = callback;
    }
}

/// An open connection to a CLI that carries bytes.
#[non_exhaustive]
pub struct Pipes {
    /// The process at the other end. (It is the first field so that dropping the struct ends the process before its
    /// stdin is closed. In the reverse order, the process would be treated as if it had ended by itself.)
    pub process: Process,
    /// The CLI's stdout.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// The CLI's stdin.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Pipes {
    /// Creates a connection to this process, with this reader and writer.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        process: Process,
    ) -> Self {
        Self {
            reader: Box::new(reader),
            writer: Box::new(writer),
            process,
        }
    }

    /// Converts this connection into one that carries lines. The maximum length of a line is the codec's default, 64
    /// MiB.
    pub fn into_parts(self) -> Parts {
        self.into_parts_with(LineCodec::new())
    }

    /// Converts this connection into one that carries lines. `codec` splits the bytes into lines.
    pub fn into_parts_with(self, codec: LineCodec) -> Parts {
        Parts {
            incoming: Incoming::new(self.reader, codec),
            outgoing: Outgoing::new(self.writer),
            process: self.process,
        }
    }
}

impl fmt::Debug for Pipes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipes")
            .field("process", &self.process)
            .finish_non_exhaustive()
    }
}
