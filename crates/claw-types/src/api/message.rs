//! An answer of the model, and a prompt.

use super::content::{Content, ContentBlock, text_of};
use super::diagnostics::Diagnostics;
use super::usage::Usage;
use crate::{ApiMessageId, Json, Tri};

/// Who speaks.
#[wire(open)]
pub enum Role {
    /// The person or program that asks.
    User = "user",
    /// The model.
    Assistant = "assistant",
}

/// Why the model stopped.
#[wire(open)]
pub enum StopReason {
    /// It was done.
    EndTurn = "end_turn",
    /// The answer reached its length limit.
    MaxTokens = "max_tokens",
    /// It wrote a stop sequence.
    StopSequence = "stop_sequence",
    /// It wants a tool used.
    ToolUse = "tool_use",
    /// A long turn was paused; it goes on when sent back.
    PauseTurn = "pause_turn",
    /// It summarised what came before.
    Compaction = "compaction",
    /// It declined.
    Refusal = "refusal",
    /// The context window is full.
    ModelContextWindowExceeded = "model_context_window_exceeded",
    /// A hook put the tool off.
    ToolDeferred = "tool_deferred",
}

/// An answer of the model, whole or, inside `message_start`, at its beginning.
#[wire(tag(type = "message"))]
pub struct ApiMessage {
    /// Names the answer. Several `assistant` lines, one a block, share it.
    pub id: ApiMessageId,
    /// Always `assistant`.
    pub role: Role,
    /// The model that answered; `<synthetic>` where the CLI wrote the text itself.
    pub model: String,
    /// What it says.
    pub content: Vec<ContentBlock>,
    /// Why it stopped; null while it is not known, as on nearly every `assistant` line.
    #[wire(nullable)]
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that it wrote, if it stopped for one.
    #[wire(nullable)]
    pub stop_sequence: Option<String>,
    /// Details of a refusal.
    pub stop_details: Tri<StopDetails>,
    /// Tokens. Not final on `assistant` lines: sum what `result` and `message_delta` say.
    pub usage: Usage,
    /// What the API took out of the context.
    pub context_management: Tri<ContextManagement>,
    /// The container of server-side code.
    pub container: Tri<Container>,
    /// What the API found out about the request. Null or absent where nobody asked.
    pub diagnostics: Tri<Diagnostics>,
}

impl ApiMessage {
    /// The text of all text blocks, put together.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }
}

/// Details of why the model stopped.
#[wire]
pub enum StopDetails {
    /// It declined.
    Refusal(Box<RefusalStopDetails>),
}

/// Why the model declined.
#[wire(tag(type = "refusal"))]
pub struct RefusalStopDetails {
    /// The kind of harm: `cyber`, `bio` ….
    pub category: Tri<String>,
    /// Why, in words.
    pub explanation: Tri<String>,
    /// A model that may answer instead.
    pub recommended_model: Tri<String>,
}

/// The container of server-side code.
#[wire]
pub struct Container {
    /// The container.
    pub id: String,
    /// When it goes away, as ISO 8601.
    pub expires_at: String,
    /// The skills that are in it.
    pub skills: Tri<Vec<Json>>,
}

/// What the API took out of the context.
#[wire]
pub struct ContextManagement {
    /// The edits, one object each.
    pub applied_edits: Vec<Json>,
}

/// What a user says, or a tool on the user's behalf.
#[wire]
pub struct MessageParam {
    /// `user`: `claude` ends at once on a user line with another role.
    pub role: Role,
    /// What is said.
    pub content: Content,
}

impl MessageParam {
    /// What a user says: text, or blocks.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::new(Role::User, content)
    }
}
