//! `system`: what the CLI notes down between the links of the conversation.

use crate::message::{
    CompactTrigger, FallbackDirection, FallbackScope, FallbackTrigger, LocalCommandOutcome,
    LocalCommandRun,
};
use crate::{ApiMessageId, Count, Json, MessageUuid, Number, RequestId, Tri};

use super::chain::{ChainLink, ChainPlace};

/// What came before was replaced by a summary, which follows as a
/// [`UserEntry`](super::UserEntry).
///
/// The chain begins anew here: `parentUuid` is null, and `logicalParentUuid` the last line
/// before.
#[wire(
    tag(type = "system", subtype = "compact_boundary"),
    rename_all = "camelCase"
)]
pub struct CompactBoundaryEntry {
    fields: ChainPlace!(),
    /// What was summarised.
    pub compact_metadata: CompactionRecord,
    /// What a person is shown.
    pub content: Option<String>,
    /// How much it matters.
    pub level: Option<String>,
    fields: ChainLink!(),
}

/// What was summarised, as a transcript has it.
#[wire(rename_all = "camelCase")]
pub struct CompactionRecord {
    /// Who asked for it.
    pub trigger: CompactTrigger,
    /// Tokens of the conversation before.
    pub pre_tokens: Count,
    /// Tokens of the conversation after.
    pub post_tokens: Option<Count>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<Number>,
    /// Tokens that all summaries of the session have taken out.
    pub cumulative_dropped_tokens: Option<Count>,
    /// Lines that were kept, as a stretch.
    pub preserved_segment: Option<KeptSegment>,
    /// Lines that were kept, one by one; takes precedence.
    pub preserved_messages: Option<KeptMessages>,
    /// The prompts of the turn that was running.
    pub running_turn_sends: Option<RunningTurnSends>,
    /// The prompt of the turn that was running, where the CLI has to keep of it.
    pub running_turn_prompt: Option<Json>,
    /// Whether what is known of organisations goes back to the beginning.
    pub pre_compact_organizations_cover_start: Option<bool>,
}

/// Lines that a summary kept, as a stretch.
#[wire(rename_all = "camelCase")]
pub struct KeptSegment {
    /// The first.
    pub head_uuid: MessageUuid,
    /// The line that they follow.
    pub anchor_uuid: MessageUuid,
    /// The last.
    pub tail_uuid: MessageUuid,
}

/// Lines that a summary kept, one by one.
#[wire(rename_all = "camelCase")]
pub struct KeptMessages {
    /// The line that they follow.
    pub anchor_uuid: MessageUuid,
    /// The lines.
    pub uuids: Vec<MessageUuid>,
    /// The same, with those that are not part of the chain.
    pub all_uuids: Option<Vec<MessageUuid>>,
}

/// The prompts of a turn that a summary was made in.
#[wire(rename_all = "camelCase")]
pub struct RunningTurnSends {
    /// Those that are kept.
    pub uuids: Vec<MessageUuid>,
    /// The one that began the turn.
    pub opener_uuid: Option<MessageUuid>,
    /// Those that stand in the summary alone.
    pub summarised_only: Option<Vec<MessageUuid>>,
}

/// The API failed, and is asked again.
#[wire(tag(type = "system", subtype = "api_error"), rename_all = "camelCase")]
pub struct ApiErrorEntry {
    fields: ChainPlace!(),
    /// What went wrong.
    pub error: ApiErrorRecord,
    /// How much it matters: `error`.
    pub level: Option<String>,
    /// Which attempt failed, from 1.
    pub retry_attempt: Option<Count>,
    /// How many attempts there are.
    pub max_retries: Option<Count>,
    /// How long until the next, in milliseconds.
    pub retry_in_ms: Option<Number>,
    /// Who asks again, such as `request_retry`.
    pub source: Option<String>,
    fields: ChainLink!(),
}

/// How the API failed.
#[wire(rename_all = "camelCase")]
pub struct ApiErrorRecord {
    /// What the API client says.
    pub message: String,
    /// The same, for people.
    pub formatted: Option<String>,
    /// The HTTP status. Absent or null where there was no answer.
    pub status: Tri<Number>,
    /// The request, as the API names it.
    pub request_id: Tri<RequestId>,
    /// How the connection failed, of a shape of its own; null where it did not.
    pub connection: Tri<Json>,
    /// Why there was no answer, of a shape of its own; null where there was one.
    pub no_response: Tri<Json>,
    /// The limits that were reached, of a shape of its own; null where none was.
    pub rate_limits: Tri<Json>,
    /// Whether the network is down.
    pub is_network_down: Option<bool>,
}

/// A slash command ran without the model.
#[wire(
    tag(type = "system", subtype = "local_command"),
    rename_all = "camelCase"
)]
pub struct LocalCommandEntry {
    fields: ChainPlace!(),
    /// What it wrote, in its tags.
    pub content: String,
    /// How much it matters.
    pub level: Option<String>,
    /// The command.
    pub command_run: Option<LocalCommandRun>,
    /// How it went, where it did not go well.
    pub command_outcome: Option<LocalCommandOutcome>,
    /// What fills the context window. Only of `/context`.
    pub context_usage: Option<Json>,
    /// What was used. Only of `/usage`.
    pub usage_report: Option<Json>,
    fields: ChainLink!(),
}

/// Hooks ran at the end of a turn.
#[wire(
    tag(type = "system", subtype = "stop_hook_summary"),
    rename_all = "camelCase"
)]
pub struct StopHookSummaryEntry {
    fields: ChainPlace!(),
    /// How many.
    pub hook_count: Count,
    /// The hooks.
    pub hook_infos: Vec<StopHookInfo>,
    /// What those said that failed.
    pub hook_errors: Vec<String>,
    /// Which of the errors are failures of a hook, and no answer of its, counted from 0.
    pub failed_hook_error_indexes: Option<Vec<Count>>,
    /// What they told the model.
    pub hook_additional_context: Option<Vec<String>>,
    /// Whether the turn was not to go on because of them.
    pub prevented_continuation: bool,
    /// Why it was not; may be empty.
    pub stop_reason: Option<String>,
    /// Whether they wrote something.
    pub has_output: Option<bool>,
    /// How much it matters.
    pub level: Option<String>,
    /// Names this run of the hooks.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<String>,
    fields: ChainLink!(),
}

/// A hook that ran at the end of a turn.
#[wire(rename_all = "camelCase")]
pub struct StopHookInfo {
    /// Its command, `callback` for one of the host's.
    pub command: String,
    /// What the model is asked, where the hook is a prompt.
    pub prompt_text: Option<String>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<Number>,
}

/// A notice that the model does not see.
#[wire(
    tag(type = "system", subtype = "informational"),
    rename_all = "camelCase"
)]
pub struct InformationalEntry {
    fields: ChainPlace!(),
    /// What it says.
    pub content: String,
    /// How much it matters.
    pub level: Option<String>,
    /// Whether the turn does not go on because of it.
    pub prevent_continuation: Option<bool>,
    /// The tool use that it is about.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<String>,
    /// What became of a prompt that was not taken.
    pub prompt_submit_ending: Option<PromptSubmitEnding>,
    fields: ChainLink!(),
}

/// What became of a prompt that was not taken, as a transcript has it.
#[wire(rename_all = "camelCase")]
pub struct PromptSubmitEnding {
    /// What: an object with its `kind`, such as `blocked_by_hook`, and a `reason`.
    pub ending: PromptEnding,
    /// Whether the prompt stands in the conversation all the same.
    pub prompt_kept: Option<bool>,
}

/// Why a prompt was not taken.
#[wire(rename_all = "camelCase")]
pub struct PromptEnding {
    /// What kind of end: `blocked_by_hook` ….
    pub kind: String,
    /// Why, in the hook's words.
    pub reason: Option<String>,
}

/// A model was overloaded, and another one answers.
#[wire(
    tag(type = "system", subtype = "model_fallback"),
    rename_all = "camelCase"
)]
pub struct ModelFallbackEntry {
    fields: ChainPlace!(),
    /// What a person is shown.
    pub content: Option<String>,
    /// How much it matters.
    pub level: Option<String>,
    /// Why.
    pub trigger: Option<FallbackTrigger>,
    /// The model that was asked for.
    pub original_model: Option<String>,
    /// The model that answers.
    pub fallback_model: Option<String>,
    fields: ChainLink!(),
}

/// A model declined, and another one answers.
#[wire(
    tag(type = "system", subtype = "model_refusal_fallback"),
    rename_all = "camelCase"
)]
pub struct ModelRefusalFallbackEntry {
    fields: ChainPlace!(),
    /// What a person is shown.
    pub content: Option<String>,
    /// How much it matters.
    pub level: Option<String>,
    /// Why.
    pub trigger: Option<FallbackTrigger>,
    /// To the other model, or back.
    pub direction: Option<FallbackDirection>,
    /// For how long.
    pub scope: Option<FallbackScope>,
    /// The model that declined.
    pub original_model: Option<String>,
    /// The model that answers.
    pub fallback_model: Option<String>,
    /// The request that was declined, as the API names it.
    pub request_id: Option<RequestId>,
    /// The kind of harm that the API saw.
    pub api_refusal_category: Tri<String>,
    /// Why, in the API's words.
    pub api_refusal_explanation: Tri<String>,
    /// The prompt that was declined.
    pub refused_user_message_uuid: Option<MessageUuid>,
    /// The answer that the model refused to give.
    pub refused_message_id: Option<ApiMessageId>,
    /// Lines that no longer count.
    pub retracted_message_uuids: Option<Vec<MessageUuid>>,
    fields: ChainLink!(),
}

/// A model declined, and no other one answers.
#[wire(
    tag(type = "system", subtype = "model_refusal_no_fallback"),
    rename_all = "camelCase"
)]
pub struct ModelRefusalNoFallbackEntry {
    fields: ChainPlace!(),
    /// What a person is shown; may be empty.
    pub content: Option<String>,
    /// How much it matters.
    pub level: Option<String>,
    /// The model that declined.
    pub original_model: Option<String>,
    /// The request that was declined, as the API names it.
    pub request_id: Option<RequestId>,
    /// The kind of harm that the API saw.
    pub api_refusal_category: Tri<String>,
    /// Why, in the API's words.
    pub api_refusal_explanation: Tri<String>,
    /// The prompt that was declined.
    pub refused_user_message_uuid: Option<MessageUuid>,
    fields: ChainLink!(),
}

/// A `system` line of any other subtype.
#[wire(tag(type = "system"), rename_all = "camelCase")]
pub struct SystemEntry {
    fields: ChainPlace!(),
    /// What is noted down. Absent on lines of older CLIs.
    pub subtype: Option<String>,
    /// What a person is shown.
    pub content: Option<String>,
    /// How much it matters.
    pub level: Option<String>,
    fields: ChainLink!(),
}
