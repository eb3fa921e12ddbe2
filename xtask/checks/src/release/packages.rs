//! Creates the packages, and unpacks them again.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::hello::{self, HELLO};
use super::plan::{Plan, Planned};
use xtask::run::{Result, cargo, run};

/// Creates the packages, in order of the dependencies. Each package is built from its own contents. If it depends on
/// another crate of the project, cargo uses the package of that crate, which was created before.
pub(super) fn pack(stage: &Path, target: &Path) -> Result {
    let made = target.join("package");
    if made.exists() {
        fs::remove_dir_all(made)?;
    }
    let mut package = cargo("package");
    // The manifests were edited, so the staged files differ from the commit.
    package.args(["--workspace", "--allow-dirty"]);
    package.current_dir(stage).env("CARGO_TARGET_DIR", target);
    // Incremental state is useless, because each package is built only once, and would need gigabytes.
    package.env("CARGO_INCREMENTAL", "0");
    run(&mut package)
}

/// Unpacks the packages into one folder, together with the program of a user. The folder is a workspace in which every
/// dependency on a crate of the project is taken from this folder.
pub(super) fn unpack(plan: &Plan, target: &Path, to: &Path) -> Result {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    for planned in &plan.crates {
        let archive = target.join("package").join(archive(plan, planned));
        let mut tar = Command::new("tar");
        run(tar.arg("-xzf").arg(&archive).arg("-C").arg(to))?;
        // The archives are copied because the table contains their sizes.
        fs::copy(&archive, to.join(self::archive(plan, planned)))?;
    }
    fs::write(to.join("Cargo.toml"), together(plan))?;
    hello::write(plan, &to.join(HELLO), "")?;
    Ok(())
}

fn archive(plan: &Plan, planned: &Planned) -> String {
    format!("{}-{}.crate", planned.published, plan.version)
}

fn together(plan: &Plan) -> String {
    let mut members = format!("\"{HELLO}\"");
    let mut patches = String::new();
    for planned in &plan.crates {
        let name = &planned.published;
        let folder = format!("{name}-{}", plan.version);
        // Writing to a String cannot fail.
        let _ = write!(members, ", \"{folder}\"");
        let _ = writeln!(patches, "{name} = {{ path = \"{folder}\" }}");
    }
    format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}")
}

/// Sets the working directory of a command to the unpacked packages.
///
/// # Errors
/// Fails if there are no packages.
pub(super) fn enter(command: &mut Command, folder: &Path) -> Result {
    if folder.join("Cargo.toml").exists() {
        command.current_dir(folder);
        Ok(())
    } else {
        Err("there are no packages yet: run the step `package` first".into())
    }
}

/// Returns a table with a line for each crate, in the order of publication.
pub(super) fn table(plan: &Plan, packages: &Path) -> String {
    let mut text = format!(
        "{:<20} {:<8} {:<26} {:>6} {:>9}\n",
        "crate", "version", "published as", "files", "packed kB"
    );
    for planned in &plan.crates {
        let size = fs::metadata(packages.join(archive(plan, planned))).ok();
        let size = size.map_or_else(|| "-".to_owned(), |it| it.len().div_ceil(1000).to_string());
        let folder = packages.join(format!("{}-{}", planned.published, plan.version));
        let files = files(&folder).map_or_else(|_| "-".to_owned(), |files| files.to_string());
        let _ = writeln!(
            text,
            "{:<20} {:<8} {:<26} {files:>6} {size:>9}",
            planned.name, plan.version, planned.published
        );
    }
    text
}

/// Returns the number of files in a folder.
fn files(folder: &Path) -> Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        count += if entry.metadata()?.is_dir() {
            files(&entry.path())?
        } else {
            1
        };
    }
    Ok(count)
}
