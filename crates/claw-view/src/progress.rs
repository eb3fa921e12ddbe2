//! How far a session has come.
//!
//! A [`Tracker`] makes [`Progress`] of messages. What a text says, without a message around it, is read
//! by [`in_prose`] and [`in_output`].

mod list;
mod text;
mod tracker;

pub use text::{in_output, in_prose};
pub use tracker::Tracker;

use claw_types::ToolUseId;
use serde::{Deserialize, Serialize};

use crate::{Activity, text as words};

/// How far something has come.
///
/// As JSON: keys in camelCase, null for what nobody said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Progress {
    /// The task or sub-agent that it is about; null for the main conversation.
    pub worker: Option<Worker>,
    /// The tool use that it is about, such as the command that printed it; null for none.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tool_use_id: Option<ToolUseId>,
    /// What is under way, in short: `Running tests`.
    pub step: Option<String>,
    /// Whether it goes on.
    pub state: State,
    /// How many things are done; or the number of the one that is under way, where that is all that is
    /// said.
    pub completed: Option<u64>,
    /// How many there are.
    pub total: Option<u64>,
    /// How much is done, from 0 to 100.
    pub percentage: Option<f64>,
    /// How long it has gone on, in milliseconds.
    pub elapsed_ms: Option<f64>,
    /// Tokens that it has used.
    pub tokens: Option<u64>,
    /// How often it has used a tool.
    pub tool_uses: Option<u64>,
    /// What kind of work it is, where a tool does it.
    pub activity: Option<Activity>,
    /// What says so.
    pub source: Source,
    /// How sure it is.
    pub certainty: Certainty,
}

impl Progress {
    /// Progress of the main conversation that goes on, without a number.
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

/// How long a step or a description can be, in characters: they are told again and again.
const LONGEST: usize = 200;

/// What is said in short.
fn in_short(text: &str) -> String {
    words::cut(text, LONGEST).into_owned()
}

/// Who works beside the main conversation: a sub-agent, a shell, a workflow.
///
/// Of a sub-agent that only words tell of, neither task nor tool use is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Worker {
    /// Its task; null where the CLI did not say, as older ones do not.
    pub task_id: Option<String>,
    /// The tool use that started it: `parent_tool_use_id` of its messages.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tool_use_id: Option<ToolUseId>,
    /// The kind of task: `local_agent`, `local_bash` ….
    pub task_type: Option<String>,
    /// The kind of sub-agent: `general-purpose` ….
    pub agent_type: Option<String>,
    /// What it is for, in short.
    pub description: Option<String>,
}

/// Whether something goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProgressState"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum State {
    /// It goes on.
    Running,
    /// It waits: for a person, for the API.
    Waiting,
    /// It is done.
    Completed,
    /// It has failed.
    Failed,
    /// It was ended before.
    Stopped,
}

/// What tells of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "ProgressSource"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Source {
    /// A tool that still runs.
    ToolProgress,
    /// A tool is used: its begin and its end, in the words of `ToolDisplay`. Not of tools
    /// that are told otherwise, as lists and sub-agents are.
    ToolUse,
    /// A task or sub-agent: its begin, what it does, its end.
    Task,
    /// The list of what is to do.
    TodoList,
    /// The model reasons.
    Thinking,
    /// What the session is busy with.
    Session,
    /// A request to the API is tried again.
    Retry,
    /// A summary of the conversation is made.
    Compaction,
    /// The turn's result.
    Turn,
    /// What the model says.
    AssistantText,
    /// What the model says of a sub-agent: that it works, or is done.
    SubagentMention,
    /// What a command has printed.
    CommandOutput,
}

/// How sure progress is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Certainty {
    /// A message of the protocol says so.
    Certain,
    /// A text says so in a form that stands for progress, as programs print it.
    Likely,
    /// The words of a text sound like it.
    Possible,
}
