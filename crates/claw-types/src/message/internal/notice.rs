//! What the CLI tells the person: `system` / `instruction_size_warning`, `feedback_draft_queued`,
//! `memory_saved` and `thinking`.

use super::Identity;
use crate::Count;

/// The instructions that every prompt carries (CLAUDE.md, rules, and what they import) are longer
/// than they should be.
///
/// To some hosts, at most once, in the first turn. Numbers alone: the host finds the words. In no
/// published type.
#[wire(tag(type = "system", subtype = "instruction_size_warning"))]
pub struct InstructionSizeWarning {
    /// How long they are, in characters.
    pub total_chars: Count,
    /// How long they should be at most.
    pub total_limit_chars: Count,
    /// How many files they are.
    pub file_count: Count,
    fields: Identity!(),
    /// How long the longest is. Only where it is too long by itself, and not the only one.
    pub largest_chars: Option<Count>,
}

/// What feedback is about.
#[wire(open)]
pub enum FeedbackDraftType {
    /// Something is wrong.
    Bug = "bug",
    /// Something could be better.
    Idea = "idea",
    /// Something cannot be done.
    MissingCapability = "missing_capability",
}

/// The model has written a draft of feedback to Anthropic, which the person may send.
///
/// To hosts, when the draft is on disk. Nothing is sent without the person. In no published type.
#[wire(tag(type = "system", subtype = "feedback_draft_queued"))]
pub struct FeedbackDraftQueued {
    /// The draft.
    pub draft_id: String,
    /// What it is about.
    pub draft_type: FeedbackDraftType,
    /// A line.
    pub title: String,
    /// How its text begins.
    pub details_preview: String,
    fields: Identity!(),
}

/// Memories were written. In no published type.
#[wire(tag(type = "system", subtype = "memory_saved"))]
pub struct MemorySaved {
    /// The files.
    pub written_paths: Vec<String>,
    fields: Identity!(),
    /// How many of them are the team's.
    pub team_count: Option<Count>,
    /// What to say that was done to them. Absent: saved.
    pub verb: Option<String>,
}

/// Reasoning, as text to show.
///
/// Beside the answer's own blocks. In no published type.
#[wire(tag(type = "system", subtype = "thinking"))]
pub struct ThinkingMessage {
    /// The text.
    pub content: String,
    fields: Identity!(),
}
