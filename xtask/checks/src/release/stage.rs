//! Writes a copy of the published files in which crates have their published names.

use std::fs;
use std::path::Path;
use std::process::Command;

use toml_edit::{Array, DocumentMut, Item, TableLike, value};

use super::plan::{Plan, Planned};
use xtask::run::{Result, run};
use xtask::workspace::{Workspace, slashes};

/// Files at the root that are staged too.
const ROOT: [&str; 1] = ["Cargo.lock"];
/// Files at the root that are part of every package.
const EVERYWHERE: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Writes the copy. An older copy is replaced.
///
/// The copy is a git repository whose commit is the commit of the project. So each package records the commit and the
/// folder from which it was made. A registry uses both to resolve links in the README. The contents of the files are
/// those of the work tree.
pub(super) fn write(workspace: &Workspace, plan: &Plan, stage: &Path) -> Result {
    if stage.exists() {
        fs::remove_dir_all(stage)?;
    }
    let mut clone = Command::new("git");
    clone.args(["clone", "--quiet", "--shared", "--no-checkout"]);
    run(clone.arg(&workspace.root).arg(stage))?;
    copy(workspace, plan, stage)
}

/// Copies files and edits manifests.
pub(super) fn copy(workspace: &Workspace, plan: &Plan, stage: &Path) -> Result {
    let copy = |from: &Path, to: &Path| -> Result {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(from, to)?;
        Ok(())
    };
    for file in workspace.files()? {
        let is_of_a_crate = plan.crates.iter().any(|it| file.starts_with(&it.folder));
        if is_of_a_crate || ROOT.iter().any(|name| Path::new(name) == file) {
            copy(&workspace.root.join(&file), &stage.join(&file))?;
        }
    }
    edit(&workspace.root, stage, Path::new("Cargo.toml"), |text| {
        root(text, plan)
    })?;
    for planned in &plan.crates {
        let manifest = planned.folder.join("Cargo.toml");
        edit(&workspace.root, stage, &manifest, |text| {
            member(text, planned, plan)
        })?;
        for name in EVERYWHERE {
            let to = stage.join(&planned.folder).join(name);
            copy(&workspace.root.join(name), &to)?;
        }
    }
    Ok(())
}

fn edit(from: &Path, to: &Path, file: &Path, change: impl Fn(&str) -> Result<String>) -> Result {
    let text = change(&fs::read_to_string(from.join(file))?)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    fs::write(to.join(file), text)?;
    Ok(())
}

/// Returns the manifest of the workspace. It contains only published crates, with their published names.
pub(super) fn root(text: &str, plan: &Plan) -> Result<String> {
    let mut manifest: DocumentMut = text.parse()?;
    let workspace = manifest["workspace"]
        .as_table_mut()
        .ok_or("it has no [workspace]")?;
    let folders: Array = plan.crates.iter().map(|it| slashes(&it.folder)).collect();
    workspace["members"] = value(folders);
    workspace.remove("default-members");
    workspace.remove("exclude");
    if let Some(dependencies) = workspace
        .get_mut("dependencies")
        .and_then(Item::as_table_like_mut)
    {
        rename(dependencies, plan);
    }
    Ok(manifest.to_string())
}

/// Returns the manifest of a crate with its published name. The name of its library stays unchanged.
pub(super) fn member(text: &str, planned: &Planned, plan: &Plan) -> Result<String> {
    let mut manifest: DocumentMut = text.parse()?;
    manifest["package"]["name"] = value(&planned.published);
    if let Some(library) = &planned.library {
        manifest.entry("lib").or_insert_with(toml_edit::table)["name"] = value(library);
    }
    rename_all(manifest.as_table_mut(), plan);
    Ok(manifest.to_string())
}

/// Renames the dependencies in every table. There are tables for the crate, for its tests, and for targets.
fn rename_all(table: &mut dyn TableLike, plan: &Plan) {
    for (key, item) in table.iter_mut() {
        let is_dependencies = key.ends_with("dependencies");
        let Some(inner) = item.as_table_like_mut() else {
            continue;
        };
        if is_dependencies {
            rename(inner, plan);
        } else {
            rename_all(inner, plan);
        }
    }
}

/// Sets the published names as the packages of dependencies. The names in the code stay unchanged.
fn rename(dependencies: &mut dyn TableLike, plan: &Plan) {
    for (name, item) in dependencies.iter_mut() {
        if let Some(planned) = plan.named(&name)
            && let Some(table) = item.as_table_like_mut()
            // A dependency that is inherited from the workspace is renamed in the manifest of the workspace.
            && table.get("workspace").is_none()
        {
            table.insert("package", value(&planned.published));
        }
    }
}
