//! Requests by which a window on the session tells what its user does.

use crate::{Count, Json, MessageUuid};

/// To `claude`: a prompt is on its way, or is not any more. In no published type.
#[wire(tag(subtype = "set_message_waiting"), response = Option<Json>)]
pub struct SetMessageWaiting {
    /// Whether it is.
    pub waiting: bool,
}

/// To `claude`: the user writes a prompt. In no published type.
#[wire(tag(subtype = "prompt_draft_activity"), response = Option<Json>)]
pub struct PromptDraftActivity {}

/// To `claude`: the user likes this message, or does not. In no published type.
#[wire(tag(subtype = "message_rated"), rename_all = "camelCase", response = MessageRatedResponse)]
pub struct MessageRated {
    /// The message.
    pub message_uuid: MessageUuid,
    /// Whether it is liked.
    pub sentiment: Sentiment,
    /// What of it.
    pub surface: Option<RatedSurface>,
    /// The user took it back.
    pub cleared: Option<bool>,
}

/// Whether something is liked.
#[wire(open)]
pub enum Sentiment {
    /// It is.
    Positive = "positive",
    /// It is not.
    Negative = "negative",
}

/// What of a message was rated.
#[wire(open)]
pub enum RatedSurface {
    /// The use of a tool.
    ToolUse = "tool_use",
    /// The text.
    AssistantText = "assistant_text",
}

/// The answer to `message_rated`: nothing.
#[wire]
pub struct MessageRatedResponse {}

/// To `claude`: send this to the CLI's makers. In no published type.
#[wire(tag(subtype = "submit_feedback"), response = SubmitFeedbackResponse)]
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
}

/// The answer to `submit_feedback`.
#[wire]
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
}
