//! The kind of work that a tool use does.

use claw_types::tool::built_in;

use crate::shown::shown;

shown! {
    /// The kind of work that a tool use does.
    #[derive(Copy, Eq, Hash)]
    pub enum Activity {
        /// Reading a file.
        FileRead,
        /// Searching for files, or searching in the contents of files.
        FileSearch,
        /// Changing files.
        CodeChange,
        /// Running a command, or controlling a running command.
        Command,
        /// Reading or searching the web.
        Web,
        /// Running a sub-agent, or sending a message to a sub-agent.
        Agent,
        /// Using an MCP server.
        Mcp,
        /// Any other kind of work.
        Other,
    }
}

impl Activity {
    /// Returns the kind of work that a tool does. `tool` is the tool's name in the protocol. The tool may also come
    /// from an earlier CLI, from the API or from an MCP server.
    pub fn of(tool: &str) -> Self {
        if tool.starts_with("mcp__") {
            return Self::Mcp;
        }
        match built_in(tool).map_or(tool, |tool| tool.name) {
            "Read" | "NotebookRead" => Self::FileRead,
            "Glob" | "Grep" | "LS" => Self::FileSearch,
            "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => Self::CodeChange,
            "Bash" | "BashOutput" | "PowerShell" | "Monitor" | "TaskStop" => Self::Command,
            "WebFetch" | "WebSearch" | "web_fetch" | "web_search" => Self::Web,
            "Agent" | "Workflow" | "SendMessage" | "ListAgents" | "AgentOutputTool" => Self::Agent,
            "ListMcpResourcesTool"
            | "ReadMcpResourceTool"
            | "ReadMcpResourceDirTool"
            | "RefreshMcpTools" => Self::Mcp,
            _ => Self::Other,
        }
    }
}
