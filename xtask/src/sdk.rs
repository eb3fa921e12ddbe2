//! Installs the official TypeScript package from npm under target/. The project contains no part of it.

use std::path::PathBuf;

use crate::npm;
use crate::run::Result;
use crate::workspace::Workspace;

/// The version of the official package to which claw's types correspond.
pub const VERSION: &str = "0.3.332";
/// The name of the package.
pub const PACKAGE: &str = "@anthropic-ai/claude-agent-sdk";
/// The packages that are needed to read the declarations: the compiler, and the library from which some declarations
/// are computed.
const READERS: [&str; 2] = ["typescript@5.9.3", "zod@4.1.12"];

/// Returns the version of the official package that belongs to a CLI. Their last numbers are the same.
///
/// # Errors
/// Fails if the text is not a version of the CLI.
pub fn of_cli(cli: &str) -> Result<String> {
    match cli.split('.').collect::<Vec<_>>()[..] {
        [_, _, last] if last.parse::<u32>().is_ok() => Ok(format!("0.3.{last}")),
        _ => Err(format!("{cli} is no version of the CLI, such as 2.1.330").into()),
    }
}

/// Returns the folder into which npm has installed a version of the official package and the packages that read it.
pub fn install(workspace: &Workspace, version: &str) -> Result<PathBuf> {
    let prefix = workspace.ci_directory().join(format!("parity-{version}"));
    let package = prefix.join("node_modules").join(PACKAGE);
    if !package.join("package.json").is_file() || !prefix.join("node_modules/typescript").is_dir() {
        let versioned = format!("{PACKAGE}@{version}");
        // This command installs neither the CLI nor the other packages whose types are used. Those types are treated as
        // opaque.
        let more = ["--omit=optional", "--legacy-peer-deps"];
        npm::install(&prefix, &[READERS[0], READERS[1], &versioned], &more)?;
    }
    Ok(prefix)
}

/// Returns the folder of the pinned version of the official package. Installs it if it is not installed.
///
/// # Errors
/// Fails if npm is missing or fails.
pub fn package(workspace: &Workspace) -> Result<PathBuf> {
    package_of(workspace, VERSION)
}

/// Returns the folder of a version of the official package. Installs it if it is not installed.
///
/// # Errors
/// Fails with the same errors as [`package`].
pub fn package_of(workspace: &Workspace, version: &str) -> Result<PathBuf> {
    Ok(install(workspace, version)?
        .join("node_modules")
        .join(PACKAGE))
}
