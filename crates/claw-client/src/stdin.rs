//! What is on its way to the CLI's stdin.
//!
//! The CLI is read on however much waits here: it writes its output without reading its input
//! meanwhile, so that both would wait for each other. So what it does not read has a bound, and a
//! session that reaches it ends.

use std::io;

use bytes::Bytes;
use claw_transport::Outgoing;
use claw_types::control::ControlRequestBody;
use tokio::sync::mpsc;

use crate::room::{Room, Taken};

/// How many bytes of answers and calls may wait. Prompts are not counted: they have an outbox of
/// their own.
pub(crate) const MOST: usize = 64 << 20;

/// From so many bytes on the application's calls are refused, so that it does not end its session
/// by asking.
const MOST_FOR_CALLS: usize = MOST / 2;

/// What a line takes beside its bytes.
const OVERHEAD: usize = 128;

/// The way to the writer.
pub(crate) struct Stdin {
    lines: mpsc::UnboundedSender<Bytes>,
    room: Room,
}

/// What the writer writes.
pub(crate) type Lines = mpsc::UnboundedReceiver<Bytes>;

/// A line that is counted until it is written.
struct Counted {
    line: Bytes,
    _taken: Taken,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.line
    }
}

impl Stdin {
    pub(crate) fn new(room: Room) -> (Self, Lines) {
        let (lines, to_write) = mpsc::unbounded_channel();
        (Self { lines, room }, to_write)
    }

    /// Has an answer or a call written. `false` where too much waits already.
    pub(crate) fn write(&self, line: Bytes) -> bool {
        let Some(taken) = self.room.take(line.len() + OVERHEAD, MOST) else {
            return false;
        };
        self.send(Bytes::from_owner(Counted {
            line,
            _taken: taken,
        }));
        true
    }

    /// Has a prompt written.
    pub(crate) fn prompt(&self, line: Bytes) {
        self.send(line);
    }

    fn send(&self, line: Bytes) {
        // Fails once stdin is closed; then the end is near, and says why.
        let _ = self.lines.send(line);
    }
}

/// Counts a call on its way to the driver. `None` where too much waits already; an interrupt and
/// the call that ends the session pass for longer.
pub(crate) fn take(room: &Room, body: &ControlRequestBody) -> Option<Taken> {
    let urgent = matches!(
        body,
        ControlRequestBody::Interrupt(_) | ControlRequestBody::EndSession(_)
    );
    let most = if urgent { MOST } else { MOST_FOR_CALLS };
    room.take(length(body) + OVERHEAD, most)
}

/// How long a call is as JSON. One that cannot be written is refused later, with the reason.
fn length(body: &ControlRequestBody) -> usize {
    struct Length(usize);
    impl io::Write for Length {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut length = Length(0);
    let _ = serde_json::to_writer(&mut length, body);
    length.0
}

/// Writes lines until there are no more, then closes stdin.
pub(crate) async fn write(mut outgoing: Outgoing, mut lines: Lines) -> io::Result<()> {
    while let Some(line) = lines.recv().await {
        outgoing.send(line).await?;
    }
    outgoing.close().await
}
