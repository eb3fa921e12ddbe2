//! What an executable is made of.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Deserialize;

use super::FEATURES;
use xtask::run::{Result, cargo, read};
use xtask::workspace::Workspace;

/// One crate that is in it.
#[derive(Clone, Deserialize)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) version: String,
    /// Its licences, by their names.
    #[serde(default)]
    pub(super) license: Option<String>,
    pub(super) manifest_path: PathBuf,
    /// None where it is of this project.
    pub(super) source: Option<String>,
}

/// What cargo says of every package, ours and others.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Part>,
}

/// What a crate is made of on a target: itself, and what it needs there.
///
/// # Errors
/// When cargo cannot say it.
pub(super) fn parts(workspace: &Workspace, of: &str, target: &str) -> Result<Vec<Part>> {
    let mut tree = cargo("tree");
    tree.current_dir(&workspace.root);
    tree.args(["--locked", "--package", of, "--target", target, FEATURES]);
    // What runs in the compiler alone is not in the executable.
    tree.args(["--edges=normal,no-proc-macro", "--prefix=none"]);
    let tree = read(tree.arg("--format={p}"))?;
    let used: BTreeSet<_> = tree.lines().filter_map(name_and_version).collect();
    let mut metadata = cargo("metadata");
    metadata.current_dir(&workspace.root);
    // It lists no package that only a feature brings, unless all are on.
    let metadata = read(metadata.args(["--format-version=1", "--locked", "--all-features"]))?;
    let metadata: Metadata = serde_json::from_str(&metadata)?;
    let mut parts = metadata.packages;
    parts.retain(|part| used.contains(&part.title()));
    parts.sort_by_key(Part::title);
    Ok(parts)
}

impl Part {
    /// Its name and version.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// Of a line as `serde v1.0.229 (proc-macro) (*)`.
pub(super) fn name_and_version(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    Some(format!("{name} {}", version.strip_prefix('v')?))
}
