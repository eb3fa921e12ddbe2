//! Tools of MCP servers, and the tools that read what servers offer.

use crate::Json;
use crate::by_shape::by_shape;
use crate::list_of::list_of;

/// What a tool of an MCP server is given.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct McpToolInput {
    /// The server, as it is named in the tool's name.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// What it is given; the server's to say.
    pub input: Json,
}

by_shape! {
    /// What a tool of an MCP server gives.
    McpOutput, "a text, a list of content blocks, or an object" {
        /// Text; also why it failed.
        text Text(String),
        /// Content, each an object with a `type`, mostly as in a `tool_result` block.
        list Content(Vec<Json>),
        /// A structured result.
        object Structured(McpStructuredOutput),
    }
}

/// What a tool of an MCP server gives that says what its results look like.
#[wire(rename_all = "camelCase")]
pub struct McpStructuredOutput {
    /// What the model reads: text, or content.
    pub content: Option<Json>,
    /// The result.
    pub structured_content: Option<Json>,
    /// What the server says about the result.
    #[wire(rename = "_meta")]
    pub meta: Option<Json>,
}

/// What `ListMcpResourcesTool` is given.
#[wire]
pub struct ListMcpResourcesInput {
    /// The server. Absent: all of them.
    pub server: Option<String>,
}

list_of! {
    /// What `ListMcpResourcesTool` gives: what there is to read.
    ListMcpResourcesOutput(ListedMcpResource)
}

/// Something that a server offers to read.
#[wire(rename_all = "camelCase")]
pub struct ListedMcpResource {
    /// Names it.
    pub uri: String,
    /// Its name for people.
    pub name: String,
    /// The server.
    pub server: String,
    /// What it is, such as `text/plain`.
    pub mime_type: Option<String>,
    /// What it is, in words.
    pub description: Option<String>,
}

/// What `ReadMcpResourceTool` is given.
#[wire]
pub struct ReadMcpResourceInput {
    /// The server.
    pub server: String,
    /// What to read.
    pub uri: String,
}

/// What `ReadMcpResourceTool` gives.
#[wire]
pub struct ReadMcpResourceOutput {
    /// What was read.
    pub contents: Vec<McpResourceContent>,
    /// Why it could not be read.
    pub error: Option<String>,
}

/// What was read of a server.
#[wire(rename_all = "camelCase")]
pub struct McpResourceContent {
    /// Names it.
    pub uri: String,
    /// What it is, such as `text/plain`.
    pub mime_type: Option<String>,
    /// The text; absent where it is none.
    pub text: Option<String>,
    /// The file that the bytes were put in; absent where it is text.
    pub blob_saved_to: Option<String>,
}

/// What `ReadMcpResourceDirTool` is given.
#[wire]
pub struct ReadMcpResourceDirInput {
    /// The server.
    pub server: String,
    /// The directory.
    pub uri: String,
}

/// What `ReadMcpResourceDirTool` gives.
#[wire]
pub struct ReadMcpResourceDirOutput {
    /// What is in the directory, without what is in directories below it.
    pub resources: Vec<McpDirectoryEntry>,
    /// Why it could not be listed.
    pub error: Option<String>,
}

/// Something in a directory of a server.
#[wire(rename_all = "camelCase")]
pub struct McpDirectoryEntry {
    /// Names it.
    pub uri: String,
    /// Its name for people.
    pub name: String,
    /// What it is; a directory is `inode/directory`.
    pub mime_type: Option<String>,
}

/// `mcp__server__tool` in its two parts. A tool's name may hold two underscores, a server's not.
pub(super) fn split_name(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

pub(super) fn full_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}
