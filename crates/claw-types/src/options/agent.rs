//! Sub-agents that the host defines.

use super::{EffortLevel, McpServerConfig, PermissionMode};
use crate::by_shape::by_shape;
use crate::{Count, Map, Number};

/// A sub-agent, or the part that the main conversation plays.
#[wire(rename_all = "camelCase")]
pub struct AgentDefinition {
    /// When to use it. The model reads it to choose.
    pub description: String,
    /// Its system prompt.
    pub prompt: String,
    /// Tools that it has; absent for those of whoever calls it.
    pub tools: Option<Vec<String>>,
    /// Tools that it does not have. `mcp__server` takes all of a server's.
    pub disallowed_tools: Option<Vec<String>>,
    /// Its model, by name or alias; `inherit` for the session's; absent for the one that sub-agents
    /// use, else the session's.
    pub model: Option<String>,
    /// MCP servers that it has.
    pub mcp_servers: Option<Vec<AgentMcpServer>>,
    /// A reminder that is put to its system prompt. An experiment of the CLI's.
    #[wire(rename = "criticalSystemReminder_EXPERIMENTAL")]
    pub critical_system_reminder_experimental: Option<String>,
    /// Skills that are loaded when it starts.
    pub skills: Option<Vec<String>>,
    /// The first prompt, where it plays the main part; put in front of the user's.
    pub initial_prompt: Option<String>,
    /// How many answers of the model it may take.
    pub max_turns: Option<Count>,
    /// At how many tokens its conversation is compacted. Only lowers what it would have anyway.
    pub auto_compact_window: Option<Count>,
    /// Runs in the background; whoever calls it does not wait.
    pub background: Option<bool>,
    /// Runs without the CLAUDE.md files of user and project.
    pub omit_claude_md: Option<bool>,
    /// Whose memory files it loads.
    pub memory: Option<AgentMemory>,
    /// How hard it thinks.
    pub effort: Option<AgentEffort>,
    /// What it asks for and what it does not.
    pub permission_mode: Option<PermissionMode>,
    /// Kinds of agents that watch it in the background: up to four names, with commas between.
    pub observer: Option<String>,
    /// What observers are told with each report on it.
    pub observer_message: Option<String>,
}

/// Whose memory files a sub-agent loads.
#[wire(open)]
pub enum AgentMemory {
    /// The user's.
    User = "user",
    /// The project's.
    Project = "project",
    /// The project's, of this machine alone.
    Local = "local",
}

by_shape! {
    /// How hard a sub-agent thinks: a level, or a number.
    AgentEffort, "text or a number" {
        /// A level.
        text Level(EffortLevel),
        /// An integer.
        number Number(Number),
    }
}

by_shape! {
    /// An MCP server of a sub-agent's.
    AgentMcpServer, "text or an object" {
        /// One that the session has, by name.
        text Name(String),
        /// Others, by the names that they get.
        object Inline(Map<McpServerConfig>),
    }
}

impl From<&str> for AgentMcpServer {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}
