//! Settings, and how they reach the CLI.

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

/// The way in which secret or long options are passed to the CLI: MCP servers, settings, plugins and denied tools. MCP
/// servers and settings are never on the CLI's command line, because everybody on the machine can read it.
#[wire(open)]
pub enum Delivery {
    /// The options are sent in the `initialize` request, over stdin. CLIs before 2.1.261 do not know the flag that
    /// makes this possible, and exit at once. If a CLI knows the flag but does not accept the options, the session ends
    /// with an error.
    Initialize = "initialize",
    /// For older CLIs. MCP servers and settings are passed in files that only this user can read. The files are deleted
    /// when the process ends. Plugins and denied tools are passed as flags. Managed settings cannot be passed in this
    /// way.
    File = "file",
}
