//! Makes wheels for pip, one for each platform. A wheel contains the executable as a script.

use std::fs;
use std::path::{Path, PathBuf};

use xtask::python;
use xtask::run::{Result, run};
use xtask::workspace::Workspace;

use super::{COMMAND, LICENCES, Release, Target, copy, copy_licences, reproducible, write};

/// The package of Python that packs wheels.
const TOOL: &str = "wheel==0.47.0";

/// Returns a Python interpreter that can pack wheels. Its environment is installed below the target folder.
pub(super) fn python(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.ci_directory().join("wheel");
    Ok(python::install(&folder, TOOL, [TOOL])?.join("python"))
}

/// Makes the wheel of a target.
pub(super) fn make(
    release: &Release<'_>,
    target: &Target,
    unpacked: &Path,
    python: &Path,
) -> Result<PathBuf> {
    let stem = format!("{}-{}", release.name.replace('-', "_"), release.version);
    let folder = unpacked.with_file_name(&stem);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let executable = target.executable(COMMAND);
    let script = folder
        .join(format!("{stem}.data/scripts"))
        .join(&executable);
    copy(&unpacked.join("bin").join(&executable), &script)?;
    let info = folder.join(format!("{stem}.dist-info"));
    copy_licences(unpacked, &info.join("licenses"))?;
    write(
        &info,
        &[("METADATA", &metadata(release)), ("WHEEL", &tags(target))],
    )?;
    let to = release.folder.join("wheels");
    let mut pack = reproducible(python);
    run(pack
        .args(["-m", "wheel", "pack", "--dest-dir"])
        .arg(&to)
        .arg(&folder))?;
    Ok(to.join(format!("{stem}-py3-none-{}.whl", target.wheel)))
}

pub(super) fn metadata(release: &Release<'_>) -> String {
    let Release {
        name,
        version,
        description,
        license,
        repository,
        ..
    } = release;
    let licences = LICENCES
        .map(|file| format!("License-File: {file}\n"))
        .concat();
    format!(
        "Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nSummary: {description}\nLicense-Expression: {license}\n{licences}\
         Project-URL: Repository, {repository}\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{}",
        release.readme()
    )
}

pub(super) fn tags(target: &Target) -> String {
    let tags: String = target
        .wheel
        .split('.')
        .fold(String::new(), |tags, platform| {
            tags + &format!("Tag: py3-none-{platform}\n")
        });
    format!("Wheel-Version: 1.0\nGenerator: claw\nRoot-Is-Purelib: false\n{tags}")
}
