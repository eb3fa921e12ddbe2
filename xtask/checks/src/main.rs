//! The project's own commands that need claw's crates, one file for each command. `cargo xtask <command>` starts them.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    reason = "a command line tool: printing is what it does"
)]

use std::process::ExitCode;

use clap::Parser;
use xtask::gates::Gate;
use xtask::run::Result;
use xtask_recordings::fixtures;

mod dist;
mod release;
mod schema;

/// The project's own commands that need claw's crates.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Checks {
    /// Make archives of the `claw` command for Linux: static executables, shell completions, man pages.
    Dist(dist::Args),
    /// Work on the recordings in fixtures/.
    #[command(subcommand)]
    Fixtures(fixtures::Command),
    /// Run a gate of `cargo xtask ci`.
    Gate {
        /// The name of the gate.
        name: String,
    },
    /// Rehearse a release: packages, documentation, licences, versions. It never publishes.
    Release(release::Args),
    /// Work on the JSON Schemas in schemas/.
    #[command(subcommand)]
    Schema(schema::Command),
}

/// The gates of `cargo xtask ci` that need claw's crates.
const GATES: [Gate; 2] = [("fixtures", fixtures::check), ("schemas", schema::check)];

fn run(command: &Checks) -> Result {
    match command {
        Checks::Dist(args) => dist::main(args),
        Checks::Fixtures(command) => fixtures::main(command),
        Checks::Gate { name } => xtask::gates::run(&GATES, name),
        Checks::Release(args) => release::main(args),
        Checks::Schema(command) => schema::main(command),
    }
}

fn main() -> ExitCode {
    xtask::run::ended(run(&Checks::parse()).map(|()| ExitCode::SUCCESS))
}
