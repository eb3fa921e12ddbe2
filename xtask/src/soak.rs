//! `cargo xtask soak`: runs claw's hosts for a long time. No resource may grow, and nothing may be
//! lost or left behind.
//!
//! The program that does this is built in `bench/soak`, a package of the separate workspace `bench`.

use std::ffi::OsString;
use std::process::Command;

use xtask::claude;
use xtask::run::{Result, cargo, run};
use xtask::workspace::Workspace;

/// The command line of `cargo xtask soak`. The program describes its arguments.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    args: Vec<OsString>,
}

/// Builds the program and `claw`, and runs the program.
pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    // The build uses a separate folder, because another build must not replace a program that runs for hours.
    let target = workspace.ci_directory().join("soak");
    let mut soak = cargo("build");
    soak.arg("--manifest-path");
    soak.arg(workspace.root.join("bench/Cargo.toml"));
    run(soak
        .args(["--package", "claw-soak", "--target-dir"])
        .arg(&target))?;
    let mut claw = cargo("build");
    claw.args(["--package", "claw-cli", "--features", "full"]);
    run(claw.arg("--target-dir").arg(&target))?;
    let mut soak = Command::new(target.join("debug/claw-soak"));
    soak.env(claude::VARIABLE, claude::install(&workspace)?);
    soak.env("CLAW_SOAK_CLAW", target.join("debug/claw"));
    run(soak.args(&args.args))
}
