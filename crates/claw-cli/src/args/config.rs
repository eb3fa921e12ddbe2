//! The command line of `claw config`.

use clap::Subcommand;

/// A command about the configuration file.
#[derive(Subcommand)]
pub(crate) enum Config {
    /// Print the default of an option: the one in the environment, or else the one in the file. Exit code 1 if it has
    /// none.
    Get {
        /// The option's name, such as `model`, or with its command, such as `run.output`.
        key: String,
    },
    /// Set the default of an option in the file.
    Set {
        /// The option's name, such as `model`, or with its command, such as `run.output`.
        key: String,
        /// The value, in the form of the command line. `true` or `false` for an option without a value.
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Remove the default of an option from the file.
    Unset {
        /// The option's name, such as `model`, or with its command, such as `run.output`.
        key: String,
    },
    /// List the defaults that are set, and their sources.
    List,
    /// Print the name of the file.
    Path,
    /// Edit the file in $VISUAL or $EDITOR, and check it.
    Edit,
}
