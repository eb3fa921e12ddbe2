//! Settings, and the ways in which they are passed to the CLI.

use crate::JsonOf;
use crate::by_shape::by_shape;
use crate::settings::Settings;

/// A settings file that the CLI reads.
#[wire(open)]
pub enum SettingSource {
    /// The user's settings file.
    User = "user",
    /// The project's settings file.
    Project = "project",
    /// The project's local settings file, for this machine only.
    Local = "local",
}

by_shape! {
    /// Settings that take precedence over settings files: the path of a file, or the settings themselves.
    SettingsOrPath, "a path, or an object" {
        /// The path of a settings file.
        text Path(String),
        /// The settings themselves.
        object Inline(JsonOf<Settings>),
    }
}

impl From<&str> for SettingsOrPath {
    fn from(path: &str) -> Self {
        Self::Path(path.to_owned())
    }
}

impl From<Settings> for SettingsOrPath {
    fn from(settings: Settings) -> Self {
        Self::Inline(settings.into())
    }
}

impl From<serde_json::Value> for SettingsOrPath {
    fn from(settings: serde_json::Value) -> Self {
        Self::Inline(settings.into())
    }
}

/// The way in which secret or long options are passed to the CLI. These options are MCP servers, settings, plugins and
/// denied tools. MCP servers and settings never appear on the CLI's command line, because everybody on the machine can
/// read it.
#[wire(open)]
pub enum Delivery {
    /// The options are sent in the `initialize` request, over stdin. This requires CLI 2.1.261 or later: an older CLI
    /// does not know the necessary flag, and exits at once. If the CLI does not accept the options in the request, the
    /// session ends with an error.
    Initialize = "initialize",
    /// The way for older CLIs. MCP servers and settings are passed in files that only the current user can read. The
    /// files are deleted when the process ends. Plugins and denied tools are passed as command-line flags. Managed
    /// settings cannot be passed in this way.
    File = "file",
}
