//! Methods that read the content of a message of any kind.

use super::Message;
use crate::api::{ContentBlock, ToolResultBlock, ToolUseBlock};

impl Message {
    /// Returns the content blocks of an assistant message or a user message. The slice is empty for messages of other
    /// kinds, and for content that is plain text.
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Assistant(message) => &message.message.content,
            Self::User(message) => message.message.content.blocks(),
            Self::UserReplay(message) => message.message.content.blocks(),
            _ => &[],
        }
    }

    /// Returns the text of an assistant message or a user message (`Assistant`, `User`, `UserReplay`): its text blocks,
    /// concatenated. The text is empty for messages of other kinds. For a result, read the field `result` or `errors`.
    /// For a stream event, call [`text_delta`](super::StreamEventMessage::text_delta).
    pub fn text(&self) -> String {
        match self {
            Self::User(message) => message.message.content.text(),
            Self::UserReplay(message) => message.message.content.text(),
            _ => crate::api::text_of(self.blocks()),
        }
    }

    /// Returns the thinking in an assistant message: its thinking blocks, concatenated. The text is empty for messages
    /// of other kinds.
    pub fn thinking(&self) -> String {
        let thoughts = self.blocks().iter().filter_map(|block| match block {
            ContentBlock::Thinking(block) => Some(block.thinking.as_str()),
            _ => None,
        });
        thoughts.collect()
    }

    /// Returns the tool uses that the model requests in this message.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUseBlock> {
        self.blocks().iter().filter_map(|block| match block {
            ContentBlock::ToolUse(block) => Some(block),
            _ => None,
        })
    }

    /// Returns the tool results in this message.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResultBlock> {
        self.blocks().iter().filter_map(|block| match block {
            ContentBlock::ToolResult(block) => Some(block),
            _ => None,
        })
    }

    /// Whether the message reports an error. Three kinds of messages do: a result of any subtype with `is_error`, an
    /// assistant message with an API error in place of an answer, and a user message with the result of a failed tool
    /// use.
    pub fn is_error(&self) -> bool {
        match self {
            Self::ResultSuccess(result) => result.is_error,
            Self::ResultError(result) => result.is_error,
            Self::Assistant(message) => message.error.is_some(),
            _ => self
                .tool_results()
                .any(|result| result.is_error == Some(true)),
        }
    }

    /// Whether the message ends a turn.
    pub fn is_result(&self) -> bool {
        matches!(self, Self::ResultSuccess(_) | Self::ResultError(_))
    }
}
