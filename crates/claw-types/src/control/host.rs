//! Requests by which a host says how it is with the session: its name, its users.

use super::Request;
use crate::open_enum::open_enum;
use crate::{Count, Extra, Json, MessageUuid, SessionId};
use claw_types_derive::Wire;

/// To `claude`: call the session this. `session_title_changed` says it too.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "rename_session"))]
#[non_exhaustive]
pub struct RenameSession {
    /// The title.
    pub title: String,
    /// Who chose it; absent for `remote`.
    pub source: Option<TitleSource>,
    /// The session that is meant: refused where it is another one by now.
    pub session_id: Option<SessionId>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for RenameSession {
    type Response = Option<Json>;
}

open_enum! {
    /// Who chose a session's title.
    TitleSource {
        /// Somebody elsewhere, on claude.ai.
        Remote = "remote",
        /// The user, in the host's own window.
        Host = "host",
    }
}

/// To `claude`: show the session in this colour. A `claude` on pipes refuses it with the code
/// `unsupported_request`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "set_color"))]
#[non_exhaustive]
pub struct SetColor {
    /// The colour, by name.
    pub color: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SetColor {
    type Response = Option<Json>;
}

/// To `claude`: is there anybody who watches? Where nobody does, partial text may wait longer, if
/// the CLI was started with `CLAUDE_CODE_STREAM_EVENT_NO_SUBSCRIBER_HOLD_MS`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "set_has_subscribers"))]
#[non_exhaustive]
pub struct SetHasSubscribers {
    /// Whether; null where the host does not know, which is as true.
    #[wire(nullable)]
    pub has_subscribers: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SetHasSubscribers {
    type Response = Option<Json>;
}

/// To `claude`: which version are you?
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "get_binary_version"))]
#[non_exhaustive]
pub struct GetBinaryVersion {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for GetBinaryVersion {
    type Response = GetBinaryVersionResponse;
}

/// The answer to `get_binary_version`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetBinaryVersionResponse {
    /// The CLI's version.
    pub version: String,
    /// When it was built, as ISO 8601.
    pub build_time: Option<String>,
    /// The oldest SDK of the desktop application that it works with.
    #[wire(since = "2.1.329")]
    pub oldest_desktop_sdk: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: stop suggesting prompts, or go on. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "set_prompt_suggestions_paused"))]
#[non_exhaustive]
pub struct SetPromptSuggestionsPaused {
    /// Stop, or go on.
    pub paused: bool,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SetPromptSuggestionsPaused {
    type Response = Option<Json>;
}

/// To `claude`: a prompt is on its way, or is not any more. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "set_message_waiting"))]
#[non_exhaustive]
pub struct SetMessageWaiting {
    /// Whether it is.
    pub waiting: bool,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SetMessageWaiting {
    type Response = Option<Json>;
}

/// To `claude`: the user writes a prompt. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "prompt_draft_activity"))]
#[non_exhaustive]
pub struct PromptDraftActivity {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for PromptDraftActivity {
    type Response = Option<Json>;
}

/// To `claude`: the user likes this message, or does not. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "message_rated"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct MessageRated {
    /// The message.
    pub message_uuid: MessageUuid,
    /// Whether it is liked.
    pub sentiment: Sentiment,
    /// What of it.
    pub surface: Option<RatedSurface>,
    /// The user took it back.
    pub cleared: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for MessageRated {
    type Response = MessageRatedResponse;
}

open_enum! {
    /// Whether something is liked.
    Sentiment {
        /// It is.
        Positive = "positive",
        /// It is not.
        Negative = "negative",
    }
}

open_enum! {
    /// What of a message was rated.
    RatedSurface {
        /// The use of a tool.
        ToolUse = "tool_use",
        /// The text.
        AssistantText = "assistant_text",
    }
}

/// The answer to `message_rated`: nothing.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MessageRatedResponse {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: send this to the CLI's makers. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "submit_feedback"))]
#[non_exhaustive]
pub struct SubmitFeedback {
    /// What the user says.
    pub description: String,
    /// Where it was said: `cli`, `ide`, `sdk` ….
    pub surface: Option<String>,
    /// The draft that it comes from.
    pub draft_id: Option<String>,
    /// What it is: `bug`, `idea` or `missing_capability`.
    #[wire(rename = "type")]
    pub kind: Option<String>,
    /// A title.
    pub title: Option<String>,
    /// What it is about.
    pub area: Option<String>,
    /// Sends the conversation too.
    pub attach_transcript: Option<bool>,
    /// Writes it to a file.
    pub save_locally: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SubmitFeedback {
    type Response = SubmitFeedbackResponse;
}

/// The answer to `submit_feedback`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SubmitFeedbackResponse {
    /// Names it; null where it was not sent.
    #[wire(nullable)]
    pub feedback_id: Option<String>,
    /// Why it cannot be sent.
    pub unavailable_reason: Option<String>,
    /// The organisation lets nothing be kept.
    pub is_zdr_org: Option<bool>,
    /// Why it was not sent.
    pub failure_reason: Option<String>,
    /// What the server said.
    pub status_code: Option<Count>,
    /// Where it can be seen.
    pub ccshare_url: Option<String>,
    /// The file that it was written to.
    pub bundle_path: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
