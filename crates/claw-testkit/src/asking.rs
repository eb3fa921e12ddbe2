//! An MCP server that asks its user.

/// An MCP server on stdio, as a script of `sh`: `sh -c ASKING_SERVER`. Its tool `ask` asks the user for a name (a string,
/// required), and its result is the user's reaction, such as `accept:Ada`.
pub const ASKING_SERVER: &str = include_str!("asking.sh");
