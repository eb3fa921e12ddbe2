//! The progress of a session.
//!
//! A [`Tracker`] derives [`Progress`] from messages. [`in_prose`] and [`in_output`] derive it from a text alone.

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
/// As JSON it has keys in camelCase, and null for unknown values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Progress {
    /// The task or sub-agent that makes the progress. Null for the main conversation.
    pub worker: Option<Worker>,
    /// The ID of the tool use that the progress is about, such as the command that printed it. Null if there is none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tool_use_id: Option<ToolUseId>,
    /// The current step in short, such as `Running tests`. Null if unknown.
    pub step: Option<String>,
    /// The state of the work.
    pub state: State,
    /// The number of completed items, or of the current item if only that is known. Null if unknown.
    pub completed: Option<u64>,
    /// The total number of items. Null if unknown.
    pub total: Option<u64>,
    /// The completed share, from 0 to 100. Null if unknown.
    pub percentage: Option<f64>,
    /// The elapsed time, in milliseconds. Null if unknown.
    pub elapsed_ms: Option<f64>,
    /// The number of tokens used. Null if unknown.
    pub tokens: Option<u64>,
    /// The number of tool uses. Null if unknown.
    pub tool_uses: Option<u64>,
    /// The kind of work, if a tool does it. Null otherwise.
    pub activity: Option<Activity>,
    /// The source of the information.
    pub source: Source,
    /// The degree of certainty of the information.
    pub certainty: Certainty,
}

impl Progress {
    /// Creates the progress of the main conversation, in the state [`State::Running`] and without numbers.
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

/// The maximum length of a step or description in characters, since they are repeated often.
const LONGEST: usize = 200;

/// The text, shortened if it is too long.
fn in_short(text: &str) -> String {
    words::cut(text, LONGEST).into_owned()
}

/// A worker besides the main conversation: a sub-agent, a shell or a workflow.
///
/// If only the model's text mentions a sub-agent, neither its task nor its tool use is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Worker {
    /// The ID of the worker's task. Null if unknown, as with older CLIs.
    pub task_id: Option<String>,
    /// The ID of the tool use that started the worker: `parent_tool_use_id` of its messages. Null if unknown.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tool_use_id: Option<ToolUseId>,
    /// The type of the task, such as `local_agent` or `local_bash`. Null if unknown.
    pub task_type: Option<String>,
    /// The type of the sub-agent, such as `general-purpose`. Null if unknown.
    pub agent_type: Option<String>,
    /// A short description of the work. Null if unknown.
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
    /// The work waits for a person or for the API.
    Waiting,
    /// The work has completed.
    Completed,
    /// The work has failed.
    Failed,
    /// The work was stopped before it completed.
    Stopped,
}

/// The source of information about progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProgressSource"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Source {
    /// A tool that is still running.
    ToolProgress,
    /// The start and end of a tool use, in the words of `ToolDisplay`. Tools for which there is another source, such as
    /// to-do lists and sub-agents, are not reported here.
    ToolUse,
    /// The start, activity and end of a task or sub-agent.
    Task,
    /// The to-do list of the model.
    TodoList,
    /// The model's thinking.
    Thinking,
    /// The status of the session.
    Session,
    /// The retry of an API request.
    Retry,
    /// A compaction of the conversation.
    Compaction,
    /// The result of the turn.
    Turn,
    /// The text of the model.
    AssistantText,
    /// A mention of a sub-agent in the model's text: that it is working or has finished.
    SubagentMention,
    /// The output of a command.
    CommandOutput,
}

/// How certain a piece of information about progress is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Certainty {
    /// A message of the protocol contains the information.
    Certain,
    /// A text contains the information in a form in which programs print progress.
    Likely,
    /// The words of a text suggest the information.
    Possible,
}
