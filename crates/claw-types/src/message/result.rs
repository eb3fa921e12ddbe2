//! `result`: the end of a turn.

use super::Identity;
use super::Message;
use super::init::{FastModeDisabledReason, FastModeState};
use super::origin::MessageOrigin;
use crate::api::{StopReason, Usage};
use crate::control::ApiProvider;
use crate::{ApiMessageId, Count, Json, Map, MessageUuid, Number, ToolUseId, Tri};

/// The way in which a turn failed, such as an interrupt or a limit.
#[wire(open)]
pub enum ResultErrorSubtype {
    /// The turn was interrupted or failed during its execution.
    ErrorDuringExecution = "error_during_execution",
    /// The turn reached the maximum number of model turns.
    ErrorMaxTurns = "error_max_turns",
    /// The session reached its budget.
    ErrorMaxBudgetUsd = "error_max_budget_usd",
    /// The model failed to produce structured output of the requested form.
    ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
}

/// The reason why a turn ended.
#[wire(open)]
pub enum TerminalReason {
    /// The model completed its answer.
    Completed = "completed",
    /// The turn reached the maximum number of model turns.
    MaxTurns = "max_turns",
    /// The turn was interrupted while the model was writing.
    AbortedStreaming = "aborted_streaming",
    /// The turn was interrupted while a tool was running.
    AbortedTools = "aborted_tools",
    /// The API failed.
    ApiError = "api_error",
    /// The model failed.
    ModelError = "model_error",
    /// An image could not be used.
    ImageError = "image_error",
    /// The prompt does not fit into the context window.
    PromptTooLong = "prompt_too_long",
    /// The turn cannot continue, because a usage limit is reached.
    BlockingLimit = "blocking_limit",
    /// The turn was stopped because the context filled up again too soon after each compaction.
    RapidRefillBreaker = "rapid_refill_breaker",
    /// The model repeatedly wrote tool uses that cannot be parsed.
    MalformedToolUseExhausted = "malformed_tool_use_exhausted",
    /// A stop hook prevented the turn from continuing.
    StopHookPrevented = "stop_hook_prevented",
    /// A hook ended the turn.
    HookStopped = "hook_stopped",
    /// A hook deferred the tool use.
    ToolDeferred = "tool_deferred",
    /// The tool of the deferred tool use is not available.
    ToolDeferredUnavailable = "tool_deferred_unavailable",
    /// The turn continues in the background.
    BackgroundRequested = "background_requested",
    /// The budget is used up.
    BudgetExhausted = "budget_exhausted",
    /// The model failed to produce structured output of the requested form.
    StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
    /// The CLI failed to prepare the turn.
    TurnSetupFailed = "turn_setup_failed",
}

impl TerminalReason {
    /// Whether the turn was interrupted, either by the host or by a denial of a tool use that also ended the turn.
    pub fn is_interruption(&self) -> bool {
        matches!(*self, Self::AbortedStreaming | Self::AbortedTools)
    }
}

/// The prices from which a cost was computed.
#[wire(open)]
pub enum CostBasis {
    /// The costs were computed with the public price list.
    List = "list",
    /// The costs were computed with the prices that the organisation has set.
    Managed = "managed",
    /// The prices with which the costs were computed are not known.
    Unknown = "unknown",
}

/// The reason why a session could not start.
#[wire(open)]
pub enum StartupFailureReason {
    /// The organisation requires a login, but an API key is set.
    OrgPinApiKeyConflict = "org_pin_api_key_conflict",
    /// The organisation does not allow this API provider.
    ProviderNotAllowed = "provider_not_allowed",
    /// The organisation of the account could not be verified.
    OrgVerifyFailed = "org_verify_failed",
    /// The login belongs to another organisation.
    OrgPinMismatch = "org_pin_mismatch",
    /// The organisation's settings cannot be parsed.
    ManagedSettingsInvalid = "managed_settings_invalid",
    /// The organisation's settings were not delivered.
    ManagedSettingsNotDelivered = "managed_settings_not_delivered",
    /// Settings from a server are required, but the server cannot be reached.
    RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
    /// The organisation's configuration is required, but not available.
    OrgConfigRequiredUnavailable = "org_config_required_unavailable",
    /// The organisation's configuration was refused.
    OrgConfigRefused = "org_config_refused",
    /// The gateway requires a login.
    GatewaySigninRequired = "gateway_signin_required",
    /// The gateway denies access.
    GatewayAccessDenied = "gateway_access_denied",
    /// The address of the proxy is invalid.
    ProxyInvalid = "proxy_invalid",
    /// The directory for temporary files cannot be used.
    TempDirUnusable = "temp_dir_unusable",
    /// The working directory does not exist.
    CwdUnavailable = "cwd_unavailable",
    /// No shell is available for the shell tool.
    ShellToolMissing = "shell_tool_missing",
    /// The session is already running in the background.
    SessionHeldByBackground = "session_held_by_background",
    /// The session belongs to another worktree.
    WorktreeResumeRefused = "worktree_resume_refused",
    /// The worktree of the session could not be verified.
    WorktreeUnverified = "worktree_unverified",
    /// A settings file of the CLI itself cannot be parsed.
    ConfigFileInvalid = "config_file_invalid",
    /// A sandbox is required, but none is available.
    SandboxRequiredUnavailable = "sandbox_required_unavailable",
    /// The permission mode `bypassPermissions` is not allowed for root.
    BypassRoot = "bypass_root",
    /// The organisation requires a newer CLI.
    CliVersionTooOld = "cli_version_too_old",
    /// The first line on stdin was not the required `initialize` request.
    InitializeNotFirst = "initialize_not_first",
    /// The `initialize` request did not contain the fields that the flag `--initialize-fields` names.
    InitializeFieldsNotDelivered = "initialize_fields_not_delivered",
    /// Managed settings forbid that the start of the CLI names plugins, agents or MCP servers.
    SideloadFlagsDisabled = "sideload_flags_disabled",
}

/// The reason why a post waited in the queue. A post is the upload of a part of the answer to a server.
#[wire(open)]
pub enum PostQueuedBehind {
    /// The post waited for another post whose contents must not be lost.
    DurablePost = "durable_post",
    /// The post waited for another post whose contents may be lost.
    EphemeralPost = "ephemeral_post",
    /// The post waited because another post was waiting to be retried.
    RetryBackoff = "retry_backoff",
    /// The post waited because events were held back to be sent together.
    Hold = "hold",
    /// The post did not wait.
    None = "none",
}

/// The durations of a turn.
#[wire(fields)]
struct ResultTimes {
    /// The duration of the turn, in milliseconds, from the prompt to this result.
    pub duration_ms: Number,
    /// The total duration of the API requests, in milliseconds. With parallel sub-agents, this total can exceed
    /// `duration_ms`.
    pub duration_api_ms: Number,
}

/// The stop reason, the costs and the denials of a turn.
#[wire(fields)]
struct ResultCosts {
    /// The reason why the model stopped.
    #[wire(nullable)]
    pub stop_reason: Option<StopReason>,
    /// The cost of the session so far, in US dollars.
    pub total_cost_usd: Number,
    /// The token usage of this turn, without the token usage of sub-agents.
    pub usage: Usage,
    /// The tokens and the cost of the session so far, by model.
    #[wire(rename = "modelUsage")]
    pub model_usage: Map<ModelUsage>,
    /// The tool uses that were denied in this turn, for any reason. Empty if no tool use was
    /// denied.
    pub permission_denials: Vec<PermissionDenial>,
}

/// The identity of a turn: its prompts and its end.
#[wire(fields)]
struct ResultTurn {
    /// The reason why the turn ended.
    pub terminal_reason: Option<TerminalReason>,
    /// The UUID of the last prompt that this result answers. Absent if the host gave the prompt no
    /// UUID.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
    /// The UUIDs of all prompts that this result answers, at most 64.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// The IDs of all answers whose start was reported in a stream event of this turn. The list includes answers that
    /// were never completed. Absent if partial messages were not requested.
    #[wire(since = "2.1.330")]
    pub begun_message_ids: Option<Vec<ApiMessageId>>,
    /// The number of the host's prompts that are still queued. If the number is zero, none of the host's prompts will
    /// cause a further turn.
    #[wire(since = "2.1.329")]
    pub queued_turn_count: Option<Count>,
    /// The number of this result among the results of the process, counted from 0. A gap in the numbers means that a
    /// result was lost.
    #[wire(since = "2.1.329")]
    pub result_index: Option<Count>,
    /// The reason why the turn continues after a restart of the CLI, such as `interrupted_turn` or `host_draining`.
    /// Absent if no restart interrupted the turn.
    pub resume_reason: Option<String>,
}

/// The state of the session at the end of a turn.
#[wire(fields)]
struct ResultSession {
    /// The origin of the prompt.
    pub origin: Option<MessageOrigin>,
    /// The state of fast mode.
    pub fast_mode_state: Option<FastModeState>,
    /// The reason why fast mode is off.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// The time at which the login expires, in ISO 8601. Absent if the CLI uses an API key.
    pub credential_expires_at: Option<String>,
    /// The tokens and the cost since the previous result, by model.
    pub model_usage_since_last_result: Option<Map<ModelUsage>>,
    /// The statistics of the session's sub-agents.
    pub subagent_stats: Option<Box<SubagentStats>>,
    /// The number of times that a safety check stopped the model.
    pub safety_stops: Option<Count>,
}

/// The successful end of a turn, with its answer.
///
/// The CLI sends this message once per turn, after all other messages of the turn. Notices about tasks and about the
/// session's state can still follow. Also check `is_error`: if an API failure ended the turn, the subtype is `success`
/// and `is_error` is `true`. Further turns can follow without a prompt, because background work can start a turn.
/// Prompts and results do not correspond one to one: `user_message_uuids` lists the prompts that this result answers.
///
/// Times are in milliseconds, and costs are in US dollars. `usage` covers only this turn, and only the main
/// conversation. `total_cost_usd` and `modelUsage` are totals of the whole session so far, including sub-agents. Use
/// the values of the latest result, and do not add up the values of several results. An optional field is absent if it
/// does not apply to this turn, or if the CLI is too old to send it.
#[wire(tag(type = "result", subtype = "success"))]
pub struct ResultSuccess {
    fields: ResultTimes!(),
    /// Whether the text in `result` describes a failure.
    pub is_error: bool,
    /// The number of answers that the model gave in this turn.
    pub num_turns: Count,
    /// The text of the turn's last answer.
    pub result: String,
    fields: ResultCosts!(),
    fields: Identity!(),
    /// The HTTP status of the API failure that ended the turn. Null or absent if no API failure
    /// ended it, or if the failure had no status, such as a lost connection.
    pub api_error_status: Tri<Number>,
    /// The CLI's own name for the API failure, such as `max_output_tokens`.
    pub api_error: Option<String>,
    /// The API's own name for its failure, such as `authentication_error`.
    pub api_error_type: Option<String>,
    /// The structured output, in the form that was requested. The field can be absent even if structured output was
    /// requested.
    pub structured_output: Option<Json>,
    /// The tool use that a hook deferred.
    pub deferred_tool_use: Option<DeferredToolUse>,
    fields: ResultTurn!(),
    /// The slash command that ran in this turn without the model.
    pub local_command: Option<String>,
    fields: ResultSession!(),
    /// The time from the prompt to the first token, in milliseconds.
    pub ttft_ms: Option<Number>,
    /// The time from the prompt to the first token that the CLI forwarded to the host, in
    /// milliseconds.
    pub ttft_stream_ms: Option<Number>,
    /// The time from the prompt to the turn's first API request, in milliseconds.
    pub time_to_request_ms: Option<Number>,
    /// The time from the prompt to the first message with content, in milliseconds.
    pub first_content_frame_ms: Option<Number>,
    /// The time at which the API request was sent, in milliseconds since 1970.
    pub request_sent_wall_ms: Option<Number>,
    /// The time from the start of the process to the turn's first API request, in milliseconds. Sent on the first turn
    /// only.
    pub time_to_request_from_spawn_ms: Option<Number>,
    /// The zero point of the process's own clock, in milliseconds since 1970.
    pub time_origin_ms: Option<Number>,
    /// Whether the session runs in a process that was started in advance (a warm spare).
    pub warm_spare_claimed: Option<bool>,
    /// The time from the prompt to the first posted part of the answer, in milliseconds. Sent only
    /// if the answer is posted to a server, as in the cloud.
    pub first_stream_post_ms: Option<Number>,
    /// The time from the first post of the answer to its acknowledgement, in milliseconds. Sent
    /// only if the answer is posted to a server.
    pub first_stream_post_ack_ms: Option<Number>,
    /// The time that the first post of the answer spent in the queue, in milliseconds. Sent only if
    /// the answer is posted to a server.
    pub first_stream_post_queue_wait_ms: Option<Number>,
    /// The reason why the first post of the answer was queued. Sent only if the answer is posted to
    /// a server.
    pub first_stream_post_queued_behind: Option<PostQueuedBehind>,
    /// The time at which the first post of the answer was sent, in milliseconds since 1970. Sent
    /// only if the answer is posted to a server.
    pub first_stream_post_wall_ms: Option<Number>,
    /// The time from the prompt to the first post with text, in milliseconds. Sent only if the
    /// answer is posted to a server.
    pub first_text_post_ms: Option<Number>,
    /// The time that the first post with text spent in the queue, in milliseconds. Sent only if the
    /// answer is posted to a server.
    pub first_text_post_queue_wait_ms: Option<Number>,
    /// The reason why the first post with text was queued. Sent only if the answer is posted to a
    /// server.
    pub first_text_post_queued_behind: Option<PostQueuedBehind>,
    /// The time at which the first post with text was sent, in milliseconds since 1970. Sent only
    /// if the answer is posted to a server.
    pub first_text_post_wall_ms: Option<Number>,
    /// The number of input tokens of the turn's first API request.
    pub first_request_input_tokens: Option<Count>,
    /// The number of input tokens of the turn's first API request that were read from the cache.
    pub first_request_cache_read_input_tokens: Option<Count>,
}

/// The end of a turn that has no answer: an interrupt, a limit or a failure.
///
/// The CLI sends this message in place of a [`ResultSuccess`]. Every result whose subtype is not `success` is read as
/// this type. Therefore a turn also ends for claw if it fails with a kind of error that claw does not know. If the last
/// result of a process is an error, the process exits with code 1.
///
/// Times are in milliseconds, and costs are in US dollars. `usage` covers only this turn, and only the main
/// conversation. `total_cost_usd` and `modelUsage` are totals of the whole session so far, including sub-agents. Use
/// the values of the latest result, and do not add up the values of several results. An optional field is absent if it
/// does not apply to this turn, or if the CLI is too old to send it.
#[wire(tag(type = "result"))]
pub struct ResultError {
    /// The kind of the error: `error_during_execution` (an interrupt or a failure; see
    /// `terminal_reason`), `error_max_turns`, `error_max_budget_usd`,
    /// `error_max_structured_output_retries`, or a kind that only newer CLIs have.
    #[wire(never = "success")]
    pub subtype: ResultErrorSubtype,
    fields: ResultTimes!(),
    /// Whether the CLI counts this end of the turn as an error.
    pub is_error: bool,
    /// The number of answers that the model gave in this turn.
    pub num_turns: Count,
    fields: ResultCosts!(),
    fields: Identity!(),
    /// The descriptions of the errors. Present for every kind of error that claw knows. Can be absent for a kind of
    /// error that only newer CLIs have.
    #[wire(expected)]
    pub errors: Option<Vec<String>>,
    fields: ResultTurn!(),
    /// The reason why the session could not start.
    pub startup_failure_reason: Option<StartupFailureReason>,
    /// The settings file that cannot be parsed.
    pub invalid_config_file: Option<InvalidConfigFile>,
    fields: ResultSession!(),
}

/// The tokens and the cost of one model.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct ModelUsage {
    /// The number of input tokens, without the tokens that were read from or written to the cache.
    pub input_tokens: Count,
    /// The number of output tokens.
    pub output_tokens: Count,
    /// The number of input tokens that were read from the cache.
    pub cache_read_input_tokens: Count,
    /// The number of input tokens that were written to the cache.
    pub cache_creation_input_tokens: Count,
    /// The number of web searches.
    pub web_search_requests: Count,
    /// The cost, in US dollars.
    #[wire(rename = "costUSD")]
    pub cost_usd: Number,
    /// The size of the model's context window, in tokens.
    pub context_window: Count,
    /// The maximum number of output tokens in one answer from the model.
    pub max_output_tokens: Option<Count>,
    /// The number of output tokens that were used for thinking.
    pub thinking_tokens: Option<Count>,
    /// The number of input tokens that were written to the cache for five minutes.
    #[wire(rename = "cacheCreationEphemeral5mInputTokens")]
    pub cache_creation_ephemeral_5m_input_tokens: Option<Count>,
    /// The number of input tokens that were written to the cache for one hour.
    #[wire(rename = "cacheCreationEphemeral1hInputTokens")]
    pub cache_creation_ephemeral_1h_input_tokens: Option<Count>,
    /// The canonical name of the model, which is never an alias.
    pub canonical_model: Option<String>,
    /// The provider whose API runs the model.
    pub provider: Option<ApiProvider>,
    /// The prices from which the cost was computed.
    pub cost_basis: Option<CostBasis>,
}

/// A tool use that was denied.
#[wire]
pub struct PermissionDenial {
    /// The name of the tool.
    pub tool_name: String,
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The input of the denied tool use.
    pub tool_input: Json,
}

/// A tool use that a hook deferred.
#[wire]
pub struct DeferredToolUse {
    /// The ID of the tool use.
    pub id: ToolUseId,
    /// The name of the tool.
    pub name: String,
    /// The input with which the tool is to run.
    pub input: Json,
}

/// A settings file that cannot be parsed.
#[wire]
pub struct InvalidConfigFile {
    /// The path of the file.
    pub path: String,
    /// Whether the file belongs to the user rather than to the project.
    pub is_global: bool,
    /// Whether the CLI searched for a backup.
    pub backup_searched: bool,
    /// The path of the backup that was found.
    pub backup_path: Option<String>,
}

/// The statistics of the session's sub-agents so far.
#[wire]
pub struct SubagentStats {
    /// The number of sub-agents that were started.
    pub spawned: Count,
    /// The numbers of sub-agents by the choice in their request: background, foreground, or none.
    pub requested: SubagentsRequested,
    /// The number of sub-agents that were started in the background.
    pub started_in_background: Count,
    /// The maximum nesting depth of the sub-agents so far.
    pub max_depth: Count,
    /// The number of sub-agents that other sub-agents started.
    pub spawned_by_subagents: Count,
    /// The number of sub-agents that completed their task.
    pub completed: Count,
    /// The number of sub-agents that failed.
    pub failed: Count,
    /// The numbers of sub-agents that were killed by their parent, by the user and by the CLI.
    pub killed: SubagentsKilled,
    /// The numbers of sub-agents that were not started, grouped by the reason.
    pub refused: SubagentsRefused,
    /// The statistics of the sub-agents by type, such as `{"general-purpose": 1}` for one sub-agent of the type
    /// `general-purpose`.
    pub by_type: Map<Json>,
}

/// The numbers of sub-agents by the choice in their request: background, foreground, or none.
#[wire]
pub struct SubagentsRequested {
    /// The number of sub-agents that were requested to run in the background.
    pub background: Count,
    /// The number of sub-agents that were requested to run in the foreground.
    pub foreground: Count,
    /// The number of sub-agents whose request did not choose between background and foreground.
    pub unset: Count,
}

/// The numbers of sub-agents that were killed by their parent, by the user and by the CLI.
#[wire]
pub struct SubagentsKilled {
    /// The number of sub-agents that their parent killed.
    pub parent: Count,
    /// The number of sub-agents that the user killed.
    pub user: Count,
    /// The number of sub-agents that the CLI killed.
    pub system: Count,
}

/// The numbers of sub-agents that were not started, grouped by the reason.
#[wire]
pub struct SubagentsRefused {
    /// The number of sub-agents that were refused because of their nesting depth.
    pub depth_limit: Count,
    /// The number of sub-agents that were refused because too many were running.
    pub concurrency_limit: Count,
    /// The number of sub-agents that were refused because the budget was used up.
    pub budget: Count,
}

impl Message {
    /// Returns whether the turn of this result was started by the end of background work instead of by a prompt from
    /// the host. A result of this kind can come before or after the result of a turn that a prompt started.
    ///
    /// A prompt can arrive while a turn of background work runs, and the turn can then answer the prompt too. In this
    /// case, `user_message_uuids` contains the prompt's UUID. The result belongs to the prompt, so this method returns
    /// `false`.
    pub fn is_background_result(&self) -> bool {
        let (origin, prompts) = match self {
            Self::ResultSuccess(result) => (&result.origin, &result.user_message_uuids),
            Self::ResultError(result) => (&result.origin, &result.user_message_uuids),
            _ => return false,
        };
        let answers_prompt = prompts.as_ref().is_some_and(|prompts| !prompts.is_empty());
        matches!(origin, Some(MessageOrigin::TaskNotification(_))) && !answers_prompt
    }
}
