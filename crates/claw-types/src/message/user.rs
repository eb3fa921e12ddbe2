//! `user`: a prompt, or the result of a tool use.

use crate::api::{Content, MessageParam};
use crate::control::DecisionReasonType;
use crate::wire::{MissingField, Narrow};
use crate::{ApiMessageId, Json, MessageUuid, Number, RequestId, SessionId, ToolUseId, Tri, True};

use super::origin::MessageOrigin;

/// When a queued prompt is taken up: at once, as soon as the model can read it, or after the turn.
#[wire(open)]
pub enum Priority {
    /// The prompt is taken up at once: the running turn is interrupted.
    Now = "now",
    /// The prompt is taken up as soon as the model can read it, also in the running turn.
    Next = "next",
    /// The prompt is taken up after the running turn.
    Later = "later",
}

/// The optional fields of every form of a user message.
#[wire(fields)]
struct UserDetails {
    /// Whether the CLI wrote the message in the user's name.
    #[wire(rename = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// The result of the tool in the tool's own form: any JSON. Absent if the message carries no
    /// tool result.
    pub tool_use_result: Option<Json>,
    /// When a queued prompt is taken up. Absent means `next`.
    pub priority: Option<Priority>,
    /// The origin of the prompt. Absent if it was not given.
    pub origin: Option<MessageOrigin>,
    /// Whether the message starts a turn. `false` adds it to the conversation without a turn.
    /// Absent means `true`.
    #[wire(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// The time of the message, in ISO 8601.
    pub timestamp: Option<String>,
    /// Whether the text is taken verbatim, without slash commands and mentions. Absent means
    /// `false`.
    pub client_composed: Option<bool>,
    /// Content that was pasted rather than typed. The CLI appends its text to the prompt.
    pub pasted_content: Option<Vec<Content>>,
    /// Parts of the message's own text that were pasted, one entry per paste.
    pub inline_pastes: Option<Vec<String>>,
    /// Files that came with the prompt. Sent only on messages that are written back.
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
    /// How each tool result in this message came about: the decision on the permission, or why the
    /// tool did not run.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// A time, in milliseconds: if the host interrupts within this time after a turn took the
    /// prompt up, `claude` returns the prompt to the queue. Sent to `claude` only.
    pub requeue_if_interrupted_within_ms: Option<Number>,
    /// The kind of program that the person uses, such as `ios` or `web_claude_ai`. Set by the
    /// server.
    pub client_platform: Option<String>,
    /// The width at which the person's program displays the conversation, in pixels.
    pub client_content_width: Option<Number>,
    /// The ID of a permission request that the host still displays. Sent to `claude` only.
    pub keeps_request_id: Option<RequestId>,
    /// The way in which the prompt arrived. Set by the server.
    pub inbound_origin: Option<String>,
    /// The time at which the server received the prompt, in milliseconds since 1970.
    pub server_received_wall_ms: Option<Number>,
    /// Whether this message is a repetition of an earlier one. Set by remote control. Absent means `false`.
    pub historical: Option<bool>,
    /// Whether the CLI created the message, so that no one typed it.
    pub is_meta: Option<bool>,
    /// Whether a desktop host created the prompt itself. Absent otherwise.
    pub seeded_summon: Option<bool>,
}

/// A user message: a prompt, or the result of a tool use.
///
/// Sent in both directions. A host writes it to prompt. `claude` writes it for each tool result
/// (one message per result) and for texts in the user's name, such as the notice of an interrupt. A
/// prompt of the host is written back as a [`UserMessageReplay`], never as this.
///
/// An absent field does not apply, or the sender is older than the field.
#[wire(tag(type = "user"))]
pub struct UserMessage {
    /// The content of the message.
    pub message: MessageParam,
    /// The ID of the tool use that started the sub-agent which receives the message. Null for the
    /// main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The UUID of this message. A host should always set a fresh one, because results name the
    /// prompts that they answer by UUID. `claude` silently ignores a prompt whose UUID it has
    /// already seen.
    pub uuid: Option<MessageUuid>,
    /// The ID of the session. A host may leave it empty.
    pub session_id: Option<SessionId>,
    /// Whether the message is written back. Never `true` on what `claude` writes: the message is
    /// then a [`UserMessageReplay`].
    #[wire(rename = "isReplay")]
    pub is_replay: Option<bool>,
    fields: UserDetails!(),
}

/// A user message that is written back: a prompt, in the turn that answers it (only with the flag
/// `--replay-user-messages`), or the output of a slash command (always; its text begins with
/// `<local-command-stdout>`).
///
/// Sent to hosts only. Distinguished from a [`UserMessage`] by `"isReplay": true` alone.
///
/// An absent field does not apply, or the sender is older than the field.
#[wire(tag(type = "user"))]
pub struct UserMessageReplay {
    /// The content of the message.
    pub message: MessageParam,
    /// The ID of the tool use that started the sub-agent which receives the message. Null for the
    /// main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The UUID of this message. For a prompt, the UUID that the host gave it, in the host's
    /// spelling.
    pub uuid: MessageUuid,
    /// The ID of the session.
    pub session_id: SessionId,
    /// Whether the message is written back: always `true`.
    #[wire(rename = "isReplay")]
    pub is_replay: True,
    fields: UserDetails!(),
}

/// A user message as `claude` reads it: a [`UserMessage`] that need not say whether it is for a
/// sub-agent.
///
/// Sent to `claude` only. The shortest form is
/// `{"type":"user","message":{"role":"user","content":"hi"}}`. `claude` ends at once if
/// `message.role` is not `user`. A message without `content` fails the turn (2.1.200) or causes a
/// turn without content (2.1.329); claw rejects it.
///
/// An absent field does not apply, or the sender is older than the field.
#[wire(tag(type = "user"))]
pub struct UserPrompt {
    /// The content of the message.
    pub message: MessageParam,
    /// The ID of the tool use that started the sub-agent which receives the message. Null or absent
    /// for the main conversation.
    pub parent_tool_use_id: Tri<ToolUseId>,
    /// The UUID of this message. A host should always set a fresh one, because results name the
    /// prompts that they answer by UUID. `claude` silently ignores a prompt whose UUID it has
    /// already seen.
    pub uuid: Option<MessageUuid>,
    /// The ID of the session. A host may leave it empty.
    pub session_id: Option<SessionId>,
    /// Whether the message was written back. Ignored by `claude`. `true` on a message that `claude`
    /// wrote and a host sends back.
    #[wire(rename = "isReplay")]
    pub is_replay: Option<bool>,
    fields: UserDetails!(),
}

/// Converts one form into another: the fields that all forms share are taken over.
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
    /// A person rejected the tool use, or no one could be asked.
    UserRejected = "user-rejected",
    /// A rule, a permission mode, a hook or the host denied the tool use.
    PermissionRule = "permission-rule",
    /// A classifier blocked the tool use.
    AutomodeBlocked = "automode-blocked",
    /// The classifier was not available.
    AutomodeUnavailable = "automode-unavailable",
    /// The answer of the classifier could not be parsed.
    AutomodeParsingError = "automode-parsing-error",
    /// The turn was interrupted before the tool ran.
    Interrupted = "interrupted",
    /// The tool use was cancelled because another tool of the same answer failed.
    Cancelled = "cancelled",
}

/// How a tool result came about: the decision on the permission, or why the tool did not run.
#[wire]
pub struct ToolResultMeta {
    /// The ID of the tool use.
    pub id: ToolUseId,
    /// The decision on whether the tool may run.
    pub permission_decision: Option<PermissionDecision>,
    /// The reason why the tool did not run. Absent if it ran, or if the CLI is too old to say.
    pub non_execution_kind: Option<NonExecutionKind>,
    /// The feedback of the person who rejected the tool use.
    pub user_feedback: Option<String>,
    /// A remedy that a host may offer for the failure.
    pub remedy: Option<Json>,
}

/// The decision on whether a tool may run, and its source.
#[wire]
pub struct PermissionDecision {
    /// The decision: `accept` or `reject`.
    pub decision: String,
    /// The source of the decision, such as `config` or `hook`. For a decision of the host, its
    /// [`DecisionClassification`](crate::control::DecisionClassification).
    pub source: Option<String>,
    /// The kind of reason for the decision.
    pub reason_type: Option<DecisionReasonType>,
}
