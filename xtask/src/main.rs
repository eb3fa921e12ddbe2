//! The project's own commands, one file for each command: `cargo xtask <command>`.
#![forbid(unsafe_code)]
#![expect(
    clippy::print_stdout,
    reason = "a command line tool: printing is what it does"
)]

use std::process::ExitCode;

use clap::Parser;
use xtask::run::ended;
use xtask::{claude, restate};

mod bench;
mod book;
mod checks;
mod ci;
mod deploy;
mod instructions;
mod kills;
mod many;
mod markdown;
mod page;
mod pictures;
mod pin;
mod platforms;
mod soak;
mod tidy;
mod upgrade;

/// The project's own commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Xtask {
    /// Run the tests on 64-bit ARM, with qemu.
    Aarch64(platforms::Args),
    /// Compare `claw acp` with the npm package claude-agent-acp, and its lines with the protocol's schema. Needs npm.
    Acp(checks::Args),
    /// Compare claw with other programs, and print tables. Needs an idle machine.
    Bench(bench::Args),
    /// Build the guides as a book under target/, check its links, and print its path.
    Book,
    /// Run the gates that a change can break, or all gates with --all, and print the time of each.
    Ci(ci::Args),
    /// Install the pinned Claude Code CLI, or the oldest that claw supports, under target/ci and print its path.
    Claude(claude::Args),
    /// Test SDKs with the conformance suite, print a table, and compare with the known failures. Needs npm and python3.
    Conform(checks::Args),
    /// Print what changed in a version of the CLI since the pinned one. Without a version: test claw with ten versions
    /// of the CLI between the oldest that it supports and the newest, and print a table. Needs npm.
    Currency(checks::Args),
    /// Make archives of the `claw` command for Linux: static executables, shell completions, man pages.
    Dist(checks::Args),
    /// Generate code from the schemas in three languages, compile it, and read the fixtures with it.
    Downstream(checks::Args),
    /// Work on the recordings in fixtures/.
    Fixtures(checks::Args),
    /// Count the instructions of the hot paths, and compare them with the accepted ones.
    Instructions(instructions::Args),
    /// End `claw serve` at random moments, with the real CLI, and check that every accepted prompt is still there.
    Kills(kills::Args),
    /// Run the tests as static programs with musl.
    Musl(platforms::Args),
    /// Let processes of the real CLI share one login beyond the expiry of its token, in several ways. Needs python3 and
    /// openssl.
    Logins(checks::Args),
    /// Run several hosts of `claw serve` with one store: kills, faults, many sessions. Prints the figures.
    Many(many::Args),
    /// Compare what claw sends to the CLI for each option with what the official TypeScript SDK sends.
    Options(checks::Args),
    /// Generate packages for Go, Ruby, Elixir, Kotlin and Swift from the schemas, compile them, and read the fixtures with them.
    Packages(checks::Args),
    /// Test the live page of `claw serve` in Chromium, with the scripted agent and the real CLI. Needs npm and Chromium.
    Page,
    /// Compare claw's types with the types that the official TypeScript package declares.
    Parity(checks::Args),
    /// Draw the pictures of the README again: the terminal and the page. Needs Chromium.
    Pictures,
    /// Update to another version of Claude Code: set it, record, generate, and report what is new.
    Pin(pin::Args),
    /// Rehearse a release: packages, documentation, licences, versions. It never publishes.
    Release(checks::Args),
    /// Install Restate's server under target/ci and print its path, or run the long tests with it. Needs npm.
    Restate(restate::Args),
    /// Work on the JSON Schemas in schemas/.
    Schema(checks::Args),
    /// Compare claw's results for sessions on disk with the results of the official TypeScript and Python packages.
    Sessions(checks::Args),
    /// Run sessions, a pool and servers for hours, with kills and outages, and fail if anything grows, is lost or stays.
    Soak(soak::Args),
    /// Check the invariants that no compiler checks.
    Tidy,
    /// Replace hosts of `claw serve` of an earlier commit by hosts of this tree while prompts run, on Postgres and Redis.
    Upgrade(upgrade::Args),
    /// Compare claw's usage reports with those of ccusage, and the shipped prices with the real CLI. Needs npm.
    Usage(checks::Args),
    /// Run the tests on Windows, with wine.
    Windows(platforms::Args),
}

fn main() -> ExitCode {
    let done = match Xtask::parse() {
        Xtask::Aarch64(args) => platforms::main(&platforms::AARCH64, &args),
        Xtask::Acp(args) => return compare("acp", &args),
        Xtask::Bench(args) => bench::main(&args),
        Xtask::Book => book::main(),
        Xtask::Ci(args) => ci::main(&args),
        Xtask::Claude(args) => claude::main(&args),
        Xtask::Conform(args) => return compare("conform", &args),
        Xtask::Currency(args) => return compare("currency", &args),
        Xtask::Dist(args) => return forward("dist", &args),
        Xtask::Downstream(args) => return compare("downstream", &args),
        Xtask::Fixtures(args) => return forward("fixtures", &args),
        Xtask::Instructions(args) => instructions::main(&args),
        Xtask::Kills(args) => kills::main(&args),
        Xtask::Musl(args) => platforms::main(&platforms::MUSL, &args),
        Xtask::Logins(args) => return compare("logins", &args),
        Xtask::Many(args) => many::main(&args),
        Xtask::Options(args) => return compare("options", &args),
        Xtask::Packages(args) => return ended(checks::start("xtask-packages", &[], &args)),
        Xtask::Page => page::main(),
        Xtask::Parity(args) => return compare("parity", &args),
        Xtask::Pictures => pictures::main(),
        Xtask::Pin(args) => pin::main(&args),
        Xtask::Release(args) => return forward("release", &args),
        Xtask::Restate(args) => restate::main(&args),
        Xtask::Schema(args) => return forward("schema", &args),
        Xtask::Sessions(args) => return compare("sessions", &args),
        Xtask::Soak(args) => soak::main(&args),
        Xtask::Tidy => tidy::main(),
        Xtask::Upgrade(args) => upgrade::main(&args),
        Xtask::Usage(args) => return compare("usage", &args),
        Xtask::Windows(args) => platforms::main(&platforms::WINDOWS, &args),
    };
    ended(done.map(|()| ExitCode::SUCCESS))
}

/// Runs a command of xtask-checks.
fn forward(command: &str, args: &checks::Args) -> ExitCode {
    ended(checks::start("xtask-checks", &[command], args))
}

/// Runs a command that compares claw with other programs.
fn compare(command: &str, args: &checks::Args) -> ExitCode {
    ended(checks::start("conformance", &[command], args))
}
