//! The project's own commands, one file a command: `cargo xtask <command>`.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool: printing is what it does"
)]

use std::process::ExitCode;

use clap::Parser;

mod bench;
mod book;
mod ci;
mod claude;
mod dist;
mod downstream;
mod fixtures;
mod instructions;
mod markdown;
mod npm;
mod options;
mod page;
mod parity;
mod paths;
mod pictures;
mod pin;
mod release;
mod run;
mod schema;
mod sessions;
mod steps;
mod tidy;
mod toolchains;
mod workspace;

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Xtask {
    /// Measure claw beside what else there is, and print tables. For quiet machines.
    Bench(bench::Args),
    /// Build the guides as a book under target/, check its links, and print its path.
    Book,
    /// Run every gate, in order, and print what each took.
    Ci(ci::Args),
    /// Install the pinned Claude Code CLI, or the oldest that claw takes, under target/ci and print its path.
    Claude(claude::Args),
    /// Make archives of the `claw` command for Linux: static executables, shell completions, man pages.
    Dist(dist::Args),
    /// Generate code from the schemas in three languages, compile it, and let it read the fixtures.
    Downstream(downstream::Args),
    /// Work on the recordings in fixtures/.
    #[command(subcommand)]
    Fixtures(fixtures::Command),
    /// Count the instructions of the hot paths, and compare them with the accepted ones.
    Instructions(instructions::Args),
    /// Compare what claw tells the CLI for each option with what the official TypeScript SDK does.
    Options(options::Args),
    /// Test the live page of `claw serve` in Chromium, with the scripted agent and the real CLI. Needs npm and Chromium.
    Page,
    /// Compare claw's types with those that the official TypeScript package declares.
    Parity(parity::Args),
    /// Draw the pictures of the README anew: the terminal and the page. Needs Chromium.
    Pictures,
    /// Go over to another version of Claude Code: set it, record, generate, and say what is new.
    Pin(pin::Args),
    /// Rehearse a release: packages, documentation, licences, versions. It never publishes.
    Release(release::Args),
    /// Work on the JSON Schemas in schemas/.
    #[command(subcommand)]
    Schema(schema::Command),
    /// Compare what claw says of sessions on disk with what the official TypeScript and Python packages say.
    Sessions(sessions::Args),
    /// Check the invariants that no compiler holds.
    Tidy,
}

fn main() -> ExitCode {
    let done = match Xtask::parse() {
        Xtask::Bench(args) => bench::main(&args),
        Xtask::Book => book::main(),
        Xtask::Ci(args) => ci::main(&args),
        Xtask::Claude(args) => claude::main(&args),
        Xtask::Dist(args) => dist::main(&args),
        Xtask::Downstream(args) => downstream::main(&args),
        Xtask::Fixtures(command) => fixtures::main(&command),
        Xtask::Instructions(args) => instructions::main(&args),
        Xtask::Options(args) => options::main(&args),
        Xtask::Page => page::main(),
        Xtask::Parity(args) => parity::main(&args),
        Xtask::Pictures => pictures::main(),
        Xtask::Pin(args) => pin::main(&args),
        Xtask::Release(args) => release::main(&args),
        Xtask::Schema(command) => schema::main(&command),
        Xtask::Sessions(args) => sessions::main(&args),
        Xtask::Tidy => tidy::main(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
