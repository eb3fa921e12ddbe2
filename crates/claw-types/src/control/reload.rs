//! Requests to read again what is on disk: plugins, skills, output styles, another root.

use super::{AgentInfo, McpServerStatus, SlashCommand};
use crate::Count;
use crate::options::Plugin;

/// To `claude`: read the plugins again. With `refuse_if_busy`, a session that is at work refuses
/// with the code `reload_plugins_busy`.
#[wire(tag(subtype = "reload_plugins"), response = ReloadPluginsResponse)]
pub struct ReloadPlugins {
    /// Changes nothing where the list of tools would change and a cached conversation depends on
    /// it.
    #[wire(since = "2.1.329")]
    pub hold_on_cache_impact: Option<bool>,
    /// Plugins to load besides, by absolute paths. None goes.
    #[wire(since = "2.1.329")]
    pub add_plugins: Option<Vec<Plugin>>,
    /// Refuses while the session is at work.
    #[wire(since = "2.1.329")]
    pub refuse_if_busy: Option<bool>,
}

/// The answer to `reload_plugins`: what there is now.
#[wire]
pub struct ReloadPluginsResponse {
    /// Slash commands.
    pub commands: Vec<SlashCommand>,
    /// Sub-agents.
    pub agents: Vec<AgentInfo>,
    /// Plugins.
    pub plugins: Vec<LoadedPlugin>,
    /// MCP servers.
    #[wire(rename = "mcpServers")]
    pub mcp_servers: Vec<McpServerStatus>,
    /// How many plugins could not be read.
    pub error_count: Count,
    /// Whether nothing was changed, for the sake of the cache. Only where that was asked for.
    #[wire(since = "2.1.329")]
    pub held: Option<bool>,
    /// What would have changed. Only where nothing was.
    #[wire(since = "2.1.329")]
    pub cache_impact: Option<CacheImpact>,
}

/// A plugin.
#[wire]
pub struct LoadedPlugin {
    /// Its name.
    pub name: String,
    /// Its folder; `builtin` for the CLI's own.
    pub path: String,
    /// Its name with its marketplace; `inline` for those of a flag.
    pub source: Option<String>,
    /// The version that it says it has.
    pub version: Option<String>,
}

/// What another set of plugins would change in the list of tools.
#[wire]
pub struct CacheImpact {
    /// MCP servers that would come, as `plugin:<plugin>:<server>`.
    pub mcp_servers_added: Vec<String>,
    /// MCP servers that would go.
    pub mcp_servers_removed: Vec<String>,
    /// What becomes of the tool for language servers; null for nothing.
    #[wire(nullable)]
    pub lsp_tool_change: Option<LspToolChange>,
}

/// What becomes of the tool for language servers.
#[wire(open)]
pub enum LspToolChange {
    /// It comes.
    Adds = "adds",
    /// It may come.
    MayAdd = "may-add",
    /// It goes.
    Removes = "removes",
    /// It may go.
    MayRemove = "may-remove",
}

/// To `claude`: read the skills again.
#[wire(tag(subtype = "reload_skills"), response = ReloadSkillsResponse)]
pub struct ReloadSkills {}

/// The answer to `reload_skills`.
#[wire]
pub struct ReloadSkillsResponse {
    /// The skills, as slash commands.
    pub skills: Vec<SlashCommand>,
}

/// To `claude`: read the output styles again.
#[wire(tag(subtype = "reload_output_styles"), response = ReloadOutputStylesResponse)]
pub struct ReloadOutputStyles {}

/// The answer to `reload_output_styles`.
#[wire]
pub struct ReloadOutputStylesResponse {
    /// The output styles to choose from.
    pub available_output_styles: Vec<String>,
}

/// To `claude`: this folder belongs to the session as well. It has to be below the working
/// directory, or below a folder that the CLI was started with, and not be there already.
#[wire(tag(subtype = "register_repo_root"), response = RegisterRepoRootResponse)]
pub struct RegisterRepoRoot {
    /// The folder.
    pub directory: String,
    /// Reads its instructions.
    pub reload_claude_md: Option<bool>,
    /// Reads its plugins.
    pub reload_plugins: Option<bool>,
    /// Reads its skills.
    pub reload_skills: Option<bool>,
}

/// The answer to `register_repo_root`.
#[wire]
pub struct RegisterRepoRootResponse {
    /// The folder, with its links resolved.
    pub directory: String,
}
