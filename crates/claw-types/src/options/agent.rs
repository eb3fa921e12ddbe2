//! The definitions with which a host adds sub-agents to a session.

use super::{EffortLevel, McpServerConfig, PermissionMode};
use crate::by_shape::by_shape;
use crate::{Count, Map, Number};

/// The definition of an agent. Sub-agents can run as this agent, and so can the main conversation.
#[wire(rename_all = "camelCase")]
pub struct AgentDefinition {
    /// The situations in which to use the agent. The model reads this text to choose an agent.
    pub description: String,
    /// The system prompt of the agent.
    pub prompt: String,
    /// The tools of the agent. If absent, the agent has the tools of the agent that starts it.
    pub tools: Option<Vec<String>>,
    /// The tools that the agent may not use. The entry `mcp__server` excludes all tools of the MCP server `server`. If
    /// absent, no tool is excluded.
    pub disallowed_tools: Option<Vec<String>>,
    /// The model of the agent, by name or alias. `inherit` means the model of the session. If absent, the agent has the
    /// default model for sub-agents. If there is no such default, it has the model of the session.
    pub model: Option<String>,
    /// The MCP servers of the agent.
    pub mcp_servers: Option<Vec<AgentMcpServer>>,
    /// A reminder that is added to the agent's system prompt. This is an experimental feature of the CLI. Absent means
    /// no reminder.
    #[wire(rename = "criticalSystemReminder_EXPERIMENTAL")]
    pub critical_system_reminder_experimental: Option<String>,
    /// The skills that are loaded when the agent starts.
    pub skills: Option<Vec<String>>,
    /// A prompt that the CLI inserts before the user's first prompt. It is used only if the main conversation runs as
    /// this agent.
    pub initial_prompt: Option<String>,
    /// The maximum number of model responses in one run of the agent. If absent, there is no limit.
    pub max_turns: Option<Count>,
    /// The number of tokens at which the agent's conversation is compacted. Only a number below the one that the agent
    /// inherits has an effect.
    pub auto_compact_window: Option<Count>,
    /// Whether the agent runs in the background, so that the agent that starts it does not wait for the result. Absent
    /// means `false`.
    pub background: Option<bool>,
    /// Whether the agent runs without the `CLAUDE.md` files of the user and the project.
    pub omit_claude_md: Option<bool>,
    /// The scope of the memory files that the agent loads. If absent, the agent loads none.
    pub memory: Option<AgentMemory>,
    /// The effort level of the agent.
    pub effort: Option<AgentEffort>,
    /// The permission mode of the agent.
    pub permission_mode: Option<PermissionMode>,
    /// The types of the agents that observe this agent in the background: up to four names, separated by commas. If
    /// absent, no agent observes this agent.
    pub observer: Option<String>,
    /// A text that is added to each report to the agents that observe this agent. If absent, nothing is added.
    pub observer_message: Option<String>,
}

/// The scope of the memory files that a sub-agent loads.
#[wire(open)]
pub enum AgentMemory {
    /// The memory files of the user.
    User = "user",
    /// The project's memory files.
    Project = "project",
    /// The project's memory files for this machine only.
    Local = "local",
}

by_shape! {
    /// The effort level of an agent: a named level or an integer.
    AgentEffort, "text or a number" {
        /// A named effort level.
        text Level(EffortLevel),
        /// An effort level as an integer.
        number Number(Number),
    }
}

by_shape! {
    /// An entry in a sub-agent's list of MCP servers: the name of a server that the session has, or definitions of
    /// additional servers.
    AgentMcpServer, "text or an object" {
        /// The name of an MCP server that the session has.
        text Name(String),
        /// Definitions of additional MCP servers, by name.
        object Inline(Map<McpServerConfig>),
    }
}

impl From<&str> for AgentMcpServer {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}
