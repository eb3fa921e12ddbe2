//! The arguments of `claw store`.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Read every line of a store, and compare it with another store.
    ///
    /// STORE and --against are stores in the form of --store: a folder, or a URL. A URL with a password belongs into a
    /// variable of the environment: `env:NAME` stands for the URL in NAME. Without --finish-deletions, both are only
    /// read. Prints each transcript that cannot be read or differs, with the number of its line, each deleted session whose
    /// lines are still there, and, without --project, the objects, keys and rows that no session uses, and exits with 1 if
    /// there is one. Differences are looked for in the sessions of STORE. A session that runs meanwhile may differ.
    Check(Check),
    /// Copy the sessions of a store into another one.
    ///
    /// FROM and TO are stores in the form of --store: a folder, or a URL. A URL with a password belongs into a variable
    /// of the environment: `env:NAME` stands for the URL in NAME. A second copy adds what is new. A session that runs
    /// meanwhile is copied as far as its lines are stored.
    Copy(Copy),
}

#[derive(Args)]
pub(crate) struct Check {
    /// The store to read.
    pub(crate) store: String,
    /// A store that must have the same lines.
    #[arg(long, value_name = "OTHER")]
    pub(crate) against: Option<String>,
    /// Read only the sessions of this project, by its name in the store.
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Remove what processes have left in STORE that ended early: the lines of deleted sessions and transcripts, and test
    /// objects in a bucket from a day on. Sessions that a host has claimed are left.
    #[arg(long, conflicts_with = "sdk")]
    pub(crate) finish_deletions: bool,
    #[command(flatten)]
    pub(crate) layout: Layout,
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
    /// Then read the sessions of FROM again, and compare each line with that in TO.
    #[arg(long)]
    pub(crate) compare: bool,
    #[command(flatten)]
    pub(crate) layout: Layout,
}

/// The layout of a store that the example of an official SDK has written.
#[derive(Args)]
pub(crate) struct Layout {
    /// The store was written by the example store of an official SDK, in this language.
    #[arg(long, value_name = "LANGUAGE", value_parser = PossibleValuesParser::new(["typescript", "python"]))]
    pub(crate) sdk: Option<String>,
    /// The table in Postgres, or the prefix of the keys in Redis, that the example store uses. Default: the table of the
    /// example, and no prefix.
    #[arg(long, value_name = "NAME", requires = "sdk")]
    pub(crate) named: Option<String>,
}
