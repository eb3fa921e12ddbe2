//! The arguments of `claw users`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

/// The roles of users, the least one first.
pub(crate) const ROLES: [&str; 4] = ["view", "prompt", "answer", "own"];

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Add a user, and print the user's token.
    ///
    /// The token is printed once. The file has only its hash.
    Add(Add),
    /// List the users: their names, roles and folders.
    List {
        #[command(flatten)]
        file: File,
    },
    /// Remove a user.
    ///
    /// A running server ends the user's open pages and connections within a second.
    Remove {
        /// The name of the user.
        name: String,
        #[command(flatten)]
        file: File,
    },
}

#[derive(Args)]
pub(crate) struct Add {
    /// The name: letters and digits of ASCII, and `.`, `_`, `-`, `+` and `@`. It begins with a letter or digit.
    pub(crate) name: String,
    /// The rights. view: read sessions; prompt: also begin sessions and send prompts; answer: also answer permission
    /// requests, and interrupt; own: also change settings, and end and delete sessions.
    #[arg(long, value_name = "ROLE", value_parser = PossibleValuesParser::new(ROLES))]
    pub(crate) role: String,
    /// A folder. The user sees only the projects that are the folder or below it. May be given several times. Default:
    /// all projects.
    #[arg(long = "project", value_name = "DIR")]
    pub(crate) projects: Vec<PathBuf>,
    /// Make no token: only a proxy names the user, see `claw serve --user-header`.
    #[arg(long, conflicts_with = "url")]
    pub(crate) no_token: bool,
    /// The address of the server in the login link.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8000")]
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) file: File,
}

/// The file of users.
#[derive(Args)]
pub(crate) struct File {
    /// The file of users, which `claw serve --users` reads. Default: the environment's `CLAW_USERS`.
    #[arg(long, value_name = "FILE")]
    pub(crate) users: Option<PathBuf>,
}
