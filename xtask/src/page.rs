//! `cargo xtask page`: runs the tests of the live page of `claw serve` in Chromium.

use std::path::PathBuf;
use std::process::Command;

use xtask::run::{Result, cargo, run};
use xtask::workspace::Workspace;
use xtask::{claude, npm};

/// The packages of npm that the tests need: a driver for Chromium, and a library that checks accessibility.
const PACKAGES: [(&str, &str); 2] = [("puppeteer-core", "24.43.1"), ("axe-core", "4.14.1")];

/// The environment variable with which tests get the folder of the packages.
pub(crate) const VARIABLE: &str = "CLAW_TEST_PAGE";

pub(crate) fn main() -> Result {
    run(&mut test(&Workspace::read()?)?)
}

/// Returns the command that runs all tests.
///
/// # Errors
/// Fails if a required program cannot be installed.
pub(crate) fn test(workspace: &Workspace) -> Result<Command> {
    let mut test = cargo("test");
    test.env(VARIABLE, install(workspace)?);
    test.env(claude::VARIABLE, claude::install(workspace)?);
    test.args([
        "--package",
        "claw-server",
        "--features",
        "notify,highlight",
        "--test",
        "page",
    ]);
    Ok(test)
}

/// Returns the folder of the packages. Installs them from npm if they are not installed.
///
/// # Errors
/// Fails if npm is missing or fails.
pub(crate) fn install(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.ci_directory().join("page");
    let is_there = |(name, version): &(&str, &str)| {
        let manifest = folder.join("node_modules").join(name).join("package.json");
        let manifest = std::fs::read_to_string(manifest).unwrap_or_default();
        manifest.contains(&format!("\"version\": \"{version}\""))
    };
    if !PACKAGES.iter().all(is_there) {
        let packages = PACKAGES.map(|(name, version)| format!("{name}@{version}"));
        npm::install(&folder, &[&packages[0], &packages[1]], &[])?;
    }
    Ok(folder)
}
