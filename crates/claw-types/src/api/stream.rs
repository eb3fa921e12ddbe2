//! Stream events: an answer while it grows.

use super::content::ContentBlock;
use super::message::{ApiMessage, Container, ContextManagement, StopDetails, StopReason};
use super::usage::Usage;
use crate::{Count, Json, Tri};

/// An event of the Messages API's stream.
#[wire]
pub enum StreamEvent {
    /// A block grows.
    ContentBlockDelta(ContentBlockDeltaEvent),
    /// A block begins.
    ContentBlockStart(Box<ContentBlockStartEvent>),
    /// A block is complete.
    ContentBlockStop(ContentBlockStopEvent),
    /// An answer begins.
    MessageStart(Box<MessageStartEvent>),
    /// What is known of the answer changes: why it stopped, its tokens.
    MessageDelta(Box<MessageDeltaEvent>),
    /// The answer is complete.
    MessageStop(MessageStopEvent),
    /// Nothing happens.
    Ping(PingEvent),
    /// The stream broke.
    Error(ErrorEvent),
}

/// An answer begins.
#[wire(tag(type = "message_start"))]
pub struct MessageStartEvent {
    /// The answer, still without content.
    pub message: ApiMessage,
}

/// A block begins.
#[wire(tag(type = "content_block_start"))]
pub struct ContentBlockStartEvent {
    /// The block's place in the answer.
    pub index: Count,
    /// The block, still empty.
    pub content_block: ContentBlock,
}

/// A block grows.
#[wire(tag(type = "content_block_delta"))]
pub struct ContentBlockDeltaEvent {
    /// The block's place in the answer.
    pub index: Count,
    /// What is added.
    pub delta: ContentBlockDelta,
}

/// A block is complete. Its `assistant` line came just before.
#[wire(tag(type = "content_block_stop"))]
pub struct ContentBlockStopEvent {
    /// The block's place in the answer.
    pub index: Count,
}

/// What is known of the answer changes.
#[wire(tag(type = "message_delta"))]
pub struct MessageDeltaEvent {
    /// Why it stopped.
    pub delta: MessageDelta,
    /// Tokens of the whole answer so far.
    pub usage: Usage,
    /// What the API took out of the context.
    pub context_management: Tri<ContextManagement>,
}

/// Why an answer stopped.
#[wire]
pub struct MessageDelta {
    /// Why.
    #[wire(nullable)]
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that it wrote, if it stopped for one.
    #[wire(nullable)]
    pub stop_sequence: Option<String>,
    /// Details of a refusal.
    pub stop_details: Tri<StopDetails>,
    /// The container of server-side code.
    pub container: Tri<Container>,
}

/// The answer is complete.
#[wire(tag(type = "message_stop"))]
pub struct MessageStopEvent {}

/// Nothing happens: keeps the connection open.
#[wire(tag(type = "ping"))]
pub struct PingEvent {}

/// The stream broke.
#[wire(tag(type = "error"))]
pub struct ErrorEvent {
    /// The API's error object.
    pub error: Json,
}

/// What is added to a block.
#[wire]
pub enum ContentBlockDelta {
    /// Text.
    Text(TextDelta),
    /// A piece of a tool's input, as JSON text.
    InputJson(InputJsonDelta),
    /// Reasoning.
    Thinking(ThinkingDelta),
    /// The signature of the reasoning.
    Signature(SignatureDelta),
    /// A citation.
    Citations(CitationsDelta),
    /// A summary of what came before.
    Compaction(CompactionDelta),
}

/// Text.
#[wire(tag(type = "text_delta"))]
pub struct TextDelta {
    /// What is added.
    pub text: String,
}

/// A piece of a tool's input: JSON only when all pieces are put together.
#[wire(tag(type = "input_json_delta"))]
pub struct InputJsonDelta {
    /// What is added.
    pub partial_json: String,
}

/// Reasoning.
#[wire(tag(type = "thinking_delta"))]
pub struct ThinkingDelta {
    /// What is added.
    pub thinking: String,
    /// How many tokens it is thought to be.
    pub estimated_tokens: Tri<Count>,
}

/// The signature of the reasoning.
#[wire(tag(type = "signature_delta"))]
pub struct SignatureDelta {
    /// The signature.
    pub signature: String,
}

/// A citation.
#[wire(tag(type = "citations_delta"))]
pub struct CitationsDelta {
    /// What is cited.
    pub citation: Json,
}

/// A summary of what came before.
#[wire(tag(type = "compaction_delta"))]
pub struct CompactionDelta {
    /// What is added.
    #[wire(nullable)]
    pub content: Option<String>,
    /// What is added, encrypted.
    pub encrypted_content: Tri<String>,
}
