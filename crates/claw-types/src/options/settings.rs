//! Settings, and how they reach the CLI.

use crate::JsonOf;
use crate::by_shape::by_shape;
use crate::settings::Settings;

/// A settings file that the CLI reads.
#[wire(open)]
pub enum SettingSource {
    /// The user's.
    User = "user",
    /// The project's.
    Project = "project",
    /// The project's, of this machine alone.
    Local = "local",
}

by_shape! {
    /// Settings over those of the settings files: the path of a file, or the settings themselves.
    SettingsOrPath, "a path, or an object" {
        /// A settings file.
        text Path(String),
        /// The settings.
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

/// How what is secret or long (MCP servers, settings, plugins, refused tools) reaches the CLI.
/// Never on its command line, which anybody on the machine can read.
#[wire(open)]
pub enum Delivery {
    /// In `initialize`, over stdin. CLIs before 2.1.261 do not know it and end at once; those
    /// that know it but do not take it end the session with an error.
    Initialize = "initialize",
    /// MCP servers and settings in files that only this user can read, which live as long as
    /// the process; plugins and refused tools as flags. For older CLIs. Managed settings cannot
    /// be given so.
    File = "file",
}
