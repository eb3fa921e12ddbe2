//! Checks whether the versions of the crates agree with each other and with the tags.

use std::process::Command;

use super::semver::tags;
use xtask::run::{Result, read};
use xtask::workspace::{Package, Workspace};

/// # Errors
/// Fails if crates have different versions, if one requires another version of a crate of the project, or if the
/// version was already tagged.
pub(super) fn check(workspace: &Workspace) -> Result {
    let packages: Vec<_> = workspace.published().collect();
    let mut wrong = differing(&packages);
    if let Some(first) = packages.first() {
        let tag = format!("v{}", first.version);
        let commit = |name: &str| {
            let mut parse = Command::new("git");
            parse.current_dir(&workspace.root);
            read(parse.args(["rev-parse", &format!("{name}^{{commit}}")]))
        };
        if tags(&workspace.root)?.contains(&tag) && commit(&tag)? != commit("HEAD")? {
            wrong.push(format!(
                "another commit has the tag {tag}: set a new version"
            ));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; ").into())
    }
}

/// Checks that all crates have the same version, and require exactly this version of each other.
pub(super) fn differing(packages: &[&Package]) -> Vec<String> {
    let Some(version) = packages.first().map(|first| &first.version) else {
        return Vec::new();
    };
    let mut wrong = Vec::new();
    for package in packages {
        if package.version != *version {
            wrong.push(format!(
                "{} is {}, not {version}",
                package.name, package.version
            ));
        }
        for dependency in &package.dependencies {
            let is_ours = packages.iter().any(|it| it.name == dependency.name);
            let required = dependency.req.trim_start_matches(['^', '=']);
            if is_ours && dependency.req != "*" && required != version {
                wrong.push(format!(
                    "{} requires {} {}, not {version}",
                    package.name, dependency.name, dependency.req
                ));
            }
        }
    }
    wrong
}
