//! A program that uses claw in the same way as a user of the rehearsed release.

use std::fs;
use std::path::Path;

use super::plan::Plan;
use xtask::run::Result;

/// The name of the program.
pub(super) const HELLO: &str = "hello";
const PROGRAM: &str = include_str!("../../../src/bench/build/claw.rs");
/// The crate that the program uses.
const USED: &str = "claw-client";

/// Writes the program. The text `more` is appended to its manifest.
pub(super) fn write(plan: &Plan, folder: &Path, more: &str) -> Result {
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), manifest(plan)? + more)?;
    fs::write(folder.join("src/main.rs"), PROGRAM)?;
    Ok(())
}

/// Returns the manifest of the program.
pub(super) fn manifest(plan: &Plan) -> Result<String> {
    let used = plan.named(USED).ok_or("claw-client is not published")?;
    let (name, version) = (&used.published, &plan.version);
    Ok(format!(
        "[package]\nname = \"{HELLO}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n{name} = \"={version}\"\nfutures = \"0.3\"\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }}\n"
    ))
}
