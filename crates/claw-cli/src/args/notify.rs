//! The arguments of `claw serve` about notices.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Where notices go.
#[derive(Args)]
pub(crate) struct Notices {
    /// Send a notice to this address whenever a session asks, is done or has failed. An address that is a secret, such as
    /// those of Slack and Telegram, belongs into the environment, as `CLAW_NOTIFY`.
    #[arg(long, value_name = "URL", conflicts_with = "hosting")]
    pub(crate) notify: Option<String>,
    /// What the receiver takes. `json` is signed, and needs a secret.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Json)]
    pub(crate) notify_format: Format,
    /// A file with the secret: the key that signs `json`, or the access token of `ntfy`. Default: that in the environment,
    /// as `CLAW_NOTIFY_SECRET`.
    #[arg(long, value_name = "FILE")]
    pub(crate) notify_secret_file: Option<PathBuf>,
    /// Have notices say what is asked, how the last answer begins, or why a turn failed.
    #[arg(long)]
    pub(crate) notify_content: bool,
}

/// What the receiver of notices takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Json,
    Ntfy,
    Slack,
    Telegram,
}
