//! Builds programs of the workspace when a command needs them.

use std::env;
use std::path::PathBuf;

use serde_json::Value;

use crate::run::{Result, cargo, read};

/// Builds a program of the workspace, and returns its path. If the variable `CLAW_TEST_PROGRAMS` is set, nothing is
/// built. The program is then in the folder that the variable names, and has all features.
///
/// # Errors
/// Fails if the program cannot be built.
pub fn program(package: &str, program: &str, more: &[&str]) -> Result<PathBuf> {
    if let Some(folder) = env::var_os("CLAW_TEST_PROGRAMS") {
        return Ok(PathBuf::from(folder).join(format!("{program}{}", env::consts::EXE_SUFFIX)));
    }
    let mut build = cargo("build");
    build
        .args(["--quiet", "--package", package, "--bin", program])
        .args(more)
        .arg("--message-format=json-render-diagnostics");
    let text = read(&mut build)?;
    let messages = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut of_program = messages.filter(|message| message["target"]["name"] == program);
    let path = of_program.find_map(|message| message["executable"].as_str().map(PathBuf::from));
    path.ok_or_else(|| format!("cargo named no executable for {program}").into())
}
