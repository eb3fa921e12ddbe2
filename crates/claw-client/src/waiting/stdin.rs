//! The lines that wait to be written to the CLI's stdin.
//!
//! The CLI's output is read regardless of the number of waiting lines. The CLI can write output
//! without reading its input, so if this program stopped reading, each side would wait for the
//! other. Therefore the number of waiting bytes is limited, and a session that reaches the limit
//! ends.

use std::io;

use bytes::Bytes;
use claw_transport::Outgoing;
use claw_types::control::ControlRequestBody;
use tokio::sync::mpsc;

use super::{ByteBudget, ByteReservation};

/// The highest number of waiting bytes of answers and calls. Prompts are not counted: they have
/// their own limit.
pub(crate) const MOST: usize = 64 << 20;

/// The number of bytes above which calls of the application are refused, so that calls alone cannot
/// end the session.
const MOST_FOR_CALLS: usize = MOST / 2;

/// The number of bytes that count toward the limit for each line, in addition to its length.
const OVERHEAD: usize = 128;

/// The channel to the writer.
pub(crate) struct Stdin {
    lines: mpsc::UnboundedSender<Bytes>,
    room: ByteBudget,
}

/// The lines for the writer.
pub(crate) type Lines = mpsc::UnboundedReceiver<Bytes>;

/// A line whose bytes count toward the limit until it was written.
struct Counted {
    line: Bytes,
    _taken: ByteReservation,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.line
    }
}

impl Stdin {
    pub(crate) fn new(room: ByteBudget) -> (Self, Lines) {
        let (lines, to_write) = mpsc::unbounded_channel();
        (Self { lines, room }, to_write)
    }

    /// Queues an answer or a call. Returns `false` if too much is already waiting.
    pub(crate) fn write(&self, line: Bytes) -> bool {
        let Some(taken) = self.room.reserve(line.len() + OVERHEAD, MOST) else {
            return false;
        };
        self.send(Bytes::from_owner(Counted {
            line,
            _taken: taken,
        }));
        true
    }

    /// Queues a prompt.
    pub(crate) fn prompt(&self, line: Bytes) {
        self.send(line);
    }

    fn send(&self, line: Bytes) {
        // Sending fails if stdin is closed. Then the session ends anyway, and reports the reason.
        let _ = self.lines.send(line);
    }
}

/// Counts a call that waits for the driver. Returns `None` if too many bytes are waiting. An
/// interrupt, and the call that ends the session, have a higher limit.
pub(crate) fn take(room: &ByteBudget, body: &ControlRequestBody) -> Option<ByteReservation> {
    let urgent = matches!(
        body,
        ControlRequestBody::Interrupt(_) | ControlRequestBody::EndSession(_)
    );
    let most = if urgent { MOST } else { MOST_FOR_CALLS };
    room.reserve(length(body) + OVERHEAD, most)
}

/// Returns the length of a call as JSON. A call that cannot be written is refused later, with the
/// reason.
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

/// Writes all lines, then closes stdin.
pub(crate) async fn write(mut outgoing: Outgoing, mut lines: Lines) -> io::Result<()> {
    while let Some(line) = lines.recv().await {
        outgoing.send(line).await?;
    }
    outgoing.close().await
}
