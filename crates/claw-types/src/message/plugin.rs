//! `system` / `plugin_install` and `elicitation_complete`: events that are not part of the
//! conversation.

use super::Identity;

/// The step that the installation of plugins has reached.
#[wire(open)]
pub enum PluginInstallStatus {
    /// The installation begins.
    Started = "started",
    /// A plugin was installed.
    Installed = "installed",
    /// A plugin could not be installed.
    Failed = "failed",
    /// The installation has ended for all plugins.
    Completed = "completed",
}

/// The progress of an installation of plugins.
///
/// The CLI sends these messages when it starts, if the settings name plugins that are not installed. It sends one
/// message when the installation begins, one for each plugin, and one when the installation has ended.
#[wire(tag(type = "system", subtype = "plugin_install"))]
pub struct PluginInstall {
    /// The step that the installation has reached.
    pub status: PluginInstallStatus,
    fields: Identity!(),
    /// The name of the plugin. Absent if the status is `started` or `completed`.
    pub name: Option<String>,
    /// The reason why the plugin could not be installed. Sent only if the status is `failed`.
    pub error: Option<String>,
}

/// A report that the person has completed an MCP server's elicitation (a request for input) at a URL.
///
/// The CLI sends this message when the MCP server reports that the person has completed the elicitation.
#[wire(tag(type = "system", subtype = "elicitation_complete"))]
pub struct ElicitationComplete {
    /// The name of the MCP server.
    pub mcp_server_name: String,
    /// The ID of the completed elicitation.
    pub elicitation_id: String,
    fields: Identity!(),
}
