//! The paths of the testkit's programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{env, io};

use serde_json::Value;

static BUILT: Mutex<BTreeMap<String, PathBuf>> = Mutex::new(BTreeMap::new());

/// Builds a program of the testkit and returns its path. The build runs only once in each process.
pub(crate) fn program(name: &str) -> io::Result<PathBuf> {
    if let Some(folder) = env::var_os("CLAW_TEST_PROGRAMS") {
        let file = format!("{name}{}", env::consts::EXE_SUFFIX);
        return Ok(Path::new(&folder).join(file));
    }
    // If another thread has panicked while it held the lock, at most the path of its program is missing from the map.
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = built.get(name) {
        return Ok(path.clone());
    }
    let path = build(name)?;
    built.insert(name.to_owned(), path.clone());
    Ok(path)
}

fn build(name: &str) -> io::Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--package=claw-testkit"])
        .arg(format!("--bin={name}"))
        .args(["--message-format=json", "--manifest-path"])
        .arg(manifest)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        let text = format!("building {name}: {}", output.status);
        return Err(io::Error::other(text));
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| io::Error::other(format!("cargo named no executable for {name}")))
}
