//! Stream events: an answer while it grows.

use claw_types_derive::{Wire, WireUnion};

use super::content::ContentBlock;
use super::message::{ApiMessage, Container, ContextManagement, StopDetails, StopReason};
use super::usage::Usage;
use crate::{Count, Extra, Json, Tri, Unknown};

/// An event of the Messages API's stream.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// A kind that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// An answer begins.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "message_start"))]
#[non_exhaustive]
pub struct MessageStartEvent {
    /// The answer, still without content.
    pub message: ApiMessage,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A block begins.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "content_block_start"))]
#[non_exhaustive]
pub struct ContentBlockStartEvent {
    /// The block's place in the answer.
    pub index: Count,
    /// The block, still empty.
    pub content_block: ContentBlock,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A block grows.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "content_block_delta"))]
#[non_exhaustive]
pub struct ContentBlockDeltaEvent {
    /// The block's place in the answer.
    pub index: Count,
    /// What is added.
    pub delta: ContentBlockDelta,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A block is complete. Its `assistant` line came just before.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "content_block_stop"))]
#[non_exhaustive]
pub struct ContentBlockStopEvent {
    /// The block's place in the answer.
    pub index: Count,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What is known of the answer changes.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "message_delta"))]
#[non_exhaustive]
pub struct MessageDeltaEvent {
    /// Why it stopped.
    pub delta: MessageDelta,
    /// Tokens of the whole answer so far.
    pub usage: Usage,
    /// What the API took out of the context.
    pub context_management: Tri<ContextManagement>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Why an answer stopped.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The answer is complete.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "message_stop"))]
#[non_exhaustive]
pub struct MessageStopEvent {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Nothing happens: keeps the connection open.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "ping"))]
#[non_exhaustive]
pub struct PingEvent {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The stream broke.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "error"))]
#[non_exhaustive]
pub struct ErrorEvent {
    /// The API's error object.
    pub error: Json,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What is added to a block.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// A kind that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// Text.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "text_delta"))]
#[non_exhaustive]
pub struct TextDelta {
    /// What is added.
    pub text: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A piece of a tool's input: JSON only when all pieces are put together.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "input_json_delta"))]
#[non_exhaustive]
pub struct InputJsonDelta {
    /// What is added.
    pub partial_json: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Reasoning.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "thinking_delta"))]
#[non_exhaustive]
pub struct ThinkingDelta {
    /// What is added.
    pub thinking: String,
    /// How many tokens it is thought to be.
    pub estimated_tokens: Tri<Count>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The signature of the reasoning.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "signature_delta"))]
#[non_exhaustive]
pub struct SignatureDelta {
    /// The signature.
    pub signature: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A citation.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "citations_delta"))]
#[non_exhaustive]
pub struct CitationsDelta {
    /// What is cited.
    pub citation: Json,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A summary of what came before.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "compaction_delta"))]
#[non_exhaustive]
pub struct CompactionDelta {
    /// What is added.
    #[wire(nullable)]
    pub content: Option<String>,
    /// What is added, encrypted.
    pub encrypted_content: Tri<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
