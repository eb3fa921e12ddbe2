//! The command line of `claw conform`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args)]
pub(crate) struct Conform {
    /// The command that starts the testee: a program, and its arguments.
    #[arg(last = true, required_unless_present = "list", value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// Play only the cases up to this level: 1 (one prompt), 2 (sessions and permissions), 3 (hooks, MCP servers and
    /// control requests) or 4 (faults).
    #[arg(long, default_value_t = 4, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub(crate) level: u8,
    /// Play only the cases whose names begin with this text. May be given several times.
    #[arg(long = "case", value_name = "NAME")]
    pub(crate) cases: Vec<String>,
    /// A file with the names of cases that are known to fail, one on each line; `#` begins a comment. Such a failure is
    /// no error, but its success is.
    #[arg(long, value_name = "FILE")]
    pub(crate) known: Option<PathBuf>,
    /// The number of cases that are played at the same time.
    #[arg(long, default_value_t = 4, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) jobs: u8,
    /// Print each case and its outcome as a line of JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the outcomes to a file, as the XML that `JUnit` writes.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Print the cases with their levels and rules, and play none. With --json, whole.
    #[arg(long, conflicts_with = "junit")]
    pub(crate) list: bool,
}
