//! Packages of npm, installed under target/.

use std::path::Path;
use std::process::Command;

use crate::run::{Result, run};

/// Installs packages into a folder, and runs nothing of theirs.
///
/// # Errors
/// When npm is missing or fails.
pub fn install(prefix: &Path, packages: &[&str], more: &[&str]) -> Result {
    std::fs::create_dir_all(prefix)?;
    let mut npm = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]);
    npm.arg("--loglevel=error").args(more);
    npm.arg("--prefix").arg(prefix).args(packages);
    // What prints a path, or a table, prints nothing else on stdout.
    npm.stdout(std::io::stderr());
    run(&mut npm).map_err(|error| format!("{error} (npm comes with Node.js 20 or newer)").into())
}
