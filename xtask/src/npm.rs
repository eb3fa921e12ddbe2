//! Installs packages of npm under target/.

use std::path::Path;
use std::process::Command;

use crate::run::{Result, read, run};

/// Installs packages into a folder, without running their scripts.
///
/// # Errors
/// Fails if npm is missing or fails.
pub fn install(prefix: &Path, packages: &[&str], more: &[&str]) -> Result {
    std::fs::create_dir_all(prefix)?;
    let mut npm = npm();
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]);
    npm.arg("--loglevel=error").args(more);
    npm.arg("--prefix").arg(prefix).args(packages);
    // npm's output goes to stderr. Commands that print a path or a table must print nothing else to stdout.
    npm.stdout(std::io::stderr());
    run(&mut npm).map_err(|error| format!("{error} (npm comes with Node.js 20 or newer)").into())
}

/// Returns the published versions of a package, in the order of their publication.
///
/// # Errors
/// Fails if npm is missing or fails, or if the package has only one version.
pub fn versions(package: &str) -> Result<Vec<String>> {
    let listed = read(npm().args(["view", package, "versions", "--json"]))?;
    Ok(serde_json::from_str(&listed)?)
}

fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}
