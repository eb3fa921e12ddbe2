//! What kind of work the use of a tool is.

use claw_types::tool::built_in;

use crate::shown::shown;

shown! {
    /// What kind of work the use of a tool is.
    #[derive(Copy, Eq, Hash)]
    pub enum Activity {
        /// It reads a file.
        FileRead,
        /// It looks for files, or for what stands in them.
        FileSearch,
        /// It changes files.
        CodeChange,
        /// It runs a command, or has to do with one that runs.
        Command,
        /// It reads or searches the web.
        Web,
        /// It lets an agent work, or talks to one.
        Agent,
        /// It uses an MCP server.
        Mcp,
        /// Anything else.
        Other,
    }
}

impl Activity {
    /// The work of a tool, by its name as it stands on the wire: those of earlier CLIs, of tools that
    /// run at the API and of MCP servers' too.
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
