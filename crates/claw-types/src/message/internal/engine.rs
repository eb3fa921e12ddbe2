//! Messages from the CLI's engine to the program that displays the session: `attachment`, `tombstone`, `api_metrics`,
//! `apply_flag_settings`, `set_in_progress_tool_use_ids` and `hint_clears`.

use super::Identity;
use crate::{ApiMessageId, Count, Json, Map, Number, ToolUseId};

/// An attachment that was added to the conversation: a file that a prompt mentions, a selection, an image or structured
/// output.
///
/// The CLI sends this message when it adds the attachment. The types of the official SDK do not
/// include this message.
#[wire(tag(type = "attachment"))]
pub struct AttachmentMessage {
    /// The attachment: an object whose form depends on its `type`. The kinds of attachments are internal to the CLI and
    /// not documented.
    pub attachment: Json,
    /// The time at which the attachment was added, in ISO 8601.
    pub timestamp: String,
    fields: Identity!(),
}

/// The removal of an earlier message, with or without a replacement.
///
/// A program that shows or stores messages must remove the earlier message (see the field `message`). The types of the
/// official SDK do not include this message.
#[wire(tag(type = "tombstone"))]
pub struct Tombstone {
    /// The removed message, in the CLI's internal form, which is not documented.
    pub message: Json,
    fields: Identity!(),
}

/// Measurements of the speed at which a sub-agent's answer arrives.
///
/// The CLI sends this message while the model writes the answer. The types of the official SDK do
/// not include this message.
#[wire(tag(type = "api_metrics"))]
pub struct ApiMetrics {
    /// The measured event of the answer.
    pub event: ApiMetricsEvent,
    fields: Identity!(),
}

/// An event of an answer that the model is writing.
#[wire]
pub enum ApiMetricsEvent {
    /// The answer has begun.
    Start(ApiMetricsStart),
    /// The answer is complete.
    End(ApiMetricsEnd),
    /// A further content block of the answer has begun.
    ContentBlockStart(ApiMetricsBlock),
    /// A part of the answer's thinking has arrived.
    ThinkingProgress(ApiMetricsThinking),
    /// The signature of the answer's thinking has arrived.
    ThinkingSignature(ApiMetricsSignature),
}

/// The start of an answer.
#[wire(tag(type = "start"))]
pub struct ApiMetricsStart {
    /// The time to the first token, in milliseconds.
    pub ttft_ms: Number,
    /// An ID that distinguishes this answer from other answers that are written at the same time.
    pub id: Option<String>,
    /// The API's ID of the answer.
    pub message_id: Option<ApiMessageId>,
}

/// The end of an answer.
#[wire(tag(type = "end"))]
pub struct ApiMetricsEnd {
    /// The number of output tokens of the answer.
    pub output_tokens: Count,
    /// An ID that distinguishes this answer from other answers that are written at the same time.
    pub id: Option<String>,
}

/// The start of a further content block of an answer.
#[wire(tag(type = "content_block_start"))]
pub struct ApiMetricsBlock {
    /// An ID that distinguishes this answer from other answers that are written at the same time.
    pub id: Option<String>,
}

/// The arrival of a part of an answer's thinking.
#[wire(tag(type = "thinking_progress"))]
pub struct ApiMetricsThinking {
    /// The estimated number of tokens in the part of the thinking that has just arrived.
    pub estimated_tokens_delta: Count,
    /// An ID that distinguishes this answer from other answers that are written at the same time.
    pub id: Option<String>,
}

/// The arrival of the signature of an answer's thinking.
#[wire(tag(type = "thinking_signature"))]
pub struct ApiMetricsSignature {
    /// The length of the thinking's signature, in characters.
    pub chars: Count,
    /// An ID that distinguishes this answer from other answers that are written at the same time.
    pub id: Option<String>,
}

/// A change to this session's settings that a slash command has requested.
///
/// The CLI sends this message to the program that stores the settings. The control request `apply_flag_settings` has
/// the opposite direction: the host sends it to the CLI. The types of the official SDK do not include this message.
#[wire(tag(type = "apply_flag_settings"))]
pub struct ApplyFlagSettingsMessage {
    /// The settings, in the form of a settings file. They override all settings files except the organisation's managed
    /// settings. A null value removes an earlier override.
    #[wire(secret)]
    pub settings: Json,
    fields: Identity!(),
}

/// An action on the list of tool uses in progress: tool uses are added to the list or removed from it.
#[wire(open)]
pub enum InProgressAction {
    /// The tool uses are added.
    Add = "add",
    /// The tool uses are removed.
    Remove = "remove",
}

/// A change to the list of tool uses in progress. Either tool uses have begun after their permission was granted, or
/// tool uses have ended. The types of the official SDK do not include this message.
#[wire(tag(type = "set_in_progress_tool_use_ids"))]
pub struct SetInProgressToolUseIds {
    /// The change to the list of tool uses in progress.
    pub op: InProgressOp,
    fields: Identity!(),
}

/// A change to the list of tool uses in progress.
#[wire]
pub struct InProgressOp {
    /// Whether the tool uses are added or removed.
    pub action: InProgressAction,
    /// The IDs of the tool uses.
    pub ids: Vec<ToolUseId>,
}

/// The removal of some tool results from the context.
///
/// The CLI sends this message after it has repeated an API request without the removed tool results. The types of the
/// official SDK do not include this message.
#[wire(tag(type = "hint_clears"))]
pub struct HintClears {
    /// The IDs of the tool uses whose results were removed.
    pub ids: Vec<ToolUseId>,
    /// The texts that replace the removed results. Each key is the ID of a tool use.
    pub content_by_id: Map<String>,
    fields: Identity!(),
}
