//! `user`: a prompt, or the result of a tool use.

use crate::api::{Content, MessageParam};
use crate::control::DecisionReasonType;
use crate::texts::is_resumption;
use crate::wire::{MissingField, Narrow};
use crate::{ApiMessageId, Json, MessageUuid, Number, RequestId, SessionId, ToolUseId, Tri, True};

use super::origin::MessageOrigin;

/// The urgency of a prompt: whether a turn takes the prompt from the queue at once, as soon as the model can read it,
/// or only after the running turn.
#[wire(open)]
pub enum Priority {
    /// A new turn takes the prompt at once, because the CLI interrupts the running turn.
    Now = "now",
    /// A turn takes the prompt as soon as the model can read it. The running turn can take it too.
    Next = "next",
    /// A new turn takes the prompt after the running turn has ended.
    Later = "later",
}

/// The optional fields of every form of a user message.
#[wire(fields)]
struct UserDetails {
    /// Whether the CLI wrote the message in the user's name.
    #[wire(rename = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// The result of the tool as structured data, in a form that depends on the tool. Absent if the message contains no
    /// tool result.
    pub tool_use_result: Option<Json>,
    /// The urgency of the prompt, which decides when a turn takes the prompt from the queue. Absent means `next`.
    pub priority: Option<Priority>,
    /// The origin of the prompt. Absent if the sender stated no origin.
    pub origin: Option<MessageOrigin>,
    /// Whether the message starts a turn. `false` adds the message to the conversation without
    /// starting a turn. Absent means `true`.
    #[wire(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// The time of the message, in ISO 8601.
    pub timestamp: Option<String>,
    /// Whether the text is used verbatim, so that slash commands and mentions in it have no effect.
    /// Absent means `false`.
    pub client_composed: Option<bool>,
    /// Content that was pasted rather than typed. The CLI appends the text of this content to the prompt.
    pub pasted_content: Option<Vec<Content>>,
    /// Parts of the message's own text that were pasted, one entry per paste.
    pub inline_pastes: Option<Vec<String>>,
    /// Files that came with the prompt, in a form that the official SDK does not describe. Sent only on replays
    /// (`UserMessageReplay`).
    pub file_attachments: Option<Vec<Json>>,
    /// The ID of the sub-agent that receives the message.
    pub agent_id: Option<String>,
    /// The type of the sub-agent that receives the message.
    pub subagent_type: Option<String>,
    /// A short description of the task of the sub-agent that receives the message.
    pub task_description: Option<String>,
    /// The ID of the answer that the model refused to give. Sent if the CLI wrote this message
    /// because of the refusal.
    pub refused_message_id: Option<ApiMessageId>,
    /// Present if the CLI wrote this message in order to ask the same model again after a refusal: the message that asks
    /// again, or the result of a tool use that the refused answer left unfinished.
    #[wire(since = "2.1.332")]
    pub refusal_retry: Option<True>,
    /// The UUIDs of earlier messages that the CLI has removed from the conversation, because their answer contained a
    /// tool use that could not be parsed. Sent on the message that asks the model again.
    pub retracted_message_uuids: Option<Vec<MessageUuid>>,
    /// Metadata of each tool result in this message: the decision on the permission, or the reason
    /// why the tool did not run.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// A period, in milliseconds, that begins when a turn takes the prompt from the queue. If the host interrupts the
    /// turn within this period, `claude` returns the prompt to the queue. Sent to `claude` only.
    pub requeue_if_interrupted_within_ms: Option<Number>,
    /// The kind of program that the person uses, such as `ios` or `web_claude_ai`. Anthropic's server sets this field.
    pub client_platform: Option<String>,
    /// The width at which the person's program displays the conversation, in pixels.
    pub client_content_width: Option<Number>,
    /// The ID of a permission request that the host still displays when it sends this message. Sent to `claude` only.
    pub keeps_request_id: Option<RequestId>,
    /// The way in which the prompt arrived. Anthropic's server sets this field. The CLI does not document its values.
    pub inbound_origin: Option<String>,
    /// The time at which Anthropic's server received the prompt, in milliseconds since 1970.
    pub server_received_wall_ms: Option<Number>,
    /// Whether this message was already sent earlier and is now repeated. Remote control sets this field. Absent means
    /// `false`.
    pub historical: Option<bool>,
    /// Whether the CLI itself created the message, so that no person typed it.
    pub is_meta: Option<bool>,
    /// Whether a desktop program created the prompt by itself. Absent if it did not.
    pub seeded_summon: Option<bool>,
}

/// A message in the role of the user: a prompt, or the result of a tool use.
///
/// Both sides send this message. The host sends it as a prompt. `claude` sends it for each tool result (one message per
/// result), and for texts that it writes in the user's name, such as the notice of an interrupt. If `claude` sends a
/// prompt back to the host, it sends a [`UserMessageReplay`] instead.
///
/// A field is absent if it does not apply, or if the sender is too old to send it.
#[wire(tag(type = "user"))]
pub struct UserMessage {
    /// The content of the message.
    pub message: MessageParam,
    /// The ID of the tool use that started the sub-agent which receives the message. Null for the
    /// main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The UUID of this message. A host should always set a fresh UUID, because a result lists the UUIDs of the prompts
    /// that it answers. `claude` silently ignores a prompt whose UUID it has already seen.
    pub uuid: Option<MessageUuid>,
    /// The ID of the session. A host may send an empty string.
    pub session_id: Option<SessionId>,
    /// Whether the message is a replay. This field is never `true` on a message from `claude`, because claw reads a
    /// replay as a [`UserMessageReplay`].
    #[wire(rename = "isReplay")]
    pub is_replay: Option<bool>,
    fields: UserDetails!(),
}

impl UserMessage {
    /// Whether the CLI itself wrote this message to make the model continue an answer that was cut off, by the
    /// connection or by the limit of output tokens. The text of the model's next message continues the text of its last
    /// message.
    pub fn resumes_answer(&self) -> bool {
        self.is_synthetic == Some(true)
            && self.parent_tool_use_id.is_none()
            && is_resumption(&self.message.content.text())
    }
}

/// A replay: a user message that `claude` sends back to the host. The message is either a prompt or the output of a
/// slash command. `claude` sends a prompt back in the turn that answers it, but only if it was started with the flag
/// `--replay-user-messages`. It always sends the output of a slash command, whose text begins with
/// `<local-command-stdout>`.
///
/// Only `claude` sends this message. The only difference from a [`UserMessage`] is the field `"isReplay": true`.
///
/// A field is absent if it does not apply, or if the sender is too old to send it.
#[wire(tag(type = "user"))]
pub struct UserMessageReplay {
    /// The content of the message.
    pub message: MessageParam,
    /// The ID of the tool use that started the sub-agent which receives the message. Null for the
    /// main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The UUID of this message. For a prompt, this is exactly the UUID that the host gave the prompt.
    pub uuid: MessageUuid,
    /// The ID of the session.
    pub session_id: SessionId,
    /// Whether the message is a replay: always `true`.
    #[wire(rename = "isReplay")]
    pub is_replay: True,
    fields: UserDetails!(),
}

/// A user message as `claude` reads it: a [`UserMessage`] whose `parent_tool_use_id` may be absent.
///
/// Only the host sends this message. The shortest form is `{"type":"user","message":{"role":"user","content":"hi"}}`.
/// `claude` exits at once if `message.role` is not `user`. claw rejects a message without `content`. With CLI 2.1.200,
/// such a message makes the turn fail. With CLI 2.1.329, it causes an empty turn.
///
/// A field is absent if it does not apply, or if the sender is too old to send it.
#[wire(tag(type = "user"))]
pub struct UserPrompt {
    /// The content of the message.
    pub message: MessageParam,
    /// The ID of the tool use that started the sub-agent which receives the message. Null or absent
    /// for the main conversation.
    pub parent_tool_use_id: Tri<ToolUseId>,
    /// The UUID of this message. A host should always set a fresh UUID, because a result lists the UUIDs of the prompts
    /// that it answers. `claude` silently ignores a prompt whose UUID it has already seen.
    pub uuid: Option<MessageUuid>,
    /// The ID of the session. A host may send an empty string.
    pub session_id: Option<SessionId>,
    /// Whether the message is a replay that the host received from `claude` and now sends back. `claude` ignores this
    /// field.
    #[wire(rename = "isReplay")]
    pub is_replay: Option<bool>,
    fields: UserDetails!(),
}

/// Converts one form of a user message into another: copies the fields that all forms share.
macro_rules! made_of {
    ($from:ident => $to:tt { $($own:ident: $value:expr),* $(,)? }) => {
        $to {
            message: $from.message,
            $($own: $value,)*
            is_synthetic: $from.is_synthetic,
            tool_use_result: $from.tool_use_result,
            priority: $from.priority,
            origin: $from.origin,
            should_query: $from.should_query,
            timestamp: $from.timestamp,
            client_composed: $from.client_composed,
            pasted_content: $from.pasted_content,
            inline_pastes: $from.inline_pastes,
            file_attachments: $from.file_attachments,
            agent_id: $from.agent_id,
            subagent_type: $from.subagent_type,
            task_description: $from.task_description,
            refused_message_id: $from.refused_message_id,
            refusal_retry: $from.refusal_retry,
            retracted_message_uuids: $from.retracted_message_uuids,
            tool_result_meta: $from.tool_result_meta,
            requeue_if_interrupted_within_ms: $from.requeue_if_interrupted_within_ms,
            client_platform: $from.client_platform,
            client_content_width: $from.client_content_width,
            keeps_request_id: $from.keeps_request_id,
            inbound_origin: $from.inbound_origin,
            server_received_wall_ms: $from.server_received_wall_ms,
            historical: $from.historical,
            is_meta: $from.is_meta,
            seeded_summon: $from.seeded_summon,
            extra: $from.extra,
        }
    };
}

impl From<UserMessage> for UserPrompt {
    fn from(message: UserMessage) -> Self {
        made_of!(message => Self {
            parent_tool_use_id: Tri::from_nullable(message.parent_tool_use_id),
            uuid: message.uuid,
            session_id: message.session_id,
            is_replay: message.is_replay,
        })
    }
}

impl From<UserPrompt> for UserMessage {
    /// A message that names no sub-agent is for the main conversation.
    fn from(prompt: UserPrompt) -> Self {
        made_of!(prompt => Self {
            parent_tool_use_id: match prompt.parent_tool_use_id {
                Tri::Value(id) => Some(id),
                Tri::Absent | Tri::Null => None,
            },
            uuid: prompt.uuid,
            session_id: prompt.session_id,
            is_replay: prompt.is_replay,
        })
    }
}

impl Narrow<UserMessage> for UserMessageReplay {
    fn is_meant(wide: &UserMessage) -> bool {
        wide.is_replay == Some(true)
    }

    fn narrow(wide: UserMessage) -> Result<Self, MissingField> {
        let missing = |field| MissingField {
            field,
            is_null: wide.extra.get(field).is_some(),
        };
        let uuid = wide.uuid.ok_or_else(|| missing("uuid"))?;
        let session_id = wide.session_id.ok_or_else(|| missing("session_id"))?;
        Ok(made_of!(wide => Self {
            parent_tool_use_id: wide.parent_tool_use_id,
            uuid: uuid,
            session_id: session_id,
            is_replay: True,
        }))
    }
}

/// The reason why a tool did not run.
#[wire(open)]
pub enum NonExecutionKind {
    /// A person rejected the tool use, or nobody could be asked for permission.
    UserRejected = "user-rejected",
    /// A permission rule, the permission mode, a hook or the host denied the tool use.
    PermissionRule = "permission-rule",
    /// The classifier of the permission mode `auto` (a model that judges tool uses) blocked the tool use.
    AutomodeBlocked = "automode-blocked",
    /// The classifier of the permission mode `auto` was not available.
    AutomodeUnavailable = "automode-unavailable",
    /// The CLI could not parse the answer of the classifier of the permission mode `auto`.
    AutomodeParsingError = "automode-parsing-error",
    /// The turn was interrupted before the tool ran.
    Interrupted = "interrupted",
    /// The tool use was cancelled because another tool of the same answer failed.
    Cancelled = "cancelled",
}

/// Metadata of a tool result: the decision on the permission, or the reason why the tool did not
/// run.
#[wire]
pub struct ToolResultMeta {
    /// The ID of the tool use.
    pub id: ToolUseId,
    /// The decision on whether the tool may run.
    pub permission_decision: Option<PermissionDecision>,
    /// The reason why the tool did not run. Absent if it ran, or if the CLI is too old to report
    /// it.
    pub non_execution_kind: Option<NonExecutionKind>,
    /// The feedback that the person gave when rejecting the tool use.
    pub user_feedback: Option<String>,
    /// A remedy that the host may offer to the person, in a form that the CLI does not document.
    pub remedy: Option<Json>,
}

/// The decision on whether a tool may run, and its source.
#[wire]
pub struct PermissionDecision {
    /// The decision: `accept` or `reject`.
    pub decision: String,
    /// The source of the decision, such as `config` or `hook`. If the host decided, the source is the host's
    /// [`DecisionClassification`](crate::control::DecisionClassification).
    pub source: Option<String>,
    /// The kind of reason for the decision.
    pub reason_type: Option<DecisionReasonType>,
}
