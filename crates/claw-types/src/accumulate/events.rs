//! An answer that is accumulated from its stream events.

use std::collections::BTreeMap;
use std::fmt;

use super::PartialInput;
use crate::api::{
    ApiMessage, ContentBlock, ContentBlockDelta, ContentBlockDeltaEvent, ContentBlockStartEvent,
    MessageDeltaEvent, StreamEvent,
};
use crate::{Json, Tri};

/// Accumulates an answer from its stream events.
///
/// Only the main conversation has stream events: sub-agents send no stream events. A `message_start` begins a new
/// answer, even if the previous answer has not ended. This happens when a request is retried.
///
/// ```
/// use claw_types::accumulate::Accumulator;
/// use claw_types::{Message, from_line};
///
/// # fn lines() -> Vec<&'static str> { vec![
/// #   r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":1}}},"session_id":"s","parent_tool_use_id":null,"uuid":"1"}"#,
/// #   r#"{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},"session_id":"s","parent_tool_use_id":null,"uuid":"2"}"#,
/// #   r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Fo"}},"session_id":"s","parent_tool_use_id":null,"uuid":"3"}"#,
/// #   r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ur."}},"session_id":"s","parent_tool_use_id":null,"uuid":"4"}"#,
/// # ] }
/// let mut growing = Accumulator::default();
/// for line in lines() {
///     if let Message::StreamEvent(message) = from_line(line.as_bytes())? {
///         growing.push(&message.event)?;
///     }
/// }
/// assert_eq!(growing.message().unwrap().text(), "Four.");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Accumulator {
    message: Option<ApiMessage>,
    /// The blocks that are being written, by their index on the wire.
    open: BTreeMap<u64, Open>,
    is_complete: bool,
}

/// A block that is being written.
#[derive(Debug, Clone)]
struct Open {
    /// The index of the block in the answer's content.
    at: usize,
    /// The input of a tool so far.
    input: String,
}

/// An error about a stream event that does not fit the previous events. The event leaves the answer unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccumulateError {
    /// The event belongs to an answer, but no `message_start` came before it.
    NoMessage,
    /// No block with this index has begun, or the block has already ended.
    NoBlock {
        /// The index of the block.
        index: u64,
    },
    /// The delta does not fit the kind of the block.
    Mismatch {
        /// The index of the block.
        index: u64,
    },
    /// The pieces of a tool's input do not form valid JSON. The block keeps the input from its `content_block_start`.
    Input {
        /// The index of the block.
        index: u64,
    },
}

impl fmt::Display for AccumulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMessage => f.write_str("a stream event before any message_start"),
            Self::NoBlock { index } => write!(f, "content block {index} has not begun"),
            Self::Mismatch { index } => {
                write!(f, "content block {index} does not take such a delta")
            }
            Self::Input { index } => write!(f, "the input of content block {index} is not JSON"),
        }
    }
}

impl std::error::Error for AccumulateError {}

impl Accumulator {
    /// Adds an event to the answer. Events, blocks and deltas of unknown kinds change nothing. The events `ping` and
    /// `error` change nothing either, because they have no content.
    ///
    /// # Errors
    /// Fails if the event does not fit the previous events.
    pub fn push(&mut self, event: &StreamEvent) -> Result<(), AccumulateError> {
        match event {
            StreamEvent::MessageStart(event) => {
                *self = Self {
                    message: Some(event.message.clone()),
                    ..Self::default()
                };
                Ok(())
            }
            StreamEvent::ContentBlockStart(event) => self.start(event),
            StreamEvent::ContentBlockDelta(event) => self.delta(event),
            StreamEvent::ContentBlockStop(event) => self.stop(event.index.get()),
            StreamEvent::MessageDelta(event) => self.message_delta(event),
            StreamEvent::MessageStop(_) => {
                self.begun()?;
                self.is_complete = true;
                Ok(())
            }
            StreamEvent::Ping(_) | StreamEvent::Error(_) | StreamEvent::Unknown(_) => Ok(()),
        }
    }

    /// Returns the part of the answer that has arrived so far. Returns `None` before the first `message_start`. The
    /// input of a tool use is set when its block is complete. Until then, use [`Self::partial_input`].
    pub fn message(&self) -> Option<&ApiMessage> {
        self.message.as_ref()
    }

    /// Returns the part of the answer that has arrived so far, and resets the accumulator.
    pub fn take(&mut self) -> Option<ApiMessage> {
        std::mem::take(self).message
    }

    /// Whether the answer is complete: its `message_stop` has arrived.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the tool inputs that are still incomplete, each with the index of its block.
    pub fn partial_inputs(&self) -> impl Iterator<Item = (u64, PartialInput<'_>)> {
        let open = self.open.iter().filter(|(_, open)| !open.input.is_empty());
        open.map(|(index, open)| (*index, PartialInput::new(&open.input)))
    }

    /// Returns the input of the tool use in the block with this index, while the input is incomplete.
    pub fn partial_input(&self, index: u64) -> Option<PartialInput<'_>> {
        let open = self.open.get(&index);
        let begun = open.filter(|open| !open.input.is_empty());
        begun.map(|open| PartialInput::new(&open.input))
    }

    fn begun(&mut self) -> Result<&mut ApiMessage, AccumulateError> {
        self.message.as_mut().ok_or(AccumulateError::NoMessage)
    }

    fn start(&mut self, event: &ContentBlockStartEvent) -> Result<(), AccumulateError> {
        let content = &mut self.begun()?.content;
        content.push(event.content_block.clone());
        let at = content.len() - 1;
        let input = String::new();
        self.open.insert(event.index.get(), Open { at, input });
        Ok(())
    }

    fn delta(&mut self, event: &ContentBlockDeltaEvent) -> Result<(), AccumulateError> {
        let index = event.index.get();
        let message = self.message.as_mut().ok_or(AccumulateError::NoMessage)?;
        let open = self.open.get_mut(&index);
        let open = open.ok_or(AccumulateError::NoBlock { index })?;
        match (&event.delta, &mut message.content[open.at]) {
            (ContentBlockDelta::Text(delta), ContentBlock::Text(block)) => {
                block.text.push_str(&delta.text);
            }
            (ContentBlockDelta::Citations(delta), ContentBlock::Text(block)) => {
                match &mut block.citations {
                    Tri::Value(citations) => citations.push(delta.citation.clone()),
                    none => *none = Tri::Value(vec![delta.citation.clone()]),
                }
            }
            (ContentBlockDelta::Thinking(delta), ContentBlock::Thinking(block)) => {
                block.thinking.push_str(&delta.thinking);
            }
            (ContentBlockDelta::Signature(delta), ContentBlock::Thinking(block)) => {
                block.signature.push_str(&delta.signature);
            }
            (
                ContentBlockDelta::InputJson(delta),
                ContentBlock::ToolUse(_)
                | ContentBlock::ServerToolUse(_)
                | ContentBlock::McpToolUse(_),
            ) => open.input.push_str(&delta.partial_json),
            (ContentBlockDelta::Compaction(delta), ContentBlock::Compaction(block)) => {
                if let Some(text) = &delta.content {
                    block.content.get_or_insert_default().push_str(text);
                }
                if !delta.encrypted_content.is_absent() {
                    block.encrypted_content = delta.encrypted_content.clone();
                }
            }
            (ContentBlockDelta::Unknown(_), _) | (_, ContentBlock::Unknown(_)) => {}
            _ => return Err(AccumulateError::Mismatch { index }),
        }
        Ok(())
    }

    fn stop(&mut self, index: u64) -> Result<(), AccumulateError> {
        let message = self.message.as_mut().ok_or(AccumulateError::NoMessage)?;
        let open = self.open.remove(&index);
        let Open { at, input } = open.ok_or(AccumulateError::NoBlock { index })?;
        if input.is_empty() {
            return Ok(());
        }
        let input = Json::from_text(input).map_err(|_| AccumulateError::Input { index })?;
        match &mut message.content[at] {
            ContentBlock::ToolUse(block) => block.input = input,
            ContentBlock::ServerToolUse(block) => block.input = input,
            ContentBlock::McpToolUse(block) => block.input = input,
            _ => {}
        }
        Ok(())
    }

    fn message_delta(&mut self, event: &MessageDeltaEvent) -> Result<(), AccumulateError> {
        let message = self.begun()?;
        let delta = &event.delta;
        message.stop_reason.clone_from(&delta.stop_reason);
        message.stop_sequence.clone_from(&delta.stop_sequence);
        message.stop_details.update(&delta.stop_details);
        message.container.update(&delta.container);
        message.context_management.update(&event.context_management);
        message.usage.update(&event.usage);
        Ok(())
    }
}
