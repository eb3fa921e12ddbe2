//! `result`: the turn is over.

use super::Identity;
use super::Message;
use super::init::{FastModeDisabledReason, FastModeState};
use super::origin::MessageOrigin;
use crate::api::{StopReason, Usage};
use crate::control::ApiProvider;
use crate::{ApiMessageId, Count, Json, Map, MessageUuid, Number, ToolUseId, Tri};

/// How a turn went wrong.
#[wire(open)]
pub enum ResultErrorSubtype {
    /// In the middle: an interrupt, a failure.
    ErrorDuringExecution = "error_during_execution",
    /// It reached its number of turns.
    ErrorMaxTurns = "error_max_turns",
    /// It reached its budget.
    ErrorMaxBudgetUsd = "error_max_budget_usd",
    /// The model never gave output of the form that was asked for.
    ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
}

/// Why a turn ended.
#[wire(open)]
pub enum TerminalReason {
    /// The model was done.
    Completed = "completed",
    /// It reached its number of turns.
    MaxTurns = "max_turns",
    /// Interrupted while the model wrote.
    AbortedStreaming = "aborted_streaming",
    /// Interrupted while a tool ran.
    AbortedTools = "aborted_tools",
    /// The API failed.
    ApiError = "api_error",
    /// The model failed.
    ModelError = "model_error",
    /// A picture could not be used.
    ImageError = "image_error",
    /// The prompt does not fit.
    PromptTooLong = "prompt_too_long",
    /// A limit forbids to go on.
    BlockingLimit = "blocking_limit",
    /// The context filled up again too fast.
    RapidRefillBreaker = "rapid_refill_breaker",
    /// The model kept writing tool uses that cannot be read.
    MalformedToolUseExhausted = "malformed_tool_use_exhausted",
    /// A stop hook forbade to go on.
    StopHookPrevented = "stop_hook_prevented",
    /// A hook ended it.
    HookStopped = "hook_stopped",
    /// A hook put the tool off.
    ToolDeferred = "tool_deferred",
    /// The deferred tool is not there.
    ToolDeferredUnavailable = "tool_deferred_unavailable",
    /// It goes on in the background.
    BackgroundRequested = "background_requested",
    /// The budget is used up.
    BudgetExhausted = "budget_exhausted",
    /// The model never gave output of the form that was asked for.
    StructuredOutputRetryExhausted = "structured_output_retry_exhausted",
    /// The turn could not be set up.
    TurnSetupFailed = "turn_setup_failed",
}

/// Where a price comes from.
#[wire(open)]
pub enum CostBasis {
    /// The public list.
    List = "list",
    /// The organisation's own prices.
    Managed = "managed",
    /// It is not known.
    Unknown = "unknown",
}

/// Why a session could not start.
#[wire(open)]
pub enum StartupFailureReason {
    /// The organisation wants a login, and an API key is set.
    OrgPinApiKeyConflict = "org_pin_api_key_conflict",
    /// The organisation does not allow this provider.
    ProviderNotAllowed = "provider_not_allowed",
    /// Whether the organisation is the right one could not be found out.
    OrgVerifyFailed = "org_verify_failed",
    /// The login is of another organisation.
    OrgPinMismatch = "org_pin_mismatch",
    /// The organisation's settings cannot be read.
    ManagedSettingsInvalid = "managed_settings_invalid",
    /// The organisation's settings did not come.
    ManagedSettingsNotDelivered = "managed_settings_not_delivered",
    /// Settings from a server are required, and it cannot be reached.
    RemoteSettingsRequiredUnavailable = "remote_settings_required_unavailable",
    /// The organisation's configuration is required, and cannot be had.
    OrgConfigRequiredUnavailable = "org_config_required_unavailable",
    /// The organisation's configuration was refused.
    OrgConfigRefused = "org_config_refused",
    /// The gateway wants a login.
    GatewaySigninRequired = "gateway_signin_required",
    /// The gateway refuses.
    GatewayAccessDenied = "gateway_access_denied",
    /// The proxy's address is none.
    ProxyInvalid = "proxy_invalid",
    /// The folder for temporary files cannot be used.
    TempDirUnusable = "temp_dir_unusable",
    /// The working directory is not there.
    CwdUnavailable = "cwd_unavailable",
    /// There is no shell.
    ShellToolMissing = "shell_tool_missing",
    /// The session runs in the background.
    SessionHeldByBackground = "session_held_by_background",
    /// The session is of another worktree.
    WorktreeResumeRefused = "worktree_resume_refused",
    /// Whether the worktree is the right one could not be found out.
    WorktreeUnverified = "worktree_unverified",
    /// A settings file of the CLI's own cannot be read.
    ConfigFileInvalid = "config_file_invalid",
    /// A sandbox is required, and there is none.
    SandboxRequiredUnavailable = "sandbox_required_unavailable",
    /// The mode `bypassPermissions` is refused to root.
    BypassRoot = "bypass_root",
    /// The organisation wants a newer CLI.
    CliVersionTooOld = "cli_version_too_old",
    /// The first line was not `initialize`, and had to be.
    InitializeNotFirst = "initialize_not_first",
    /// What `initialize` had to bring did not come.
    InitializeFieldsNotDelivered = "initialize_fields_not_delivered",
}

/// What a post of an answer to a server waited for.
#[wire(open)]
pub enum PostQueuedBehind {
    /// A post that must not be lost.
    DurablePost = "durable_post",
    /// A post that may be.
    EphemeralPost = "ephemeral_post",
    /// The wait before a post is tried again.
    RetryBackoff = "retry_backoff",
    /// Events that were held back to be sent together.
    Hold = "hold",
    /// Nothing.
    None = "none",
}

/// How long a turn took.
#[wire(fields)]
struct ResultTimes {
    /// How long the turn took, in milliseconds, from the prompt to here.
    pub duration_ms: Number,
    /// How long the API's answers took, in milliseconds, summed. With sub-agents beside one
    /// another it may be more than `duration_ms`.
    pub duration_api_ms: Number,
}

/// Why the model stopped, and what the turn cost and was refused.
#[wire(fields)]
struct ResultCosts {
    /// Why the model stopped.
    #[wire(nullable)]
    pub stop_reason: Option<StopReason>,
    /// Cost of the session so far, in US dollars.
    pub total_cost_usd: Number,
    /// Tokens of this turn, of the main conversation alone.
    pub usage: Usage,
    /// Tokens and cost of the session so far, a model each.
    #[wire(rename = "modelUsage")]
    pub model_usage: Map<ModelUsage>,
    /// Uses of tools that were refused in this turn, by whomever. Empty for none.
    pub permission_denials: Vec<PermissionDenial>,
}

/// Which turn it is.
#[wire(fields)]
struct ResultTurn {
    /// Why the turn ended.
    pub terminal_reason: Option<TerminalReason>,
    /// The last prompt that this answers. Absent where the host gave it no uuid.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
    /// All prompts that this answers, at most 64.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// The answers that the turn's events began, also those that no `assistant` message finished. Absent
    /// where no partial messages were asked for.
    #[wire(since = "2.1.330")]
    pub begun_message_ids: Option<Vec<ApiMessageId>>,
    /// How many prompts of the host still wait. Zero: no further turn comes of them.
    #[wire(since = "2.1.329")]
    pub queued_turn_count: Option<Count>,
    /// Numbers the results of a process from 0: a gap says that one was lost.
    #[wire(since = "2.1.329")]
    pub result_index: Option<Count>,
    /// Why the turn goes on after the CLI was started anew. Absent on any other turn.
    pub resume_reason: Option<String>,
}

/// What is known of the session when the turn is over.
#[wire(fields)]
struct ResultSession {
    /// Where the prompt came from.
    pub origin: Option<MessageOrigin>,
    /// Whether answers are fast.
    pub fast_mode_state: Option<FastModeState>,
    /// Why they are not.
    pub fast_mode_disabled_reason: Option<FastModeDisabledReason>,
    /// When the login runs out, as ISO 8601. Absent with an API key.
    pub credential_expires_at: Option<String>,
    /// Tokens and cost since the result before, a model each.
    pub model_usage_since_last_result: Option<Map<ModelUsage>>,
    /// What sub-agents did.
    pub subagent_stats: Option<Box<SubagentStats>>,
    /// How often safety stopped the model.
    pub safety_stops: Option<Count>,
}

/// The turn is over and has an answer.
///
/// To hosts. One result is sent a turn, after all its other messages; notices of tasks and of the
/// session's state may still follow. Look at `is_error` too: an API failure ends a turn with the
/// subtype `success` and `is_error`. A session may go on after it: background work starts turns of
/// its own. Prompts and results are not one to one: `user_message_uuids` says which prompts it
/// answers.
///
/// Times are in milliseconds, costs in US dollars. `usage` is of this turn and of the main
/// conversation; `total_cost_usd` and `model_usage` are sums over the session so far, sub-agents
/// included: take the latest, do not add them up. An optional field that is absent does not apply to
/// this turn, or the CLI is older than it.
#[wire(tag(type = "result", subtype = "success"))]
pub struct ResultSuccess {
    fields: ResultTimes!(),
    /// Whether the answer is an account of a failure.
    pub is_error: bool,
    /// Answers of the model in this turn.
    pub num_turns: Count,
    /// The answer's text.
    pub result: String,
    fields: ResultCosts!(),
    fields: Identity!(),
    /// HTTP status of the API failure that ended the turn. Null or absent where no failure of the API
    /// ended it, or one without a status, such as a lost connection.
    pub api_error_status: Tri<Number>,
    /// What went wrong, by the CLI's own name for it, such as `max_output_tokens`.
    pub api_error: Option<String>,
    /// The API's own name for its failure, such as `authentication_error`.
    pub api_error_type: Option<String>,
    /// Output of the form that was asked for. May be missing although it was asked for.
    pub structured_output: Option<Json>,
    /// The tool use that a hook put off.
    pub deferred_tool_use: Option<DeferredToolUse>,
    fields: ResultTurn!(),
    /// The slash command that ran here, without the model.
    pub local_command: Option<String>,
    fields: ResultSession!(),
    /// From the prompt to the first token, in milliseconds.
    pub ttft_ms: Option<Number>,
    /// From the prompt to the first token sent on, in milliseconds.
    pub ttft_stream_ms: Option<Number>,
    /// From the prompt to the API request, in milliseconds.
    pub time_to_request_ms: Option<Number>,
    /// From the prompt to the first content, in milliseconds.
    pub first_content_frame_ms: Option<Number>,
    /// When the API request was sent, in milliseconds since 1970.
    pub request_sent_wall_ms: Option<Number>,
    /// From the start of the process to the API request, in milliseconds. On the first turn.
    pub time_to_request_from_spawn_ms: Option<Number>,
    /// Where the process counts its times from, in milliseconds since 1970.
    pub time_origin_ms: Option<Number>,
    /// Whether a process that was kept ready was used.
    pub warm_spare_claimed: Option<bool>,
    /// From the prompt to the first part of the answer that was posted, in milliseconds. This and
    /// the following: only where the answer is posted to a server, as in the cloud.
    pub first_stream_post_ms: Option<Number>,
    /// From that post to its acknowledgement, in milliseconds.
    pub first_stream_post_ack_ms: Option<Number>,
    /// How long that post waited before it was sent, in milliseconds.
    pub first_stream_post_queue_wait_ms: Option<Number>,
    /// What it waited for.
    pub first_stream_post_queued_behind: Option<PostQueuedBehind>,
    /// When that post was sent, in milliseconds since 1970.
    pub first_stream_post_wall_ms: Option<Number>,
    /// From the prompt to the first post with text, in milliseconds.
    pub first_text_post_ms: Option<Number>,
    /// How long that post waited before it was sent, in milliseconds.
    pub first_text_post_queue_wait_ms: Option<Number>,
    /// What it waited for.
    pub first_text_post_queued_behind: Option<PostQueuedBehind>,
    /// When that post was sent, in milliseconds since 1970.
    pub first_text_post_wall_ms: Option<Number>,
    /// Tokens of the first request.
    pub first_request_input_tokens: Option<Count>,
    /// Tokens of the first request that came from the cache.
    pub first_request_cache_read_input_tokens: Option<Count>,
}

/// The turn is over and has no answer: an interrupt, a limit, a failure.
///
/// To hosts, in the place of a [`ResultSuccess`]. Takes every result that is not a success, so that
/// a kind of error that claw does not know still ends its turn. A process whose last result is an
/// error exits with 1.
///
/// Times are in milliseconds, costs in US dollars. `usage` is of this turn and of the main
/// conversation; `total_cost_usd` and `model_usage` are sums over the session so far, sub-agents
/// included: take the latest, do not add them up. An optional field that is absent does not apply to
/// this turn, or the CLI is older than it.
#[wire(tag(type = "result"))]
pub struct ResultError {
    /// How it went wrong: `error_during_execution` (an interrupt, a failure; `terminal_reason` says
    /// which), `error_max_turns`, `error_max_budget_usd`, `error_max_structured_output_retries`, or
    /// a kind of a newer CLI.
    #[wire(never = "success")]
    pub subtype: ResultErrorSubtype,
    fields: ResultTimes!(),
    /// Whether it counts as an error.
    pub is_error: bool,
    /// Answers of the model in this turn.
    pub num_turns: Count,
    fields: ResultCosts!(),
    fields: Identity!(),
    /// What went wrong, in words. There on every kind of error that claw knows; absent at most on
    /// one of a newer CLI.
    #[wire(expected)]
    pub errors: Option<Vec<String>>,
    fields: ResultTurn!(),
    /// Why the session could not start.
    pub startup_failure_reason: Option<StartupFailureReason>,
    /// The settings file that cannot be read.
    pub invalid_config_file: Option<InvalidConfigFile>,
    fields: ResultSession!(),
}

/// Tokens and cost of one model.
#[wire(rename_all = "camelCase")]
pub struct ModelUsage {
    /// Tokens read, without those from the cache.
    pub input_tokens: Count,
    /// Tokens written.
    pub output_tokens: Count,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: Count,
    /// Tokens put into the cache.
    pub cache_creation_input_tokens: Count,
    /// Web searches.
    pub web_search_requests: Count,
    /// Cost in US dollars.
    #[wire(rename = "costUSD")]
    pub cost_usd: Number,
    /// Tokens that fit into the model's context.
    pub context_window: Count,
    /// Tokens that the model can write in one answer.
    pub max_output_tokens: Option<Count>,
    /// Tokens written for reasoning.
    pub thinking_tokens: Option<Count>,
    /// Tokens put into the cache for five minutes.
    #[wire(rename = "cacheCreationEphemeral5mInputTokens")]
    pub cache_creation_ephemeral_5m_input_tokens: Option<Count>,
    /// Tokens put into the cache for one hour.
    #[wire(rename = "cacheCreationEphemeral1hInputTokens")]
    pub cache_creation_ephemeral_1h_input_tokens: Option<Count>,
    /// The model's name without its alias.
    pub canonical_model: Option<String>,
    /// Whose API runs the model.
    pub provider: Option<ApiProvider>,
    /// Where the price comes from.
    pub cost_basis: Option<CostBasis>,
}

/// A tool that was refused.
#[wire]
pub struct PermissionDenial {
    /// The tool.
    pub tool_name: String,
    /// Its use.
    pub tool_use_id: ToolUseId,
    /// What it would have been given.
    pub tool_input: Json,
}

/// A tool use that a hook put off.
#[wire]
pub struct DeferredToolUse {
    /// The use.
    pub id: ToolUseId,
    /// The tool.
    pub name: String,
    /// What it would be given.
    pub input: Json,
}

/// A settings file that cannot be read.
#[wire]
pub struct InvalidConfigFile {
    /// The file.
    pub path: String,
    /// Whether it is the user's rather than the project's.
    pub is_global: bool,
    /// Whether a backup was looked for.
    pub backup_searched: bool,
    /// The backup that was found.
    pub backup_path: Option<String>,
}

/// What sub-agents did in the session so far.
#[wire]
pub struct SubagentStats {
    /// How many were started.
    pub spawned: Count,
    /// How they were asked for.
    pub requested: SubagentsRequested,
    /// How many were started in the background.
    pub started_in_background: Count,
    /// How deep they were nested.
    pub max_depth: Count,
    /// How many were started by other sub-agents.
    pub spawned_by_subagents: Count,
    /// How many did what they were asked to.
    pub completed: Count,
    /// How many failed.
    pub failed: Count,
    /// How many were ended before, and by whom.
    pub killed: SubagentsKilled,
    /// How many were not started, and why.
    pub refused: SubagentsRefused,
    /// The same by kind of sub-agent.
    pub by_type: Map<Json>,
}

/// How sub-agents were asked for.
#[wire]
pub struct SubagentsRequested {
    /// To run in the background.
    pub background: Count,
    /// To be waited for.
    pub foreground: Count,
    /// Without saying.
    pub unset: Count,
}

/// Who ended sub-agents.
#[wire]
pub struct SubagentsKilled {
    /// The one that had started them.
    pub parent: Count,
    /// The user.
    pub user: Count,
    /// The CLI.
    pub system: Count,
}

/// Why sub-agents were not started.
#[wire]
pub struct SubagentsRefused {
    /// Too deep.
    pub depth_limit: Count,
    /// Too many at once.
    pub concurrency_limit: Count,
    /// No money left.
    pub budget: Count,
}

impl Message {
    /// Whether this is the result of a turn that the host did not prompt: the end of work in the
    /// background has set it off. It may stand behind, or before, the result of the host's own turn.
    ///
    /// Such a turn may take in a prompt that comes while it runs. Its result then names that prompt
    /// (`user_message_uuids`) and is the prompt's own, so this is false.
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
