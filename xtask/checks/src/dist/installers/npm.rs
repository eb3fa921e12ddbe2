//! Makes packages for npm. The package of each platform contains an executable. The user installs one more package,
//! which starts the executable for the user's platform.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use xtask::run::{Result, read};

use super::{COMMAND, LICENCES, Release, Target, copy, copy_licences, reproducible, write};

/// The script that starts the executable.
const LAUNCHER: &str = include_str!("launcher.js");

/// Makes the package with the executable of a target.
pub(super) fn of_platform(
    release: &Release<'_>,
    target: &Target,
    unpacked: &Path,
) -> Result<PathBuf> {
    let name = platform(release, target);
    let folder = unpacked.with_file_name(&name);
    let (system, architecture) = target.node;
    let mut manifest = manifest(release, &name);
    manifest["os"] = json!([system]);
    manifest["cpu"] = json!([architecture]);
    manifest["files"] = files(&["bin"]);
    // An executable cannot be started while it is inside an archive.
    manifest["preferUnplugged"] = json!(true);
    let executable = Path::new("bin").join(target.executable(COMMAND));
    copy(&unpacked.join(&executable), &folder.join(&executable))?;
    copy_licences(unpacked, &folder)?;
    pack(release, &folder, &manifest)
}

/// Makes the package that the user installs by name.
pub(super) fn main(release: &Release<'_>, targets: &[&Target], work: &Path) -> Result<PathBuf> {
    let folder = work.join(&release.name);
    let licences = targets.first().ok_or("there is no archive")?;
    copy_licences(
        &work.join(super::archive(release.version, licences)),
        &folder,
    )?;
    // This package contains only claw's own code, so it does not need the licences of other crates.
    fs::remove_file(folder.join("THIRD-PARTY.txt"))?;
    write(&folder, &[("launcher.js", &launcher(release))])?;
    pack(release, &folder, &main_manifest(release, targets))
}

pub(super) fn main_manifest(release: &Release<'_>, targets: &[&Target]) -> Value {
    let mut manifest = manifest(release, &release.name);
    let platforms: Map<_, _> = targets
        .iter()
        .map(|target| (platform(release, target), json!(release.version)))
        .collect();
    manifest["bin"] = json!({COMMAND: "launcher.js"});
    manifest["files"] = files(&["launcher.js"]);
    manifest["engines"] = json!({"node": ">=18"});
    manifest["optionalDependencies"] = platforms.into();
    manifest
}

/// Returns the script with the package name and the repository of this release inserted.
pub(super) fn launcher(release: &Release<'_>) -> String {
    LAUNCHER
        .replace("PACKAGE", &release.name)
        .replace("REPOSITORY", release.repository)
}

/// Returns the name of the package for a target.
pub(super) fn platform(release: &Release<'_>, target: &Target) -> String {
    let (system, architecture) = target.node;
    format!("{}-{system}-{architecture}", release.name)
}

fn files(names: &[&str]) -> Value {
    [names, &LICENCES].concat().into()
}

fn manifest(release: &Release<'_>, name: &str) -> Value {
    json!({
        "name": name,
        "version": release.version,
        "description": release.description,
        "license": release.license,
        "repository": {"type": "git", "url": format!("git+{}.git", release.repository)},
        "homepage": release.repository,
    })
}

fn pack(release: &Release<'_>, folder: &Path, manifest: &Value) -> Result<PathBuf> {
    let text = serde_json::to_string_pretty(manifest)? + "\n";
    write(
        folder,
        &[("package.json", &text), ("README.md", &release.readme())],
    )?;
    let to = release.folder.join("npm");
    let mut npm = reproducible(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.current_dir(folder)
        .args(["pack", "--silent", "--pack-destination"]);
    let file = read(npm.arg(&to))
        .map_err(|error| format!("{error} (npm comes with Node.js 20 or newer)"))?;
    Ok(to.join(file.trim()))
}
