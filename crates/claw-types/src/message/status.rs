//! `system` / `status` and `system` / `compact_boundary`: the current activity of the session, and the compaction of
//! its conversation.

use super::Identity;
use crate::options::PermissionMode;
use crate::{Count, MessageUuid, Number};

/// The current activity of a session.
#[wire(open)]
pub enum SessionStatus {
    /// The session summarises the conversation (compaction).
    Compacting = "compacting",
    /// The session waits for the API. Sent only if partial messages were requested.
    Requesting = "requesting",
}

/// The outcome of a compaction.
#[wire(open)]
pub enum CompactResult {
    /// The summary was made.
    Success = "success",
    /// The summary could not be made.
    Failed = "failed",
}

/// The current activity of the session, or a change to its permission mode.
///
/// The CLI sends this message with the status `compacting` when a compaction begins and while the summary is written.
/// When the compaction has ended, it sends this message with `compact_result`. It also sends this message when the
/// permission mode changes. If partial messages were requested, it sends this message with the status `requesting`
/// before each request to the API.
///
/// The status holds until the next message of this kind. A null status means that the session is neither compacting nor
/// waiting for the API. A message about the permission mode also has a null status.
#[wire(tag(type = "system", subtype = "status"))]
pub struct StatusMessage {
    /// The current activity of the session. Null if the session is neither compacting nor waiting for the API.
    #[wire(nullable)]
    pub status: Option<SessionStatus>,
    fields: Identity!(),
    /// The new permission mode. Absent if the mode has not changed.
    #[wire(rename = "permissionMode")]
    pub permission_mode: Option<PermissionMode>,
    /// The outcome of the compaction. Sent only at the end of a compaction.
    pub compact_result: Option<CompactResult>,
    /// The reason why the summary could not be made. Sent only if a compaction failed.
    pub compact_error: Option<String>,
    /// The length of the summary so far, in characters. Sent only while an automatic compaction
    /// writes the summary.
    pub compact_output_chars: Option<Count>,
    /// The UUIDs of the prompts that the request to the API is meant to answer.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// Whether the CLI decided not to resume an interrupted turn, because the turn ran in plan mode and the session is
    /// now in another mode. Sent once, when the CLI starts.
    pub resume_held_for_plan: Option<bool>,
}

/// The cause of a compaction: a request by the user, or a full context.
#[wire(open)]
pub enum CompactTrigger {
    /// The user requested the compaction.
    Manual = "manual",
    /// The CLI started the compaction because the context was full.
    Auto = "auto",
}

/// The point at which a summary replaced the earlier conversation.
///
/// The CLI sends this message for each completed summary, after the [`StatusMessage`] that reports its completion. The
/// summary itself follows as a [`UserMessage`](super::UserMessage) with `isSynthetic`. The transcript on disk also
/// contains the boundary.
///
/// `compact_metadata` identifies the messages that were kept unchanged, with a list in `preserved_messages` or with a
/// range in `preserved_segment`. If both are present, `preserved_messages` takes precedence.
#[wire(tag(type = "system", subtype = "compact_boundary"))]
pub struct CompactBoundary {
    /// The details of the compaction.
    pub compact_metadata: CompactMetadata,
    fields: Identity!(),
    /// The UUID of the last message of the earlier conversation.
    #[wire(since = "2.1.329")]
    pub logical_parent_uuid: Option<MessageUuid>,
    /// Whether this message was already sent earlier and is now repeated. Remote control sets this field. Absent means
    /// `false`.
    pub historical: Option<bool>,
}

/// The details of a compaction.
#[wire]
pub struct CompactMetadata {
    /// What started the compaction: the user, or the CLI because the context was full.
    pub trigger: CompactTrigger,
    /// The number of tokens of the conversation before the compaction.
    pub pre_tokens: Count,
    /// The number of tokens of the conversation after the compaction. Absent if the CLI has not
    /// counted them.
    pub post_tokens: Option<Count>,
    /// The duration of the compaction, in milliseconds.
    pub duration_ms: Option<Number>,
    /// The number of tokens that all compactions of the session together have removed.
    pub cumulative_dropped_tokens: Option<Count>,
    /// The range of messages that the compaction kept unchanged. Absent if all messages were summarised.
    pub preserved_segment: Option<PreservedSegment>,
    /// The list of the messages that the compaction kept unchanged. Takes precedence over `preserved_segment`. Absent
    /// if all messages were summarised.
    pub preserved_messages: Option<PreservedMessages>,
}

/// A range of messages that a compaction kept unchanged.
#[wire]
pub struct PreservedSegment {
    /// The UUID of the first message of the range.
    pub head_uuid: MessageUuid,
    /// The UUID of the message after which the range is placed in the new conversation.
    pub anchor_uuid: MessageUuid,
    /// The UUID of the last message of the range.
    pub tail_uuid: MessageUuid,
}

/// The list of the messages that a compaction kept unchanged.
#[wire]
pub struct PreservedMessages {
    /// The UUID of the message after which the kept messages are placed in the new conversation.
    pub anchor_uuid: MessageUuid,
    /// The UUIDs of the kept messages.
    pub uuids: Vec<MessageUuid>,
    /// The UUIDs of all kept messages. Unlike `uuids`, this list also contains kept messages that are not in the
    /// conversation's chain of parents.
    pub all_uuids: Option<Vec<MessageUuid>>,
}
