//! Lists the parts of an executable.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Deserialize;

use super::FEATURES;
use xtask::run::{Result, cargo, read};
use xtask::workspace::Workspace;

/// A crate that is part of the executable.
#[derive(Clone, Deserialize)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) version: String,
    /// The names of its licences.
    #[serde(default)]
    pub(super) license: Option<String>,
    pub(super) manifest_path: PathBuf,
    /// `None` for a crate of this project.
    pub(super) source: Option<String>,
}

/// The metadata that cargo reports for every package of this project and its dependencies.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Part>,
}

/// Returns the parts of the executable of a crate for a target: the crate itself, and its dependencies on this target.
///
/// # Errors
/// Fails if cargo cannot list the dependencies.
pub(super) fn parts(workspace: &Workspace, of: &str, target: &str) -> Result<Vec<Part>> {
    let mut tree = cargo("tree");
    tree.current_dir(&workspace.root);
    tree.args(["--locked", "--package", of, "--target", target, FEATURES]);
    // Crates that only run in the compiler are not part of the executable.
    tree.args(["--edges=normal,no-proc-macro", "--prefix=none"]);
    let tree = read(tree.arg("--format={p}"))?;
    let used: BTreeSet<_> = tree.lines().filter_map(name_and_version).collect();
    let mut metadata = cargo("metadata");
    metadata.current_dir(&workspace.root);
    // Without all features, the metadata lacks packages that only a feature adds.
    let metadata = read(metadata.args(["--format-version=1", "--locked", "--all-features"]))?;
    let metadata: Metadata = serde_json::from_str(&metadata)?;
    let mut parts = metadata.packages;
    parts.retain(|part| used.contains(&part.title()));
    parts.sort_by_key(Part::title);
    Ok(parts)
}

impl Part {
    /// Returns the name and the version of the crate as one text.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// Returns the name and the version from a line of `cargo tree`, such as `serde v1.0.229 (proc-macro) (*)`.
pub(super) fn name_and_version(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    Some(format!("{name} {}", version.strip_prefix('v')?))
}
