//! What a link of the chain is, and what it says of itself.

/// The kinds of lines that are links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    User,
    Assistant,
    Attachment,
    System,
    Progress,
}

impl Kind {
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"user" => Self::User,
            b"assistant" => Self::Assistant,
            b"attachment" => Self::Attachment,
            b"system" => Self::System,
            b"progress" => Self::Progress,
            _ => return None,
        })
    }

    /// Whether somebody speaks.
    pub(super) fn is_message(self) -> bool {
        matches!(self, Self::User | Self::Assistant)
    }
}

/// What a link says of itself, each a bit.
pub(super) mod flag {
    pub(crate) const SIDECHAIN: u16 = 1;
    pub(crate) const TEAM: u16 = 2;
    pub(crate) const META: u16 = 4;
    /// An attachment that briefs a fork.
    pub(crate) const BRIEFING: u16 = 8;
    /// A user line that has the result of a call.
    pub(crate) const RESULT: u16 = 16;
    /// Not to be shown.
    pub(crate) const HIDDEN: u16 = 32;
    /// The summary of what was compacted.
    pub(crate) const SUMMARY: u16 = 64;
    /// A user line that says that something was stopped.
    pub(crate) const STOPPED: u16 = 128;
    /// The parts of a local command: what announces it, its name, and what it wrote.
    pub(crate) const CAVEAT: u16 = 256;
    pub(crate) const RECORD: u16 = 512;
    pub(crate) const OUTPUT: u16 = 1024;
    /// An answer with calls that the host makes and the model does not see, or such a call.
    pub(crate) const HOST: u16 = 2048;
    /// Put in by the host.
    pub(crate) const VIRTUAL: u16 = 4096;
    /// The boundary of a compaction.
    pub(crate) const BOUNDARY: u16 = 8192;
    /// A line that says that nothing stands before it: its parent is null.
    pub(crate) const ROOT: u16 = 16384;
}
