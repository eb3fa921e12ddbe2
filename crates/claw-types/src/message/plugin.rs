//! `system` / `plugin_install` and `elicitation_complete`: events outside of the conversation.

use super::Identity;

/// The progress of an installation of plugins.
#[wire(open)]
pub enum PluginInstallStatus {
    /// The installation begins.
    Started = "started",
    /// A plugin was installed.
    Installed = "installed",
    /// A plugin could not be installed.
    Failed = "failed",
    /// The installation of all plugins is over.
    Completed = "completed",
}

/// The progress of an installation of plugins.
///
/// Sent to hosts at the start of the CLI if settings name plugins that are not installed: at the
/// beginning, at the end, and once for each plugin.
#[wire(tag(type = "system", subtype = "plugin_install"))]
pub struct PluginInstall {
    /// The progress of the installation.
    pub status: PluginInstallStatus,
    fields: Identity!(),
    /// The name of the plugin. Absent at the beginning and at the end.
    pub name: Option<String>,
    /// The reason why the plugin could not be installed. Sent only if the installation failed.
    pub error: Option<String>,
}

/// The end of an elicitation that an MCP server asked for at a URL: the person has completed it.
///
/// Sent to hosts when the MCP server reports it.
#[wire(tag(type = "system", subtype = "elicitation_complete"))]
pub struct ElicitationComplete {
    /// The name of the MCP server.
    pub mcp_server_name: String,
    /// The ID of the completed elicitation.
    pub elicitation_id: String,
    fields: Identity!(),
}
