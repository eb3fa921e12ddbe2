//! Requests with which a host that displays a session reports what its user does.

use crate::{Count, Json, MessageUuid};

/// To `claude`: report whether the host holds back a message until the running turn has ended. Not part of the official
/// SDK's published types.
#[wire(tag(subtype = "set_message_waiting"), response = Option<Json>)]
pub struct SetMessageWaiting {
    /// Whether the host holds back a message of the user until the running turn has ended.
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
    /// The program in which the user gave the feedback, such as `cli`, `ide` or `sdk`.
    pub surface: Option<String>,
    /// The UUID of a feedback draft that is stored on the CLI's machine. The CLI sends this draft. Fields of the
    /// request replace the fields of the draft.
    pub draft_id: Option<String>,
    /// The kind of the feedback: `bug`, `idea` or `missing_capability`.
    #[wire(rename = "type")]
    pub kind: Option<String>,
    /// The title of the feedback.
    pub title: Option<String>,
    /// The part of the product that the feedback is about. The CLI does not document its values.
    pub area: Option<String>,
    /// Whether the transcript of the draft's session is attached to the feedback. This field has an effect only
    /// together with `draft_id`. Absent means `true`.
    pub attach_transcript: Option<bool>,
    /// Whether the CLI saves the feedback to a file on its machine instead of sending it.
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
    /// The reason why feedback cannot be sent, in words. Set if feedback is unavailable in this session, or if
    /// Anthropic's server refused the feedback.
    pub unavailable_reason: Option<String>,
    /// Whether the organisation has zero data retention.
    pub is_zdr_org: Option<bool>,
    /// The reason why an attempt to send the feedback failed. If Anthropic's server refused the feedback,
    /// `unavailable_reason` is set too.
    pub failure_reason: Option<String>,
    /// The HTTP status of the response from Anthropic's server for feedback.
    pub status_code: Option<Count>,
    /// The URL at which the conversation can be viewed. Only Anthropic's internal CLIs send this field.
    pub ccshare_url: Option<String>,
    /// The path of the file to which the feedback was saved. Absent if the feedback was not saved to a file.
    pub bundle_path: Option<String>,
}
