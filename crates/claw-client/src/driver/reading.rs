//! What is read of a session, and for how much of it there is room.

use std::io;

use claw_codec::LineItem;
use claw_transport::Incoming;

use super::Driver;
use crate::inbox::weight;

/// More than a pipe holds, and the weight of its lines.
const PIPE: usize = 1 << 20;

impl Driver {
    /// Takes what the reader gave, and the lines behind it that have been read with it: no more than
    /// `most`, and no more than there is room for. Says how many.
    pub(super) fn take(
        &mut self,
        first: Option<io::Result<LineItem>>,
        most: usize,
        incoming: &mut Incoming,
    ) -> usize {
        let error = match first {
            Some(Ok(line)) => return self.lines(line, most, incoming),
            Some(Err(error)) => error,
            None => io::Error::new(io::ErrorKind::UnexpectedEof, "claude closed its stdout"),
        };
        self.ending.end_of_output(error);
        0
    }

    fn lines(&mut self, first: LineItem, most: usize, incoming: &mut Incoming) -> usize {
        let now = self.now();
        // Lines that are but messages, and how many bytes more of them there is room for, for sure.
        let (mut plain, mut room) = (Vec::new(), self.room());
        let (mut next, mut taken) = (Some(first), 0);
        while let Some(line) = next {
            taken += 1;
            if self.engine.passes(now, &line) {
                room = room.saturating_sub(weight(&line));
                plain.push(line);
            } else {
                self.pass(&mut plain);
                self.engine.line(now, line);
                self.flush();
                room = self.room();
            }
            if room == 0 {
                self.pass(&mut plain);
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
        self.pass(&mut plain);
        taken
    }

    /// Gives messages to whoever's they are.
    fn pass(&mut self, lines: &mut Vec<LineItem>) {
        if !lines.is_empty() {
            self.inbox.lines(self.engine.owner(), lines.drain(..));
        }
    }

    /// How many bytes there is room for whoever waits.
    fn room(&self) -> usize {
        (self.bound / 4 * 3).saturating_sub(self.inbox.bytes())
    }

    /// Whether there is room for another line. While somebody waits for what only reading on can
    /// bring, the last quarter is used as well; what a process left in its pipe is read in any case.
    pub(super) fn may_read(&self) -> bool {
        let bytes = self.inbox.bytes();
        // Where nothing waits there is room for a line, whatever its length.
        bytes == 0
            || bytes < self.bound / 4 * 3
            || (bytes < self.bound && (self.engine.is_waiting() || self.inbox.is_awaited()))
            || (self.ending.exit().is_some() && bytes < self.bound.saturating_add(PIPE))
    }
}
