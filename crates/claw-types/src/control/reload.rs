//! Requests to read again what is on disk: plugins, skills, output styles, another root.

use super::{AgentInfo, McpServerStatus, Request, SlashCommand};
use crate::open_enum::open_enum;
use crate::options::Plugin;
use crate::{Count, Extra};
use claw_types_derive::Wire;

/// To `claude`: read the plugins again. With `refuse_if_busy`, a session that is at work refuses
/// with the code `reload_plugins_busy`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "reload_plugins"))]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for ReloadPlugins {
    type Response = ReloadPluginsResponse;
}

/// The answer to `reload_plugins`: what there is now.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A plugin.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadedPlugin {
    /// Its name.
    pub name: String,
    /// Its folder; `builtin` for the CLI's own.
    pub path: String,
    /// Its name with its marketplace; `inline` for those of a flag.
    pub source: Option<String>,
    /// The version that it says it has.
    pub version: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What another set of plugins would change in the list of tools.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CacheImpact {
    /// MCP servers that would come, as `plugin:<plugin>:<server>`.
    pub mcp_servers_added: Vec<String>,
    /// MCP servers that would go.
    pub mcp_servers_removed: Vec<String>,
    /// What becomes of the tool for language servers; null for nothing.
    #[wire(nullable)]
    pub lsp_tool_change: Option<LspToolChange>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// What becomes of the tool for language servers.
    LspToolChange {
        /// It comes.
        Adds = "adds",
        /// It may come.
        MayAdd = "may-add",
        /// It goes.
        Removes = "removes",
        /// It may go.
        MayRemove = "may-remove",
    }
}

/// To `claude`: read the skills again.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "reload_skills"))]
#[non_exhaustive]
pub struct ReloadSkills {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for ReloadSkills {
    type Response = ReloadSkillsResponse;
}

/// The answer to `reload_skills`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReloadSkillsResponse {
    /// The skills, as slash commands.
    pub skills: Vec<SlashCommand>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: read the output styles again.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "reload_output_styles"))]
#[non_exhaustive]
pub struct ReloadOutputStyles {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for ReloadOutputStyles {
    type Response = ReloadOutputStylesResponse;
}

/// The answer to `reload_output_styles`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReloadOutputStylesResponse {
    /// The output styles to choose from.
    pub available_output_styles: Vec<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: this folder belongs to the session as well. It has to be below the working
/// directory, or below a folder that the CLI was started with, and not be there already.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "register_repo_root"))]
#[non_exhaustive]
pub struct RegisterRepoRoot {
    /// The folder.
    pub directory: String,
    /// Reads its instructions.
    pub reload_claude_md: Option<bool>,
    /// Reads its plugins.
    pub reload_plugins: Option<bool>,
    /// Reads its skills.
    pub reload_skills: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for RegisterRepoRoot {
    type Response = RegisterRepoRootResponse;
}

/// The answer to `register_repo_root`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RegisterRepoRootResponse {
    /// The folder, with its links resolved.
    pub directory: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
