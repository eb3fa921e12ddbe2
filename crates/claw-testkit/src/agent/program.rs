//! Where the agent's program is.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
};

use serde_json::Value;

static BUILT: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Builds the program `scripted-agent`, once a process, and gives its path.
///
/// For tests inside claw's workspace: it runs `cargo build`, which is quick where the program is
/// built already. It blocks.
///
/// # Errors
/// When cargo can't be run or the build fails; cargo's own words are on standard error.
pub fn program() -> io::Result<PathBuf> {
    // A lock whose holder panicked holds nothing worse than "not built".
    let mut built = BUILT
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(path) = &*built {
        return Ok(path.clone());
    }
    let path = build()?;
    *built = Some(path.clone());
    Ok(path)
}

fn build() -> io::Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = Command::new(cargo)
        .args([
            "build",
            "--quiet",
            "--package=claw-testkit",
            "--bin=scripted-agent",
        ])
        .args(["--message-format=json", "--manifest-path"])
        .arg(manifest)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!(
            "building scripted-agent: {}",
            output.status
        )));
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "scripted-agent")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| io::Error::other("cargo named no executable for scripted-agent"))
}
