//! What the engine tells the surface that shows it: `attachment`, `tombstone`, `api_metrics`,
//! `apply_flag_settings`, `set_in_progress_tool_use_ids` and `hint_clears`.

use super::Identity;
use crate::{ApiMessageId, Count, Json, Map, Number, ToolUseId};

/// Something was attached to the conversation: a file that a prompt names, a selection, a picture,
/// a structured output.
///
/// When it is attached. In no published type.
#[wire(tag(type = "attachment"))]
pub struct AttachmentMessage {
    /// What it is: an object of a kind of its own, by its `type`. The kinds are the CLI's own
    /// business: no schema lists them.
    pub attachment: Json,
    /// When, as ISO 8601.
    pub timestamp: String,
    fields: Identity!(),
}

/// A message that was sent before no longer counts: another one takes its place, or none.
///
/// Whoever shows or keeps messages takes it out. In no published type.
#[wire(tag(type = "tombstone"))]
pub struct Tombstone {
    /// The message, in the CLI's own form, which no schema has.
    pub message: Json,
    fields: Identity!(),
}

/// How fast an answer of a sub-agent comes.
///
/// As the answer is written. In no published type.
#[wire(tag(type = "api_metrics"))]
pub struct ApiMetrics {
    /// What happened.
    pub event: ApiMetricsEvent,
    fields: Identity!(),
}

/// What happened to an answer that is being written.
#[wire]
pub enum ApiMetricsEvent {
    /// It has begun.
    Start(ApiMetricsStart),
    /// It is over.
    End(ApiMetricsEnd),
    /// Another block of it has begun.
    ContentBlockStart(ApiMetricsBlock),
    /// Some of its reasoning has come.
    ThinkingProgress(ApiMetricsThinking),
    /// The signature of its reasoning has come.
    ThinkingSignature(ApiMetricsSignature),
}

/// An answer has begun.
#[wire(tag(type = "start"))]
pub struct ApiMetricsStart {
    /// How long its first token took, in milliseconds.
    pub ttft_ms: Number,
    /// Which answer, where there are several at once.
    pub id: Option<String>,
    /// The answer's own name.
    pub message_id: Option<ApiMessageId>,
}

/// An answer is over.
#[wire(tag(type = "end"))]
pub struct ApiMetricsEnd {
    /// How many tokens it has.
    pub output_tokens: Count,
    /// Which answer, where there are several at once.
    pub id: Option<String>,
}

/// Another block of an answer has begun.
#[wire(tag(type = "content_block_start"))]
pub struct ApiMetricsBlock {
    /// Which answer, where there are several at once.
    pub id: Option<String>,
}

/// Some reasoning has come.
#[wire(tag(type = "thinking_progress"))]
pub struct ApiMetricsThinking {
    /// How many tokens, by estimate.
    pub estimated_tokens_delta: Count,
    /// Which answer, where there are several at once.
    pub id: Option<String>,
}

/// The signature of some reasoning has come.
#[wire(tag(type = "thinking_signature"))]
pub struct ApiMetricsSignature {
    /// How long it is, in characters.
    pub chars: Count,
    /// Which answer, where there are several at once.
    pub id: Option<String>,
}

/// A slash command wants settings changed for this session.
///
/// To whoever holds the settings: the counterpart of the control request of that name. In no
/// published type.
#[wire(tag(type = "apply_flag_settings"))]
pub struct ApplyFlagSettingsMessage {
    /// The settings over all others, in the form of a settings file. A null takes one back.
    #[wire(secret)]
    pub settings: Json,
    fields: Identity!(),
}

/// What becomes of a list of tool uses.
#[wire(open)]
pub enum InProgressAction {
    /// These are added.
    Add = "add",
    /// These are taken out.
    Remove = "remove",
}

/// Other tools run now: some have begun after their permission was given, or are over. In no
/// published type.
#[wire(tag(type = "set_in_progress_tool_use_ids"))]
pub struct SetInProgressToolUseIds {
    /// What has changed.
    pub op: InProgressOp,
    fields: Identity!(),
}

/// A change of which tools run.
#[wire]
pub struct InProgressOp {
    /// Whether they have begun.
    pub action: InProgressAction,
    /// The tool uses.
    pub ids: Vec<ToolUseId>,
}

/// What some tools gave was taken out of the context.
///
/// After a request to the API was tried again without it. In no published type.
#[wire(tag(type = "hint_clears"))]
pub struct HintClears {
    /// The tool uses.
    pub ids: Vec<ToolUseId>,
    /// What stands in place of each result, by the tool use.
    pub content_by_id: Map<String>,
    fields: Identity!(),
}
