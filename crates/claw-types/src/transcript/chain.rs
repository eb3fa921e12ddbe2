//! `user`, `assistant` and `progress` entries: the messages of the conversation. Each entry is a link of the chain that
//! forms the conversation.

use crate::api::{ApiMessage, MessageParam};
use crate::control::DecisionReasonType;
use crate::message::{AssistantMessageError, MessageOrigin, NonExecutionKind};
use crate::options::PermissionMode;
use crate::{ApiMessageId, Count, Json, MessageUuid, Number, RequestId, SessionId, ToolUseId, Tri};

/// The place of an entry in the chain of a conversation.
#[wire(fields)]
pub(crate) struct ChainPlace {
    /// The UUID of the previous entry in the chain. Null for the first entry of a chain.
    #[wire(nullable)]
    pub parent_uuid: Option<crate::MessageUuid>,
    /// Whether the entry belongs to a sub-agent.
    pub is_sidechain: bool,
}

/// The fields that all entries of the chain have.
#[wire(fields)]
pub(crate) struct ChainLink {
    /// The UUID of the entry.
    pub uuid: crate::MessageUuid,
    /// The time at which the entry was written, in ISO 8601.
    pub timestamp: String,
    /// The ID of the session.
    pub session_id: crate::SessionId,
    /// The UUID of the entry after which this entry is shown. Present if this entry begins a new chain and therefore
    /// has no parent.
    pub logical_parent_uuid: crate::Tri<crate::MessageUuid>,
    /// The ID of the sub-agent to which the entry belongs. Absent in the main conversation.
    pub agent_id: Option<String>,
    /// Whether the entry was written by the CLI, and not by the user.
    pub is_meta: Option<bool>,
    /// The type of user: `external` for everyone outside of Anthropic.
    pub user_type: Option<String>,
    /// The kind of a session that the CLI runs in the background: `bg` (`claude --bg`), `daemon` or `daemon-worker`. Absent
    /// in all other sessions.
    pub session_kind: Option<String>,
    /// The entry point through which the CLI was started, such as `sdk-cli`.
    pub entrypoint: Option<String>,
    /// The working directory of the session.
    pub cwd: Option<String>,
    /// The version of the CLI.
    pub version: Option<String>,
    /// The git branch. `HEAD` if no branch is checked out.
    pub git_branch: Option<String>,
    /// The slug under which the session's plans are stored.
    pub slug: Option<String>,
    /// The original entry from which this entry was copied. Present if the session was forked from another session.
    pub forked_from: Option<crate::transcript::ForkedFrom>,
    /// The name of the team to which the session belongs.
    pub team_name: Option<String>,
    /// The name of the session in its team.
    pub agent_name: Option<String>,
}

/// A transcript entry with a user message: a prompt, or the result of a tool.
///
/// The CLI writes the entry of a prompt when the prompt's turn begins, and the entry of a tool result when the tool has
/// ended. A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "user"), rename_all = "camelCase")]
pub struct UserEntry {
    fields: ChainPlace!(),
    /// The message, in the form that the CLI sends to the API.
    pub message: MessageParam,
    /// The ID of the prompt to whose turn the entry belongs.
    pub prompt_id: Option<String>,
    /// The permission mode of the turn. Present only on prompts.
    pub permission_mode: Option<PermissionMode>,
    /// The source of the prompt, such as `sdk` or `system`. Present only on prompts.
    pub prompt_source: Option<String>,
    /// The origin of the turn, such as `sdk`, `task_notification` or `human`. Present only on prompts.
    pub turn_origin: Option<String>,
    /// The position of the prompt in its turn, and of the turn in the session.
    pub turn_position: Option<TurnPosition>,
    /// The key to which the turn's cost is attributed: a UUID.
    pub turn_attribution_key: Option<String>,
    /// Whether the message was added to a turn that another message had started.
    pub turn_companion: Option<bool>,
    /// The origin of the prompt. Absent if unknown.
    pub origin: Option<MessageOrigin>,
    /// The output of the tool as JSON. Its form depends on the tool.
    pub tool_use_result: Option<Json>,
    /// The UUID of the entry with the tool use. Present only on tool results.
    #[wire(rename = "sourceToolAssistantUUID")]
    pub source_tool_assistant_uuid: Option<MessageUuid>,
    /// The ID of the tool use that made the CLI write this message.
    #[wire(rename = "sourceToolUseID")]
    pub source_tool_use_id: Option<ToolUseId>,
    /// The permission decision for the tool use.
    pub permission_decision: Option<RecordedDecision>,
    /// Whether the tool ran in the sandbox.
    pub sandboxed: Option<bool>,
    /// The reason why the tool did not run.
    pub tool_denial_kind: Option<NonExecutionKind>,
    /// Whether the tool use was denied before it began.
    pub tool_denial_before_run: Option<bool>,
    /// The reason why nobody answered the permission request, such as `stream-closed`.
    pub tool_denial_unanswered: Option<String>,
    /// Whether the denial ends the turn.
    pub tool_denial_ends_turn: Option<bool>,
    /// Whether the tool's result ends the turn.
    pub tool_ends_turn: Option<bool>,
    /// The reason why an MCP tool was not treated as read-only, such as `no_hint`.
    pub mcp_call_not_read_only: Option<String>,
    /// Metadata that the MCP server sent in addition to the content. The server determines its form.
    pub mcp_meta: Option<Json>,
    /// Whether the message contains a person's own words, such as the reason why the person denied a tool use.
    pub holds_persons_words: Option<bool>,
    /// The IDs of the images that were pasted into the prompt.
    pub image_paste_ids: Option<Vec<Count>>,
    /// The source of the entry's text: `local` (the CLI itself or the person beside it), `recorded`, `hook` or
    /// `harness`.
    pub row_source: Option<String>,
    /// The time at which the prompt was sent, in milliseconds since 1970-01-01 UTC.
    pub sent_at_ms: Option<Number>,
    /// Whether the text comes from a hook.
    pub hook_text: Option<bool>,
    /// The sentence with which the CLI introduces the hook's text to the model.
    pub hook_text_lead: Option<String>,
    /// Whether the text is a note by the CLI itself to the model.
    pub own_note: Option<bool>,
    /// The text of the CLI's note. Present only on some notes.
    pub own_note_text: Option<String>,
    /// The UUIDs of other prompts that were merged into this prompt.
    pub merged_send_uuids: Option<Vec<MessageUuid>>,
    /// The UUID that the host gave the prompt. Present only if another entry already has that UUID.
    pub sent_as_uuid: Option<MessageUuid>,
    /// Whether the message is the summary with which a compaction replaced the conversation.
    pub is_compact_summary: Option<bool>,
    /// What the summary covers. Present only if a person summarised a part of the conversation in the terminal.
    pub summarize_metadata: Option<SummarizeMetadata>,
    /// Whether the message repeats the summary of an earlier compaction, not of the newest one.
    pub repeats_compact_summary: Option<bool>,
    /// The UUIDs of those prompts of the running turn that the summary covers.
    pub summarized_turn_prompt_uuids: Option<Vec<MessageUuid>>,
    /// Whether the message is shown to people only in the transcript.
    pub is_visible_in_transcript_only: Option<bool>,
    /// The ID of the refused response that made the CLI write this message.
    pub refused_message_id: Option<ApiMessageId>,
    /// The ID of the response during which the person interrupted the turn. Present only on the CLI's text about an
    /// interruption.
    pub interrupted_message_id: Option<ApiMessageId>,
    /// Whether the CLI wrote this message in order to ask the same model again after a refusal.
    pub refusal_retry: Option<bool>,
    /// Whether the CLI took the prompt from the queue without processing attachments.
    pub queue_skip_attachments: Option<bool>,
    /// Whether the CLI took the prompt from the queue without processing slash commands.
    pub queue_skip_slash_commands: Option<bool>,
    /// Whether the CLI added the prompt to the conversation without starting a turn.
    pub queue_transcript_only: Option<bool>,
    /// Whether the exit of the CLI interrupted the turn.
    pub interrupted_by_shutdown: Option<bool>,
    fields: ChainLink!(),
}

/// What a summary covers that a person requested for a part of the conversation.
#[wire(rename_all = "camelCase")]
pub struct SummarizeMetadata {
    /// The number of messages that the summary replaces.
    pub messages_summarized: Count,
    /// What the person wrote about the summary.
    pub user_context: Option<String>,
    /// Which part of the conversation was summarised, as seen from the prompt that the person chose.
    pub direction: Option<SummarizeDirection>,
}

/// The part of a conversation that a summary replaces, as seen from a prompt.
#[wire(open)]
pub enum SummarizeDirection {
    /// The prompt and everything after it.
    From = "from",
    /// Everything before the prompt.
    UpTo = "up_to",
}

/// A transcript entry with one completed content block of a response. The entry's `message` has the form of a response
/// that consists of this block.
///
/// When the response is complete, the CLI writes one entry for each block. These entries have the same `message.id`,
/// and each has the stop reason and the usage of the whole response. A field is absent if it does not apply, or if the
/// CLI is too old to send it.
#[wire(tag(type = "assistant"), rename_all = "camelCase")]
pub struct AssistantEntry {
    fields: ChainPlace!(),
    /// The response, with the content block of this entry as its only content.
    pub message: ApiMessage,
    /// The index of the entry's content block in the response.
    pub api_block_index: Option<Count>,
    /// The ID that the API gave the request for this response.
    pub request_id: Option<RequestId>,
    /// The `id` of the [`ApiRequestEntry`](super::ApiRequestEntry) with the request for this response.
    pub request_ref: Option<String>,
    /// The ID of the session whose transcript contains the entry that `requestRef` names. Absent if that session is the
    /// session of this entry.
    pub request_session_id: Option<SessionId>,
    /// The model that was requested.
    pub requested_model: Option<String>,
    /// The requested lifetime of the prompt cache, such as `5m`.
    pub prompt_cache_requested: Option<String>,
    /// The requested effort level, such as `high`.
    pub effort: Option<String>,
    /// The effort level requested for this turn only, such as `high`. Null if no level was requested.
    pub per_turn_effort: Tri<String>,
    /// The author of the message: `model`, or `other` for a text that the CLI itself wrote.
    pub made_by: Option<String>,
    /// The duration of the model's thinking, in milliseconds.
    pub thinking_duration_ms: Option<Count>,
    /// The form in which thinking is shown, such as `updates` or `summarized`.
    pub thinking_display: Option<String>,
    /// The time that it took to receive the tool's input, in milliseconds.
    pub tool_input_stream_ms: Option<Number>,
    /// Whether an interrupt cut the response off.
    pub is_aborted_mid_stream: Option<bool>,
    /// The ID of the request that the CLI made to a classifier of the API. Absent if it made no such request.
    pub server_classifier_request: Option<String>,
    /// The type of the sub-agent that wrote the message.
    pub attribution_agent: Option<String>,
    /// The MCP server whose tool the message uses.
    pub attribution_mcp_server: Option<String>,
    /// The tool of the MCP server that the message uses.
    pub attribution_mcp_tool: Option<String>,
    /// The plugin whose skill the model was following.
    pub attribution_plugin: Option<String>,
    /// The skill that the model was following.
    pub attribution_skill: Option<String>,
    /// The UUIDs of entries that this entry replaces.
    pub supersedes_uuids: Option<Vec<MessageUuid>>,
    /// The ID of the refused response that this message replaces.
    pub refused_message_id: Option<ApiMessageId>,
    /// The model that refused.
    pub refusing_model: Option<String>,
    /// The kind of API error. If present, the CLI itself wrote the text of the message.
    pub error: Option<AssistantMessageError>,
    /// The details that the API sent about the error.
    pub error_details: Option<String>,
    /// Whether the message is a report by the CLI about an API error.
    pub is_api_error_message: Option<bool>,
    /// The CLI's own code for the API error, such as `max_output_tokens`.
    pub api_error: Option<String>,
    /// Details of the API error. Their form depends on `apiError`.
    pub api_error_params: Option<Json>,
    /// The HTTP status code of the API error.
    pub api_error_status: Option<Number>,
    /// The type that the API gave the error, such as `authentication_error`.
    pub api_error_type: Option<String>,
    /// Whether the API error may be transient.
    pub api_error_is_transient: Option<bool>,
    /// Whether the failed response contained no tool use.
    pub failed_response_had_no_tool_call: Option<bool>,
    fields: ChainLink!(),
}

/// A transcript entry with the progress of a tool. Written by older CLIs only.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(type = "progress"), rename_all = "camelCase")]
pub struct ProgressEntry {
    fields: ChainPlace!(),
    /// The progress data. Its form depends on the tool, so it can be any JSON value.
    pub data: Option<Json>,
    /// The ID of the tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<String>,
    /// The ID of the tool use that started the sub-agent which uses the tool. Absent if the main conversation uses the
    /// tool.
    #[wire(rename = "parentToolUseID")]
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: ChainLink!(),
}

/// The position of a prompt in its turn, and of the turn in the session.
#[wire(rename_all = "camelCase")]
pub struct TurnPosition {
    /// The index of the prompt in its turn, counted from 0.
    pub prompt_index: Count,
    /// The number of the turn, counted from 1.
    pub turn_index: Count,
}

/// A permission decision for a tool use, as a transcript records it.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct RecordedDecision {
    /// The decision: `accept` or `reject`.
    pub decision: String,
    /// The source of the decision, such as `config`, `hook` or `user_temporary`.
    pub source: Option<String>,
    /// The type of the reason for the decision.
    pub reason_type: Option<DecisionReasonType>,
    /// The reason for the decision as a code, such as `rule:cliArg`.
    pub reason_code: Option<String>,
    /// The scope of the permission, such as `once` or `session`.
    pub grant_scope: Option<String>,
    /// The source of the permission rule, such as `cliArg`.
    pub rule_source: Option<String>,
    /// The name of the safety check that led to the decision, such as `claudeSettingsFile`. No permission rule can
    /// override a safety check.
    pub circuit_breaker: Option<String>,
}

/// The origin of an entry that was copied when a session was forked: the original entry and its session.
#[wire(rename_all = "camelCase")]
pub struct ForkedFrom {
    /// The ID of the session that was forked.
    pub session_id: SessionId,
    /// The UUID of the entry in the session that was forked.
    pub message_uuid: MessageUuid,
}
