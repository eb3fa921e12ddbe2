//! `Agent`, earlier `Task`: lets a sub-agent work.

use crate::api::{TextBlock, Usage};
use crate::options::{EffortLevel, PermissionMode};
use crate::{Count, Number, True};

/// What `Agent` is given.
#[wire]
pub struct AgentInput {
    /// What the sub-agent is for, in a few words.
    pub description: String,
    /// What it is asked.
    pub prompt: String,
    /// The kind of sub-agent. Absent: one for anything.
    pub subagent_type: Option<String>,
    /// The model. Absent: what the kind says, else the caller's.
    pub model: Option<AgentModel>,
    /// How hard it works. Absent: as it is used to.
    pub effort: Option<EffortLevel>,
    /// `false`: the caller waits for its result. Absent: it works in the background, as newer CLIs
    /// do, or is waited for, as older ones do.
    pub run_in_background: Option<bool>,
    /// A name by which it can be written to while it works.
    pub name: Option<String>,
    /// No longer used.
    pub team_name: Option<String>,
    /// No longer used: it has the permission mode of its parent.
    pub mode: Option<PermissionMode>,
    /// Where it works apart from the caller.
    pub isolation: Option<AgentIsolation>,
}

/// A family of models, for a sub-agent.
#[wire(open)]
pub enum AgentModel {
    /// Sonnet.
    Sonnet = "sonnet",
    /// Opus.
    Opus = "opus",
    /// Haiku.
    Haiku = "haiku",
    /// Fable.
    Fable = "fable",
}

/// Where a sub-agent works apart from its caller.
#[wire(open)]
pub enum AgentIsolation {
    /// In a git worktree of its own.
    Worktree = "worktree",
    /// On another machine, always in the background.
    Remote = "remote",
}

/// What `Agent` gives: the report of a sub-agent, or where one was started.
#[wire]
pub enum AgentOutput {
    /// It has done its work.
    Completed(Box<AgentCompleted>),
    /// It works in the background.
    AsyncLaunched(Box<AgentLaunched>),
    /// It works on another machine.
    RemoteLaunched(Box<AgentRemoteLaunched>),
}

/// A sub-agent has done its work.
#[wire(tag(status = "completed"), rename_all = "camelCase")]
pub struct AgentCompleted {
    /// The sub-agent.
    pub agent_id: String,
    /// What it was asked.
    pub prompt: String,
    /// Its report.
    pub content: Vec<TextBlock>,
    /// How often it used a tool.
    pub total_tool_use_count: Count,
    /// How long it worked, in milliseconds.
    pub total_duration_ms: Number,
    /// Tokens, read and written, put together.
    pub total_tokens: Count,
    /// The tokens of its last answer.
    pub usage: Usage,
    /// Its kind.
    pub agent_type: Option<String>,
    /// The model that it worked with.
    pub resolved_model: Option<String>,
    /// All models that it worked with, in order, where there were several.
    pub models_used: Option<Vec<String>>,
    /// The tools that it used.
    pub tools_used: Option<Vec<String>>,
    /// What it did with tools, counted.
    pub tool_stats: Option<AgentToolStats>,
    /// The git worktree that it worked in, where that was kept.
    pub worktree_path: Option<String>,
    /// The branch of that worktree.
    pub worktree_branch: Option<String>,
    /// It can be written to, and then goes on.
    pub can_continue_agent: Option<bool>,
    /// How many blocks at the beginning of the report are the CLI's own.
    pub harness_note_count: Option<Count>,
    /// How many blocks at its end are.
    pub harness_tail_count: Option<Count>,
    /// A checksum over those.
    pub harness_section_hash: Option<String>,
}

/// What a sub-agent did with tools, counted.
#[wire(rename_all = "camelCase")]
pub struct AgentToolStats {
    /// Files that it read.
    pub read_count: Count,
    /// Searches.
    pub search_count: Count,
    /// Commands.
    pub bash_count: Count,
    /// Files that it changed.
    pub edit_file_count: Count,
    /// Lines that it added.
    pub lines_added: Count,
    /// Lines that it took out.
    pub lines_removed: Count,
    /// Uses of other tools.
    pub other_tool_count: Count,
    /// Frames that it looked at.
    pub frame_count: Option<Count>,
}

/// A sub-agent works in the background; a `task_notification` says when it is over.
#[wire(tag(status = "async_launched"), rename_all = "camelCase")]
pub struct AgentLaunched {
    /// The sub-agent; its task has the same name.
    pub agent_id: String,
    /// What it is for.
    pub description: String,
    /// What it is asked.
    pub prompt: String,
    /// The file that holds what it has done so far.
    pub output_file: String,
    /// Always `true`.
    pub is_async: Option<True>,
    /// The model that it works with.
    pub resolved_model: Option<String>,
    /// All models that it worked with before it went to the background, where there were several.
    pub models_used: Option<Vec<String>>,
    /// The caller has the tools to look into that file.
    pub can_read_output_file: Option<bool>,
    /// It can be written to, and then goes on.
    pub can_continue_agent: Option<bool>,
}

/// A sub-agent works on another machine.
#[wire(tag(status = "remote_launched"), rename_all = "camelCase")]
pub struct AgentRemoteLaunched {
    /// Its task.
    pub task_id: String,
    /// Where a person can look at it.
    pub session_url: String,
    /// What it is for.
    pub description: String,
    /// What it is asked.
    pub prompt: String,
    /// The file that holds what it has done so far.
    pub output_file: String,
}
