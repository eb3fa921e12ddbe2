//! `assistant`: a completed content block of an answer.

use super::Identity;
use super::{ContextUsage, UsageReport};
use crate::api::ApiMessage;
use crate::{ApiMessageId, Count, Json, MessageUuid, Number, RequestId, ToolUseId};

/// The reason why the API gave no answer.
#[wire(open)]
pub enum AssistantMessageError {
    /// The API rejected the key or token.
    AuthenticationFailed = "authentication_failed",
    /// The organisation does not allow this kind of login.
    OauthOrgNotAllowed = "oauth_org_not_allowed",
    /// The account is on hold.
    AccountOnHold = "account_on_hold",
    /// The account must be verified before it can use the API.
    VerificationRequired = "verification_required",
    /// A billing problem, such as a missing payment.
    BillingError = "billing_error",
    /// The API received too many requests.
    RateLimit = "rate_limit",
    /// The API is overloaded.
    Overloaded = "overloaded",
    /// The API rejected the request as invalid.
    InvalidRequest = "invalid_request",
    /// The requested model does not exist.
    ModelNotFound = "model_not_found",
    /// The API had an internal failure.
    ServerError = "server_error",
    /// The API failed in another way.
    Unknown = "unknown",
    /// The answer exceeded the output limit.
    MaxOutputTokens = "max_output_tokens",
    /// The cloud provider rejected the credentials.
    CloudCredentialError = "cloud_credential_error",
}

/// A completed content block of an answer. The message has the form of a whole answer.
///
/// The CLI sends one message for each block, when the block is complete and before the block's stream event
/// `content_block_stop`. An answer of three blocks becomes three messages with the same `message.id`. In Rust,
/// [`Answers`](crate::accumulate::Answers) joins these messages. The stop reason and the cost of the turn are not in
/// this message but in the [result](super::ResultSuccess).
///
/// The CLI also sends this message if the API fails. The message then has the field `error` and a text that the CLI
/// itself wrote. The output of a slash command that ran without the model is sent as an assistant message too.
///
/// An optional field is absent if it does not apply to this message, or if the CLI is too old to
/// send it.
#[wire(tag(type = "assistant"))]
pub struct AssistantMessage {
    /// The answer. The list `message.content` contains only the completed block.
    pub message: ApiMessage,
    /// The ID of the tool use that started the sub-agent that wrote this message. Null for the main
    /// conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: Identity!(),
    /// The reason why the API gave no answer. If this field is present, the CLI itself wrote the text of the message.
    /// Absent on answers from the model.
    pub error: Option<AssistantMessageError>,
    /// The API's ID of the request from which this answer comes. Absent if the CLI itself wrote the text.
    pub request_id: Option<RequestId>,
    /// The time at which the block was complete, in ISO 8601, by the clock of the CLI's machine. Use this time for
    /// display, and not for sorting.
    #[wire(since = "2.1.329")]
    pub timestamp: Option<String>,
    /// The UUID of the last prompt that this turn answers. Sent on the first message of a turn, and again after the
    /// turn took another prompt from the queue. Absent on all other messages, on messages of sub-agents, and if the
    /// host gave the prompt no UUID.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
    /// The UUIDs of all prompts that this turn answers so far, at most 64, in the order in which
    /// the turn took them from the queue. Sent together with `user_message_uuid`.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// The reason why the turn continues after a restart of the CLI, such as `interrupted_turn` or `host_draining`.
    /// Absent if no restart interrupted the turn.
    pub resume_reason: Option<String>,
    /// Whether this answer continues the previous answer, which reached the output limit while the model was thinking.
    pub resumed_from_incomplete_thinking: Option<bool>,
    /// The UUIDs of earlier messages that this message replaces. The host must remove the earlier messages when this
    /// message arrives.
    pub supersedes: Option<Vec<MessageUuid>>,
    /// Whether an interrupt ended the answer early, possibly in the middle of a word. Absent if the answer was not
    /// interrupted.
    pub aborted: Option<bool>,
    /// The ID of the sub-agent that wrote this message. The messages about the sub-agent's task contain the same ID as
    /// `task_id`. Absent in the main conversation.
    pub agent_id: Option<String>,
    /// The type of the sub-agent that wrote this message. Absent in the main conversation.
    pub subagent_type: Option<String>,
    /// A short description of the task of the sub-agent that wrote this message. Absent in the main
    /// conversation.
    pub task_description: Option<String>,
    /// The contents of the context window, as structured data. Sent only with the answer to the slash command
    /// `/context`.
    pub context_usage: Option<Box<ContextUsage>>,
    /// The usage and costs of the session, as structured data. Sent only with the answer to the slash command `/usage`.
    pub usage_report: Option<Box<UsageReport>>,
    /// The time that the model spent thinking, in milliseconds.
    pub thinking_duration_ms: Option<Count>,
    /// The way in which the model's thinking is displayed, such as `updates` or `summarized`.
    pub thinking_display: Option<String>,
    /// The output of a slash command that ran without the model, including the tags around it, such as
    /// `<local-command-stdout>`.
    #[wire(since = "2.1.329")]
    pub local_command_source: Option<String>,
    /// The slash command whose output this message contains. Sent only if the command ran without the model.
    #[wire(since = "2.1.329")]
    pub local_command_run: Option<Box<LocalCommandRun>>,
    /// The outcome of the slash command whose output this message contains. Absent if the command succeeded.
    pub local_command_outcome: Option<Box<LocalCommandOutcome>>,
    /// The MCP tools that the model uses in this message, with the names and icons that a host can display.
    pub tool_use_meta: Option<Vec<ToolUseMeta>>,
    /// Whether the text is the CLI's description of an API failure.
    pub is_api_error_message: Option<bool>,
    /// The CLI's own name for the API failure, such as `max_output_tokens`.
    pub api_error: Option<String>,
    /// Details of the API failure. Their form depends on `api_error`.
    pub api_error_params: Option<Json>,
    /// The API's ID of the answer that the model refused to give. Sent only on a message that reports such a refusal.
    pub refused_message_id: Option<ApiMessageId>,
    /// The HTTP status of the API failure.
    pub api_error_status: Option<Number>,
    /// The API's own name for its failure, such as `authentication_error`.
    pub api_error_type: Option<String>,
    /// Whether this message was already sent earlier and is now repeated. Remote control sets this field. Absent means
    /// `false`.
    pub historical: Option<bool>,
}

/// The outcome of a slash command that ran without the model.
#[wire]
pub struct LocalCommandOutcome {
    /// The kind of outcome, such as `failed`, `unknown` or `unavailable_headless`.
    pub kind: String,
    /// The name of the command that is most similar to the requested command, without the slash. Sent if the requested
    /// command does not exist.
    pub suggestion: Option<String>,
}

/// An MCP tool that the model uses, with the names and the icon that a host can display for it.
#[wire]
pub struct ToolUseMeta {
    /// The ID of the tool use.
    pub id: ToolUseId,
    /// The display name of the tool.
    pub display_name: String,
    /// The name of the MCP server.
    pub server_display_name: Option<String>,
    /// The name that the MCP server gives the tool.
    pub tool_name: Option<String>,
    /// The URL of an icon of the MCP server.
    pub icon_url: Option<String>,
    /// The ID that Anthropic assigned to the MCP server.
    pub server_id: Option<String>,
}

/// A slash command that ran without the model.
#[wire]
pub struct LocalCommandRun {
    /// The name of the command, without the slash.
    pub command: String,
    /// The arguments of the command, as one text. May be empty.
    pub args: String,
}
