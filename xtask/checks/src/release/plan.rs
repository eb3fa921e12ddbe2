//! Determines the published crates, their names, and the order of publication.

use std::path::PathBuf;

use xtask::run::Result;
use xtask::workspace::{Dependency, Package, Workspace};

/// The prefix of crate names in the project. In published names, it is replaced by another prefix.
const OURS: &str = "claw-";

/// All published crates.
pub(super) struct Plan {
    pub(super) version: String,
    /// The crates. Each comes after its dependencies.
    pub(super) crates: Vec<Planned>,
}

/// A published crate.
#[derive(Debug, PartialEq)]
pub(super) struct Planned {
    /// The name in the project.
    pub(super) name: String,
    /// The name in a registry.
    pub(super) published: String,
    /// The folder, relative to the root.
    pub(super) folder: PathBuf,
    /// The name of the library in `use` declarations. It is the same in the project and in a registry.
    pub(super) library: Option<String>,
}

impl Plan {
    /// # Errors
    /// Fails if the manifest contains no prefix, or if crates depend on each other in a circle.
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

    /// Returns the crate with this name in the project.
    pub(super) fn named(&self, name: &str) -> Option<&Planned> {
        self.crates.iter().find(|planned| planned.name == name)
    }
}

/// Returns the prefix of crate names in a registry.
pub(crate) fn prefix(workspace: &Workspace) -> Result<&str> {
    workspace.metadata["release"]["prefix"]
        .as_str()
        .ok_or_else(|| "Cargo.toml has no [workspace.metadata.release] with a prefix".into())
}

/// Returns the name of a crate in a registry. A name without the project's prefix stays unchanged, such as that of the
/// facade.
pub(crate) fn published(prefix: &str, name: &str) -> String {
    match name.strip_prefix(OURS) {
        Some(rest) => format!("{prefix}{rest}"),
        None => name.to_owned(),
    }
}

/// Sorts packages so that dependencies come first. Packages that could be published at the same time are sorted by
/// name.
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

/// Whether the crate with this name must be in the registry before the package. Dependencies of tests that have only a
/// path are not published, so they are ignored.
fn needs(package: &Package, name: &str) -> bool {
    let is_left_behind = |dependency: &Dependency| {
        dependency.kind.as_deref() == Some("dev") && dependency.req == "*"
    };
    package
        .dependencies
        .iter()
        .any(|dependency| dependency.name == name && !is_left_behind(dependency))
}
