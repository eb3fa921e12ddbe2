//! `system` / `plugin_install` and `elicitation_complete`: events that are not part of the
//! conversation.

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
/// The CLI sends this message when it starts and the settings name plugins that are not installed:
/// when the installation begins, once for each plugin, and when the installation is over.
#[wire(tag(type = "system", subtype = "plugin_install"))]
pub struct PluginInstall {
    /// The progress of the installation.
    pub status: PluginInstallStatus,
    fields: Identity!(),
    /// The name of the plugin. Absent if the status is `started` or `completed`.
    pub name: Option<String>,
    /// The reason why the plugin could not be installed. Sent only if the status is `failed`.
    pub error: Option<String>,
}

/// The end of an MCP server's elicitation that takes place at a URL: the person has completed it.
///
/// The CLI sends this message when the MCP server reports the end.
#[wire(tag(type = "system", subtype = "elicitation_complete"))]
pub struct ElicitationComplete {
    /// The name of the MCP server.
    pub mcp_server_name: String,
    /// The ID of the completed elicitation.
    pub elicitation_id: String,
    fields: Identity!(),
}
