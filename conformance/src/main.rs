//! The commands that compare claw with other programs, SDKs and versions of the CLI, one file for each command.
//! `cargo xtask <command>` starts them.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool: printing is what it does"
)]

use std::process::ExitCode;

use clap::Parser;
use xtask::gates::Gate;
use xtask::run::Result;

mod acp;
mod currency;
mod downstream;
mod logins;
mod options;
mod parity;
mod sessions;
mod suite;
mod usage;

/// The commands that compare claw with other programs, SDKs and versions of the CLI.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Conformance {
    /// Compare `claw acp` with the npm package claude-agent-acp, and its lines with the protocol's schema. Needs npm.
    Acp(acp::Args),
    /// Test SDKs with the conformance suite, print a table, and compare with the known failures. Needs npm and python3.
    Conform(suite::Args),
    /// Print what changed in a version of the CLI since the pinned one. Without a version: test claw with ten versions
    /// of the CLI, and print a table. Needs npm.
    Currency(currency::Args),
    /// Generate code from the schemas in three languages, compile it, and read the fixtures with it.
    Downstream(downstream::Args),
    /// Run a gate of `cargo xtask ci`.
    Gate {
        /// The name of the gate.
        name: String,
    },
    /// Let processes of the real CLI share one login beyond the expiry of its token, in several ways. Needs python3 and
    /// openssl.
    Logins(logins::Args),
    /// Compare what claw sends to the CLI for each option with what the official TypeScript SDK sends.
    Options(options::Args),
    /// Compare claw's types with the types that the official TypeScript package declares.
    Parity(parity::Args),
    /// Compare claw's results for sessions on disk with the results of the official TypeScript and Python packages.
    Sessions(sessions::Args),
    /// Compare claw's usage reports with those of ccusage, and the shipped prices with the real CLI.
    Usage(usage::Args),
}

/// The gates of `cargo xtask ci` that compare claw with other programs.
const GATES: [Gate; 4] = [
    ("downstream", |workspace| downstream::check(workspace, &[])),
    ("options", options::check),
    ("parity", parity::check),
    ("sessions", sessions::check),
];

fn run(command: &Conformance) -> Result {
    match command {
        Conformance::Acp(args) => acp::main(args),
        Conformance::Conform(args) => suite::main(args),
        Conformance::Currency(args) => currency::main(args),
        Conformance::Downstream(args) => downstream::main(args),
        Conformance::Gate { name } => xtask::gates::run(&GATES, name),
        Conformance::Logins(args) => logins::main(args),
        Conformance::Options(args) => options::main(args),
        Conformance::Parity(args) => parity::main(args),
        Conformance::Sessions(args) => sessions::main(args),
        Conformance::Usage(args) => usage::main(args),
    }
}

fn main() -> ExitCode {
    xtask::run::ended(run(&Conformance::parse()).map(|()| ExitCode::SUCCESS))
}
