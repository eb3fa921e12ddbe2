//! The project's own commands that need claw's crates, one file for each command. `cargo xtask <command>` starts them.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool: printing is what it does"
)]

use std::process::ExitCode;

use clap::Parser;
use xtask::run::Result;
use xtask::workspace::Workspace;

mod acp;
mod currency;
mod dist;
mod downstream;
mod fixtures;
mod logins;
mod options;
mod parity;
mod release;
mod schema;
mod sessions;
mod usage;

/// The project's own commands that need claw's crates.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Checks {
    /// Compare `claw acp` with the npm package claude-agent-acp, and its lines with the protocol's schema. Needs npm.
    Acp(acp::Args),
    /// Print what changed in a version of the CLI since the pinned one. Without a version: test claw with ten versions
    /// of the CLI, and print a table. Needs npm.
    Currency(currency::Args),
    /// Make archives of the `claw` command for Linux: static executables, shell completions, man pages.
    Dist(dist::Args),
    /// Generate code from the schemas in three languages, compile it, and read the fixtures with it.
    Downstream(downstream::Args),
    /// Work on the recordings in fixtures/.
    #[command(subcommand)]
    Fixtures(fixtures::Command),
    /// Run a gate of `cargo xtask ci`.
    Gate {
        /// The name of the gate.
        #[arg(value_parser = clap::builder::PossibleValuesParser::new(GATES.map(|(name, _)| name)))]
        name: String,
    },
    /// Let processes of the real CLI share one login beyond the expiry of its token, in several ways. Needs python3 and
    /// openssl.
    Logins(logins::Args),
    /// Compare what claw sends to the CLI for each option with what the official TypeScript SDK sends.
    Options(options::Args),
    /// Compare claw's types with the types that the official TypeScript package declares.
    Parity(parity::Args),
    /// Rehearse a release: packages, documentation, licences, versions. It never publishes.
    Release(release::Args),
    /// Work on the JSON Schemas in schemas/.
    #[command(subcommand)]
    Schema(schema::Command),
    /// Compare claw's results for sessions on disk with the results of the official TypeScript and Python packages.
    Sessions(sessions::Args),
    /// Compare claw's usage reports with those of ccusage, and the shipped prices with the real CLI.
    Usage(usage::Args),
}

/// A gate: its name, and its check.
type Gate = (&'static str, fn(&Workspace) -> Result);

/// The gates of `cargo xtask ci` that need claw's crates.
const GATES: [Gate; 6] = [
    ("downstream", |workspace| downstream::check(workspace, &[])),
    ("fixtures", fixtures::check),
    ("options", options::check),
    ("parity", parity::check),
    ("schemas", schema::check),
    ("sessions", sessions::check),
];

fn gate(name: &str) -> Result {
    let workspace = Workspace::read()?;
    let found = GATES.iter().find(|(gate, _)| *gate == name);
    found.map_or_else(
        || Err(format!("there is no gate {name}").into()),
        |(_, check)| check(&workspace),
    )
}

fn main() -> ExitCode {
    let done = match Checks::parse() {
        Checks::Acp(args) => acp::main(&args),
        Checks::Currency(args) => currency::main(&args),
        Checks::Dist(args) => dist::main(&args),
        Checks::Downstream(args) => downstream::main(&args),
        Checks::Fixtures(command) => fixtures::main(&command),
        Checks::Gate { name } => gate(&name),
        Checks::Logins(args) => logins::main(&args),
        Checks::Options(args) => options::main(&args),
        Checks::Parity(args) => parity::main(&args),
        Checks::Release(args) => release::main(&args),
        Checks::Schema(command) => schema::main(&command),
        Checks::Sessions(args) => sessions::main(&args),
        Checks::Usage(args) => usage::main(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
