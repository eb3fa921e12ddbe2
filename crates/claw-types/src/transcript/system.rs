//! `system` entries: events and notices of the CLI within the conversation.

use crate::message::{
    AgentNote, CompactTrigger, FallbackDirection, FallbackScope, FallbackTrigger,
    LocalCommandOutcome, LocalCommandRun,
};
use crate::{ApiMessageId, Count, Json, MessageUuid, Number, RequestId, Tri};

use super::chain::{ChainLink, ChainPlace};

/// A transcript entry for a compaction: a summary replaced the earlier conversation. The summary follows as a
/// [`UserEntry`](super::UserEntry).
///
/// A new chain begins here: `parentUuid` is null, and `logicalParentUuid` names the last entry before the compaction.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "compact_boundary"),
    rename_all = "camelCase"
)]
pub struct CompactBoundaryEntry {
    fields: ChainPlace!(),
    /// The details of the compaction.
    pub compact_metadata: CompactionRecord,
    /// The text that is shown to a person.
    pub content: Option<String>,
    /// The severity of the entry, such as `info` or `warning`.
    pub level: Option<String>,
    fields: ChainLink!(),
}

/// The details of a compaction, as a transcript records them.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct CompactionRecord {
    /// The cause of the compaction: a request of the user, or a full context.
    pub trigger: CompactTrigger,
    /// The number of tokens in the conversation before the compaction.
    pub pre_tokens: Count,
    /// The number of tokens in the conversation after the compaction.
    pub post_tokens: Option<Count>,
    /// The duration of the compaction, in milliseconds.
    pub duration_ms: Option<Number>,
    /// The number of tokens that all compactions of the session so far have removed.
    pub cumulative_dropped_tokens: Option<Count>,
    /// The number of messages that the summary replaces. Present only if a person summarised a part of the conversation
    /// in the terminal.
    pub messages_summarized: Option<Count>,
    /// What the person wrote about the summary. Present only if a person summarised a part of the conversation in the
    /// terminal.
    pub user_context: Option<String>,
    /// The range of entries that the compaction kept.
    pub preserved_segment: Option<KeptSegment>,
    /// The list of entries that the compaction kept. It takes precedence over the range in `preservedSegment`.
    pub preserved_messages: Option<KeptMessages>,
    /// The prompts of the turn that was running during the compaction.
    pub running_turn_sends: Option<RunningTurnSends>,
    /// The prompt of the turn that was running during the compaction. Present only if the CLI has to keep the prompt
    /// after the compaction.
    pub running_turn_prompt: Option<Json>,
    /// Whether the list of organisations that the CLI recorded before the compaction covers the conversation from its
    /// start.
    pub pre_compact_organizations_cover_start: Option<bool>,
}

/// A range of entries that a compaction kept.
#[wire(rename_all = "camelCase")]
pub struct KeptSegment {
    /// The UUID of the first kept entry.
    pub head_uuid: MessageUuid,
    /// The UUID of the entry after which the kept entries now come.
    pub anchor_uuid: MessageUuid,
    /// The UUID of the last kept entry.
    pub tail_uuid: MessageUuid,
}

/// A list of entries that a compaction kept.
#[wire(rename_all = "camelCase")]
pub struct KeptMessages {
    /// The UUID of the entry after which the kept entries now come.
    pub anchor_uuid: MessageUuid,
    /// The UUIDs of the kept entries.
    pub uuids: Vec<MessageUuid>,
    /// The UUIDs of all kept entries, including entries outside of the chain.
    pub all_uuids: Option<Vec<MessageUuid>>,
}

/// The prompts of the turn that was running during a compaction.
#[wire(rename_all = "camelCase")]
pub struct RunningTurnSends {
    /// The UUIDs of the prompts that the compaction kept.
    pub uuids: Vec<MessageUuid>,
    /// The UUID of the prompt that began the turn.
    pub opener_uuid: Option<MessageUuid>,
    /// The UUIDs of the prompts that remain only as part of the summary.
    pub summarised_only: Option<Vec<MessageUuid>>,
}

/// A transcript entry for a failed API request that the CLI retries.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "system", subtype = "api_error"), rename_all = "camelCase")]
pub struct ApiErrorEntry {
    fields: ChainPlace!(),
    /// The error that the API returned, as the CLI saw it.
    pub error: ApiErrorRecord,
    /// The severity of the entry: `error`.
    pub level: Option<String>,
    /// The number of the failed attempt at the API request, counted from 1.
    pub retry_attempt: Option<Count>,
    /// The maximum number of attempts at the API request.
    pub max_retries: Option<Count>,
    /// The delay until the next attempt at the API request, in milliseconds.
    pub retry_in_ms: Option<Number>,
    /// The part of the CLI that retries, such as `request_retry`.
    pub source: Option<String>,
    fields: ChainLink!(),
}

/// An API error, as a transcript records it.
#[wire(rename_all = "camelCase")]
pub struct ApiErrorRecord {
    /// The error message of the API client.
    pub message: String,
    /// The error message as it is shown to people.
    pub formatted: Option<String>,
    /// The HTTP status code. Absent or null if there was no response.
    pub status: Tri<Number>,
    /// The ID that the API gave the request.
    pub request_id: Tri<RequestId>,
    /// The connection error. Null if there was none. The form of this value is internal to the CLI.
    pub connection: Tri<Json>,
    /// The reason why no response came. Null if a response came. The form of this value is internal to the CLI.
    pub no_response: Tri<Json>,
    /// The rate limits that were reached. Null if no limit was reached. The form of this value is internal to the CLI.
    pub rate_limits: Tri<Json>,
    /// Whether the network is down.
    pub is_network_down: Option<bool>,
}

/// A transcript entry for a slash command that ran without the model.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "local_command"),
    rename_all = "camelCase"
)]
pub struct LocalCommandEntry {
    fields: ChainPlace!(),
    /// The output of the command, enclosed in tags.
    pub content: String,
    /// The severity of the entry, such as `info` or `warning`.
    pub level: Option<String>,
    /// The command that ran.
    pub command_run: Option<LocalCommandRun>,
    /// The outcome of the command. Absent if it succeeded.
    pub command_outcome: Option<LocalCommandOutcome>,
    /// The report on how the context window is used. Present only for the command `/context`.
    pub context_usage: Option<Json>,
    /// The usage report. Present only for the command `/usage`.
    pub usage_report: Option<Json>,
    /// Whether the output is only shown to the person, and the model does not see it.
    pub is_display_only: Option<bool>,
    /// The UUID of the prompt with the command.
    pub submit_uuid: Option<MessageUuid>,
    fields: ChainLink!(),
}

/// A transcript entry for the hooks that ran at the end of a turn.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "stop_hook_summary"),
    rename_all = "camelCase"
)]
pub struct StopHookSummaryEntry {
    fields: ChainPlace!(),
    /// The number of hooks that ran.
    pub hook_count: Count,
    /// The hooks that ran.
    pub hook_infos: Vec<StopHookInfo>,
    /// The error messages of hooks.
    pub hook_errors: Vec<String>,
    /// The indexes, counted from 0, of those messages in `hookErrors` that report the failure of a hook. The other
    /// messages report that a hook decided to block.
    pub failed_hook_error_indexes: Option<Vec<Count>>,
    /// The additional context that hooks gave the model.
    pub hook_additional_context: Option<Vec<String>>,
    /// Whether hooks prevented the turn from continuing.
    pub prevented_continuation: bool,
    /// The reason why the turn did not continue. May be empty.
    pub stop_reason: Option<String>,
    /// Whether the hooks produced output.
    pub has_output: Option<bool>,
    /// The display name of the hooks, such as `Stop`.
    pub hook_label: Option<String>,
    /// The total duration of the hooks, in milliseconds.
    pub total_duration_ms: Option<Number>,
    /// The severity of the entry, such as `info` or `warning`.
    pub level: Option<String>,
    /// The ID that the CLI gave this run of the hooks at the end of the turn.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<String>,
    fields: ChainLink!(),
}

/// A hook that ran at the end of a turn.
#[wire(rename_all = "camelCase")]
pub struct StopHookInfo {
    /// The command of the hook. `callback` for a hook that the host (the program that runs `claude`) answers.
    pub command: String,
    /// The prompt of the hook, if the hook asks a model instead of running a command.
    pub prompt_text: Option<String>,
    /// The run time of the hook, in milliseconds.
    pub duration_ms: Option<Number>,
}

/// A transcript entry for a notice that the model does not see.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "informational"),
    rename_all = "camelCase"
)]
pub struct InformationalEntry {
    fields: ChainPlace!(),
    /// The text of the notice.
    pub content: String,
    /// The severity of the entry, such as `info` or `warning`.
    pub level: Option<String>,
    /// Whether the notice prevents the turn from continuing.
    pub prevent_continuation: Option<bool>,
    /// The ID of the tool use that the notice is about. Absent if the notice is not about a tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<String>,
    /// The reason why a prompt was not accepted, and whether the prompt was kept.
    pub prompt_submit_ending: Option<PromptSubmitEnding>,
    /// The note that a plugin left for an agent. Present if the notice is about such a note.
    pub agent_note: Option<AgentNote>,
    fields: ChainLink!(),
}

/// The reason why a prompt was not accepted, and whether the prompt was kept, as a transcript records them.
#[wire(rename_all = "camelCase")]
pub struct PromptSubmitEnding {
    /// The reason why the prompt was not accepted: an object with a `kind`, such as `blocked_by_hook`, and a `reason`.
    pub ending: PromptEnding,
    /// Whether the prompt was kept in the conversation although it was not accepted.
    pub prompt_kept: Option<bool>,
}

/// The reason why a prompt was not accepted.
#[wire(rename_all = "camelCase")]
pub struct PromptEnding {
    /// The kind of reason, such as `blocked_by_hook`.
    pub kind: String,
    /// The reason why the prompt was not accepted, in the hook's words.
    pub reason: Option<String>,
}

/// A transcript entry for a fallback to another model because the first model was overloaded.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "model_fallback"),
    rename_all = "camelCase"
)]
pub struct ModelFallbackEntry {
    fields: ChainPlace!(),
    /// The text that is shown to a person.
    pub content: Option<String>,
    /// The severity of the entry, such as `info` or `warning`.
    pub level: Option<String>,
    /// The reason why another model responds: the first model was overloaded, or it refused the request.
    pub trigger: Option<FallbackTrigger>,
    /// The model that was requested.
    pub original_model: Option<String>,
    /// The model that responds instead of the first model.
    pub fallback_model: Option<String>,
    fields: ChainLink!(),
}

/// A transcript entry for a fallback to another model because the first model refused the request.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "model_refusal_fallback"),
    rename_all = "camelCase"
)]
pub struct ModelRefusalFallbackEntry {
    fields: ChainPlace!(),
    /// The text that is shown to a person.
    pub content: Option<String>,
    /// The severity of the entry, such as `info` or `warning`.
    pub level: Option<String>,
    /// The reason why another model responds: the first model was overloaded, or it refused the request.
    pub trigger: Option<FallbackTrigger>,
    /// The step of the fallback: the fallback model retries the request, the session stays with that model, or the
    /// session returns to its own model.
    pub direction: Option<FallbackDirection>,
    /// The scope of the fallback to another model: this turn or this sub-agent only, or the whole session.
    pub scope: Option<FallbackScope>,
    /// The model that refused.
    pub original_model: Option<String>,
    /// The model that responds instead of the first model.
    pub fallback_model: Option<String>,
    /// The ID that the API gave the refused request.
    pub request_id: Option<RequestId>,
    /// The category that the API gave the refusal, such as `cyber` or `bio`.
    pub api_refusal_category: Tri<String>,
    /// The explanation that the API gave for the refusal.
    pub api_refusal_explanation: Tri<String>,
    /// The UUID of the refused prompt.
    pub refused_user_message_uuid: Option<MessageUuid>,
    /// The ID of the refused response.
    pub refused_message_id: Option<ApiMessageId>,
    /// The UUIDs of the entries that the CLI retracted because of the fallback.
    pub retracted_message_uuids: Option<Vec<MessageUuid>>,
    fields: ChainLink!(),
}

/// A transcript entry for a refusal by the model, without a fallback to another model.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(
    tag(type = "system", subtype = "model_refusal_no_fallback"),
    rename_all = "camelCase"
)]
pub struct ModelRefusalNoFallbackEntry {
    fields: ChainPlace!(),
    /// The text that is shown to a person. May be empty.
    pub content: Option<String>,
    /// The severity of the entry, such as `info` or `warning`.
    pub level: Option<String>,
    /// The model that refused.
    pub original_model: Option<String>,
    /// The ID that the API gave the refused request.
    pub request_id: Option<RequestId>,
    /// The category that the API gave the refusal, such as `cyber` or `bio`.
    pub api_refusal_category: Tri<String>,
    /// The explanation that the API gave for the refusal.
    pub api_refusal_explanation: Tri<String>,
    /// The UUID of the refused prompt.
    pub refused_user_message_uuid: Option<MessageUuid>,
    fields: ChainLink!(),
}

/// A transcript entry of type `system` whose subtype has no separate Rust type.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "system"), rename_all = "camelCase")]
pub struct SystemEntry {
    fields: ChainPlace!(),
    /// The subtype of the entry. Absent on entries of older CLIs.
    pub subtype: Option<String>,
    /// The text that is shown to a person.
    pub content: Option<String>,
    /// The severity of the entry, such as `info` or `warning`.
    pub level: Option<String>,
    fields: ChainLink!(),
}
