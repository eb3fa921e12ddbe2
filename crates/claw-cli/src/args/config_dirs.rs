//! The option that names configuration folders.

use clap::Args;

/// The configuration folders.
#[derive(Args, Default)]
pub(crate) struct ConfigDirs {
    /// Use the sessions of this configuration folder of claude, in place of `CLAUDE_CONFIG_DIR` or ~/.claude. May be
    /// given several times: the sessions of all folders are used, and new ones belong to the first. A session that is
    /// continued is started with the folder that it is in.
    #[arg(long = "config-dir", value_name = "FOLDER", global = true)]
    pub(crate) config_dirs: Vec<String>,
}
