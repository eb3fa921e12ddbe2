//! `system` / `status` and `system` / `compact_boundary`: what the session is busy with.

use super::Identity;
use crate::options::PermissionMode;
use crate::{Count, MessageUuid, Number};

/// What the session is busy with.
#[wire(open)]
pub enum SessionStatus {
    /// It summarises the conversation.
    Compacting = "compacting",
    /// It waits for the API. Only with partial messages.
    Requesting = "requesting",
}

/// How a summary went.
#[wire(open)]
pub enum CompactResult {
    /// It is there.
    Success = "success",
    /// It could not be made.
    Failed = "failed",
}

/// What the session is busy with, or that its permission mode has changed.
///
/// To hosts. Sent when a summary begins (`compacting`), while it is written and when it is over (then
/// with `compact_result`), when the permission mode changes, and, with partial messages, before each
/// request to the API (`requesting`). The status
/// holds until the next such line says otherwise; null says that nothing of the kind goes on.
/// A line that tells of the permission mode has null as well.
#[wire(tag(type = "system", subtype = "status"))]
pub struct StatusMessage {
    /// What it is busy with; null for nothing of the kind.
    #[wire(nullable)]
    pub status: Option<SessionStatus>,
    fields: Identity!(),
    /// The permission mode, where it has changed.
    #[wire(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// How the summary went.
    pub compact_result: Option<CompactResult>,
    /// Why the summary could not be made.
    pub compact_error: Option<String>,
    /// How much of the summary is written, in characters. While it is being made.
    pub compact_output_chars: Option<Count>,
    /// Prompts that the request is for.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// `true` where a turn that was interrupted in plan mode is not taken up again, since the
    /// session is no longer in that mode. Once, at the start.
    pub resume_held_for_plan: Option<bool>,
}

/// Who asked for a summary.
#[wire(open)]
pub enum CompactTrigger {
    /// The user.
    Manual = "manual",
    /// The CLI: the context was full.
    Auto = "auto",
}

/// What came before was replaced by a summary.
///
/// To hosts. Sent for each summary that was made, after the [`StatusMessage`] that says so; the
/// summary itself follows as a [`UserMessage`](super::UserMessage) with `is_synthetic`. Lines that were
/// kept as they are stand in `compact_metadata`: one by one in `preserved_messages`, as a stretch in
/// `preserved_segment`; where both are there, the first is the one to follow. The transcript on disk
/// has it too.
#[wire(tag(type = "system", subtype = "compact_boundary"))]
pub struct CompactBoundary {
    /// What was summarised.
    pub compact_metadata: CompactMetadata,
    fields: Identity!(),
    /// The last line of the conversation before.
    #[wire(since = "2.1.329")]
    pub logical_parent_uuid: Option<MessageUuid>,
    /// Whether it is told again, and is not new. Set by remote control.
    pub historical: Option<bool>,
}

/// What was summarised.
#[wire]
pub struct CompactMetadata {
    /// Who asked for it.
    pub trigger: CompactTrigger,
    /// Tokens of the conversation before.
    pub pre_tokens: Count,
    /// Tokens of the conversation after. Absent where the CLI has not counted them.
    pub post_tokens: Option<Count>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<Number>,
    /// Tokens that all summaries of the session have taken out.
    pub cumulative_dropped_tokens: Option<Count>,
    /// Lines that were kept, as a stretch. Absent where all was summarised.
    pub preserved_segment: Option<PreservedSegment>,
    /// Lines that were kept, one by one; takes precedence over `preserved_segment`. Absent where all
    /// was summarised.
    pub preserved_messages: Option<PreservedMessages>,
}

/// Lines that were kept, as a stretch.
#[wire]
pub struct PreservedSegment {
    /// The first.
    pub head_uuid: MessageUuid,
    /// The line that they follow.
    pub anchor_uuid: MessageUuid,
    /// The last.
    pub tail_uuid: MessageUuid,
}

/// Lines that were kept, one by one.
#[wire]
pub struct PreservedMessages {
    /// The line that they follow.
    pub anchor_uuid: MessageUuid,
    /// The lines.
    pub uuids: Vec<MessageUuid>,
    /// The same, with those that are not part of the chain.
    pub all_uuids: Option<Vec<MessageUuid>>,
}
