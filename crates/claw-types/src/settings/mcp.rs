//! Which MCP servers may be used.

use crate::Extra;
use claw_types_derive::Wire;

/// MCP servers that may be used, or may not: said in one of three ways.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct McpServerRule {
    /// By their name.
    pub server_name: Option<String>,
    /// By the program that they are, with its arguments.
    pub server_command: Option<Vec<String>>,
    /// By their address; `*` stands for anything.
    pub server_url: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
