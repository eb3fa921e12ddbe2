//! The arguments of `claw acp`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::config_dirs::ConfigDirs;
use super::{Store, values};

#[derive(Args)]
pub(crate) struct Acp {
    /// Log in to Claude Code at this terminal, and end. Editors add this to the arguments with which they start the
    /// agent, so the other options then have no effect.
    #[arg(long)]
    pub(crate) login: bool,
    /// The model of new sessions, by name or alias.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// What tools may do without asking in new sessions.
    #[arg(long, value_name = "MODE", value_parser = PossibleValuesParser::new(values::MODES))]
    pub(crate) permission_mode: Option<String>,
    /// Read options from a JSON file, in the form that `claw schema options` prints. Flags take precedence.
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Option<PathBuf>,
    /// Record everything between the editor, claw and claude into this folder. Secrets are not masked.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config_dirs: ConfigDirs,
    #[command(flatten)]
    pub(crate) store: Store,
}
