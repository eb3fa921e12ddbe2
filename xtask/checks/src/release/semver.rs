//! Checks with cargo-semver-checks whether the version fits the changes of the interfaces since the last release.

use std::path::Path;
use std::process::Command;

use xtask::run::{Result, cargo, read, run};
use xtask::steps::Checked;
use xtask::workspace::{Package, Workspace, slashes};

/// Compares the interfaces with those of the last release tag. If there is no tag, the check is skipped.
///
/// # Errors
/// Fails if the version is too low for the changes, or if cargo-semver-checks is missing.
pub(super) fn check(workspace: &Workspace) -> Result<Checked> {
    let libraries: Vec<_> = workspace
        .published()
        .filter(|package| package.is_library())
        .collect();
    compare(&workspace.root, &libraries, cargo("semver-checks"))
}

/// Compares the libraries with `tool`, which is cargo-semver-checks without arguments.
pub(super) fn compare(root: &Path, libraries: &[&Package], mut tool: Command) -> Result<Checked> {
    let Some(tag) = tags(root)?.into_iter().next() else {
        return Ok(Checked::No(
            "no tag yet: nothing to compare with".to_owned(),
        ));
    };
    tool.current_dir(root).args(["--baseline-rev", &tag]);
    for package in libraries {
        if is_in(&tag, root, &package.manifest_path)? {
            tool.args(["--package", &package.name]);
        } else {
            println!("{} is not in {tag}: it is new", package.name);
        }
    }
    run(&mut tool).map_err(|error| {
        format!("{error} (where it is missing: `cargo install --locked cargo-semver-checks`)")
    })?;
    Ok(Checked::Yes)
}

/// Returns the tags of releases that are ancestors of this commit, beginning with the newest version.
pub(super) fn tags(root: &Path) -> Result<Vec<String>> {
    let mut list = Command::new("git");
    list.current_dir(root).args(["tag", "--list", "v[0-9]*"]);
    let list = read(list.args(["--merged", "HEAD", "--sort=-version:refname"]))?;
    Ok(list.lines().map(ToOwned::to_owned).collect())
}

/// Whether a commit contains this file.
fn is_in(commit: &str, root: &Path, file: &Path) -> Result<bool> {
    let file = slashes(file.strip_prefix(root)?);
    let mut list = Command::new("git");
    list.current_dir(root).args(["ls-tree", "--name-only"]);
    Ok(!read(list.args([commit, &file]))?.is_empty())
}
