//! `cargo xtask restate`: Restate's server, for the tests of claw-restate.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::npm;
use crate::run::Result;
use crate::workspace::Workspace;

/// The environment variable in which tests find its path.
pub const VARIABLE: &str = "CLAW_TEST_RESTATE";

/// The version that the tests run with.
const VERSION: &str = "1.7.12";

/// Installs it, prints its path.
pub fn main() -> Result {
    println!("{}", install(&Workspace::read()?)?.display());
    Ok(())
}

/// Returns the path of the server, installed from npm if it is not there yet.
///
/// # Errors
/// When npm is missing or fails, or has no server for this platform.
pub fn install(workspace: &Workspace) -> Result<PathBuf> {
    let prefix = workspace.ci_directory().join(format!("restate-{VERSION}"));
    if let Some(found) = installed(&prefix) {
        return Ok(found);
    }
    npm::install(
        &prefix,
        &[&format!("@restatedev/restate-server@{VERSION}")],
        &[],
    )?;
    installed(&prefix).ok_or_else(|| {
        let folder = prefix.display();
        format!("npm succeeded, but no Restate server for this platform is in {folder}").into()
    })
}

/// The executable among the platform packages below `prefix`.
fn installed(prefix: &Path) -> Option<PathBuf> {
    let packages = fs::read_dir(prefix.join("node_modules/@restatedev")).ok()?;
    let name = format!("bin/restate-server{}", env::consts::EXE_SUFFIX);
    let mut found = packages.flatten().map(|package| package.path().join(&name));
    found.find(|path| path.is_file())
}
