//! Requests to reload plugins, skills and output styles from disk, and to add a directory to the
//! session.

use super::{AgentInfo, McpServerStatus, SlashCommand};
use crate::Count;
use crate::options::Plugin;

/// To `claude`: reload the plugins. If `refuse_if_busy` is set and the session is busy, `claude` refuses the request
/// with the error code `reload_plugins_busy`.
#[wire(tag(subtype = "reload_plugins"), response = ReloadPluginsResponse)]
pub struct ReloadPlugins {
    /// Whether the CLI holds back a reload that would change the list of tools while the conversation's prompt cache
    /// depends on that list. If the CLI holds the reload back, it changes nothing.
    #[wire(since = "2.1.329")]
    pub hold_on_cache_impact: Option<bool>,
    /// Additional plugins for the CLI to load, given by their absolute paths. Absent means no additional plugins.
    #[wire(since = "2.1.329")]
    pub add_plugins: Option<Vec<Plugin>>,
    /// Whether the CLI refuses the request while the session is busy. Absent means `false`.
    #[wire(since = "2.1.329")]
    pub refuse_if_busy: Option<bool>,
}

/// The response to `reload_plugins`: the state after the reload.
#[wire]
pub struct ReloadPluginsResponse {
    /// The available slash commands.
    pub commands: Vec<SlashCommand>,
    /// The available sub-agents.
    pub agents: Vec<AgentInfo>,
    /// The loaded plugins.
    pub plugins: Vec<LoadedPlugin>,
    /// The MCP servers and their status.
    #[wire(rename = "mcpServers")]
    pub mcp_servers: Vec<McpServerStatus>,
    /// The number of plugins that could not be loaded.
    pub error_count: Count,
    /// Whether the CLI held back the reload because of the prompt cache. Sent only if the request
    /// set `hold_on_cache_impact`.
    #[wire(since = "2.1.329")]
    pub held: Option<bool>,
    /// How the reload would have changed the list of tools. Sent only if the CLI held back the reload.
    #[wire(since = "2.1.329")]
    pub cache_impact: Option<CacheImpact>,
}

/// A loaded plugin.
#[wire]
pub struct LoadedPlugin {
    /// The name of the plugin.
    pub name: String,
    /// The directory of the plugin, or `builtin` for a plugin of the CLI itself.
    pub path: String,
    /// The name and the marketplace of the plugin, as `name@marketplace`. The marketplace is
    /// `inline` for a plugin that a command-line flag names.
    pub source: Option<String>,
    /// The version that the plugin declares.
    pub version: Option<String>,
}

/// How a reload of the plugins would change the list of tools if the CLI did not hold the reload back.
#[wire]
pub struct CacheImpact {
    /// The MCP servers that the reload would add if it were not held back. Each has the form
    /// `plugin:<plugin>:<server>`.
    pub mcp_servers_added: Vec<String>,
    /// The MCP servers that the reload would remove if it were not held back.
    pub mcp_servers_removed: Vec<String>,
    /// How the reload would change the tool for language servers if the reload were not held back. Null if the reload
    /// does not affect this tool.
    #[wire(nullable)]
    pub lsp_tool_change: Option<LspToolChange>,
}

/// How a reload of the plugins would change the tool for language servers if the CLI did not hold the reload back.
#[wire(open)]
pub enum LspToolChange {
    /// The reload would add the tool if it were not held back.
    Adds = "adds",
    /// The reload may add the tool. The CLI cannot say for certain, because it does not know all plugins yet.
    MayAdd = "may-add",
    /// The reload would remove the tool if it were not held back.
    Removes = "removes",
    /// The reload may remove the tool. The CLI cannot say for certain, because it does not know all plugins yet.
    MayRemove = "may-remove",
}

/// To `claude`: reload the skills.
#[wire(tag(subtype = "reload_skills"), response = ReloadSkillsResponse)]
pub struct ReloadSkills {}

/// The response to `reload_skills`.
#[wire]
pub struct ReloadSkillsResponse {
    /// The skills, as slash commands.
    pub skills: Vec<SlashCommand>,
}

/// To `claude`: reload the output styles.
#[wire(tag(subtype = "reload_output_styles"), response = ReloadOutputStylesResponse)]
pub struct ReloadOutputStyles {}

/// The response to `reload_output_styles`.
#[wire]
pub struct ReloadOutputStylesResponse {
    /// The names of the output styles that can be chosen.
    pub available_output_styles: Vec<String>,
}

/// To `claude`: add a directory to the session. The directory must be below the working directory, or below a directory
/// with which the CLI was started. The directory must not have been added before.
#[wire(tag(subtype = "register_repo_root"), response = RegisterRepoRootResponse)]
pub struct RegisterRepoRoot {
    /// The path of the directory.
    pub directory: String,
    /// Whether the CLI loads the instructions in the directory.
    pub reload_claude_md: Option<bool>,
    /// Whether the CLI loads the plugins in the directory.
    pub reload_plugins: Option<bool>,
    /// Whether the CLI loads the skills in the directory.
    pub reload_skills: Option<bool>,
}

/// The response to `register_repo_root`.
#[wire]
pub struct RegisterRepoRootResponse {
    /// The path of the directory, with symbolic links resolved.
    pub directory: String,
}
