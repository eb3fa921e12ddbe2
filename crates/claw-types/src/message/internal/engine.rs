//! Messages of the engine to the surface that displays it: `attachment`, `tombstone`,
//! `api_metrics`, `apply_flag_settings`, `set_in_progress_tool_use_ids` and `hint_clears`.

use super::Identity;
use crate::{ApiMessageId, Count, Json, Map, Number, ToolUseId};

/// An attachment of the conversation: a file that a prompt mentions, a selection, an image or
/// structured output.
///
/// Sent when the attachment is added. Not part of the published types.
#[wire(tag(type = "attachment"))]
pub struct AttachmentMessage {
    /// The attachment: an object whose form depends on its `type`. The kinds are internal to the
    /// CLI, and no schema lists them.
    pub attachment: Json,
    /// The time at which the attachment was added, in ISO 8601.
    pub timestamp: String,
    fields: Identity!(),
}

/// The removal of an earlier message, with or without a replacement.
///
/// A program that shows or keeps messages removes it. Not part of the published types.
#[wire(tag(type = "tombstone"))]
pub struct Tombstone {
    /// The removed message, in the CLI's own form, which no schema describes.
    pub message: Json,
    fields: Identity!(),
}

/// The speed at which an answer of a sub-agent arrives.
///
/// Sent while the answer is written. Not part of the published types.
#[wire(tag(type = "api_metrics"))]
pub struct ApiMetrics {
    /// The event of the answer.
    pub event: ApiMetricsEvent,
    fields: Identity!(),
}

/// An event of an answer that is being written.
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
    /// The ID of the answer among several concurrent ones.
    pub id: Option<String>,
    /// The API's ID of the answer.
    pub message_id: Option<ApiMessageId>,
}

/// The end of an answer.
#[wire(tag(type = "end"))]
pub struct ApiMetricsEnd {
    /// The number of output tokens of the answer.
    pub output_tokens: Count,
    /// The ID of the answer among several concurrent ones.
    pub id: Option<String>,
}

/// The start of a further content block of an answer.
#[wire(tag(type = "content_block_start"))]
pub struct ApiMetricsBlock {
    /// The ID of the answer among several concurrent ones.
    pub id: Option<String>,
}

/// The arrival of a part of an answer's thinking.
#[wire(tag(type = "thinking_progress"))]
pub struct ApiMetricsThinking {
    /// The estimated number of thinking tokens in this part.
    pub estimated_tokens_delta: Count,
    /// The ID of the answer among several concurrent ones.
    pub id: Option<String>,
}

/// The arrival of the signature of an answer's thinking.
#[wire(tag(type = "thinking_signature"))]
pub struct ApiMetricsSignature {
    /// The length of the signature, in characters.
    pub chars: Count,
    /// The ID of the answer among several concurrent ones.
    pub id: Option<String>,
}

/// A change of this session's settings that a slash command requests.
///
/// Sent to the program that holds the settings: the counterpart of the control request of the same
/// name. Not part of the published types.
#[wire(tag(type = "apply_flag_settings"))]
pub struct ApplyFlagSettingsMessage {
    /// The settings that override all others, in the form of a settings file. A null value removes
    /// an earlier override.
    #[wire(secret)]
    pub settings: Json,
    fields: Identity!(),
}

/// A change of a list of tool uses.
#[wire(open)]
pub enum InProgressAction {
    /// The tool uses are added.
    Add = "add",
    /// The tool uses are removed.
    Remove = "remove",
}

/// A change of the tool uses in progress: some have begun after their permission was granted, or
/// have ended. Not part of the published types.
#[wire(tag(type = "set_in_progress_tool_use_ids"))]
pub struct SetInProgressToolUseIds {
    /// The change of the list of tool uses in progress.
    pub op: InProgressOp,
    fields: Identity!(),
}

/// A change of the list of tool uses in progress.
#[wire]
pub struct InProgressOp {
    /// Whether the tool uses are added or removed.
    pub action: InProgressAction,
    /// The IDs of the tool uses.
    pub ids: Vec<ToolUseId>,
}

/// The removal of some tool results from the context.
///
/// Sent after an API request was retried without them. Not part of the published types.
#[wire(tag(type = "hint_clears"))]
pub struct HintClears {
    /// The IDs of the tool uses whose results were removed.
    pub ids: Vec<ToolUseId>,
    /// The text that replaces each result, by the ID of the tool use.
    pub content_by_id: Map<String>,
    fields: Identity!(),
}
