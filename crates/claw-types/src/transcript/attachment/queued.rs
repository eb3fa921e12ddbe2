//! What was taken into a turn that ran already.

use crate::api::Content;
use crate::message::MessageOrigin;
use crate::{Count, MessageUuid, Number};

/// Something that waited in the queue and was taken into the turn that ran: a prompt, or the news that work in
/// the background has ended.
#[wire(tag(type = "queued_command"), rename_all = "camelCase")]
pub struct QueuedCommandAttachment {
    /// What the model is told.
    pub prompt: Content,
    /// Its name in the queue: for a prompt of the host's, the one that the host gave it.
    #[wire(rename = "source_uuid")]
    pub source_uuid: Option<MessageUuid>,
    /// The name of its way to the model.
    #[wire(rename = "delivery_id")]
    pub delivery_id: Option<String>,
    /// What it is: `prompt`, `task-notification` ….
    pub command_mode: Option<String>,
    /// Who said it. Absent for a prompt of the host's.
    pub origin: Option<MessageOrigin>,
    /// Whether it is no person's.
    pub is_meta: Option<bool>,
    /// The run of the task that has ended.
    pub run_id: Option<String>,
    /// When it came, as an ISO 8601 time.
    pub timestamp: Option<String>,
    /// What the task that has ended took.
    pub usage: Option<QueuedUsage>,
}

/// What a task in the background took.
#[wire(rename_all = "camelCase")]
pub struct QueuedUsage {
    /// Tokens, in and out.
    pub total_tokens: Option<Count>,
    /// Uses of tools.
    pub tool_uses: Option<Count>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<Number>,
}
