//! The attachment for messages that were delivered into a running turn.

use crate::api::Content;
use crate::message::MessageOrigin;
use crate::{Count, MessageUuid, Number};

/// An attachment for a queued message that was delivered into the running turn: a prompt, or the notification that a
/// background task has ended.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "queued_command"), rename_all = "camelCase")]
pub struct QueuedCommandAttachment {
    /// The text or content blocks that the model receives.
    pub prompt: Content,
    /// The UUID of the message in the queue. For a prompt of the host, it is the UUID that the host gave the prompt.
    #[wire(rename = "source_uuid")]
    pub source_uuid: Option<MessageUuid>,
    /// The ID of the delivery into the running turn. The `queue-operation` entry for the message has the same ID.
    #[wire(rename = "delivery_id")]
    pub delivery_id: Option<String>,
    /// The kind of message, such as `prompt` or `task-notification`.
    pub command_mode: Option<String>,
    /// The origin of the message. Absent for a prompt of the host.
    pub origin: Option<MessageOrigin>,
    /// Whether the message was written by something other than a person.
    pub is_meta: Option<bool>,
    /// The source of the message: `local` (the CLI itself or the person beside it), `recorded`, `hook` or `harness`.
    pub row_source: Option<String>,
    /// The time at which the message was sent, in milliseconds since 1970-01-01 UTC.
    pub sent_at_ms: Option<Number>,
    /// Whether the message is a prompt that a person wrote.
    pub human_turn: Option<bool>,
    /// Whether the host sent the message as a turn of its own.
    pub hosts_own_turn: Option<bool>,
    /// The run ID of the background task that has ended.
    pub run_id: Option<String>,
    /// The time at which the message was queued, in ISO 8601.
    pub timestamp: Option<String>,
    /// The tokens, tool uses and run time of the background task that has ended.
    pub usage: Option<QueuedUsage>,
}

/// The tokens, tool uses and run time of a background task.
#[wire(rename_all = "camelCase")]
pub struct QueuedUsage {
    /// The number of input and output tokens.
    pub total_tokens: Option<Count>,
    /// The number of tool uses.
    pub tool_uses: Option<Count>,
    /// The run time of the task, in milliseconds.
    pub duration_ms: Option<Number>,
}
