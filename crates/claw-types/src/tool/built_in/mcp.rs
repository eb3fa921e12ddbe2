//! Tools of MCP servers, and the built-in tools that read the resources of MCP servers.

use crate::Json;
use crate::by_shape::by_shape;
use crate::list_of::list_of;

/// The input of a tool that an MCP server offers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct McpToolInput {
    /// The name of the MCP server, as in the tool's full name (`mcp__server__tool`).
    pub server: String,
    /// The name that the server gave to the tool.
    pub tool: String,
    /// The tool's input, whose form the server defines.
    pub input: Json,
}

by_shape! {
    /// The output of a tool that an MCP server offers.
    McpOutput, "a text, a list of content blocks, or an object" {
        /// A text. If the tool failed, the text is the error message.
        text Text(String),
        /// Content blocks: objects with a `type`, mostly as in a `tool_result` block.
        list Content(Vec<Json>),
        /// A structured result.
        object Structured(McpStructuredOutput),
    }
}

/// The output of a tool that an MCP server offers, if the tool declares the form of its results.
#[wire(rename_all = "camelCase")]
pub struct McpStructuredOutput {
    /// The output for the model: a text or content blocks.
    pub content: Option<Json>,
    /// The structured result. Absent if the tool has none.
    pub structured_content: Option<Json>,
    /// The server's metadata about the result. Absent if the server sent none.
    #[wire(rename = "_meta")]
    pub meta: Option<Json>,
}

/// The input of the `ListMcpResourcesTool` tool.
#[wire]
pub struct ListMcpResourcesInput {
    /// The name of the MCP server. Absent means all servers.
    pub server: Option<String>,
}

list_of! {
    /// The output of the `ListMcpResourcesTool` tool: the resources of MCP servers.
    ListMcpResourcesOutput(ListedMcpResource)
}

/// A resource of an MCP server.
#[wire(rename_all = "camelCase")]
pub struct ListedMcpResource {
    /// The URI of the resource.
    pub uri: String,
    /// The display name of the resource.
    pub name: String,
    /// The name of the MCP server.
    pub server: String,
    /// The media type of the resource, such as `text/plain`. Absent if the server does not name it.
    pub mime_type: Option<String>,
    /// A description of the resource. Absent if the server gives none.
    pub description: Option<String>,
}

/// The input of the `ReadMcpResourceTool` tool.
#[wire]
pub struct ReadMcpResourceInput {
    /// The name of the MCP server.
    pub server: String,
    /// The URI of the resource.
    pub uri: String,
}

/// The output of the `ReadMcpResourceTool` tool.
#[wire]
pub struct ReadMcpResourceOutput {
    /// The contents of the resource.
    pub contents: Vec<McpResourceContent>,
    /// The reason why the resource could not be read. Absent if it was read.
    pub error: Option<String>,
}

/// A part of the contents of a resource that an MCP server offers.
#[wire(rename_all = "camelCase")]
pub struct McpResourceContent {
    /// The URI of the resource.
    pub uri: String,
    /// The media type of the resource, such as `text/plain`. Absent if the server does not name it.
    pub mime_type: Option<String>,
    /// The text of the resource. Absent for binary content.
    pub text: Option<String>,
    /// The path of the file in which binary content was saved. Absent for text.
    pub blob_saved_to: Option<String>,
}

/// The input of the `ReadMcpResourceDirTool` tool.
#[wire]
pub struct ReadMcpResourceDirInput {
    /// The name of the MCP server.
    pub server: String,
    /// The URI of the directory.
    pub uri: String,
}

/// The output of the `ReadMcpResourceDirTool` tool.
#[wire]
pub struct ReadMcpResourceDirOutput {
    /// The entries of the directory, without the entries of its subdirectories.
    pub resources: Vec<McpDirectoryEntry>,
    /// The reason why the directory could not be listed. Absent if it was listed.
    pub error: Option<String>,
}

/// An entry of a directory in which an MCP server offers resources.
#[wire(rename_all = "camelCase")]
pub struct McpDirectoryEntry {
    /// The URI of the entry.
    pub uri: String,
    /// The display name of the entry.
    pub name: String,
    /// The media type of the entry. A directory has the media type `inode/directory`.
    pub mime_type: Option<String>,
}

/// Splits `mcp__server__tool` into server and tool. The name of a tool may contain two underscores in a row, but the
/// name of a server may not.
pub(super) fn split_name(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

pub(super) fn full_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}
