//! Splits chunks of bytes into lines.

use bytes::{Buf as _, BytesMut};

#[derive(Debug, Default)]
pub(crate) struct Lines {
    buffer: BytesMut,
    /// The length of the beginning of the buffer that was already searched. It contains no line end.
    searched: usize,
}

/// The error for a line that exceeds the limit.
#[derive(Debug, thiserror::Error)]
#[error("a line has more than {0} bytes, which is the limit")]
pub(crate) struct TooLong(usize);

impl Lines {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// Returns the next line without its line end, or `None` if no complete line has arrived.
    pub(crate) fn next(&mut self, limit: usize) -> Result<Option<BytesMut>, TooLong> {
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

    /// Returns the bytes after the last line end.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer
    }
}
