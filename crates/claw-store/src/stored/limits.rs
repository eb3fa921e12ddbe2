//! Limits for data from a store.

/// Limits for data that is read from a store. If data exceeds a limit, the call fails. Data is never truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of all transcripts of a session together, in bytes. 2 GiB by default.
    pub bytes: u64,
    /// The maximum number of lines in all transcripts of a session together. 10 million by default.
    pub lines: u64,
    /// The maximum length of a line in bytes. 256 MiB by default, which is also the limit of claw-sessions.
    pub line: u64,
    /// The maximum number of transcripts of a session. 10,000 by default.
    pub transcripts: u64,
    /// The maximum number of sessions in a list. 100,000 by default.
    pub sessions: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 2 << 30,
            lines: 10_000_000,
            line: 256 << 20,
            transcripts: 10_000,
            sessions: 100_000,
        }
    }
}

impl Limits {
    /// Sets the maximum size of a session, in bytes.
    pub fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the maximum number of lines in a session.
    pub fn lines(mut self, lines: u64) -> Self {
        self.lines = lines;
        self
    }

    /// Sets the maximum length of a line, in bytes.
    pub fn line(mut self, bytes: u64) -> Self {
        self.line = bytes;
        self
    }

    /// Sets the maximum number of transcripts of a session.
    pub fn transcripts(mut self, transcripts: u64) -> Self {
        self.transcripts = transcripts;
        self
    }

    /// Sets the maximum number of sessions in a list.
    pub fn sessions(mut self, sessions: u64) -> Self {
        self.sessions = sessions;
        self
    }
}
