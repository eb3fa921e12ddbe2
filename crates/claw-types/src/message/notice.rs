//! What the CLI tells the person: `system` / `informational`, `notification`,
//! `local_command_output` and `permission_denied`, and `prompt_suggestion`.

use claw_types_derive::Wire;

use crate::control::DecisionReasonType;
use crate::open_enum::open_enum;
use crate::{Extra, MessageUuid, Number, SessionId, ToolUseId};

open_enum! {
    /// How much a notice matters.
    InformationalLevel {
        /// To know.
        Info = "info",
        /// To look at.
        Notice = "notice",
        /// Something to do.
        Suggestion = "suggestion",
        /// Something is wrong.
        Warning = "warning",
    }
}

/// A notice in the conversation that the model does not see: a hook's message, a hook that failed, a
/// prompt that a hook blocked.
///
/// To hosts, when it happens.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "informational"))]
#[non_exhaustive]
pub struct Informational {
    /// What it says.
    pub content: String,
    /// How much it matters.
    pub level: InformationalLevel,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// The tool use that it is about.
    pub tool_use_id: Option<ToolUseId>,
    /// `true` where the turn does not go on because of it.
    pub prevent_continuation: Option<bool>,
    /// What it is about, for programs: `hook_callback_failed` ….
    pub tag: Option<String>,
    /// What became of the prompt, where the notice is about one that was not taken.
    pub prompt_submit_outcome: Option<PromptSubmitOutcome>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What became of a prompt that was not taken.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptSubmitOutcome {
    /// What: `blocked_by_hook`, `no_verdict` ….
    pub kind: Option<String>,
    /// Whether the prompt stands in the conversation all the same.
    pub prompt_kept: Option<bool>,
    /// Why, in the hook's words.
    pub reason: Option<String>,
    /// Why the hook has said nothing. Only with `no_verdict`.
    pub no_verdict_kind: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// How much a notification matters.
    NotificationPriority {
        /// Little.
        Low = "low",
        /// Some.
        Medium = "medium",
        /// Much.
        High = "high",
        /// It must be shown at once.
        Immediate = "immediate",
    }
}

/// A short text for the person, beside the conversation.
///
/// To hosts, when there is something to show. A later one with the same `key` takes its place.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "notification"))]
#[non_exhaustive]
pub struct Notification {
    /// What it is about: one at a time is shown of each.
    pub key: String,
    /// The text.
    pub text: String,
    /// How much it matters.
    pub priority: NotificationPriority,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Its colour, by a name of the CLI's theme.
    pub color: Option<String>,
    /// How long to show it, in milliseconds. Absent: as long as the host likes.
    pub timeout_ms: Option<Number>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a slash command that ran without the model wrote.
///
/// To hosts, for some commands; others write a [`UserMessageReplay`](super::UserMessageReplay) or an
/// [`AssistantMessage`](super::AssistantMessage).
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "local_command_output"))]
#[non_exhaustive]
pub struct LocalCommandOutput {
    /// The text.
    pub content: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A tool was refused without the host being asked.
///
/// To hosts, when a rule or the permission mode refuses. Not for all refusals: the record is
/// `permission_denials` of the result.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "system", subtype = "permission_denied"))]
#[non_exhaustive]
pub struct PermissionDenied {
    /// The tool.
    pub tool_name: String,
    /// Its use.
    pub tool_use_id: ToolUseId,
    /// What the model is told.
    pub message: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// The sub-agent that wanted to use it. Absent in the main conversation.
    pub agent_id: Option<String>,
    /// Why.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// Why, in words.
    pub decision_reason: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the person may want to say next.
///
/// To hosts, after the result, where prompt suggestions were asked for.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "prompt_suggestion"))]
#[non_exhaustive]
pub struct PromptSuggestion {
    /// The prompt.
    pub suggestion: String,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
