//! `system` / `plugin_install` and `elicitation_complete`: what comes from outside.

use super::Identity;

/// How far the installation of plugins has come.
#[wire(open)]
pub enum PluginInstallStatus {
    /// It begins.
    Started = "started",
    /// One is there.
    Installed = "installed",
    /// One could not be installed.
    Failed = "failed",
    /// All is done.
    Completed = "completed",
}

/// Plugins are being installed.
///
/// To hosts, at the start, where settings name plugins that are not there: at the begin and the end,
/// and once a plugin.
#[wire(tag(type = "system", subtype = "plugin_install"))]
pub struct PluginInstall {
    /// How far it has come.
    pub status: PluginInstallStatus,
    fields: Identity!(),
    /// The plugin. Absent at the begin and the end.
    pub name: Option<String>,
    /// Why it could not be installed.
    pub error: Option<String>,
}

/// The person has done what an MCP server asked for at a URL.
///
/// To hosts, when the server says so.
#[wire(tag(type = "system", subtype = "elicitation_complete"))]
pub struct ElicitationComplete {
    /// The server.
    pub mcp_server_name: String,
    /// What it had asked for.
    pub elicitation_id: String,
    fields: Identity!(),
}
