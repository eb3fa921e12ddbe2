//! The entry of `claw acp` in the registry from which editors install agents. It consists of `agent.json` and an icon,
//! in a folder with the name of the agent.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use xtask::run::Result;

use super::targets::TARGETS;
use super::{COMMAND, archive, checksums};

/// The agent's name in the registry.
pub(super) const ID: &str = "claw";
/// The icon.
pub(super) const ICON: &str = include_str!("icon.svg");

/// The data of the entry.
pub(super) struct Release<'a> {
    pub(super) version: &'a str,
    /// The address of the project.
    pub(super) repository: &'a str,
    pub(super) license: &'a str,
}

/// Writes the entry below `folder`, which must contain the archives of all targets. Returns the folder of the entry.
///
/// # Errors
/// Fails if an archive is missing. The error names the system on which it is built.
pub(super) fn write(release: &Release<'_>, folder: &Path) -> Result<PathBuf> {
    let entry = folder.join("registry").join(ID);
    let agent = agent(release, |name| {
        let file = folder.join(name);
        checksums::of(&file).map_err(|error| format!("{}: {error}", file.display()).into())
    })?;
    fs::create_dir_all(&entry)?;
    let text = serde_json::to_string_pretty(&agent)? + "\n";
    fs::write(entry.join("agent.json"), text)?;
    fs::write(entry.join("icon.svg"), ICON)?;
    Ok(entry)
}

/// Returns the entry. `checksum` is called with the name of an archive and returns the SHA-256 of the archive.
pub(super) fn agent(
    release: &Release<'_>,
    checksum: impl Fn(&str) -> Result<String>,
) -> Result<Value> {
    let Release {
        version,
        repository,
        license,
    } = release;
    let mut binary = Map::new();
    for target in &TARGETS {
        let name = archive(version, target);
        let file = format!("{name}.tar.gz");
        let sha256 = checksum(&file)
            .map_err(|error| format!("{error} (`cargo xtask dist` makes it on {})", target.host))?;
        let cmd = format!("./{name}/bin/{}", target.executable(COMMAND));
        let address = format!("{repository}/releases/download/v{version}/{file}");
        binary.insert(
            target.platform.to_owned(),
            json!({"archive": address, "sha256": sha256, "cmd": cmd, "args": ["acp"]}),
        );
    }
    Ok(json!({
        "id": ID,
        "name": "Claude Code (claw)",
        "version": version,
        "description": "Claude Code, the one that is installed and logged in on this machine, for editors",
        "repository": repository,
        "license": license,
        "distribution": {"binary": binary},
    }))
}

#[cfg(test)]
mod tests;
