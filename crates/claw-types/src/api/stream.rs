//! Stream events, which deliver an answer piece by piece while the model writes it.

use super::content::ContentBlock;
use super::message::{ApiMessage, Container, ContextManagement, StopDetails, StopReason};
use super::usage::Usage;
use crate::{Count, Json, Tri};

/// An event of the stream in which the Messages API sends an answer.
#[wire]
pub enum StreamEvent {
    /// An addition to a content block.
    ContentBlockDelta(ContentBlockDeltaEvent),
    /// The start of a content block.
    ContentBlockStart(Box<ContentBlockStartEvent>),
    /// The end of a content block.
    ContentBlockStop(ContentBlockStopEvent),
    /// The start of an answer.
    MessageStart(Box<MessageStartEvent>),
    /// A change to the answer's metadata: its stop reason and its token usage.
    MessageDelta(Box<MessageDeltaEvent>),
    /// The end of an answer.
    MessageStop(MessageStopEvent),
    /// An event without content, which keeps the connection open.
    Ping(PingEvent),
    /// An error that the API reports in the stream.
    Error(ErrorEvent),
}

/// The start of an answer.
#[wire(tag(type = "message_start"))]
pub struct MessageStartEvent {
    /// The answer, which does not have any content yet.
    pub message: ApiMessage,
}

/// The start of a content block.
#[wire(tag(type = "content_block_start"))]
pub struct ContentBlockStartEvent {
    /// The index of the block in the answer.
    pub index: Count,
    /// The content block, which is still empty.
    pub content_block: ContentBlock,
}

/// An addition to a content block.
#[wire(tag(type = "content_block_delta"))]
pub struct ContentBlockDeltaEvent {
    /// The index of the block in the answer.
    pub index: Count,
    /// The content that is added to the block.
    pub delta: ContentBlockDelta,
}

/// The end of a content block. Just before this event, the CLI sends the `assistant` message with
/// the complete block.
#[wire(tag(type = "content_block_stop"))]
pub struct ContentBlockStopEvent {
    /// The index of the block in the answer.
    pub index: Count,
}

/// A change to the answer's metadata.
#[wire(tag(type = "message_delta"))]
pub struct MessageDeltaEvent {
    /// The changed metadata: the stop reason and its details.
    pub delta: MessageDelta,
    /// The token usage of the whole answer so far.
    pub usage: Usage,
    /// The edits that the API made to the context.
    pub context_management: Tri<ContextManagement>,
}

/// The changed metadata of an answer.
#[wire]
pub struct MessageDelta {
    /// The reason why the model stopped.
    #[wire(nullable)]
    pub stop_reason: Option<StopReason>,
    /// The stop sequence that the model wrote. Null if the model stopped for another reason.
    #[wire(nullable)]
    pub stop_sequence: Option<String>,
    /// The details of the model's refusal to answer. Absent or null if the model did not refuse.
    pub stop_details: Tri<StopDetails>,
    /// The container in which the API runs code. Absent or null if the API runs no code.
    pub container: Tri<Container>,
}

/// The end of an answer.
#[wire(tag(type = "message_stop"))]
pub struct MessageStopEvent {}

/// An event without content, which keeps the connection open.
#[wire(tag(type = "ping"))]
pub struct PingEvent {}

/// An error that the API reports in the stream.
#[wire(tag(type = "error"))]
pub struct ErrorEvent {
    /// The error object that the API sent, with the fields `type` and `message`.
    pub error: Json,
}

/// An addition to a content block.
#[wire]
pub enum ContentBlockDelta {
    /// A piece of text.
    Text(TextDelta),
    /// A piece of a tool's input, as JSON text.
    InputJson(InputJsonDelta),
    /// A piece of the model's thinking.
    Thinking(ThinkingDelta),
    /// The signature of a thinking block.
    Signature(SignatureDelta),
    /// A citation that supports the text.
    Citations(CitationsDelta),
    /// A piece of a summary of the earlier conversation.
    Compaction(CompactionDelta),
}

/// A piece of text that is added to a block.
#[wire(tag(type = "text_delta"))]
pub struct TextDelta {
    /// The text to append.
    pub text: String,
}

/// A piece of a tool's input. A single piece need not be valid JSON. All pieces of the input, joined in order, are
/// valid JSON.
#[wire(tag(type = "input_json_delta"))]
pub struct InputJsonDelta {
    /// The JSON text to append.
    pub partial_json: String,
}

/// A piece of the model's thinking that is added to a block.
#[wire(tag(type = "thinking_delta"))]
pub struct ThinkingDelta {
    /// The thinking to append.
    pub thinking: String,
    /// The estimated number of tokens of this piece.
    pub estimated_tokens: Tri<Count>,
}

/// The signature of a thinking block.
#[wire(tag(type = "signature_delta"))]
pub struct SignatureDelta {
    /// The API's signature of the thinking. With it, the API can later verify that the thinking is
    /// unchanged.
    pub signature: String,
}

/// A citation that is added to a text block.
#[wire(tag(type = "citations_delta"))]
pub struct CitationsDelta {
    /// The citation to append.
    pub citation: Json,
}

/// A piece of a summary of the earlier conversation.
#[wire(tag(type = "compaction_delta"))]
pub struct CompactionDelta {
    /// The text to append.
    #[wire(nullable)]
    pub content: Option<String>,
    /// The encrypted text that is appended to the block's encrypted content.
    pub encrypted_content: Tri<String>,
}
