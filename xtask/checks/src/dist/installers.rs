//! Makes the packages that install the command: for npm, for pip, for Debian's dpkg, and the formula for Homebrew. They
//! are made from the archives, and contain the same executables.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tar::Archive;
use xtask::run::Result;
use xtask::workspace::{Package, Workspace};

use super::targets::Target;
use super::{COMMAND, archive, checksums};
use crate::release::plan;

mod debian;
mod formula;
mod npm;
pub(crate) mod rehearsal;
mod wheel;

/// The folders of the packages, below the folder of the archives.
pub(super) const FOLDERS: [&str; 4] = ["npm", "wheels", "debian", "homebrew"];

/// A release of the command, for which packages are made.
pub(super) struct Release<'a> {
    /// The name of the packages. It is the name of the crate in a registry.
    pub(super) name: String,
    pub(super) version: &'a str,
    pub(super) description: &'a str,
    /// The address of the project.
    pub(super) repository: &'a str,
    pub(super) license: &'a str,
    /// The folder with the archives.
    pub(super) folder: &'a Path,
}

/// The packages of a release.
pub(super) struct Made {
    /// The packages for npm. The package that a user installs by name is the last one.
    npm: Vec<PathBuf>,
    wheels: Vec<PathBuf>,
    debian: Vec<PathBuf>,
    formula: PathBuf,
}

impl<'a> Release<'a> {
    /// Describes the release of the workspace's version, whose archives are in `folder`.
    ///
    /// # Errors
    /// Fails if the manifest of the workspace has no prefix for published names.
    pub(super) fn new(
        workspace: &Workspace,
        package: &'a Package,
        folder: &'a Path,
    ) -> Result<Self> {
        Ok(Self {
            name: plan::published(plan::prefix(workspace)?, &package.name),
            version: &package.version,
            description: package.description.as_deref().unwrap_or_default(),
            repository: package.repository.as_deref().unwrap_or_default(),
            license: package.license.as_deref().unwrap_or_default(),
            folder,
        })
    }

    /// Makes the packages for these targets. Needs npm, python3 and dpkg-deb.
    ///
    /// # Errors
    /// Fails if the archive of a target or a program is missing.
    pub(super) fn make(&self, workspace: &Workspace, targets: &[&Target]) -> Result<Made> {
        // The folders are emptied first, so that files of an earlier release do not become part of this one.
        let work = self.folder.join("parts");
        let folders = FOLDERS.map(|name| self.folder.join(name));
        for folder in folders.into_iter().chain([work.clone()]) {
            if folder.exists() {
                fs::remove_dir_all(&folder)?;
            }
            fs::create_dir_all(&folder)?;
        }
        let mut made = Made {
            npm: Vec::new(),
            wheels: Vec::new(),
            debian: Vec::new(),
            formula: self
                .folder
                .join("homebrew")
                .join(format!("{}.rb", self.name)),
        };
        let python = wheel::python(workspace)?;
        for target in targets {
            let unpacked = self.unpack(target, &work)?;
            made.npm.push(npm::of_platform(self, target, &unpacked)?);
            made.wheels
                .push(wheel::make(self, target, &unpacked, &python)?);
            if !target.debian.is_empty() {
                made.debian.push(debian::make(self, target, &unpacked)?);
            }
        }
        made.npm.push(npm::main(self, targets, &work)?);
        fs::write(&made.formula, formula::text(self, targets)?)?;
        fs::remove_dir_all(work)?;
        Ok(made)
    }

    /// Unpacks the archive of a target below `work`. Returns the folder that contains `bin` and `share`.
    fn unpack(&self, target: &Target, work: &Path) -> Result<PathBuf> {
        let file = self.archive(target);
        let open = fs::File::open(&file).map_err(|error| {
            format!(
                "{}: {error} (`cargo xtask dist` makes it on {})",
                file.display(),
                target.host
            )
        })?;
        Archive::new(flate2::read::GzDecoder::new(open)).unpack(work)?;
        Ok(work.join(archive(self.version, target)))
    }

    fn archive(&self, target: &Target) -> PathBuf {
        let name = archive(self.version, target);
        self.folder.join(format!("{name}.tar.gz"))
    }

    /// Returns the README of a package, for registries that show it.
    fn readme(&self) -> String {
        let Self {
            repository,
            description,
            ..
        } = self;
        format!(
            "# The command `{COMMAND}`\n\n{description}. This package brings the executable and needs no compiler. `{COMMAND} demo` \
             shows a scripted session; other commands need Claude Code (`claude`).\n\nDocumentation, other ways to install it, and \
             the source: <{repository}>\n"
        )
    }
}

/// Writes files below a folder. Each consists of its path in the folder and its text.
fn write(folder: &Path, files: &[(&str, &str)]) -> Result {
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap_or(folder))?;
        fs::write(file, text)?;
    }
    Ok(())
}

/// Copies a file, and creates the folders above the copy.
fn copy(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    fs::copy(from, to).map_err(|error| format!("{}: {error}", from.display()))?;
    Ok(())
}

/// The names of the licence files in `share/doc/claw` of an archive.
const LICENCES: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"];

/// Copies the licences of an unpacked archive into a folder.
fn copy_licences(unpacked: &Path, folder: &Path) -> Result {
    for name in LICENCES {
        copy(
            &unpacked.join("share/doc").join(COMMAND).join(name),
            &folder.join(name),
        )?;
    }
    Ok(())
}

/// Returns a command for a program that makes packages. With its environment, the program makes identical packages from
/// the same files at any time.
fn reproducible(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    // This is the earliest day that a zip archive can contain.
    command.env("SOURCE_DATE_EPOCH", "315532800");
    command
}

#[cfg(test)]
mod tests;
