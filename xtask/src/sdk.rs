//! The official TypeScript package, installed from npm under target/. Nothing of it is kept.

use std::path::PathBuf;

use crate::npm;
use crate::run::Result;
use crate::workspace::Workspace;

/// The version of the official package that claw's types are those of.
pub const VERSION: &str = "0.3.330";
/// Its name.
pub const PACKAGE: &str = "@anthropic-ai/claude-agent-sdk";
/// What it takes to read its declarations: the compiler, and the library that some of them are computed with.
const READERS: [&str; 2] = ["typescript@5.9.3", "zod@4.1.12"];

/// The folder that npm has installed a version of the official package in, with what reads it.
pub fn install(workspace: &Workspace, version: &str) -> Result<PathBuf> {
    let prefix = workspace.ci_directory().join(format!("parity-{version}"));
    let package = prefix.join("node_modules").join(PACKAGE);
    if !package.join("package.json").is_file() || !prefix.join("node_modules/typescript").is_dir() {
        let wanted = format!("{PACKAGE}@{version}");
        // Neither the CLI nor the other packages whose types are named: those are opaque.
        let more = ["--omit=optional", "--legacy-peer-deps"];
        npm::install(&prefix, &[READERS[0], READERS[1], &wanted], &more)?;
    }
    Ok(prefix)
}

/// The folder of the pinned version of the official package, installed if it is not there yet.
///
/// # Errors
/// When npm is missing or fails.
pub fn package(workspace: &Workspace) -> Result<PathBuf> {
    package_of(workspace, VERSION)
}

/// The folder of a version of the official package, installed if it is not there yet.
///
/// # Errors
/// As [`package`].
pub fn package_of(workspace: &Workspace, version: &str) -> Result<PathBuf> {
    Ok(install(workspace, version)?
        .join("node_modules")
        .join(PACKAGE))
}
