//! `cargo xtask claude`: installs the pinned Claude Code CLI for the tests that use the real CLI, or the oldest CLI
//! that claw supports.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::npm;
use crate::run::Result;
use crate::workspace::Workspace;

/// The environment variable from which tests read the path of the CLI.
pub const VARIABLE: &str = "CLAW_TEST_CLAUDE";

/// The command line of `cargo xtask claude`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Not the pinned version, but the oldest that claw supports.
    #[arg(long)]
    oldest: bool,
}

/// Installs the CLI and prints its path.
pub fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let path = if args.oldest {
        install_oldest(&workspace)?
    } else {
        install(&workspace)?
    };
    println!("{}", path.display());
    Ok(())
}

/// Returns the path of the pinned CLI. Installs it from npm if it is not installed.
///
/// # Errors
/// Fails if npm is missing or fails, or if the installed version is not the pinned one.
pub fn install(workspace: &Workspace) -> Result<PathBuf> {
    let version = version(workspace)?;
    install_version(&workspace.ci_directory().join("npm"), &version)
}

/// Returns the version of the CLI with which tests run and fixtures are recorded. claw-types contains this version.
///
/// # Errors
/// Fails if claw-types contains no version.
pub fn version(workspace: &Workspace) -> Result<String> {
    workspace.constant("crates/claw-types/src/lib.rs", "CLI_VERSION")
}

/// Returns the path of the oldest CLI that claw supports. Installs it from npm if it is not installed.
///
/// # Errors
/// Fails with the same errors as [`install`].
pub fn install_oldest(workspace: &Workspace) -> Result<PathBuf> {
    let version = workspace.constant("crates/claw-client/src/outcome/version.rs", "OLDEST_CLI")?;
    install_version(&workspace.ci_directory().join("npm-oldest"), &version)
}

/// Returns the path of the pinned CLI for another platform. `package` is the npm package of that platform, such as
/// `claude-code-win32-x64`. Installs it if it is not installed. This machine need not be able to run it.
///
/// # Errors
/// Fails if npm is missing or fails.
pub fn install_package(workspace: &Workspace, package: &str) -> Result<PathBuf> {
    let version = version(workspace)?;
    let prefix = workspace
        .ci_directory()
        .join(format!("npm-{package}-{version}"));
    let folder = prefix.join("node_modules/@anthropic-ai").join(package);
    let there = || {
        let names = ["claude", "claude.exe"].map(|name| folder.join(name));
        names.into_iter().find(|path| path.is_file())
    };
    if let Some(found) = there() {
        return Ok(found);
    }
    // The option `--force` is needed because the package requires another system.
    let package_version = format!("@anthropic-ai/{package}@{version}");
    npm::install(&prefix, &[&package_version], &["--force"])?;
    there().ok_or_else(|| format!("npm succeeded, but no claude is in {}", folder.display()).into())
}

/// Returns the path of a version of the CLI. Installs it from npm into a folder if it is not installed.
///
/// # Errors
/// Fails with the same errors as [`install`].
pub fn install_version(prefix: &Path, version: &str) -> Result<PathBuf> {
    if let Some(found) = installed(prefix, version) {
        return Ok(found);
    }
    // npm also installs the package for this platform, which contains the executable.
    npm::install(
        prefix,
        &[&format!("@anthropic-ai/claude-code@{version}")],
        &[],
    )?;
    installed(prefix, version).ok_or_else(|| {
        format!(
            "npm succeeded, but no claude {version} for this platform is in {}",
            prefix.display()
        )
        .into()
    })
}

/// Returns the folder into which a version other than the pinned one is installed. Each version has a separate folder.
pub fn prefix_of(workspace: &Workspace, version: &str) -> PathBuf {
    workspace.ci_directory().join("currency").join(version)
}

/// Returns the executable of this version. It is in one of the platform packages below `prefix`.
fn installed(prefix: &Path, version: &str) -> Option<PathBuf> {
    let packages = fs::read_dir(prefix.join("node_modules/@anthropic-ai")).ok()?;
    packages
        .flatten()
        .filter(|package| {
            package
                .file_name()
                .to_string_lossy()
                .starts_with("claude-code-")
        })
        .map(|package| {
            package
                .path()
                .join(format!("claude{}", env::consts::EXE_SUFFIX))
        })
        .filter(|executable| executable.is_file())
        .find(|executable| version_of(executable, prefix).as_deref() == Some(version))
}

/// Returns the output of `claude --version`, run with a separate home. Returns `None` if the program does not run
/// here.
fn version_of(executable: &Path, home: &Path) -> Option<String> {
    let output = Command::new(executable)
        .arg("--version")
        .env("HOME", home)
        .env("DISABLE_AUTOUPDATER", "1")
        .env("DISABLE_TELEMETRY", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split_whitespace().next().map(str::to_owned)
}
