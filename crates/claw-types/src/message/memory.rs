//! `system` / `memory_recall`: memories that were given to the model.

use super::Identity;

/// How memories are given to the model: as selected files, or as one synthesised text.
#[wire(open)]
pub enum MemoryRecallMode {
    /// The model was given selected memory files.
    Select = "select",
    /// The model was given one text that was synthesised from memories.
    Synthesize = "synthesize",
}

/// The owner of a memory.
#[wire(open)]
pub enum MemoryScope {
    /// The memory belongs to the user.
    Personal = "personal",
    /// The memory belongs to the team.
    Team = "team",
    /// The memory belongs to the organisation.
    Organization = "organization",
}

/// Memories that the CLI gave to the model.
///
/// The CLI sends this message during a turn, when it gives memories to the model.
#[wire(tag(type = "system", subtype = "memory_recall"))]
pub struct MemoryRecall {
    /// How the memories were given to the model: as selected files, or as one synthesised text.
    pub mode: MemoryRecallMode,
    /// The memories that were recalled.
    pub memories: Vec<RecalledMemory>,
    fields: Identity!(),
}

/// A memory that was recalled.
#[wire]
pub struct RecalledMemory {
    /// The path of the memory file.
    pub path: String,
    /// The person or the group to whom the memory belongs.
    pub scope: MemoryScope,
    /// The text that was synthesised from memories. Sent only with the mode `synthesize`.
    pub content: Option<String>,
}
