//! Starts the tools that are separate programs, which are built when they are first used. xtask-checks runs the
//! commands that need claw's crates. conformance compares claw with other programs. xtask-packages generates packages
//! for other languages.

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

/// Runs a program of the project with this process's input and output. The program prints its errors itself.
pub(crate) fn start(package: &str, first: &[&str], args: &Args) -> Result<ExitCode> {
    // Cargo prints the names of the crates that it compiles to stderr. After a change of claw's types, this takes
    // minutes.
    let mut tool = cargo("run");
    tool.args(["--package", package, "--"]);
    let status = tool.args(first).args(&args.args).status()?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The variable with the folder of the workspace's programs. If it is set, tests and checks build no programs.
pub(crate) const PROGRAMS: &str = "CLAW_TEST_PROGRAMS";

/// Runs a gate of a tool. `programs` is the folder of the workspace's programs.
///
/// # Errors
/// Fails if the gate fails.
pub(crate) fn gate(tool: &str, args: &[&str], programs: &Path) -> Result {
    let mut tool = Command::new(programs.join(format!("{tool}{EXE_SUFFIX}")));
    run(tool.args(args).env(PROGRAMS, programs))
}
