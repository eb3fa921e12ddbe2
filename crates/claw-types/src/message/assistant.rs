//! `assistant`: one completed block of an answer.

use super::Identity;
use super::{ContextUsage, UsageReport};
use crate::api::ApiMessage;
use crate::{ApiMessageId, Count, Json, MessageUuid, Number, RequestId, ToolUseId};

/// Why the API gave no answer.
#[wire(open)]
pub enum AssistantMessageError {
    /// The key or token was refused.
    AuthenticationFailed = "authentication_failed",
    /// The organisation does not allow this kind of login.
    OauthOrgNotAllowed = "oauth_org_not_allowed",
    /// The account is on hold.
    AccountOnHold = "account_on_hold",
    /// The account must be verified first.
    VerificationRequired = "verification_required",
    /// Payment.
    BillingError = "billing_error",
    /// Too many requests.
    RateLimit = "rate_limit",
    /// The API is overloaded.
    Overloaded = "overloaded",
    /// The API refused the request's form.
    InvalidRequest = "invalid_request",
    /// There is no such model.
    ModelNotFound = "model_not_found",
    /// The API failed.
    ServerError = "server_error",
    /// Something else.
    Unknown = "unknown",
    /// The answer would have been too long.
    MaxOutputTokens = "max_output_tokens",
    /// The cloud provider refused the credentials.
    CloudCredentialError = "cloud_credential_error",
}

/// One completed content block of an answer, in the shape of a whole answer.
///
/// To hosts. An answer of three blocks is three lines: one is sent for each block, when it is
/// complete, before its `content_block_stop` among the stream events. The lines of one answer share
/// `message.id`
/// ([`Answers`](crate::accumulate::Answers) puts them together). Why the model stopped and what the
/// turn cost stands on the [result](super::ResultSuccess), not here. Also sent, with `error` set
/// and a text of the CLI's own, where the API fails, and for what a slash command wrote that ran
/// without the model.
///
/// An optional field that is absent does not apply to this line, or the CLI is older than it.
#[wire(tag(type = "assistant"))]
pub struct AssistantMessage {
    /// The answer, with this block as its content.
    pub message: ApiMessage,
    /// The tool use whose sub-agent speaks; null for the main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    fields: Identity!(),
    /// Why the API gave no answer; the text is then the CLI's. Absent on answers of the model.
    pub error: Option<AssistantMessageError>,
    /// The API request that this answers, as the API names it. Absent on texts of the CLI's own.
    pub request_id: Option<RequestId>,
    /// When the block was complete, as ISO 8601, by the clock of the CLI's machine: to show, not
    /// to sort by.
    #[wire(since = "2.1.329")]
    pub timestamp: Option<String>,
    /// The last prompt that this turn answers. On the first line of a turn, and again when another
    /// prompt was taken into it; absent on the lines between, in sub-agents, and where the host gave
    /// the prompt no uuid.
    #[wire(since = "2.1.329")]
    pub user_message_uuid: Option<MessageUuid>,
    /// All prompts that this turn answers so far, at most 64, in the order in which they were taken
    /// up. There where `user_message_uuid` is.
    #[wire(since = "2.1.329")]
    pub user_message_uuids: Option<Vec<MessageUuid>>,
    /// Why the turn goes on after the CLI was started anew. Absent on any other turn.
    pub resume_reason: Option<String>,
    /// The answer goes on from reasoning that was cut off.
    pub resumed_from_incomplete_thinking: Option<bool>,
    /// Lines that this one replaces, by their uuids: take them away when this one comes.
    pub supersedes: Option<Vec<MessageUuid>>,
    /// The answer was cut off by an interrupt and may end in mid-word. Absent: it was not.
    pub aborted: Option<bool>,
    /// The sub-agent that speaks, by the `task_id` of its task. Absent in the main conversation.
    pub agent_id: Option<String>,
    /// The kind of that sub-agent.
    pub subagent_type: Option<String>,
    /// What that sub-agent was asked to do, in short.
    pub task_description: Option<String>,
    /// What fills the context window, as data. Only on the answer to `/context`.
    pub context_usage: Option<Box<ContextUsage>>,
    /// What was used, as data. Only on the answer to `/usage`.
    pub usage_report: Option<Box<UsageReport>>,
    /// How long the model reasoned, in milliseconds.
    pub thinking_duration_ms: Option<Count>,
    /// How the model's reasoning is shown: `updates`, `summarized` ….
    pub thinking_display: Option<String>,
    /// What a slash command that ran without the model wrote, in its tags.
    #[wire(since = "2.1.329")]
    pub local_command_source: Option<String>,
    /// That command.
    #[wire(since = "2.1.329")]
    pub local_command_run: Option<Box<LocalCommandRun>>,
    /// How that command went, where it did not go well.
    pub local_command_outcome: Option<Box<LocalCommandOutcome>>,
    /// Names for people of the tools of MCP servers that this line wants used.
    pub tool_use_meta: Option<Vec<ToolUseMeta>>,
    /// Whether the text is the CLI's account of an API failure.
    pub is_api_error_message: Option<bool>,
    /// What went wrong, by the CLI's own name for it, such as `max_output_tokens`.
    pub api_error: Option<String>,
    /// Particulars of it, of a shape that depends on `api_error`.
    pub api_error_params: Option<Json>,
    /// The answer that the model refused to give, where this stands in its place.
    pub refused_message_id: Option<ApiMessageId>,
    /// The HTTP status of the API failure.
    pub api_error_status: Option<Number>,
    /// The API's own name for its failure, such as `authentication_error`.
    pub api_error_type: Option<String>,
    /// Whether it is told again, and is not new. Set by remote control.
    pub historical: Option<bool>,
}

/// How a slash command that ran without the model went.
#[wire]
pub struct LocalCommandOutcome {
    /// How: `failed`, `unknown`, `unavailable_headless` ….
    pub kind: String,
    /// Where there is no such command: the one whose name is nearest, without the slash.
    pub suggestion: Option<String>,
}

/// What a tool of an MCP server is called, for people.
#[wire]
pub struct ToolUseMeta {
    /// The use of the tool.
    pub id: ToolUseId,
    /// The tool's title.
    pub display_name: String,
    /// The server's name.
    pub server_display_name: Option<String>,
    /// The tool's name at its server.
    pub tool_name: Option<String>,
    /// A picture for the server.
    pub icon_url: Option<String>,
    /// The server, by the id that it has with Anthropic.
    pub server_id: Option<String>,
}

/// A slash command that ran without the model.
#[wire]
pub struct LocalCommandRun {
    /// Its name, without the slash.
    pub command: String,
    /// What it was given; may be empty.
    pub args: String,
}
