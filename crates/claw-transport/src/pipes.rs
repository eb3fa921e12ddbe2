//! A connection as bytes.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use claw_codec::LineCodec;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Incoming, Outgoing, Parts, Process, TransportError};

/// Something that can be opened to talk to a CLI.
pub trait Transport: Send {
    /// Starts the process, or whatever it takes.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, what it has started is ended.
    fn open(self) -> impl Future<Output = Result<Pipes, TransportError>> + Send;

    /// Tells the transport, before `open`, that somebody answers permission requests. A transport that starts a
    /// CLI starts it so that it makes them; without this call the CLI has to deny what it would ask for. By default
    /// nothing is done.
    fn offer_permission_prompts(&mut self) {}

    /// Tells the transport, before `open`, who would hear each line of stderr. By default nothing is done; a
    /// transport that has a callback of its own keeps that.
    fn offer_stderr(&mut self, callback: Arc<dyn Fn(&str) + Send + Sync>) {
        let _ = callback;
    }
}

/// An open connection, as bytes.
#[non_exhaustive]
pub struct Pipes {
    /// The process at the other end. (First, so that a drop of all ends it before it closes its
    /// stdin: then it has not ended by itself.)
    pub process: Process,
    /// What the CLI writes to its stdout.
    pub reader: Box<dyn AsyncRead + Send + Unpin>,
    /// What the CLI reads from its stdin.
    pub writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Pipes {
    /// A connection over these two, to this process.
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

    /// The connection as lines, of the codec's default length at most.
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
