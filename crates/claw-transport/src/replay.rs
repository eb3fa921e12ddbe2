//! A recording in place of a CLI.

use std::fmt;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{Pipes, Process, Transport, TransportError};

mod recording;
mod said;

use recording::Recording;

/// Plays a recording: a CLI that says what another one said, and needs none to be there.
///
/// A recording is what a [`Recorder`](crate::Recorder) has written: the lines of the CLI's stdout, and those of its
/// stdin. They are delivered as they were, in their order; a line that came of something that was
/// written (an answer to a request, the run of a prompt, what followed on the answer to a question)
/// is held until that is written again. Everything else comes at once: time is not played. As there
/// are ids that are made up anew (of requests, and of prompts), each is told by what it names, and
/// stands in the played lines in place of the recorded one.
///
/// What is written has to stand in the recording. A request is the same if all its fields are, but
/// for `initialize`, which any will do for; a prompt if its content is; an answer if it has what the
/// recorded one has, and it may have more. The order in which they are written need not be the same.
/// **Anything else is an error**, of reading and of writing, that quotes both lines: see
/// [`Deviation`].
///
/// The output ends behind the last line: where the recording has an `end_session`, once that is
/// written. Who ends earlier than the recording did (with `end_session`, or by closing stdin) gets
/// what is not held.
///
/// ```no_run
/// use claw_transport::{Replay, Transport};
///
/// # async fn example() -> Result<(), claw_transport::TransportError> {
/// let parts = Replay::open("fixtures/bash_denied")?.open().await?.into_parts();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Replay {
    recording: Recording,
}

impl Replay {
    /// What the CLI wrote, in a recording's folder.
    pub const STDOUT: &str = "stdout.ndjson";
    /// What it was sent.
    pub const STDIN: &str = "stdin.ndjson";
    /// Which bytes of the two passed when: see [`Recorder::with_order`](crate::Recorder::with_order).
    /// Older recordings have none, and a replay needs none.
    pub const ORDER: &str = "order.ndjson";

    /// A recording of these two: all that the CLI wrote, and all that it was sent.
    ///
    /// # Errors
    ///
    /// [`TransportError::BadRecording`] if a line of `stdin` is no JSON object. Lines of `stdout`
    /// may be anything.
    pub fn new(stdout: &[u8], stdin: &[u8]) -> Result<Self, TransportError> {
        Ok(Self {
            recording: Recording::new(stdout, stdin)?,
        })
    }

    /// The recording in a folder: [`STDOUT`](Self::STDOUT) and [`STDIN`](Self::STDIN), as
    /// [`Recorder::create_in`](crate::Recorder::create_in) writes them.
    ///
    /// # Errors
    ///
    /// [`TransportError::Io`] if one of them cannot be read, and as [`new`](Self::new).
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, TransportError> {
        let read = |name| {
            let path = folder.as_ref().join(name);
            let named = |error: io::Error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            };
            std::fs::read(&path).map_err(named)
        };
        Self::new(&read(Self::STDOUT)?, &read(Self::STDIN)?)
    }
}

impl Transport for Replay {
    async fn open(self) -> Result<Pipes, TransportError> {
        let play = Arc::new(Mutex::new(Play {
            recording: self.recording,
            ready: Vec::new(),
            taken: 0,
            written: Vec::new(),
            closed: false,
            deviation: None,
            reader: None,
        }));
        let end = End(play);
        Ok(Pipes::new(end.clone(), end, Process::detached()))
    }
}

/// What was written is not what was written when the recording was made. The error of a
/// [`Replay`]'s pipes, of the kind [`InvalidData`](io::ErrorKind::InvalidData).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the recording goes on otherwise: what was written is {written}, and {}", or_nothing(.expected.as_ref()))]
#[non_exhaustive]
pub struct Deviation {
    /// The line, or its start.
    pub written: String,
    /// The first line of the recording, with its number, that was not written yet. `None` if all
    /// were.
    pub expected: Option<(u64, String)>,
}

fn or_nothing(expected: Option<&(u64, String)>) -> String {
    match expected {
        Some((number, line)) => format!("line {number} of what was written then is {line}"),
        None => "nothing more was written then".to_owned(),
    }
}

impl From<Deviation> for io::Error {
    fn from(deviation: Deviation) -> Self {
        Self::new(io::ErrorKind::InvalidData, deviation)
    }
}

/// A recording that is played.
struct Play {
    recording: Recording,
    /// The line that is being read.
    ready: Vec<u8>,
    /// How much of it was.
    taken: usize,
    /// A line that is being written.
    written: Vec<u8>,
    closed: bool,
    deviation: Option<Deviation>,
    reader: Option<Waker>,
}

/// Either pipe.
#[derive(Clone)]
struct End(Arc<Mutex<Play>>);

impl End {
    fn play(&self) -> MutexGuard<'_, Play> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Play {
    fn healthy(&self) -> io::Result<()> {
        match &self.deviation {
            Some(deviation) => Err(deviation.clone().into()),
            None => Ok(()),
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.healthy()?;
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.written.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.written);
            if let Err(deviation) = self.recording.written(&line) {
                self.deviation = Some(deviation);
            }
        }
        self.written.extend_from_slice(bytes);
        self.wake();
        self.healthy()
    }

    fn wake(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

impl AsyncRead for End {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut play = self.play();
        play.healthy()?;
        if play.taken == play.ready.len() {
            let closed = play.closed;
            match play.recording.next(closed) {
                Poll::Ready(Some(line)) => (play.ready, play.taken) = (line, 0),
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Pending => {
                    play.reader = Some(cx.waker().clone());
                    return Poll::Pending;
                }
            }
        }
        let rest = &play.ready[play.taken..];
        let length = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..length]);
        play.taken += length;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for End {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(self.play().write(bytes).map(|()| bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.play().healthy())
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut play = self.play();
        play.closed = true;
        play.wake();
        Poll::Ready(Ok(()))
    }
}

impl fmt::Debug for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Play").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
