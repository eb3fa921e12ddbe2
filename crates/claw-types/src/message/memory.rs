//! `system` / `memory_recall`: memories that the model was reminded of.

use super::Identity;

/// How memories were recalled.
#[wire(open)]
pub enum MemoryRecallMode {
    /// Files were chosen.
    Select = "select",
    /// A text was made of them.
    Synthesize = "synthesize",
}

/// Whose memory it is.
#[wire(open)]
pub enum MemoryScope {
    /// The user's.
    Personal = "personal",
    /// The team's.
    Team = "team",
    /// The organisation's.
    Organization = "organization",
}

/// Memories that the model was reminded of.
///
/// To hosts, in a turn, when it happens.
#[wire(tag(type = "system", subtype = "memory_recall"))]
pub struct MemoryRecall {
    /// How.
    pub mode: MemoryRecallMode,
    /// Which.
    pub memories: Vec<RecalledMemory>,
    fields: Identity!(),
}

/// A memory.
#[wire]
pub struct RecalledMemory {
    /// The file.
    pub path: String,
    /// Whose it is.
    pub scope: MemoryScope,
    /// The text that was made of memories. Only with `synthesize`.
    pub content: Option<String>,
}
