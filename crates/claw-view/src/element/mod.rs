//! What is drawn, one after the other: a [`Timeline`](crate::Timeline) makes it of messages.

mod conversation;
mod session;
mod tool;

pub use conversation::{
    AssistantText, ContextCompaction, Document, Image, Interrupted, Media, Thinking, UserInput,
};
pub use session::{
    CommandOutput, Error, Notice, NoticeKind, NoticeLevel, Subagent, Task, TaskState, TurnEnd,
    UnknownElement,
};
pub use tool::{Denial, EditDiff, GitDiff, ToolCall, ToolResult, ToolStatus};

use std::fmt;

use claw_types::{MessageUuid, ToolUseId};
use serde::{Deserialize, Serialize};

use crate::shown::shown;

/// Names an element. Stays when the element changes; no two of one timeline have the same.
///
/// That of a tool's use is the use's own, and that of a block of an answer is made of the answer's, so
/// that an answer that was watched has the ids that it has when its transcript is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ElementId(String);

impl ElementId {
    pub(crate) fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

shown! {
    /// Something to draw.
    pub struct Element {
        /// Names it.
        pub id: ElementId,
        /// The tool use whose sub-agent it belongs to; null in the main conversation.
        pub parent: Option<ToolUseId>,
        /// The line that it was made from; null where that has no name, or none yet.
        pub message: Option<MessageUuid>,
        /// When that was said, as ISO 8601; null where nobody said.
        pub timestamp: Option<String>,
        /// What it is.
        pub content: Content,
    }

    /// What an element is.
    #[serde(tag = "type")]
    pub enum Content {
        /// What the person said.
        UserInput(UserInput),
        /// What the model said.
        AssistantText(AssistantText),
        /// What the model thought.
        Thinking(Thinking),
        /// A tool that is used.
        ToolCall(ToolCall),
        /// What a tool gave.
        ToolResult(ToolResult),
        /// A passage of a file that is replaced.
        EditDiff(EditDiff),
        /// Changes of files, as git tells them.
        Diff(GitDiff),
        /// The person has interrupted.
        Interrupted(Interrupted),
        /// What came before was replaced by a summary.
        ContextCompaction(ContextCompaction),
        /// A picture.
        Image(Image),
        /// A document.
        Document(Document),
        /// A sub-agent, to which all elements with its tool use as `parent` belong.
        Subagent(Subagent),
        /// A task in the background.
        Task(Task),
        /// Something to know beside the conversation.
        Notice(Notice),
        /// Something went wrong.
        Error(Error),
        /// What a slash command wrote.
        CommandOutput(CommandOutput),
        /// The turn is over.
        TurnEnd(TurnEnd),
        /// Something that claw does not know.
        Unknown(UnknownElement),
    }
}

impl Element {
    /// Whether it is of the nine kinds that a conversation is made of, which a transcript holds as
    /// well: userInput, assistantText, thinking, toolCall, toolResult, editDiff, diff, interrupted,
    /// contextCompaction.
    pub fn is_conversation(&self) -> bool {
        matches!(
            self.content,
            Content::UserInput(_)
                | Content::AssistantText(_)
                | Content::Thinking(_)
                | Content::ToolCall(_)
                | Content::ToolResult(_)
                | Content::EditDiff(_)
                | Content::Diff(_)
                | Content::Interrupted(_)
                | Content::ContextCompaction(_)
        )
    }

    /// The element's kind, as it stands in `type`.
    pub fn kind(&self) -> &'static str {
        match &self.content {
            Content::UserInput(_) => "userInput",
            Content::AssistantText(_) => "assistantText",
            Content::Thinking(_) => "thinking",
            Content::ToolCall(_) => "toolCall",
            Content::ToolResult(_) => "toolResult",
            Content::EditDiff(_) => "editDiff",
            Content::Diff(_) => "diff",
            Content::Interrupted(_) => "interrupted",
            Content::ContextCompaction(_) => "contextCompaction",
            Content::Image(_) => "image",
            Content::Document(_) => "document",
            Content::Subagent(_) => "subagent",
            Content::Task(_) => "task",
            Content::Notice(_) => "notice",
            Content::Error(_) => "error",
            Content::CommandOutput(_) => "commandOutput",
            Content::TurnEnd(_) => "turnEnd",
            Content::Unknown(_) => "unknown",
        }
    }
}
