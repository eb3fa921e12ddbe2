//! Lines, in whatever chunks they come.

use bytes::{Buf as _, BytesMut};

#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: BytesMut,
    /// How far there is no line end.
    searched: usize,
}

/// A line that is longer than it may be.
#[derive(Debug, thiserror::Error)]
#[error("a line has more than {0} bytes, which is the limit")]
pub(super) struct TooLong(usize);

impl Lines {
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// The next line, without its end. `None` if there is no more of them yet.
    pub(super) fn next(&mut self, limit: usize) -> Result<Option<BytesMut>, TooLong> {
        let found = self.buffer[self.searched..]
            .iter()
            .position(|byte| *byte == b'\n');
        let end = found.map_or(self.buffer.len(), |at| self.searched + at);
        if end > limit {
            return Err(TooLong(limit));
        }
        if found.is_none() {
            self.searched = end;
            return Ok(None);
        }
        let line = self.buffer.split_to(end);
        self.buffer.advance(1);
        self.searched = 0;
        Ok(Some(line))
    }

    /// What is behind the last line end.
    pub(super) fn rest(&self) -> &[u8] {
        &self.buffer
    }
}
