//! The path of the agent's program.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
};

use serde_json::Value;

static BUILT: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Builds the program `scripted-agent` and returns its path. The build runs only once in each process.
///
/// This function is meant for the tests of claw's own workspace. It runs `cargo build`, which is quick if the program
/// is already built, and blocks meanwhile.
///
/// # Errors
/// Fails if cargo cannot be run or the build fails. Cargo writes its own messages to standard error.
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
