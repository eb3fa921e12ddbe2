//! The arguments of `claw store`.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Copy the sessions of a store into another one.
    ///
    /// FROM and TO are stores in the form of --store: a folder, or a URL. A URL with a password belongs into a variable
    /// of the environment: `env:NAME` stands for the URL in NAME. A second copy adds what is new. A session that runs
    /// meanwhile is copied as far as its lines are stored.
    Copy(Copy),
}

#[derive(Args)]
pub(crate) struct Copy {
    /// The store that has the sessions. It is not changed.
    pub(crate) from: String,
    /// The store to which they are copied.
    pub(crate) to: String,
    /// Copy only the sessions of this project, by its name in the store.
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// FROM was written by the example store of an official SDK, in this language.
    #[arg(long, value_name = "LANGUAGE", value_parser = PossibleValuesParser::new(["typescript", "python"]))]
    pub(crate) sdk: Option<String>,
    /// The table in Postgres, or the prefix of the keys in Redis, that the example store uses. Default: the table of the
    /// example, and no prefix.
    #[arg(long, value_name = "NAME", requires = "sdk")]
    pub(crate) named: Option<String>,
}
