//! The messages of the Messages API: an answer from the model, and a prompt.

use super::content::{Content, ContentBlock, text_of};
use super::usage::Usage;
use crate::{ApiMessageId, Count, Json, Tri};

/// The author of a message.
#[wire(open)]
pub enum Role {
    /// The person or program that asks.
    User = "user",
    /// The model that answers.
    Assistant = "assistant",
}

/// The reason why the model stopped writing.
#[wire(open)]
pub enum StopReason {
    /// The model finished its answer.
    EndTurn = "end_turn",
    /// The answer reached the limit of output tokens.
    MaxTokens = "max_tokens",
    /// The model wrote a stop sequence.
    StopSequence = "stop_sequence",
    /// The model requests the use of a tool.
    ToolUse = "tool_use",
    /// A long turn was paused. The turn continues when the answer is sent back to the API.
    PauseTurn = "pause_turn",
    /// The model summarised the earlier conversation.
    Compaction = "compaction",
    /// The model refused to answer.
    Refusal = "refusal",
    /// The context window is full.
    ModelContextWindowExceeded = "model_context_window_exceeded",
    /// A hook deferred the tool use, and the turn ended before the tool ran.
    ToolDeferred = "tool_deferred",
}

/// An answer from the model, as the Messages API represents it. Inside the event `message_start` the answer has no
/// content yet.
#[wire(tag(type = "message"))]
pub struct ApiMessage {
    /// The ID of the answer. All `assistant` messages of the answer, one per block, share this ID.
    pub id: ApiMessageId,
    /// The author of the answer: always `assistant`.
    pub role: Role,
    /// The name of the model that answered, or `<synthetic>` if the CLI wrote the answer itself.
    pub model: String,
    /// The content blocks of the answer.
    pub content: Vec<ContentBlock>,
    /// The reason why the model stopped. Null if the reason is not known yet. The reason is null on nearly every
    /// `assistant` message.
    #[wire(nullable)]
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that the model wrote. Null if the model stopped for another reason.
    #[wire(nullable)]
    pub stop_sequence: Option<String>,
    /// The details of the model's refusal to answer. Absent or null if the model did not refuse.
    pub stop_details: Tri<StopDetails>,
    /// The token usage of the answer. On `assistant` messages, the numbers are not final. The final numbers are in the
    /// event `message_delta` and in the message `result`.
    pub usage: Usage,
    /// The edits that the API made to the context.
    pub context_management: Tri<ContextManagement>,
    /// The container in which the API runs code. Absent or null if the API runs no code.
    pub container: Tri<Container>,
    /// The API's diagnostics about the request's use of the prompt cache. Null or absent if no diagnostics were
    /// requested.
    pub diagnostics: Tri<Diagnostics>,
}

impl ApiMessage {
    /// Returns the text of all text blocks, concatenated.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }
}

/// Details of why the model stopped writing.
#[wire]
pub enum StopDetails {
    /// The details of the model's refusal to answer.
    Refusal(Box<RefusalStopDetails>),
}

/// The details of the model's refusal to answer.
#[wire(tag(type = "refusal"))]
pub struct RefusalStopDetails {
    /// The category of harm, such as `cyber` or `bio`.
    pub category: Tri<String>,
    /// The reason for the refusal, in words.
    pub explanation: Tri<String>,
    /// The name of another model that may answer the request instead.
    pub recommended_model: Tri<String>,
}

/// A container in which the API runs code.
#[wire]
pub struct Container {
    /// The ID of the container.
    pub id: String,
    /// The time at which the container expires, in ISO 8601.
    pub expires_at: String,
    /// The skills that are loaded in the container.
    pub skills: Tri<Vec<Json>>,
}

/// The edits that the API made to the context.
#[wire]
pub struct ContextManagement {
    /// The edits that the API applied to the context. Each edit is a JSON object.
    pub applied_edits: Vec<Json>,
}

/// The API's diagnostics for a request. They say why the prompt cache was not used as much as possible.
#[wire]
pub struct Diagnostics {
    /// The reason why the request did not use the prompt cache as much as possible. Null if the reason is not known
    /// yet.
    pub cache_miss_reason: Tri<CacheMiss>,
}

/// The reason why a request did not use the prompt cache as much as possible.
#[wire]
pub struct CacheMiss {
    /// The reason why the cache was not used as much as possible, as a code.
    #[wire(rename = "type")]
    pub kind: CacheMissKind,
    /// The estimated number of input tokens that were not read from the cache. Sent if the reason is that a part of the
    /// request has changed.
    pub cache_missed_input_tokens: Tri<Count>,
}

/// The reason why a request did not use the prompt cache as much as possible, as a code.
#[wire(open)]
pub enum CacheMissKind {
    /// The request uses another model or another speed.
    ModelChanged = "model_changed",
    /// The system prompt has changed.
    SystemChanged = "system_changed",
    /// The tools or their order have changed.
    ToolsChanged = "tools_changed",
    /// An earlier message has changed.
    MessagesChanged = "messages_changed",
    /// The API has no record of the previous request.
    PreviousMessageNotFound = "previous_message_not_found",
    /// The reason is not available.
    Unavailable = "unavailable",
}

/// The author and the content of a user message. The content is a prompt or the results of tool uses.
#[wire]
pub struct MessageParam {
    /// The author of the message, which is always `user`. With any other author, `claude` exits at once.
    pub role: Role,
    /// The content: plain text or blocks.
    pub content: Content,
}

impl MessageParam {
    /// Creates the content of a user message from text or blocks.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::new(Role::User, content)
    }
}
