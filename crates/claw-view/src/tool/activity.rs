//! The kind of work of a tool use.

use claw_types::tool::built_in;

use crate::shown::shown;

shown! {
    /// The kind of work that a tool use does.
    #[derive(Copy, Eq, Hash)]
    pub enum Activity {
        /// Reading a file.
        FileRead,
        /// Searching for files or in their contents.
        FileSearch,
        /// Changing files.
        CodeChange,
        /// Running a command, or dealing with a running one.
        Command,
        /// Reading or searching the web.
        Web,
        /// Running a sub-agent, or sending it a message.
        Agent,
        /// Using an MCP server.
        Mcp,
        /// Any other kind of work.
        Other,
    }
}

impl Activity {
    /// Returns the kind of work of a tool, by the tool's name on the wire. Tools of earlier CLIs, of the API and of MCP
    /// servers are known as well.
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
