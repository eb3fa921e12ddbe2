//! The path of the configuration file.

use std::env;
use std::path::PathBuf;

/// The environment variable with the path of the configuration file.
const FILE_VARIABLE: &str = "CLAW_CONFIG";

/// Returns whether the environment names the configuration file.
#[cfg(feature = "terminal")]
pub(super) fn is_named() -> bool {
    env::var_os(FILE_VARIABLE).is_some_and(|file| !file.is_empty())
}

/// Returns the path of the configuration file. Returns `None` if there is no folder for it.
pub(crate) fn path() -> Option<PathBuf> {
    let folder = |name: &str| {
        let folder = env::var_os(name).map(PathBuf::from);
        folder.filter(|folder| folder.is_absolute())
    };
    if let Some(file) = env::var_os(FILE_VARIABLE).filter(|file| !file.is_empty()) {
        return Some(file.into());
    }
    let folder = folder("XDG_CONFIG_HOME").or_else(|| {
        if cfg!(windows) {
            return folder("APPDATA");
        }
        let home = env::home_dir().filter(|home| home.is_absolute())?;
        Some(home.join(if cfg!(target_os = "macos") {
            "Library/Application Support"
        } else {
            ".config"
        }))
    })?;
    Some(folder.join("claw").join("config.toml"))
}
