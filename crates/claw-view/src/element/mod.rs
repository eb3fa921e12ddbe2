//! The elements to draw, in order. A [`Timeline`](crate::Timeline) makes them from messages.

mod conversation;
mod session;
mod tool;

pub use conversation::{
    AssistantText, ContextCompaction, Document, Image, Interrupted, Media, RewoundBranch, Thinking,
    UserInput,
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

/// The ID of an element. It is unique within a timeline, and stays the same when the element changes.
///
/// The element for a tool call has the ID of the tool use as its ID. The ID of an element for a content block of a
/// response is derived from the ID of the response. So an element has the same ID in a live session and in the
/// session's transcript.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct ElementId(String);

impl ElementId {
    pub(crate) fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// Returns the ID as text.
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
    /// An element to draw.
    pub struct Element {
        /// The ID of the element.
        pub id: ElementId,
        /// The ID of the tool use that started the sub-agent to which the element belongs. Null in the main
        /// conversation.
        pub parent: Option<ToolUseId>,
        /// The UUID of the message from which the element was made. Null if the message has no UUID, or has not been
        /// received yet.
        pub message: Option<MessageUuid>,
        /// The time of the message, in ISO 8601. Null if unknown.
        pub timestamp: Option<String>,
        /// The content of the element.
        pub content: Content,
    }

    /// The content of an element.
    #[serde(tag = "type")]
    pub enum Content {
        /// The user's input.
        UserInput(UserInput),
        /// Text of the model.
        AssistantText(AssistantText),
        /// The model's thinking.
        Thinking(Thinking),
        /// A tool use of the model.
        ToolCall(ToolCall),
        /// The result of a tool use.
        ToolResult(ToolResult),
        /// A use of the `Edit` tool, which replaces text in a file.
        EditDiff(EditDiff),
        /// Changes to files, from `git diff` or from the response to `get_workspace_diff`.
        Diff(GitDiff),
        /// An interruption of the turn by the user.
        Interrupted(Interrupted),
        /// A compaction of the conversation.
        ContextCompaction(ContextCompaction),
        /// A branch of the conversation that was rewound. The model does not have it.
        Rewound(RewoundBranch),
        /// An image to display.
        Image(Image),
        /// A document to display.
        Document(Document),
        /// A sub-agent. All elements whose `parent` is the sub-agent's tool use belong to it.
        Subagent(Subagent),
        /// A background task.
        Task(Task),
        /// A notice to the user that is not part of the conversation.
        Notice(Notice),
        /// An error to display.
        Error(Error),
        /// The output of a slash command.
        CommandOutput(CommandOutput),
        /// The end of a turn.
        TurnEnd(TurnEnd),
        /// Content of a kind that this version of the library does not know.
        Unknown(UnknownElement),
    }
}

impl Element {
    /// Whether the element is a part of the conversation itself, which is also in the transcript. The result is `true`
    /// for these nine kinds of elements: userInput, assistantText, thinking, toolCall, toolResult, editDiff, diff,
    /// interrupted, contextCompaction.
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

    /// Returns the kind of the element: the value of `type` in its JSON.
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
            Content::Rewound(_) => "rewound",
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
