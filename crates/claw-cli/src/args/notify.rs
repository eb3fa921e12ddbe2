//! The arguments of `claw serve` about notices.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The receiver of notices.
#[derive(Args)]
pub(crate) struct Notices {
    /// Send a notice to this address whenever a session asks, has finished or has failed. An address that is a secret,
    /// such as those of Slack and Telegram, belongs into the environment, as `CLAW_NOTIFY`.
    #[arg(long, value_name = "URL", conflicts_with = "hosting")]
    pub(crate) notify: Option<String>,
    /// The format that the receiver accepts. `json` is signed, and needs a secret.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Json)]
    pub(crate) notify_format: Format,
    /// A file with the secret: the key that signs `json`, or the access token of `ntfy`. Default: `CLAW_NOTIFY_SECRET`
    /// in the environment.
    #[arg(long, value_name = "FILE")]
    pub(crate) notify_secret_file: Option<PathBuf>,
    /// Include in notices what is asked, how the last answer begins, or why a turn failed.
    #[arg(long)]
    pub(crate) notify_content: bool,
}

/// The format that the receiver of notices accepts.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Json,
    Ntfy,
    Slack,
    Telegram,
}
