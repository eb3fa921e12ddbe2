//! What cargo and git know about the project.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::run::{Result, cargo, read};

/// The workspace as `cargo metadata` describes it, without what lies outside it.
#[derive(Debug, Deserialize)]
pub(crate) struct Workspace {
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    pub(crate) target_directory: PathBuf,
    pub(crate) packages: Vec<Package>,
    #[serde(rename = "workspace_default_members")]
    default_members: Vec<String>,
    /// `[workspace.metadata]`: what commands of ours, and not cargo, take from the manifest.
    #[serde(default)]
    pub(crate) metadata: serde_json::Value,
}

/// One crate of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
    pub(crate) features: std::collections::BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) manifest_path: PathBuf,
    pub(crate) rust_version: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) license: Option<String>,
    pub(crate) repository: Option<String>,
    pub(crate) readme: Option<String>,
    #[serde(default)]
    pub(crate) keywords: Vec<String>,
    #[serde(default)]
    pub(crate) categories: Vec<String>,
    /// The registries that it may go to. None: any; empty: it is not published.
    publish: Option<Vec<String>>,
}

/// One line of a `[dependencies]` table.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Its name in this crate, where that differs.
    #[cfg(test)]
    pub(crate) rename: Option<String>,
    /// The version that is required; `*` where none is.
    #[serde(default)]
    pub(crate) req: String,
    /// None for a normal one, else `dev` or `build`.
    pub(crate) kind: Option<String>,
    pub(crate) optional: bool,
}

/// One thing that a crate builds.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    #[serde(default)]
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
    pub(crate) src_path: PathBuf,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn read() -> Result<Self> {
        Self::read_at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")))
    }

    /// Asks cargo about the workspace at a folder.
    pub(crate) fn read_at(root: &Path) -> Result<Self> {
        let mut metadata = cargo("metadata");
        metadata.args(["--format-version=1", "--no-deps"]);
        // Default members are those of the folder one asks in.
        metadata.current_dir(root);
        Ok(serde_json::from_str(&read(&mut metadata)?)?)
    }

    /// Where `cargo xtask ci` keeps what it installs.
    pub(crate) fn ci_directory(&self) -> PathBuf {
        self.target_directory.join("ci")
    }

    /// The crates that other people's code can depend on.
    pub(crate) fn libraries(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.is_library())
    }

    /// The crates that are published.
    pub(crate) fn published(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| package.is_published())
    }

    /// The crates that a cargo command at the root works on.
    pub(crate) fn default_members(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|p| self.default_members.contains(&p.id))
    }

    /// Every file that belongs to the project: what git tracks, and what it would track if one
    /// said `git add`. Relative to the root, in order.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let list = read(Command::new("git").current_dir(&self.root).args([
            // A checkout that another user made is as good: it is only listed.
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]))?;
        let mut files: Vec<_> = list
            .split_terminator('\0')
            .map(PathBuf::from)
            .filter(|file| self.root.join(file).is_file())
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }
}

impl Package {
    /// Whether it has a library (macros included) at all.
    pub(crate) fn is_library(&self) -> bool {
        self.library().is_some()
    }

    /// Its library (macros included).
    pub(crate) fn library(&self) -> Option<&Target> {
        self.targets.iter().find(|target| target.is_library())
    }

    pub(crate) fn is_published(&self) -> bool {
        self.publish
            .as_ref()
            .is_none_or(|registries| !registries.is_empty())
    }
}

impl Target {
    pub(crate) fn is_library(&self) -> bool {
        self.kind
            .iter()
            .any(|kind| kind == "lib" || kind == "proc-macro")
    }
}

/// Whether a path has this extension.
pub(crate) fn has_extension(path: impl AsRef<Path>, extension: &str) -> bool {
    path.as_ref()
        .extension()
        .is_some_and(|found| found == extension)
}

/// A path as it is written in messages and tables, on any system.
pub(crate) fn slashes(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().display().to_string())
        .collect::<Vec<_>>()
        .join("/")
}
