//! Starts the tools that are programs of their own, and are built on their first use: xtask-checks, for commands that need
//! claw's crates, and xtask-packages.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};

use xtask::run::{Result, cargo, run};

/// The arguments of a tool's command. The tool describes them in its help.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    args: Vec<OsString>,
}

/// Runs a command of xtask-checks with this process' input and output. The command itself prints its error.
pub(crate) fn main(command: &str, args: &Args) -> Result<ExitCode> {
    start("xtask-checks", &[command], args)
}

/// Runs xtask-packages with this process' input and output. It prints its error itself.
pub(crate) fn packages(args: &Args) -> Result<ExitCode> {
    start("xtask-packages", &[], args)
}

fn start(package: &str, first: &[&str], args: &Args) -> Result<ExitCode> {
    // Cargo prints to stderr what it compiles, which takes minutes after a change of claw's types.
    let mut tool = cargo("run");
    tool.args(["--package", package, "--"]);
    let status = tool.args(first).args(&args.args).status()?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The variable with the folder of the workspace's programs. If it is set, tests and checks build no program.
pub(crate) const PROGRAMS: &str = "CLAW_TEST_PROGRAMS";

/// Runs the gate of this name. `programs` is the folder of the workspace's programs.
///
/// # Errors
/// Fails if the gate fails.
pub(crate) fn gate(name: &str, programs: &Path) -> Result {
    let mut tool = Command::new(programs.join(format!("xtask-checks{EXE_SUFFIX}")));
    run(tool.args(["gate", name]).env(PROGRAMS, programs))
}

/// Runs the gate `packages`: the packages of all languages.
///
/// # Errors
/// Fails if the gate fails.
pub(crate) fn gate_of_packages(programs: &Path) -> Result {
    let tool = programs.join(format!("xtask-packages{EXE_SUFFIX}"));
    run(Command::new(tool).env(PROGRAMS, programs))
}
