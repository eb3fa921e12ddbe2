//! `user`: what the user said, or a tool on the user's behalf.

use crate::api::{Content, MessageParam};
use crate::control::DecisionReasonType;
use crate::wire::{Lacks, Narrow};
use crate::{ApiMessageId, Json, MessageUuid, Number, RequestId, SessionId, ToolUseId, Tri, True};

use super::origin::MessageOrigin;

/// When a queued prompt is taken up.
#[wire(open)]
pub enum Priority {
    /// At once: the running turn is interrupted.
    Now = "now",
    /// As soon as the model can take it in.
    Next = "next",
    /// When the running turn is over.
    Later = "later",
}

/// What every form of a user's message may say.
#[wire(fields)]
struct UserDetails {
    /// Said by the CLI in the user's name.
    #[wire(rename = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// A tool's result as the tool gave it, of a shape of its own: any JSON. Absent where
    /// the message carries no tool result.
    pub tool_use_result: Option<Json>,
    /// When a queued prompt is taken up. Absent: `next`.
    pub priority: Option<Priority>,
    /// Where the prompt comes from; absent where nobody said.
    pub origin: Option<MessageOrigin>,
    /// `false`: put into the conversation without a turn. Absent: `true`.
    #[wire(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// When it was said, as ISO 8601.
    pub timestamp: Option<String>,
    /// Taken word for word: no slash commands, no mentions. Absent: `false`.
    pub client_composed: Option<bool>,
    /// Content that was pasted rather than typed. The CLI puts the text of it behind the
    /// prompt.
    pub pasted_content: Option<Vec<Content>>,
    /// Parts of the prompt's own text that were pasted.
    pub inline_pastes: Option<Vec<String>>,
    /// Files that came with the prompt. Only on what is written back.
    pub file_attachments: Option<Vec<Json>>,
    /// The sub-agent that is spoken to.
    pub agent_id: Option<String>,
    /// The kind of that sub-agent.
    pub subagent_type: Option<String>,
    /// What that sub-agent was asked to do, in short.
    pub task_description: Option<String>,
    /// The answer that the model refused to give, where the CLI says this because of it.
    pub refused_message_id: Option<ApiMessageId>,
    /// How each tool result came about.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// To `claude`: put the prompt back into the queue where an interrupt comes within that
    /// many milliseconds after a turn took it up.
    pub requeue_if_interrupted_within_ms: Option<Number>,
    /// The kind of program that the person uses: `ios`, `web_claude_ai` …. Set by the
    /// server.
    pub client_platform: Option<String>,
    /// How wide that program shows the conversation, in pixels.
    pub client_content_width: Option<Number>,
    /// To `claude`: a question for a permission that the host still shows.
    pub keeps_request_id: Option<RequestId>,
    /// How the prompt came in. Set by the server.
    pub inbound_origin: Option<String>,
    /// When the server got the prompt, in milliseconds since 1970.
    pub server_received_wall_ms: Option<Number>,
    /// Whether it is told again, and is not new. Set by remote control.
    pub historical: Option<bool>,
    /// `true` where the CLI made the message, and nobody typed it.
    pub is_meta: Option<bool>,
    /// `true` where the host itself made the prompt to begin with.
    pub seeded_summon: Option<bool>,
}

/// What the user said, or a tool on the user's behalf.
///
/// Both directions. A host writes it to prompt. `claude` writes it when a tool has given its
/// result (one line a result), and for what it says in the user's name, such as the notice of
/// an interrupt. What a host wrote is not written back, but as a [`UserMessageReplay`].
#[wire(tag(type = "user"))]
pub struct UserMessage {
    /// What is said.
    pub message: MessageParam,
    /// The tool use whose sub-agent is spoken to; null for the main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// Names this line. A host should always set a fresh one: results name the prompts that
    /// they answer by it. One that was seen before is dropped in silence.
    pub uuid: Option<MessageUuid>,
    /// The session. A host may leave it empty.
    pub session_id: Option<SessionId>,
    /// Never `true` on what `claude` writes: then the message is a [`UserMessageReplay`].
    #[wire(rename = "isReplay")]
    pub is_replay: Option<bool>,
    fields: UserDetails!(),
}

/// A user's message that is written back: a prompt, in the turn that answers it (only with the
/// flag `--replay-user-messages`), or the output of a slash command that writes its output so
/// (always; the text then begins with `<local-command-stdout>`).
///
/// To hosts only. Told from a [`UserMessage`] by `"isReplay": true` alone.
#[wire(tag(type = "user"))]
pub struct UserMessageReplay {
    /// What is said.
    pub message: MessageParam,
    /// The tool use whose sub-agent is spoken to; null for the main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// Names this line. For a prompt: the name that the host gave it, as the host spelled it.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Always `true`.
    #[wire(rename = "isReplay")]
    pub is_replay: True,
    fields: UserDetails!(),
}

/// A user's message as `claude` reads it: a [`UserMessage`] that need not say whether it is for a
/// sub-agent.
///
/// To `claude` only. The shortest is
/// `{"type":"user","message":{"role":"user","content":"hi"}}`. `claude` reads no less than that:
/// it ends at once where `message.role` is not `user`; a message without `content` fails the turn
/// (2.1.200) or is a turn in which nothing is said (2.1.329), and is refused here.
#[wire(tag(type = "user"))]
pub struct UserPrompt {
    /// What is said.
    pub message: MessageParam,
    /// The tool use whose sub-agent is spoken to; null or absent for the main conversation.
    pub parent_tool_use_id: Tri<ToolUseId>,
    /// Names this line. A host should always set a fresh one: results name the prompts that
    /// they answer by it. One that was seen before is dropped in silence.
    pub uuid: Option<MessageUuid>,
    /// The session. A host may leave it empty.
    pub session_id: Option<SessionId>,
    /// Says nothing here: `true` on what `claude` wrote, and somebody sends back.
    #[wire(rename = "isReplay")]
    pub is_replay: Option<bool>,
    fields: UserDetails!(),
}

/// Makes one form of another: the fields that all have are taken over.
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
    /// What said nothing about sub-agents is for the main conversation.
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

    fn narrow(wide: UserMessage) -> Result<Self, Lacks> {
        let lacks = |field| Lacks {
            field,
            is_null: wide.extra.get(field).is_some(),
        };
        let uuid = wide.uuid.ok_or_else(|| lacks("uuid"))?;
        let session_id = wide.session_id.ok_or_else(|| lacks("session_id"))?;
        Ok(made_of!(wide => Self {
            parent_tool_use_id: wide.parent_tool_use_id,
            uuid: uuid,
            session_id: session_id,
            is_replay: True,
        }))
    }
}

/// Why a tool did not run.
#[wire(open)]
pub enum NonExecutionKind {
    /// A person said no, or there was nobody to ask.
    UserRejected = "user-rejected",
    /// A rule, a mode, a hook or the host said no.
    PermissionRule = "permission-rule",
    /// A classifier said no.
    AutomodeBlocked = "automode-blocked",
    /// The classifier could not be asked.
    AutomodeUnavailable = "automode-unavailable",
    /// The classifier's answer could not be read.
    AutomodeParsingError = "automode-parsing-error",
    /// The turn was interrupted first.
    Interrupted = "interrupted",
    /// It was cancelled, for another tool of the same answer failed.
    Cancelled = "cancelled",
}

/// How a tool result came about.
#[wire]
pub struct ToolResultMeta {
    /// The tool use.
    pub id: ToolUseId,
    /// Whether the tool was allowed.
    pub permission_decision: Option<PermissionDecision>,
    /// Why the tool did not run. Absent: it ran, or an older CLI does not say.
    pub non_execution_kind: Option<NonExecutionKind>,
    /// What the person who said no wrote.
    pub user_feedback: Option<String>,
    /// What a host may offer against what went wrong.
    pub remedy: Option<Json>,
}

/// Whether a tool was allowed, and by whom.
#[wire]
pub struct PermissionDecision {
    /// `accept` or `reject`.
    pub decision: String,
    /// By whom: a [`DecisionClassification`](crate::control::DecisionClassification), `config`, `hook` ….
    pub source: Option<String>,
    /// What kind of reason.
    pub reason_type: Option<DecisionReasonType>,
}
