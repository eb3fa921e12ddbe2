//! `stream_event`: an answer while it grows.

use super::Identity;
use crate::api::{ContentBlockDelta, StreamEvent};
use crate::{ApiMessageId, Count, Json, MessageUuid, Number, ToolUseId};

/// An event of an answer that is being written.
///
/// To hosts. Sent only where partial messages were asked for (`include_partial_messages`), many
/// times an answer, and never for sub-agents. What the events add up to follows as
/// [`AssistantMessage`](super::AssistantMessage)s: take one of the two.
/// [`Accumulator`](crate::accumulate::Accumulator) adds them up.
///
/// An optional field that is absent does not apply to this event, or the CLI is older than it.
#[wire(tag(type = "stream_event"))]
pub struct StreamEventMessage {
    /// The event.
    pub event: StreamEvent,
    /// Null: sub-agents send none.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: Identity!(),
    /// The answer that grows: the `message.id` of its `assistant` lines.
    #[wire(since = "2.1.329")]
    pub api_message_id: Option<ApiMessageId>,
    /// From the prompt to the first token, in milliseconds. On the first event of an answer.
    pub ttft_ms: Option<Number>,
    /// How the model's reasoning is shown: `updates`, `summarized` ….
    pub thinking_display: Option<String>,
    /// The last prompt that this turn answers. On the first event of a turn, and again when another
    /// prompt was taken into it; absent on the events between.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
    /// All prompts that this turn answers so far, at most 64, in the order in which they were taken
    /// up. There where `user_message_uuid` is.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// Why the turn goes on after the CLI was started anew. Absent on any other turn.
    pub resume_reason: Option<String>,
    /// Blocks that were begun and will not be completed, after an interrupt.
    pub abandoned_blocks: Option<AbandonedBlocks>,
    /// What the CLI still owes a host that shows an answer row by row: a list, nearly always empty.
    pub owed_rows: Option<Json>,
    /// `true` where text blocks in a row are put together in the assistant message. On
    /// `message_start`.
    pub text_runs_joined: Option<bool>,
}

/// Blocks that were begun and will not be completed.
#[wire]
pub struct AbandonedBlocks {
    /// The answer.
    pub api_message_id: ApiMessageId,
    /// The first of them, by its place in the answer.
    pub from_block_index: Count,
}

impl StreamEventMessage {
    /// The text that this event adds to the answer, if it adds any.
    pub fn text_delta(&self) -> Option<&str> {
        match &self.event {
            StreamEvent::ContentBlockDelta(event) => match &event.delta {
                ContentBlockDelta::Text(delta) => Some(&delta.text),
                _ => None,
            },
            _ => None,
        }
    }
}
