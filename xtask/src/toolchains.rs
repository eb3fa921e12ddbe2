//! Installs Rust's toolchains and targets with rustup.

use std::path::Path;
use std::process::Command;

use crate::run::{Result, read, run};

/// The toolchain with which docs.rs builds documentation.
pub const NIGHTLY: &str = "nightly";

/// Returns the command of a toolchain's cargo.
pub fn cargo(toolchain: &str) -> Command {
    // This must be rustup's cargo, because only that cargo accepts the name of a toolchain. The cargo that runs this
    // program may be another one.
    let mut cargo = Command::new("cargo");
    cargo.arg(format!("+{toolchain}"));
    cargo
}

/// Installs a toolchain if it is not installed.
///
/// # Errors
/// Fails if rustup fails.
pub fn install(toolchain: &str) -> Result {
    if read(cargo(toolchain).arg("--version")).is_ok() {
        return Ok(());
    }
    let mut install = Command::new("rustup");
    install.args(["toolchain", "install", toolchain, "--profile", "minimal"]);
    run(&mut install)
}

/// Adds a component to the toolchain that runs this program if it is not installed.
///
/// # Errors
/// Fails if rustup fails.
pub fn add_component(name: &str) -> Result {
    // The component `rustfmt` provides the subcommand `fmt`.
    let command = name.trim_start_matches("rust");
    if read(crate::run::cargo(command).arg("--version")).is_ok() {
        return Ok(());
    }
    run(Command::new("rustup").args(["component", "add", name]))
}

/// Adds the standard library of a target if it is not installed.
///
/// # Errors
/// Fails if rustup fails.
pub fn add_target(target: &str) -> Result {
    let libdir = read(Command::new("rustc").args(["--print=target-libdir", "--target", target]))?;
    if Path::new(libdir.trim()).is_dir() {
        return Ok(());
    }
    run(Command::new("rustup").args(["target", "add", target]))
}
