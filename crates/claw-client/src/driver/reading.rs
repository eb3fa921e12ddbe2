//! Reads the CLI's lines, and limits how many bytes wait for their readers.

use std::io;

use claw_codec::LineItem;
use futures::{FutureExt, StreamExt};
use tokio::task::unconstrained;

use super::{Driver, LEFT_BEHIND};
use crate::waiting::inbox::weight;

#[cfg(feature = "store")]
pub(crate) use crate::stored::Lines;

/// The reader of the CLI's lines, for a session without a store.
#[cfg(not(feature = "store"))]
pub(crate) use plain::Lines;

#[cfg(not(feature = "store"))]
mod plain {
    use std::io;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use claw_codec::LineItem;
    use claw_transport::Incoming;
    use futures::{Stream, StreamExt as _};

    use crate::outcome::error::Error;

    pub(crate) struct Lines(Incoming);

    impl Lines {
        pub(crate) fn at_hand(&mut self) -> Option<LineItem> {
            self.0.at_hand()
        }

        pub(crate) fn lost(&self) -> impl Future<Output = Error> + Send + use<> {
            let _ = self;
            std::future::pending()
        }

        #[expect(clippy::unused_async, reason = "as the lines of a session in a store")]
        pub(crate) async fn finish(self) -> Vec<LineItem> {
            Vec::new()
        }
    }

    impl From<Incoming> for Lines {
        fn from(incoming: Incoming) -> Self {
            Self(incoming)
        }
    }

    impl Stream for Lines {
        type Item = io::Result<LineItem>;

        fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            self.0.poll_next_unpin(cx)
        }
    }
}

/// An upper bound for the memory that the lines of a full pipe need after they are read, in bytes. It includes the
/// overhead of each line.
const PIPE: usize = 1 << 20;

impl Driver {
    /// Handles an item from the reader, and further lines that were read together with it. Handles at most `most`
    /// lines, and stops when the inbox has no room left. Returns the number of handled lines.
    pub(super) fn take(
        &mut self,
        first: Option<io::Result<LineItem>>,
        most: usize,
        incoming: &mut Lines,
    ) -> usize {
        let error = match first {
            Some(Ok(line)) => return self.lines(line, most, incoming),
            Some(Err(error)) => error,
            None => io::Error::new(io::ErrorKind::UnexpectedEof, "claude closed its stdout"),
        };
        self.shutdown.end_of_output(error);
        self.end_unrecorded();
        0
    }

    /// Reads the lines that are already in the pipe, without waiting for more.
    pub(super) fn drain_output(&mut self, incoming: &mut Lines) {
        let mut left = LEFT_BEHIND;
        while left > 0
            && self.shutdown.has_output()
            && self.may_read()
            && let Some(line) = unconstrained(incoming.next()).now_or_never()
        {
            left -= self.take(line, left, incoming);
        }
    }

    fn lines(&mut self, first: LineItem, most: usize, incoming: &mut Lines) -> usize {
        let now = self.now();
        // `plain` collects the messages that the engine forwards without a change. `room` is the number of bytes that
        // the inbox can take in any case.
        let (mut plain, mut room) = (Vec::new(), self.room());
        let (mut next, mut taken) = (Some(first), 0);
        while let Some(line) = next {
            taken += 1;
            if self.engine.handle_plain(now, &line) {
                room = room.saturating_sub(weight(&line));
                plain.push(line);
            } else {
                self.deliver_lines(&mut plain);
                self.engine.line(now, line);
                self.flush();
                room = self.room();
            }
            if room == 0 {
                self.deliver_lines(&mut plain);
                self.flush();
                if !self.may_read() {
                    break;
                }
                room = self.room();
            }
            if taken == most {
                break;
            }
            next = incoming.at_hand();
        }
        self.deliver_lines(&mut plain);
        taken
    }

    /// Delivers messages to their streams.
    fn deliver_lines(&mut self, lines: &mut Vec<LineItem>) {
        if !lines.is_empty() {
            self.inbox.lines(self.engine.owner(), lines.drain(..));
        }
    }

    /// Returns the number of bytes that may still be added before the inbox is three quarters full.
    fn room(&self) -> usize {
        (self.bound / 4 * 3).saturating_sub(self.inbox.bytes())
    }

    /// Whether another line may be read. Normally, lines are read until the inbox is three quarters full. The last
    /// quarter is used only while a caller waits for an answer, which may be in a line that was not read yet. The
    /// output that an ended process left in its pipe is always read.
    pub(super) fn may_read(&self) -> bool {
        let bytes = self.inbox.bytes();
        // If the inbox is empty, the next line is read even if it is longer than the bound.
        bytes == 0
            || bytes < self.bound / 4 * 3
            || (bytes < self.bound && (self.engine.is_waiting() || self.inbox.is_awaited()))
            || (self.shutdown.exit().is_some() && bytes < self.bound.saturating_add(PIPE))
    }
}
