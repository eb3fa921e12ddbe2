//! Creates a registry in a folder. It contains the packages of the project and their dependencies. Cargo uses it in
//! place of the default registry.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use super::packages;
use super::plan::Plan;
use crate::dist::checksums;
use xtask::builds::as_a_stranger;
use xtask::run::{Result, cargo, read};

/// The metadata that cargo reports for the packages of the project and their dependencies. The fields have the same
/// names as in the output of `cargo metadata`.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(super) struct Package {
    name: String,
    version: String,
    dependencies: Vec<Dependency>,
    features: BTreeMap<String, Vec<String>>,
    links: Option<String>,
    rust_version: Option<String>,
    /// The registry of the package. `None` for a package of this project.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    rename: Option<String>,
    req: String,
    /// `None` for a normal dependency, otherwise `dev` or `build`.
    kind: Option<String>,
    optional: bool,
    uses_default_features: bool,
    features: Vec<String>,
    target: Option<String>,
}

/// Creates the registry from the packages in a folder and all their dependencies. Returns the number of packages.
///
/// # Errors
/// Fails if there are no packages, or if cargo no longer has a package that it downloaded.
pub(super) fn write(plan: &Plan, packages: &Path, registry: &Path) -> Result<usize> {
    if registry.exists() {
        fs::remove_dir_all(registry)?;
    }
    let mut metadata = cargo("metadata");
    metadata.arg("--format-version=1");
    packages::enter(&mut metadata, packages)?;
    let metadata: Metadata = serde_json::from_str(&read(&mut metadata)?)?;
    let kept = kept_by_cargo()?;
    let mut index = BTreeMap::<PathBuf, String>::new();
    let mut count = 0;
    fs::create_dir_all(registry)?;
    for package in &metadata.packages {
        let file = format!("{}-{}.crate", package.name, package.version);
        let is_ours = plan.crates.iter().any(|it| it.published == package.name);
        let from = if is_ours {
            packages.join(&file)
        } else if package.source.is_some() {
            let mut places = kept.iter().map(|folder| folder.join(&file));
            places
                .find(|place| place.is_file())
                .ok_or_else(|| format!("cargo has not kept {file}"))?
        } else {
            // This package is the program that uses the others. It does not belong in the registry.
            continue;
        };
        let to = registry.join(&file);
        if fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to)?;
        }
        let line = line(package, &checksums::of(&to)?);
        let lines = index.entry(place(&package.name)).or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "{line}");
        count += 1;
    }
    for (place, lines) in index {
        let file = registry.join("index").join(place);
        fs::create_dir_all(file.parent().unwrap_or(registry))?;
        fs::write(file, lines)?;
    }
    Ok(count)
}

/// Returns the folders in which cargo stores downloaded packages, one for each registry.
fn kept_by_cargo() -> Result<Vec<PathBuf>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let home = home.ok_or("there is no home folder, and CARGO_HOME is not set")?;
    let folders = fs::read_dir(home.join("registry/cache"))?;
    folders.map(|folder| Ok(folder?.path())).collect()
}

/// Returns the path of a package's file in the index of a registry.
pub(super) fn place(name: &str) -> PathBuf {
    let lower = name.to_lowercase();
    match lower.as_bytes() {
        [_] => Path::new("1").join(lower),
        [_, _] => Path::new("2").join(lower),
        [_, _, _] => Path::new("3").join(&lower[..1]).join(&lower),
        _ => Path::new(&lower[..2]).join(&lower[2..4]).join(&lower),
    }
}

/// Returns the entry of a package in the index.
pub(super) fn line(package: &Package, checksum: &str) -> Value {
    // Dependencies of tests are included, because features may refer to them.
    let used = package.dependencies.iter();
    let dependencies: Vec<_> = used
        .map(|it| {
            json!({
                "name": it.rename.as_ref().unwrap_or(&it.name),
                "package": it.rename.as_ref().map(|_| &it.name),
                "req": it.req,
                "features": it.features,
                "optional": it.optional,
                "default_features": it.uses_default_features,
                "target": it.target,
                "kind": it.kind.as_deref().unwrap_or("normal"),
            })
        })
        .collect();
    json!({
        "name": package.name,
        "vers": package.version,
        "deps": dependencies,
        "cksum": checksum,
        "features": package.features,
        "links": package.links,
        "rust_version": package.rust_version,
        "yanked": false,
        "v": 2,
    })
}

/// Makes cargo take all packages from this registry. Also removes the project's settings for its own builds, so that
/// the command runs as on a user's machine.
pub(super) fn only(registry: &Path, command: &mut Command) -> Result {
    // The path is quoted as TOML, because the separators in Windows paths would otherwise be escapes.
    let folder = toml_edit::Value::from(registry.to_str().ok_or("the folder's name is no text")?);
    command.args(["--config", "source.crates-io.replace-with='rehearsal'"]);
    command.arg("--config");
    command.arg(format!("source.rehearsal.local-registry={folder}"));
    as_a_stranger(command);
    Ok(())
}
