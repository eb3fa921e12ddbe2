//! A transport that replays a recording.

use std::fmt;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{Pipes, Process, Transport, TransportError};

mod content;
mod recording;

use recording::Recording;

/// A transport that replays a recording. It behaves as the recorded CLI did, and needs no CLI.
///
/// A recording, written by a [`Recorder`](crate::Recorder), contains the lines of the CLI's stdout and the lines of its
/// stdin. The replay delivers the output lines unchanged and in order. Some output lines were caused by an input line.
/// Examples are a response to a request, the output of a turn, and the output after an answered question. Such an
/// output line is held back until your program writes the same input line. All other output lines are delivered
/// immediately, without the recorded delays. If your program generates other IDs for requests and prompts than the
/// recorded program did, the new IDs replace the recorded IDs in the delivered lines.
///
/// Everything that your program writes must also be in the recording. A request must have the same fields as the
/// recorded one, except that any `initialize` is accepted. A prompt must have the same content. A response must have
/// all fields of the recorded one, and may have more. The inputs may be in another order. **Any other input is an
/// error**: reading and writing fail, and the error quotes both lines. See [`Deviation`].
///
/// The output ends after the last line. If the recording contains an `end_session`, the output ends when your program
/// writes that request. Your program may also end the session earlier than the recorded program did, with `end_session`
/// or by closing stdin. It then gets no output lines that depend on missing inputs.
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
    /// In the folder of a recording, the name of the file with the CLI's output.
    pub const STDOUT: &str = "stdout.ndjson";
    /// In the folder of a recording, the name of the file with the CLI's input.
    pub const STDIN: &str = "stdin.ndjson";
    /// In the folder of a recording, the name of the file that says in which order the bytes of the two other files
    /// passed. See [`Recorder::with_order`](crate::Recorder::with_order). Older recordings do not have this file, and a
    /// replay does not need it.
    pub const ORDER: &str = "order.ndjson";

    /// Creates a replay of a recording with these contents: everything that the CLI wrote to stdout, and everything
    /// that was written to its stdin.
    ///
    /// # Errors
    ///
    /// Fails with [`TransportError::BadRecording`] if a line of `stdin` is not a JSON object. Lines of `stdout` are not
    /// checked.
    pub fn new(stdout: &[u8], stdin: &[u8]) -> Result<Self, TransportError> {
        Ok(Self {
            recording: Recording::new(stdout, stdin)?,
        })
    }

    /// Opens the recording in a folder. It consists of the files [`STDOUT`](Self::STDOUT) and [`STDIN`](Self::STDIN),
    /// as [`Recorder::create_in`](crate::Recorder::create_in) writes them.
    ///
    /// # Errors
    ///
    /// Fails with [`TransportError::Io`] if one of the files cannot be read. Also fails with the same errors as
    /// [`new`](Self::new).
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

/// The error for a line that your program wrote but that the recording does not contain. The pipes of a [`Replay`]
/// return it as an I/O error of the kind [`InvalidData`](io::ErrorKind::InvalidData).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the recording goes on otherwise: what was written is {written}, and {}", or_nothing(.expected.as_ref()))]
#[non_exhaustive]
pub struct Deviation {
    /// The line that your program wrote, or the beginning of that line.
    pub written: String,
    /// The first input line of the recording that your program has not written yet, with its line number. `None` if
    /// your program has written them all.
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

/// A recording that is being replayed.
struct Play {
    recording: Recording,
    /// The output line that your program is reading.
    ready: Vec<u8>,
    /// The number of bytes of `ready` that were read.
    taken: usize,
    /// The part of an input line that your program has written so far.
    written: Vec<u8>,
    closed: bool,
    deviation: Option<Deviation>,
    reader: Option<Waker>,
}

/// One end of the connection: the reader or the writer.
#[derive(Clone)]
struct End(Arc<Mutex<Play>>);

impl End {
    fn play(&self) -> MutexGuard<'_, Play> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Play {
    fn check(&self) -> io::Result<()> {
        match &self.deviation {
            Some(deviation) => Err(deviation.clone().into()),
            None => Ok(()),
        }
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.check()?;
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
        self.check()
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
        play.check()?;
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
        Poll::Ready(self.play().check())
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
