//! `user`: what the user said, or a tool on the user's behalf.

use claw_types_derive::Wire;

use crate::api::{Content, MessageParam};
use crate::open_enum::open_enum;
use crate::{Extra, Json, MessageUuid, SessionId, ToolUseId};

open_enum! {
    /// When a queued prompt is taken up.
    Priority {
        /// At once: the running turn is interrupted.
        Now = "now",
        /// As soon as the model can take it in.
        Next = "next",
        /// When the running turn is over.
        Later = "later",
    }
}

/// What the user said, or a tool on the user's behalf.
///
/// Both directions: a host writes it to prompt; `claude` writes it for tool results and for what it
/// says in the user's name.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "user"))]
#[non_exhaustive]
pub struct UserMessage {
    /// What is said.
    pub message: MessageParam,
    /// The tool use whose sub-agent is spoken to; null for the main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// Names this line. A host should always set a fresh one: results name the prompts that they
    /// answer by it. One that was seen before is dropped in silence.
    pub uuid: Option<MessageUuid>,
    /// The session. A host may leave it empty.
    pub session_id: Option<SessionId>,
    /// Said by the CLI in the user's name.
    #[wire(rename = "isSynthetic")]
    pub is_synthetic: Option<bool>,
    /// A tool's result as the tool gave it: any JSON.
    pub tool_use_result: Option<Json>,
    /// When a queued prompt is taken up.
    pub priority: Option<Priority>,
    /// Where the prompt comes from.
    pub origin: Option<Json>,
    /// `false`: put into the conversation without a turn.
    #[wire(rename = "shouldQuery")]
    pub should_query: Option<bool>,
    /// When, as ISO 8601.
    pub timestamp: Option<String>,
    /// Taken word for word: no slash commands, no mentions.
    pub client_composed: Option<bool>,
    /// Content that was pasted rather than typed.
    pub pasted_content: Option<Json>,
    /// Parts of the text that were pasted.
    pub inline_pastes: Option<Vec<String>>,
    /// The sub-agent that is spoken to.
    pub agent_id: Option<String>,
    /// Its kind.
    pub subagent_type: Option<String>,
    /// What it was asked to do, in short.
    pub task_description: Option<String>,
    /// How each tool result came about.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// The line is a replay of one that a host wrote, or of a command's output.
    #[wire(rename = "isReplay")]
    pub is_replay: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// How a tool result came about.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolResultMeta {
    /// The tool use.
    pub id: ToolUseId,
    /// Whether the tool was allowed.
    pub permission_decision: Option<PermissionDecision>,
    /// Why the tool did not run: `permission-rule`, `user-rejected` ….
    pub non_execution_kind: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Whether a tool was allowed, and by whom.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PermissionDecision {
    /// `accept` or `reject`.
    pub decision: String,
    /// By whom: a [`DecisionClassification`](crate::control::DecisionClassification), `config`, `hook` ….
    pub source: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl UserMessage {
    /// A prompt with a fresh uuid: text, or blocks.
    pub fn prompt(content: impl Into<Content>) -> Self {
        Self::new(MessageParam::user(content)).uuid(MessageUuid::random())
    }
}
