//! Requests with which a host that displays a session reports what its user does.

use crate::{Count, Json, MessageUuid};

/// To `claude`: report whether the host holds back a message until the running turn has ended. Not part of the official
/// SDK's published types.
#[wire(tag(subtype = "set_message_waiting"), response = Option<Json>)]
pub struct SetMessageWaiting {
    /// Whether the host holds back a message of the person until the running turn has ended.
    pub waiting: bool,
}

/// To `claude`: report that the user is writing a prompt. Not part of the official SDK's published types.
#[wire(tag(subtype = "prompt_draft_activity"), response = Option<Json>)]
pub struct PromptDraftActivity {}

/// To `claude`: report how the user rated a message. Not part of the official SDK's published types.
#[wire(tag(subtype = "message_rated"), rename_all = "camelCase", response = MessageRatedResponse)]
pub struct MessageRated {
    /// The UUID of the message.
    pub message_uuid: MessageUuid,
    /// Whether the rating is positive or negative.
    pub sentiment: Sentiment,
    /// The part of the message that was rated.
    pub surface: Option<RatedSurface>,
    /// Whether the user withdrew the rating.
    pub cleared: Option<bool>,
}

/// The rating of a message.
#[wire(open)]
pub enum Sentiment {
    /// A positive rating.
    Positive = "positive",
    /// A negative rating.
    Negative = "negative",
}

/// The part of a message that a user rated.
#[wire(open)]
pub enum RatedSurface {
    /// A tool use of the message.
    ToolUse = "tool_use",
    /// The text of the message.
    AssistantText = "assistant_text",
}

/// The response to `message_rated`. The response has no fields.
#[wire]
pub struct MessageRatedResponse {}

/// To `claude`: send feedback to Anthropic. Not part of the official SDK's published types.
#[wire(tag(subtype = "submit_feedback"), response = SubmitFeedbackResponse)]
pub struct SubmitFeedback {
    /// The text of the user's feedback.
    pub description: String,
    /// Where the user gave the feedback, such as `cli`, `ide` or `sdk`.
    pub surface: Option<String>,
    /// The ID of the draft that became the feedback.
    pub draft_id: Option<String>,
    /// The kind of the feedback: `bug`, `idea` or `missing_capability`.
    #[wire(rename = "type")]
    pub kind: Option<String>,
    /// The title of the feedback.
    pub title: Option<String>,
    /// The part of the product that the feedback is about.
    pub area: Option<String>,
    /// Whether the transcript is attached.
    pub attach_transcript: Option<bool>,
    /// Whether the feedback is saved to a file.
    pub save_locally: Option<bool>,
}

/// The response to `submit_feedback`.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire]
pub struct SubmitFeedbackResponse {
    /// The ID of the feedback. Null if the feedback was not sent.
    #[wire(nullable)]
    pub feedback_id: Option<String>,
    /// The reason why feedback cannot be sent.
    pub unavailable_reason: Option<String>,
    /// Whether the organisation has zero data retention.
    pub is_zdr_org: Option<bool>,
    /// The reason why the feedback was not sent.
    pub failure_reason: Option<String>,
    /// The HTTP status of the response from the server that received the feedback.
    pub status_code: Option<Count>,
    /// The URL at which the feedback can be viewed.
    pub ccshare_url: Option<String>,
    /// The path of the file to which the feedback was saved.
    pub bundle_path: Option<String>,
}
