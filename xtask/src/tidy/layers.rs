//! Checks which crates may depend on which.

use std::fs;

use super::{Finding, Project, errors};
use xtask::run::{Result, cargo, read};
use xtask::workspace::{Package, Workspace};

/// The dependencies of docs/architecture.md. Each row contains a crate, and the crates on which it may depend.
const ARROWS: [(&str, &[&str]); 27] = [
    ("claw-wire", &[]),
    ("claw-types-derive", &[]),
    ("claw-types", &["claw-types-derive", "claw-wire"]),
    ("claw-codec", &["claw-types"]),
    ("claw-spawn", &[]),
    ("claw-tls", &[]),
    (
        "claw-transport",
        &["claw-types", "claw-codec", "claw-spawn"],
    ),
    ("claw-sessions", &["claw-types"]),
    ("claw-store", &["claw-types", "claw-sessions"]),
    (
        "claw-store-bucket",
        &["claw-types", "claw-store", "claw-tls"],
    ),
    (
        "claw-store-postgres",
        &["claw-types", "claw-store", "claw-tls"],
    ),
    ("claw-store-redis", &["claw-store", "claw-tls"]),
    (
        "claw-client",
        &[
            "claw-types",
            "claw-codec",
            "claw-transport",
            "claw-sessions",
            "claw-store",
        ],
    ),
    ("claude-claw", &["claw-client"]),
    ("claw-cluster", &[]),
    ("claw-view", &["claw-types"]),
    (
        "claw-testkit",
        &["claw-types", "claw-transport", "claw-store"],
    ),
    (
        "claw-server",
        &[
            "claw-types",
            "claw-client",
            "claw-cluster",
            "claw-sessions",
            "claw-tls",
            "claw-view",
        ],
    ),
    (
        "claw-acp",
        &["claw-types", "claw-client", "claw-sessions", "claw-view"],
    ),
    (
        "claw-restate",
        &[
            "claw-types",
            "claw-client",
            "claw-cluster",
            "claw-store",
            "claw-store-postgres",
            "claw-store-redis",
        ],
    ),
    (
        "claw-cli",
        &[
            "claw-acp",
            "claw-types",
            "claw-client",
            "claw-cluster",
            "claw-server",
            "claw-sessions",
            "claw-store",
            "claw-store-bucket",
            "claw-store-postgres",
            "claw-store-redis",
            "claw-testkit",
            "claw-view",
        ],
    ),
    ("xtask", &[]),
    ("xtask-features", &[]),
    ("xtask-packages", &["xtask"]),
    (
        "xtask-instructions",
        &["claw-types", "claw-codec", "claw-client"],
    ),
    (
        "xtask-checks",
        &[
            "xtask",
            "claw-types",
            "claw-codec",
            "claw-transport",
            "claw-client",
            "claw-server",
            "claw-testkit",
            "claw-view",
        ],
    ),
    (
        "conformance",
        &[
            "xtask",
            "xtask-checks",
            "claw-types",
            "claw-client",
            "claw-sessions",
            "claw-store",
            "claw-testkit",
            "claw-view",
        ],
    ),
];

/// The crate on which the tests of every crate may depend in addition.
const FOR_TESTS: &str = "claw-testkit";

/// Additional dependencies of tests. Tests of claw-sessions check that the real CLI resumes the sessions that
/// claw-sessions writes. Tests of claw-server archive sessions in a store in a folder.
const ALSO_FOR_TESTS: [(&str, &str); 2] = [
    ("claw-sessions", "claw-client"),
    ("claw-server", "claw-store"),
];

/// The dependencies that claw-types and claw-wire, which is below claw-types, may have. The flag says whether the
/// dependency must be behind a feature.
const TYPES_MAY_USE: [(&str, bool); 8] = [
    ("claw-types-derive", false),
    ("claw-wire", false),
    ("serde", false),
    ("serde_json", false),
    ("uuid", false),
    ("itoa", false),
    ("memchr", false),
    ("schemars", true),
];

/// The only default member. The list is short because `cargo run` builds all default members, even those that the
/// command does not need.
const DEFAULT: &str = "claw-cli";

/// The only crate that may contain `unsafe`, in only one place.
const MAY_BE_UNSAFE: &str = "claw-spawn";

/// Checks that every crate has a row in the table, and that its dependencies are exactly those of its row.
pub(super) fn arrows(project: &Project<'_>) -> Vec<Finding> {
    errors(wrong_arrows(&project.workspace.packages))
}

fn wrong_arrows(packages: &[Package]) -> Vec<String> {
    let ours = |name: &str| packages.iter().any(|package| package.name == name);
    let mut wrong = Vec::new();
    for package in packages {
        let Some((_, below)) = ARROWS.iter().find(|(name, _)| *name == package.name) else {
            wrong.push(format!(
                "{} has no row in the table of layers",
                package.name
            ));
            continue;
        };
        for dependency in package
            .dependencies
            .iter()
            .filter(|dependency| ours(&dependency.name))
        {
            // A crate may depend on itself for its tests, to enable its own features.
            let test = dependency.kind.as_deref() == Some("dev")
                && ([FOR_TESTS, &package.name].contains(&&*dependency.name)
                    || ALSO_FOR_TESTS.contains(&(&*package.name, &*dependency.name)));
            if !test && !below.contains(&&*dependency.name) {
                wrong.push(format!(
                    "{} may not depend on {}",
                    package.name, dependency.name
                ));
            }
        }
        let uses = |name: &str| {
            let mut dependencies = package.dependencies.iter();
            dependencies.any(|it| it.name == name && it.kind.as_deref() != Some("dev"))
        };
        let unused = below.iter().filter(|name| !uses(name));
        wrong.extend(unused.map(|name| {
            format!(
                "{} does not depend on {name}, as the table of layers says",
                package.name
            )
        }));
    }
    wrong
}

/// Checks that claw-types and claw-wire, which is below claw-types, depend only on a few small crates. The dependency
/// on schemars must be behind a feature.
pub(super) fn types_dependencies(project: &Project<'_>) -> Result<Vec<Finding>> {
    let mut wrong = Vec::new();
    for name in ["claw-types", "claw-wire"] {
        let found = too_much_for_types(package(project.workspace, name)?);
        wrong.extend(found.into_iter().map(|what| format!("{name}: {what}")));
    }
    Ok(errors(wrong))
}

fn too_much_for_types(types: &Package) -> Vec<String> {
    types
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind.as_deref() != Some("dev"))
        .filter_map(|dependency| {
            match TYPES_MAY_USE
                .iter()
                .find(|(name, _)| *name == dependency.name)
            {
                None => Some(format!("it depends on {}", dependency.name)),
                Some((_, true)) if !dependency.optional => {
                    Some(format!("{} is not optional", dependency.name))
                }
                Some(_) => None,
            }
        })
        .collect()
}

/// Checks that the dependencies of claw-types do not include an async runtime.
pub(super) fn types_without_runtime(project: &Project<'_>) -> Result<Vec<Finding>> {
    let mut tree = cargo("tree");
    tree.current_dir(&project.workspace.root);
    tree.args([
        "--package=claw-types",
        "--all-features",
        "--edges=normal,build",
    ]);
    let tree = read(tree.args(["--prefix=none", "--format={p}"]))?;
    Ok(errors(
        runtimes(&tree)
            .into_iter()
            .map(|name| format!("it brings in {name}")),
    ))
}

fn runtimes(tree: &str) -> Vec<&str> {
    tree.lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| ["tokio", "async-std", "smol", "mio"].contains(name))
        .collect()
}

/// Checks that cargo commands at the root build only the command, so that `cargo run -- demo` builds no unnecessary
/// crates.
pub(super) fn default_members(project: &Project<'_>) -> Vec<Finding> {
    let is_default = |package: &Package| {
        project
            .workspace
            .default_members()
            .any(|p| p.id == package.id)
    };
    errors(project.workspace.packages.iter().filter_map(|package| {
        match (is_default(package), package.name == DEFAULT) {
            (true, false) => Some(format!("{} should not be one", package.name)),
            (false, true) => Some(format!("{} should be one", package.name)),
            _ => None,
        }
    }))
}

/// Checks that every crate except claw-spawn forbids unsafe code. For claw-spawn, the workspace denies unsafe code, and
/// one place allows it.
pub(super) fn unsafe_code(project: &Project<'_>) -> Result<Vec<Finding>> {
    let mut wrong = Vec::new();
    for package in &project.workspace.packages {
        if package.name == MAY_BE_UNSAFE {
            continue;
        }
        for target in &package.targets {
            let root = target.is_library() || target.kind.iter().any(|kind| kind == "bin");
            if root && !forbids_unsafe(&fs::read_to_string(&target.src_path)?) {
                wrong.push(format!(
                    "{} has no `#![forbid(unsafe_code)]`",
                    target
                        .src_path
                        .strip_prefix(&project.workspace.root)?
                        .display()
                ));
            }
        }
    }
    let source = format!("crates/{MAY_BE_UNSAFE}/");
    let lifted: usize = project
        .rust()
        .filter(|(path, _)| path.starts_with(&source))
        .map(|(_, text)| lifts_unsafe(text))
        .sum();
    if lifted > 1 {
        wrong.push(format!(
            "{MAY_BE_UNSAFE} lifts the lint in {lifted} places, one is audited"
        ));
    }
    Ok(errors(wrong))
}

fn forbids_unsafe(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim() == "#![forbid(unsafe_code)]")
}

/// Returns the number of times that `expect` or `allow` names the lint `unsafe_code`.
fn lifts_unsafe(text: &str) -> usize {
    let text: String = text.split_whitespace().collect();
    text.matches("expect(unsafe_code").count() + text.matches("allow(unsafe_code").count()
}

fn package<'a>(workspace: &'a Workspace, name: &str) -> Result<&'a Package> {
    let found = workspace
        .packages
        .iter()
        .find(|package| package.name == name);
    found.ok_or_else(|| format!("there is no crate {name}").into())
}

#[cfg(test)]
mod tests;
