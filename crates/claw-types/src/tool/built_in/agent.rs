//! `Agent` (earlier `Task`): starts a sub-agent.

use crate::api::{TextBlock, Usage};
use crate::options::{EffortLevel, PermissionMode};
use crate::{Count, Number, True};

/// The input of the `Agent` tool.
#[wire]
pub struct AgentInput {
    /// The sub-agent's purpose, in a few words.
    pub description: String,
    /// The prompt for the sub-agent.
    pub prompt: String,
    /// The type of sub-agent. Absent means the general-purpose type.
    pub subagent_type: Option<String>,
    /// The model family for the sub-agent. If absent, the sub-agent has the model that its type specifies, or else the
    /// caller's model.
    pub model: Option<AgentModel>,
    /// The effort level of the sub-agent. Absent means the sub-agent's default.
    pub effort: Option<EffortLevel>,
    /// Whether the sub-agent runs in the background. If `false`, the caller waits for its result. If absent, newer CLIs
    /// run the sub-agent in the background, and older CLIs make the caller wait.
    pub run_in_background: Option<bool>,
    /// A name under which messages can be sent to the sub-agent while it runs. If absent, the sub-agent has no name.
    pub name: Option<String>,
    /// The name of the agent's team. Obsolete: the CLI no longer uses this field.
    pub team_name: Option<String>,
    /// The permission mode of the sub-agent. Obsolete: a sub-agent always has the permission mode of its parent.
    pub mode: Option<PermissionMode>,
    /// The place where the sub-agent runs in isolation. If absent, the sub-agent shares the caller's working directory.
    pub isolation: Option<AgentIsolation>,
}

/// A family of models for a sub-agent.
#[wire(open)]
pub enum AgentModel {
    /// The Sonnet models.
    Sonnet = "sonnet",
    /// The Opus models.
    Opus = "opus",
    /// The Haiku models.
    Haiku = "haiku",
    /// The Fable models.
    Fable = "fable",
}

/// The place where a sub-agent runs in isolation from its caller.
#[wire(open)]
pub enum AgentIsolation {
    /// The sub-agent runs in a separate git worktree.
    Worktree = "worktree",
    /// The sub-agent runs on another machine, always in the background.
    Remote = "remote",
}

/// The output of the `Agent` tool: the report of a finished sub-agent, or data about a sub-agent that still runs.
#[wire]
pub enum AgentOutput {
    /// The sub-agent has finished.
    Completed(Box<AgentCompleted>),
    /// The sub-agent runs in the background.
    AsyncLaunched(Box<AgentLaunched>),
    /// The sub-agent runs on another machine.
    RemoteLaunched(Box<AgentRemoteLaunched>),
}

/// Output of the `Agent` tool after the sub-agent has finished.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(status = "completed"), rename_all = "camelCase")]
pub struct AgentCompleted {
    /// The ID of the sub-agent.
    pub agent_id: String,
    /// The prompt that the sub-agent was given.
    pub prompt: String,
    /// The sub-agent's report.
    pub content: Vec<TextBlock>,
    /// The number of tool uses by the sub-agent.
    pub total_tool_use_count: Count,
    /// The run time of the sub-agent, in milliseconds.
    pub total_duration_ms: Number,
    /// The sum of the sub-agent's input and output tokens.
    pub total_tokens: Count,
    /// The token usage of the sub-agent's last response.
    pub usage: Usage,
    /// The type of the sub-agent.
    pub agent_type: Option<String>,
    /// The model that the sub-agent used.
    pub resolved_model: Option<String>,
    /// All models that the sub-agent used, in order. Present only if it used more than one model.
    pub models_used: Option<Vec<String>>,
    /// The names of the tools that the sub-agent used.
    pub tools_used: Option<Vec<String>>,
    /// Counts of the sub-agent's tool uses, by kind.
    pub tool_stats: Option<AgentToolStats>,
    /// The path of the git worktree in which the sub-agent ran. Present if the worktree was kept.
    pub worktree_path: Option<String>,
    /// The branch of the sub-agent's worktree.
    pub worktree_branch: Option<String>,
    /// Whether the sub-agent can be continued by sending it a message.
    pub can_continue_agent: Option<bool>,
    /// The number of blocks at the start of `content` that the CLI wrote, not the sub-agent.
    pub harness_note_count: Option<Count>,
    /// The number of blocks at the end of `content` that the CLI wrote, not the sub-agent.
    pub harness_tail_count: Option<Count>,
    /// A checksum over the blocks of `content` that the CLI wrote.
    pub harness_section_hash: Option<String>,
}

/// Counts of a sub-agent's tool uses, by kind.
#[wire(rename_all = "camelCase")]
pub struct AgentToolStats {
    /// The number of files that the sub-agent read.
    pub read_count: Count,
    /// The number of searches.
    pub search_count: Count,
    /// The number of shell commands.
    pub bash_count: Count,
    /// The number of files that the sub-agent changed.
    pub edit_file_count: Count,
    /// The number of lines that the sub-agent added.
    pub lines_added: Count,
    /// The number of lines that the sub-agent removed.
    pub lines_removed: Count,
    /// The number of uses of other tools.
    pub other_tool_count: Count,
    /// A count of "frames" that the sub-agent looked at. The official SDK does not say what a frame is.
    pub frame_count: Option<Count>,
}

/// Output of the `Agent` tool for a sub-agent in the background. A `task_notification` message reports the end of the
/// sub-agent.
#[wire(tag(status = "async_launched"), rename_all = "camelCase")]
pub struct AgentLaunched {
    /// The ID of the sub-agent, which is also the ID of its task.
    pub agent_id: String,
    /// The sub-agent's purpose, in a few words.
    pub description: String,
    /// The prompt that the sub-agent was given.
    pub prompt: String,
    /// The path of the file with the sub-agent's output so far.
    pub output_file: String,
    /// Whether the sub-agent runs in the background. Always `true` if present.
    pub is_async: Option<True>,
    /// The model that the sub-agent uses.
    pub resolved_model: Option<String>,
    /// All models that the sub-agent used before it moved to the background, in order. Present only if it used more
    /// than one model.
    pub models_used: Option<Vec<String>>,
    /// Whether the caller has tools with which it can read the output file.
    pub can_read_output_file: Option<bool>,
    /// Whether the sub-agent can be continued by sending it a message.
    pub can_continue_agent: Option<bool>,
}

/// Output of the `Agent` tool for a sub-agent on another machine.
#[wire(tag(status = "remote_launched"), rename_all = "camelCase")]
pub struct AgentRemoteLaunched {
    /// The ID of the sub-agent's task.
    pub task_id: String,
    /// The URL at which a person can follow the remote session.
    pub session_url: String,
    /// The sub-agent's purpose, in a few words.
    pub description: String,
    /// The prompt that the sub-agent was given.
    pub prompt: String,
    /// The path of the file with the sub-agent's output so far.
    pub output_file: String,
}
