//! `stream_event`: an event of an answer that the model is writing.

use super::Identity;
use crate::api::{ContentBlockDelta, StreamEvent};
use crate::{ApiMessageId, Count, Json, MessageUuid, Number, ToolUseId};

/// An event of the API's stream: a piece of the answer that the model is writing.
///
/// The CLI sends these messages only if partial messages were requested (`--include-partial-messages`). It sends many
/// of them per answer, and none for sub-agents. The complete content blocks also arrive, as
/// [`AssistantMessage`](super::AssistantMessage)s. Use either the stream events or the assistant messages. In Rust,
/// [`Accumulator`](crate::accumulate::Accumulator) assembles the answer from the events.
///
/// An optional field is absent if it does not apply to this event, or if the CLI is too old to send
/// it.
#[wire(tag(type = "stream_event"))]
pub struct StreamEventMessage {
    /// The event, in the form in which the API streams it.
    pub event: StreamEvent,
    /// Always null, because sub-agents send no stream events.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: Identity!(),
    /// The ID of the answer that is being written. In the `assistant` messages of this answer, the same ID is in
    /// `message.id`.
    #[wire(since = "2.1.329")]
    pub api_message_id: Option<ApiMessageId>,
    /// The time from the prompt to the first token, in milliseconds. Sent on the first event of an
    /// answer.
    pub ttft_ms: Option<Number>,
    /// The way in which the model's thinking is displayed, such as `updates` or `summarized`.
    pub thinking_display: Option<String>,
    /// The UUID of the last prompt that this turn answers. Sent on the first event of a turn, and on the first event
    /// after the turn took another prompt from the queue. Absent on all other events.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
    /// The UUIDs of all prompts that this turn answers so far, at most 64, in the order in which
    /// the turn took them from the queue. Sent together with `user_message_uuid`.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// The reason why the turn continues after a restart of the CLI, such as `interrupted_turn` or `host_draining`.
    /// Absent if no restart interrupted the turn.
    pub resume_reason: Option<String>,
    /// The content blocks that were begun and will not be completed. Sent only on a `message_stop` that the CLI itself
    /// created because the API's stream failed or the turn was interrupted.
    pub abandoned_blocks: Option<AbandonedBlocks>,
    /// The UUIDs of transcript entries that this turn wrote before its first request to the model. A program that read
    /// the transcript at the start of the turn may not have these entries. The list is nearly always empty.
    pub owed_rows: Option<Json>,
    /// Whether the assistant message will join consecutive text blocks into one. Sent on `message_start`.
    pub text_runs_joined: Option<bool>,
}

/// The content blocks of an answer that were begun and will not be completed.
#[wire]
pub struct AbandonedBlocks {
    /// The ID of the answer that contains the blocks.
    pub api_message_id: ApiMessageId,
    /// The index, in the answer, of the first block that will not be completed.
    pub from_block_index: Count,
}

impl StreamEventMessage {
    /// Returns the text that this event adds to the answer. Returns `None` if the event adds no text.
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
