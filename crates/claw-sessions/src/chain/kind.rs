//! The kinds and flags of links.

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

    /// Whether the line is a message of a user or a model.
    pub(super) fn is_message(self) -> bool {
        matches!(self, Self::User | Self::Assistant)
    }
}

/// The properties of a link, one bit each.
pub(super) mod flag {
    pub(crate) const SIDECHAIN: u16 = 1;
    pub(crate) const TEAM: u16 = 2;
    pub(crate) const META: u16 = 4;
    /// An attachment of the type `fork_briefing`. It is not part of the conversation's chain.
    pub(crate) const BRIEFING: u16 = 8;
    /// A user line with the result of a tool use.
    pub(crate) const RESULT: u16 = 16;
    /// A line that is not shown.
    pub(crate) const HIDDEN: u16 = 32;
    /// The summary of a compaction.
    pub(crate) const SUMMARY: u16 = 64;
    /// A user line that reports an interruption.
    pub(crate) const STOPPED: u16 = 128;
    /// The parts of a local command: its announcement, its name, and its output.
    pub(crate) const CAVEAT: u16 = 256;
    pub(crate) const RECORD: u16 = 512;
    pub(crate) const OUTPUT: u16 = 1024;
    /// An answer with tool uses that the host makes and the model does not see, or such a tool use.
    pub(crate) const HOST: u16 = 2048;
    /// A line that the host inserted.
    pub(crate) const VIRTUAL: u16 = 4096;
    /// The boundary of a compaction.
    pub(crate) const BOUNDARY: u16 = 8192;
    /// A line at the beginning of a conversation: its parent is null.
    pub(crate) const ROOT: u16 = 16384;
}
