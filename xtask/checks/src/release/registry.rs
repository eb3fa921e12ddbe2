//! A registry in a folder: our packages, and those of others that they need. Cargo takes it in place of its own.

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

/// What cargo says of the packages, ours and others. Fields are named by `cargo metadata`.
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
    /// None where it is one of the packages that were made here.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    rename: Option<String>,
    req: String,
    /// None for a normal one, else `dev` or `build`.
    kind: Option<String>,
    optional: bool,
    uses_default_features: bool,
    features: Vec<String>,
    target: Option<String>,
}

/// Makes the registry of the packages in a folder and of all that these need, and returns how many there are.
///
/// # Errors
/// When there are no packages, or cargo has not kept one that it has downloaded.
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
            // The program that uses them.
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

/// The folders of packages that cargo has downloaded, one a registry.
fn kept_by_cargo() -> Result<Vec<PathBuf>> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let home = home.ok_or("there is no home folder, and CARGO_HOME is not set")?;
    let folders = fs::read_dir(home.join("registry/cache"))?;
    folders.map(|folder| Ok(folder?.path())).collect()
}

/// Where the index of a registry has a name.
pub(super) fn place(name: &str) -> PathBuf {
    let lower = name.to_lowercase();
    match lower.as_bytes() {
        [_] => Path::new("1").join(lower),
        [_, _] => Path::new("2").join(lower),
        [_, _, _] => Path::new("3").join(&lower[..1]).join(&lower),
        _ => Path::new(&lower[..2]).join(&lower[2..4]).join(&lower),
    }
}

/// What the index says of a package.
pub(super) fn line(package: &Package, checksum: &str) -> Value {
    // Also what its tests need: a feature may name it.
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

/// Lets cargo take all packages out of this registry: a stranger's cargo, without what is set here for our own builds.
pub(super) fn only(registry: &Path, command: &mut Command) -> Result {
    // As TOML wants it: Windows' separators would be escapes.
    let folder = toml_edit::Value::from(registry.to_str().ok_or("the folder's name is no text")?);
    command.args(["--config", "source.crates-io.replace-with='rehearsal'"]);
    command.arg("--config");
    command.arg(format!("source.rehearsal.local-registry={folder}"));
    as_a_stranger(command);
    Ok(())
}
