//! Notices from the CLI to the person: `system` / `instruction_size_warning`, `feedback_draft_queued`, `memory_saved`
//! and `thinking`.

use super::Identity;
use crate::Count;

/// A warning that the instructions are too long. The instructions are `CLAUDE.md`, rules and their imports, which are
/// part of every prompt.
///
/// The CLI sends this message to some hosts, at most once, in the first turn. The message contains only numbers, so the
/// host must write the text of the warning. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "instruction_size_warning"))]
pub struct InstructionSizeWarning {
    /// The length of all instructions, in characters.
    pub total_chars: Count,
    /// The recommended limit for all instructions, in characters.
    pub total_limit_chars: Count,
    /// The number of instruction files.
    pub file_count: Count,
    fields: Identity!(),
    /// The length of the longest file, in characters. Sent only if that file is too long by itself
    /// and is not the only file.
    pub largest_chars: Option<Count>,
}

/// The subject of a piece of feedback.
#[wire(open)]
pub enum FeedbackDraftType {
    /// Feedback about a bug.
    Bug = "bug",
    /// Feedback with an idea for an improvement.
    Idea = "idea",
    /// Feedback about a missing capability.
    MissingCapability = "missing_capability",
}

/// A draft of feedback to Anthropic that the model has written and the person may send.
///
/// The CLI sends this message when it has saved the draft. The draft goes to Anthropic only if the person sends it. The
/// types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "feedback_draft_queued"))]
pub struct FeedbackDraftQueued {
    /// The ID of the draft.
    pub draft_id: String,
    /// The subject of the feedback.
    pub draft_type: FeedbackDraftType,
    /// The title of the feedback, in one line.
    pub title: String,
    /// The beginning of the feedback's text.
    pub details_preview: String,
    fields: Identity!(),
}

/// A report that memories were saved. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "memory_saved"))]
pub struct MemorySaved {
    /// The paths of the memory files that were written.
    pub written_paths: Vec<String>,
    fields: Identity!(),
    /// The number of the written files that belong to the team.
    pub team_count: Option<Count>,
    /// A verb that says what happened to the memories, for the host to display. If it is absent, the memories were
    /// saved.
    pub verb: Option<String>,
}

/// The model's thinking, as text to display.
///
/// The CLI sends this message in addition to the content blocks of the answer. The types of the
/// official SDK do not include this message.
#[wire(tag(type = "system", subtype = "thinking"))]
pub struct ThinkingMessage {
    /// The text of the thinking.
    pub content: String,
    fields: Identity!(),
}
