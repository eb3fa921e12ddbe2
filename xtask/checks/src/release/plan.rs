//! What is published, under which name, in which order.

use std::path::PathBuf;

use xtask::run::Result;
use xtask::workspace::{Dependency, Package, Workspace};

/// What the names of crates begin with in the project; the prefix of published names takes its place.
const OURS: &str = "claw-";

/// Everything that is published.
pub(super) struct Plan {
    pub(super) version: String,
    /// A crate comes after those that it depends on.
    pub(super) crates: Vec<Planned>,
}

/// One crate that is published.
#[derive(Debug, PartialEq)]
pub(super) struct Planned {
    /// Its name in the project.
    pub(super) name: String,
    /// Its name in a registry.
    pub(super) published: String,
    /// Its folder, from the root.
    pub(super) folder: PathBuf,
    /// What `use` says: the same in the project and outside.
    pub(super) library: Option<String>,
}

impl Plan {
    /// # Errors
    /// When the manifest names no prefix, or crates depend on each other in a circle.
    pub(super) fn new(workspace: &Workspace) -> Result<Self> {
        let prefix = prefix(workspace)?;
        let packages: Vec<_> = workspace.published().collect();
        let version = packages.first().map(|first| first.version.clone());
        let crates = in_order(&packages)?
            .into_iter()
            .map(|package| {
                let folder = package.manifest_path.parent().unwrap_or(&workspace.root);
                Ok(Planned {
                    name: package.name.clone(),
                    published: published(prefix, &package.name),
                    folder: folder.strip_prefix(&workspace.root)?.to_owned(),
                    library: package.library().map(|library| library.name.clone()),
                })
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            version: version.ok_or("no crate is published")?,
            crates,
        })
    }

    /// The crate of this name in the project.
    pub(super) fn named(&self, name: &str) -> Option<&Planned> {
        self.crates.iter().find(|planned| planned.name == name)
    }
}

/// What the names of crates begin with in a registry.
pub(crate) fn prefix(workspace: &Workspace) -> Result<&str> {
    workspace.metadata["release"]["prefix"]
        .as_str()
        .ok_or_else(|| "Cargo.toml has no [workspace.metadata.release] with a prefix".into())
}

/// The name in a registry. A name that does not begin as ours do is kept: that of the facade.
pub(crate) fn published(prefix: &str, name: &str) -> String {
    match name.strip_prefix(OURS) {
        Some(rest) => format!("{prefix}{rest}"),
        None => name.to_owned(),
    }
}

/// Dependencies first; those of equal rank by name.
pub(super) fn in_order<'a>(packages: &[&'a Package]) -> Result<Vec<&'a Package>> {
    let mut left = packages.to_vec();
    left.sort_by_key(|package| &package.name);
    let mut order: Vec<&Package> = Vec::new();
    while !left.is_empty() {
        let is_ready = |package: &&Package| {
            let mut others = left.iter().filter(|other| other.name != package.name);
            !others.any(|other| needs(package, &other.name))
        };
        let Some(next) = left.iter().position(is_ready) else {
            let names: Vec<_> = left.iter().map(|package| &*package.name).collect();
            return Err(format!("they depend on each other: {}", names.join(", ")).into());
        };
        order.push(left.remove(next));
    }
    Ok(order)
}

/// Whether a registry has to have the other one first. What tests alone need, by path alone, stays behind.
fn needs(package: &Package, name: &str) -> bool {
    let is_left_behind = |dependency: &Dependency| {
        dependency.kind.as_deref() == Some("dev") && dependency.req == "*"
    };
    package
        .dependencies
        .iter()
        .any(|dependency| dependency.name == name && !is_left_behind(dependency))
}
