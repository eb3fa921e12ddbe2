//! A connection as bytes.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use claw_codec::LineCodec;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Incoming, Outgoing, Parts, Process, TransportError};

/// A transport: something that can be opened to talk to a CLI.
pub trait Transport: Send {
    /// Opens the connection. Starts the process, if the transport has one.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, a process that it has started is ended.
    fn open(self) -> impl Future<Output = Result<Pipes, TransportError>> + Send;

    /// Tells the transport, before `open`, that somebody answers permission requests. A transport that starts a CLI
    /// then starts it so that it sends them. Without this call the CLI has to deny what it would ask for. By default
    /// nothing is done.
    fn offer_permission_prompts(&mut self) {}

    /// Offers the transport, before `open`, a callback for each line of stderr. By default nothing is done. A transport
    /// that has a callback of its own keeps that.
    fn offer_stderr(&mut self, callback: Arc<dyn Fn(&str) + Send + Sync>) {
        let _ = callback;
    }
}

/// An open connection, as bytes.
#[non_exhaustive]
pub struct Pipes {
    /// The process at the other end. (The first field, so that dropping the struct ends the process before its stdin is
    /// closed: otherwise the process would count as ended by itself.)
    pub process: Process,
    /// The CLI's stdout.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// The CLI's stdin.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Pipes {
    /// A connection with this reader and writer to this process.
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

    /// The connection as lines, up to the codec's default length.
    pub fn into_parts(self) -> Parts {
        self.into_parts_with(LineCodec::new())
    }

    /// The connection as lines, read by this codec.
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
