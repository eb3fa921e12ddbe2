//! `user`, `assistant` and `progress`: the conversation itself, a line a link of its chain.

use crate::api::{ApiMessage, MessageParam};
use crate::control::DecisionReasonType;
use crate::message::{AssistantMessageError, MessageOrigin, NonExecutionKind};
use crate::options::PermissionMode;
use crate::{ApiMessageId, Count, Json, MessageUuid, Number, RequestId, SessionId, ToolUseId, Tri};

/// Where a link of the chain hangs.
#[wire(fields)]
pub(crate) struct ChainPlace {
    /// The link before this one; null at a beginning.
    #[wire(nullable)]
    pub parent_uuid: Option<crate::MessageUuid>,
    /// Whether it belongs to a sub-agent.
    pub is_sidechain: bool,
}

/// What every link of the chain says of itself.
#[wire(fields)]
pub(crate) struct ChainLink {
    /// Names this line.
    pub uuid: crate::MessageUuid,
    /// When it was written, as ISO 8601.
    pub timestamp: String,
    /// The session.
    pub session_id: crate::SessionId,
    /// The link that stands before it in what is shown, where the chain begins anew.
    pub logical_parent_uuid: crate::Tri<crate::MessageUuid>,
    /// The sub-agent. Absent in the main conversation.
    pub agent_id: Option<String>,
    /// Whether the CLI wrote it for itself: the person has not said it.
    pub is_meta: Option<bool>,
    /// Who uses the CLI: `external`, for all outside of its maker.
    pub user_type: Option<String>,
    /// What the CLI was started as, such as `sdk-cli`.
    pub entrypoint: Option<String>,
    /// The folder that the session was in.
    pub cwd: Option<String>,
    /// The CLI's version.
    pub version: Option<String>,
    /// The git branch, `HEAD` where there is none.
    pub git_branch: Option<String>,
    /// Words that name the session's plans.
    pub slug: Option<String>,
    /// The line that this is a copy of, in the session that this one was forked from.
    pub forked_from: Option<crate::transcript::ForkedFrom>,
    /// The team that the session belongs to.
    pub team_name: Option<String>,
    /// The session's name in that team.
    pub agent_name: Option<String>,
}

/// What the user said, or a tool on the user's behalf.
///
/// Written when it is said: a prompt when its turn begins, a tool result when the tool has
/// ended. An absent field does not apply, or the CLI is older than it.
#[wire(tag(type = "user"), rename_all = "camelCase")]
pub struct UserEntry {
    fields: ChainPlace!(),
    /// What is said.
    pub message: MessageParam,
    /// The prompt whose turn it belongs to.
    pub prompt_id: Option<String>,
    /// What is asked for in the turn and what is not. Only on prompts.
    pub permission_mode: Option<PermissionMode>,
    /// Who typed the prompt: `sdk`, `system` …. Only on prompts.
    pub prompt_source: Option<String>,
    /// What set off the turn: `sdk`, `task_notification`, `human` …. Only on prompts.
    pub turn_origin: Option<String>,
    /// Which turn it is.
    pub turn_position: Option<TurnPosition>,
    /// What the turn's cost is put down to.
    pub turn_attribution_key: Option<String>,
    /// Whether it came with a turn that something else set off.
    pub turn_companion: Option<bool>,
    /// Where the prompt comes from; absent where nobody said.
    pub origin: Option<MessageOrigin>,
    /// A tool's result as the tool gave it, of a shape of its own: any JSON.
    pub tool_use_result: Option<Json>,
    /// The line with the tool use that this answers.
    #[wire(rename = "sourceToolAssistantUUID")]
    pub source_tool_assistant_uuid: Option<MessageUuid>,
    /// The tool use because of which the CLI says this.
    #[wire(rename = "sourceToolUseID")]
    pub source_tool_use_id: Option<ToolUseId>,
    /// Whether the tool was allowed, and by whom.
    pub permission_decision: Option<RecordedDecision>,
    /// Whether the tool ran in the sandbox.
    pub sandboxed: Option<bool>,
    /// Why the tool did not run.
    pub tool_denial_kind: Option<NonExecutionKind>,
    /// Whether it was refused before it had begun.
    pub tool_denial_before_run: Option<bool>,
    /// Why nobody answered the question for the tool, such as `stream-closed`.
    pub tool_denial_unanswered: Option<String>,
    /// Whether the refusal ends the turn.
    pub tool_denial_ends_turn: Option<bool>,
    /// Whether the tool's result ends the turn.
    pub tool_ends_turn: Option<bool>,
    /// Why a tool of an MCP server was not taken for one that only reads, such as `no_hint`.
    pub mcp_call_not_read_only: Option<String>,
    /// What the MCP server said besides the content.
    pub mcp_meta: Option<Json>,
    /// Whether a person's own words stand in it: a refusal with a reason.
    pub holds_persons_words: Option<bool>,
    /// The pasted images, by their numbers in the prompt.
    pub image_paste_ids: Option<Vec<Count>>,
    /// Other prompts that were put together with this one.
    pub merged_send_uuids: Option<Vec<MessageUuid>>,
    /// The name that the host gave the prompt, where another line has it already.
    pub sent_as_uuid: Option<MessageUuid>,
    /// Whether it is the summary of what came before.
    pub is_compact_summary: Option<bool>,
    /// Whether it repeats a summary that is not the newest.
    pub repeats_compact_summary: Option<bool>,
    /// Prompts of the running turn that are in the summary.
    pub summarized_turn_prompt_uuids: Option<Vec<MessageUuid>>,
    /// Whether it is shown in the transcript alone.
    pub is_visible_in_transcript_only: Option<bool>,
    /// The answer that the model refused to give, where the CLI says this because of it.
    pub refused_message_id: Option<ApiMessageId>,
    /// Whether the prompt was taken without looking for attachments.
    pub queue_skip_attachments: Option<bool>,
    /// Whether the prompt was taken without looking for slash commands.
    pub queue_skip_slash_commands: Option<bool>,
    /// Whether the prompt was put into the conversation without a turn.
    pub queue_transcript_only: Option<bool>,
    /// Whether the turn was cut off by the end of the CLI.
    pub interrupted_by_shutdown: Option<bool>,
    fields: ChainLink!(),
}

/// One completed content block of an answer, in the shape of a whole answer.
///
/// Written when the answer is complete, a line a block; the lines of one answer share
/// `message.id`, and each says why the model stopped and what the answer used. An absent field
/// does not apply, or the CLI is older than it.
#[wire(tag(type = "assistant"), rename_all = "camelCase")]
pub struct AssistantEntry {
    fields: ChainPlace!(),
    /// The answer, with this block as its content.
    pub message: ApiMessage,
    /// The block's place in the answer.
    pub api_block_index: Option<Count>,
    /// The API request that this answers, as the API names it.
    pub request_id: Option<RequestId>,
    /// The [`ApiRequestEntry`](super::ApiRequestEntry) that was sent, by its `id`.
    pub request_ref: Option<String>,
    /// The session that has that entry, where it is another.
    pub request_session_id: Option<SessionId>,
    /// The model that was asked for.
    pub requested_model: Option<String>,
    /// How long the prompt was to stay in the cache, such as `5m`.
    pub prompt_cache_requested: Option<String>,
    /// How hard the model was asked to think.
    pub effort: Option<String>,
    /// How hard it was asked to in this turn; null where nothing was asked.
    pub per_turn_effort: Tri<String>,
    /// Who made it: `model`, or `other` for texts of the CLI's own.
    pub made_by: Option<String>,
    /// How long the model reasoned, in milliseconds.
    pub thinking_duration_ms: Option<Count>,
    /// How the model's reasoning is shown: `updates`, `summarized` ….
    pub thinking_display: Option<String>,
    /// How long the tool's input took to come, in milliseconds.
    pub tool_input_stream_ms: Option<Number>,
    /// Whether it was cut off by an interrupt.
    pub is_aborted_mid_stream: Option<bool>,
    /// The request to a classifier of the API's, where one was asked.
    pub server_classifier_request: Option<String>,
    /// The kind of sub-agent that speaks.
    pub attribution_agent: Option<String>,
    /// The MCP server whose tool it uses.
    pub attribution_mcp_server: Option<String>,
    /// That tool.
    pub attribution_mcp_tool: Option<String>,
    /// The plugin whose skill it follows.
    pub attribution_plugin: Option<String>,
    /// The skill that it follows.
    pub attribution_skill: Option<String>,
    /// Lines that this one replaces.
    pub supersedes_uuids: Option<Vec<MessageUuid>>,
    /// The answer that the model refused to give, where this stands in its place.
    pub refused_message_id: Option<ApiMessageId>,
    /// The model that refused.
    pub refusing_model: Option<String>,
    /// Why the API gave no answer; the text is then the CLI's.
    pub error: Option<AssistantMessageError>,
    /// What the API said of it.
    pub error_details: Option<String>,
    /// Whether the text is the CLI's account of an API failure.
    pub is_api_error_message: Option<bool>,
    /// What went wrong, by the CLI's own name for it.
    pub api_error: Option<String>,
    /// Particulars of it, of a shape that depends on `api_error`.
    pub api_error_params: Option<Json>,
    /// The HTTP status of the API failure.
    pub api_error_status: Option<Number>,
    /// The API's own name for its failure.
    pub api_error_type: Option<String>,
    /// Whether it may go by itself.
    pub api_error_is_transient: Option<bool>,
    /// Whether no tool use was in what the API had given before it failed.
    pub failed_response_had_no_tool_call: Option<bool>,
    fields: ChainLink!(),
}

/// How far a tool has come. Written by older CLIs; today's keep it for themselves.
#[wire(tag(type = "progress"), rename_all = "camelCase")]
pub struct ProgressEntry {
    fields: ChainPlace!(),
    /// What there is to say, of a shape of its own: any JSON.
    pub data: Option<Json>,
    /// The tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<String>,
    /// The tool use whose sub-agent uses the tool.
    #[wire(rename = "parentToolUseID")]
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: ChainLink!(),
}

/// Which turn of a session a line belongs to.
#[wire(rename_all = "camelCase")]
pub struct TurnPosition {
    /// The prompt, counted from 0 in its turn.
    pub prompt_index: Count,
    /// The turn, counted from 1.
    pub turn_index: Count,
}

/// Whether a tool was allowed, and by whom, as a transcript has it.
#[wire(rename_all = "camelCase")]
pub struct RecordedDecision {
    /// `accept` or `reject`.
    pub decision: String,
    /// By whom: `config`, `hook`, `user_temporary` ….
    pub source: Option<String>,
    /// What kind of reason.
    pub reason_type: Option<DecisionReasonType>,
    /// The reason in short, such as `rule:cliArg`.
    pub reason_code: Option<String>,
    /// How long it holds: `once`, `session`.
    pub grant_scope: Option<String>,
    /// Where the rule stands, such as `cliArg`.
    pub rule_source: Option<String>,
    /// What no rule can allow, such as `claudeSettingsFile`.
    pub circuit_breaker: Option<String>,
}

/// The line that another is a copy of.
#[wire(rename_all = "camelCase")]
pub struct ForkedFrom {
    /// The session that was forked.
    pub session_id: SessionId,
    /// Its line.
    pub message_uuid: MessageUuid,
}
