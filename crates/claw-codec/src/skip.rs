//! A line over the limit, while it passes.

use std::fmt;

use bytes::Bytes;

use crate::{EXCERPT, TooLong};

/// The parts of a line of any length that are kept: its beginning, its end and its length.
#[derive(Clone)]
pub(crate) struct Skip {
    length: u64,
    head: Vec<u8>,
    /// The last bytes: `KEEP`, and up to as many again, so that they are seldom moved.
    tail: Vec<u8>,
}

/// One byte more than the shown end has, because the last byte may be the `\r` of the line ending.
const KEEP: usize = EXCERPT + 1;

impl Skip {
    /// Starts with the part of the line that has been read so far.
    pub(crate) fn start(part: &[u8]) -> Self {
        let mut skip = Self {
            length: 0,
            head: Vec::with_capacity(EXCERPT),
            tail: Vec::with_capacity(2 * KEEP),
        };
        skip.push(part);
        skip
    }

    /// Adds the next part of the line.
    pub(crate) fn push(&mut self, part: &[u8]) {
        self.length += part.len() as u64;
        let room = EXCERPT - self.head.len();
        self.head.extend_from_slice(&part[..part.len().min(room)]);

        let part = &part[part.len().saturating_sub(KEEP)..];
        if self.tail.len() + part.len() > 2 * KEEP {
            let old = self.tail.len() - (KEEP - part.len());
            self.tail.drain(..old);
        }
        self.tail.extend_from_slice(part);
    }

    /// Ends the line.
    pub(crate) fn finish(mut self, line: u64, limit: usize) -> TooLong {
        if self.tail.pop_if(|last| *last == b'\r').is_some() {
            self.length -= 1;
            if self.length < self.head.len() as u64 {
                self.head.pop();
            }
        }
        let tail = &self.tail[self.tail.len().saturating_sub(EXCERPT)..];
        TooLong::new(
            line,
            self.length,
            limit,
            self.head.into(),
            Bytes::copy_from_slice(tail),
        )
    }
}

/// Shows the length, not the bytes, which may contain secrets.
impl fmt::Debug for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skip")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}
