//! Tools of MCP servers, and the tools that read what servers offer.

use crate::Json;
use crate::by_shape::by_shape;

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
        /// Content blocks.
        list Blocks(Vec<Json>),
        /// Anything else.
        object Object(Json),
    }
}

/// `mcp__server__tool` in its two parts. A tool's name may hold two underscores, a server's not.
pub(super) fn split_name(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

pub(super) fn full_name(server: &str, tool: &str) -> String {
    format!("mcp__{server}__{tool}")
}
