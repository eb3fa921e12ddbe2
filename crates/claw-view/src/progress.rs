//! The progress of a session.
//!
//! A [`Tracker`] derives [`Progress`] from the messages of a session. [`in_prose`] and [`in_output`] derive it from a
//! single text.

mod list;
mod text;
mod tracker;

pub use text::{in_output, in_prose};
pub use tracker::Tracker;

use claw_types::ToolUseId;
use serde::{Deserialize, Serialize};

use crate::{Activity, text as words};

/// The progress of a piece of work.
///
/// In JSON, the keys of these fields are in camelCase, and unknown values are null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Progress {
    /// The task or sub-agent whose progress this is. Null for the main conversation.
    pub worker: Option<Worker>,
    /// The ID of the tool use that the progress is about or that reported it, such as a command whose output shows
    /// progress. Null if there is none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tool_use_id: Option<ToolUseId>,
    /// A short description of the current step, such as `Running tests`. Null if unknown.
    pub step: Option<String>,
    /// The state of the work.
    pub state: State,
    /// The number of completed items, or the number of the current item if only that is known. Null if neither number
    /// is known.
    pub completed: Option<u64>,
    /// The total number of items. Null if unknown.
    pub total: Option<u64>,
    /// The completed share of the work, in percent (0 to 100). Null if unknown.
    pub percentage: Option<f64>,
    /// The elapsed time, in milliseconds. Null if unknown.
    pub elapsed_ms: Option<f64>,
    /// The number of tokens used. Null if unknown.
    pub tokens: Option<u64>,
    /// The number of tool uses. Null if unknown.
    pub tool_uses: Option<u64>,
    /// The kind of work, if a tool does the work. Null otherwise.
    pub activity: Option<Activity>,
    /// The source that reported the progress.
    pub source: Source,
    /// Whether the progress is certain, likely or only possible.
    pub certainty: Certainty,
}

impl Progress {
    /// Creates progress of the main conversation. Its state is [`State::Running`], and it has no numbers yet.
    pub fn new(source: Source, certainty: Certainty) -> Self {
        Self {
            worker: None,
            tool_use_id: None,
            step: None,
            state: State::Running,
            completed: None,
            total: None,
            percentage: None,
            elapsed_ms: None,
            tokens: None,
            tool_uses: None,
            activity: None,
            source,
            certainty,
        }
    }
}

/// The maximum length of a step or description, in characters. The length is limited because many messages repeat these
/// texts.
const LONGEST: usize = 200;

/// Returns the text, shortened if it is too long.
fn in_short(text: &str) -> String {
    words::cut(text, LONGEST).into_owned()
}

/// A worker that runs beside the main conversation: a sub-agent, a shell or a workflow.
///
/// If a sub-agent is known only because the model's text mentions it, both `task_id` and `tool_use_id` are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Worker {
    /// The ID of the worker's task. Null if unknown, as with older CLIs.
    pub task_id: Option<String>,
    /// The ID of the tool use that started the worker. The worker's messages have it as `parent_tool_use_id`. Null if
    /// unknown.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tool_use_id: Option<ToolUseId>,
    /// The type of the task, such as `local_agent` or `local_bash`. Null if unknown.
    pub task_type: Option<String>,
    /// The type of the sub-agent, such as `general-purpose`. Null if unknown.
    pub agent_type: Option<String>,
    /// A short description of the worker's task. Null if unknown.
    pub description: Option<String>,
}

/// The state of a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProgressState"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum State {
    /// The work is in progress.
    Running,
    /// The work is paused until a person or the API responds.
    Waiting,
    /// The work has completed.
    Completed,
    /// The work has failed.
    Failed,
    /// The work was stopped before it completed.
    Stopped,
    /// The state is not known any more. Only the model's text mentioned the work, and since then the turn has ended, or
    /// the work is reported under its own ID.
    Unknown,
}

/// A source that reports progress, such as a tool or the model's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProgressSource"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Source {
    /// A report by a tool that is still running.
    ToolProgress,
    /// The start or end of a tool use, which `ToolDisplay` describes in words. Tools for to-do lists and sub-agents
    /// report progress in another way, and have a [`Source`] of their own.
    ToolUse,
    /// The start, current activity or end of a task or sub-agent.
    Task,
    /// The to-do list of the model.
    TodoList,
    /// The model's thinking.
    Thinking,
    /// The status of the session.
    Session,
    /// A retry of a failed API request.
    Retry,
    /// A compaction of the conversation.
    Compaction,
    /// The result of the turn.
    Turn,
    /// The text of the model.
    AssistantText,
    /// A mention of a sub-agent in the model's text, which says that the sub-agent is working or has finished.
    SubagentMention,
    /// The output of a command.
    CommandOutput,
}

/// The degree to which reported progress is certain: certain, likely or only possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Certainty {
    /// A message of the protocol reports the progress.
    Certain,
    /// A text reports the progress in a form that programs use to print progress, such as `[3/12] Compiling`.
    Likely,
    /// A text only suggests the progress, for example with the words "so far" near two numbers.
    Possible,
}
