//! Starts the tools that are programs of their own, and are built on their first use: xtask-checks, for commands that need
//! claw's crates, conformance, for those that compare claw with other programs, and xtask-packages.

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

/// Runs a program of the project with this process' input and output. The program itself prints its error.
pub(crate) fn start(package: &str, first: &[&str], args: &Args) -> Result<ExitCode> {
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

/// Runs a gate of a tool. `programs` is the folder of the workspace's programs.
///
/// # Errors
/// Fails if the gate fails.
pub(crate) fn gate(tool: &str, args: &[&str], programs: &Path) -> Result {
    let mut tool = Command::new(programs.join(format!("{tool}{EXE_SUFFIX}")));
    run(tool.args(args).env(PROGRAMS, programs))
}
