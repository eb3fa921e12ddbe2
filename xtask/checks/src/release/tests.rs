use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use clap::Parser;

use super::plan::{Planned, in_order, published};
use super::*;
use xtask::run::read;
use xtask::workspace::{Dependency, Package};

fn project() -> (Workspace, Plan) {
    let workspace = Workspace::read().unwrap();
    let plan = Plan::new(&workspace).unwrap();
    (workspace, plan)
}

fn package(name: &str, needs: &[(&str, &str, &str)]) -> Package {
    let dependencies: Vec<_> = needs
        .iter()
        .map(|(name, kind, req)| {
            let kind = (*kind != "normal").then_some(*kind);
            serde_json::json!({ "name": name, "kind": kind, "req": req, "optional": false })
        })
        .collect();
    serde_json::from_value(serde_json::json!({
        "id": name, "name": name, "version": "0.1.0", "targets": [], "features": {},
        "dependencies": dependencies,
    }))
    .unwrap()
}

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

#[test]
fn it_never_publishes() {
    let line = Line::try_parse_from(["release"]).unwrap();
    let error = main(&line.args).unwrap_err().to_string();
    for part in ["--dry-run", "docs/releasing.md"] {
        assert!(error.contains(part), "{part} in {error}");
    }
}

#[test]
fn an_unknown_option_or_step_is_an_error() {
    let parses = |words: &[&str]| Line::try_parse_from(words).is_ok();
    assert!(parses(&["release", "--dry-run", "changelog"]));
    assert!(!parses(&["release", "--dry-run", "--publish"]));
    assert!(!parses(&["release", "--dry-run", "publish"]));
}

#[test]
fn every_crate_but_the_tools_is_planned_after_what_it_needs() {
    let (workspace, plan) = project();
    let mut expected: Vec<_> = workspace
        .packages
        .iter()
        .map(|package| &*package.name)
        // claw-restate is not published, because it has many dependencies and Restate is still young.
        .filter(|name| name.starts_with("cla") && *name != "claw-restate")
        .collect();
    let mut names: Vec<_> = plan.crates.iter().map(|it| &*it.name).collect();
    let at = |wanted: &str| names.iter().position(|name| *name == wanted).unwrap();
    for package in workspace.published() {
        let mut needed = package.dependencies.iter();
        assert!(needed.all(|needed| needed.req == "*"
            || plan.named(&needed.name).is_none()
            || at(&needed.name) < at(&package.name)));
    }
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn what_tests_need_by_path_alone_stays_behind() {
    let a = package("a", &[("b", "normal", "^0.1.0"), ("a", "dev", "*")]);
    let b = package("b", &[("c", "dev", "^0.1.0"), ("a", "dev", "*")]);
    let c = package("c", &[]);
    let order = in_order(&[&a, &b, &c]).unwrap();
    let names: Vec<_> = order.iter().map(|package| &*package.name).collect();
    assert_eq!(names, ["c", "b", "a"]);
}

#[test]
fn a_circle_is_named() {
    let a = package("a", &[("b", "normal", "^0.1.0")]);
    let b = package("b", &[("a", "build", "^0.1.0")]);
    let error = in_order(&[&a, &b]).unwrap_err().to_string();
    assert_eq!(error, "they depend on each other: a, b");
}

#[test]
fn the_prefix_takes_the_place_of_ours() {
    assert_eq!(published("new-", "claw-types"), "new-types");
    assert_eq!(published("new-", "claude-claw"), "claude-claw");
}

/// In the staged copy, cargo reports the published names as names of packages, and the project's names as names in
/// code.
#[test]
fn staged_crates_have_published_names_and_code_the_old_ones() {
    let (workspace, plan) = project();
    let folder = tempfile::tempdir().unwrap();
    stage::copy(&workspace, &plan, folder.path()).unwrap();
    let staged = Workspace::read_at(folder.path()).unwrap();
    assert_eq!(staged.packages.len(), plan.crates.len());
    for Planned {
        name, published, ..
    } in &plan.crates
    {
        let find = |from: &Workspace, name: &str| {
            let found = from.packages.iter().find(|package| package.name == *name);
            let targets = |package: &Package| -> Vec<_> {
                let kept = ["lib", "proc-macro", "bin"];
                let targets = package.targets.iter();
                targets
                    .filter(|target| kept.contains(&&*target.kind[0]))
                    .map(|target| target.name.clone())
                    .collect()
            };
            let found = found.unwrap_or_else(|| panic!("{name}"));
            let uses: Vec<_> = found.dependencies.iter().map(used_as).collect();
            (targets(found), uses)
        };
        assert_eq!(find(&staged, published), find(&workspace, name), "{name}");
        let manifest = fs::read_to_string(
            folder
                .path()
                .join(&plan.named(name).unwrap().folder)
                .join("Cargo.toml"),
        );
        assert!(
            manifest
                .unwrap()
                .contains(&format!("name = \"{published}\""))
        );
    }
    for package in &staged.packages {
        for dependency in &package.dependencies {
            let ours = plan.named(&dependency.name);
            assert!(
                ours.is_none_or(|ours| ours.published == dependency.name),
                "{}: {}",
                package.name,
                dependency.name
            );
        }
        let licence = package.manifest_path.with_file_name("LICENSE-MIT");
        assert!(licence.exists(), "{}", licence.display());
    }
}

/// Returns the name that a dependency has in code, and its kind.
fn used_as(dependency: &Dependency) -> String {
    let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
    format!("{name} {:?}", dependency.kind)
}

#[test]
fn dependencies_of_every_table_are_renamed_where_they_are_not_inherited() {
    let planned = |name: &str| Planned {
        name: format!("claw-{name}"),
        published: format!("new-{name}"),
        folder: format!("crates/claw-{name}").into(),
        library: Some(format!("claw_{name}")),
    };
    let plan = Plan {
        version: "0.1.0".to_owned(),
        crates: vec![planned("a"), planned("b")],
    };
    let text = "[package]\nname = \"claw-b\"\n\n[dependencies]\nclaw-a.workspace = true\nserde = \"1\"\n\n\
                [target.'cfg(unix)'.dev-dependencies]\nclaw-a = { path = \"../claw-a\" }\n";
    let expected = "[package]\nname = \"new-b\"\n\n[dependencies]\nclaw-a.workspace = true\nserde = \"1\"\n\n\
                    [target.'cfg(unix)'.dev-dependencies]\nclaw-a = { path = \"../claw-a\" , package = \"new-a\" }\n\n\
                    [lib]\nname = \"claw_b\"\n";
    let found = stage::member(text, &plan.crates[1], &plan).unwrap();
    assert_eq!(found, expected);

    let text = "[workspace]\nmembers = [\"crates/*\", \"xtask\"]\ndefault-members = [\"crates/claw-a\"]\n\n\
                [workspace.dependencies]\nclaw-a = { path = \"crates/claw-a\", version = \"0.1.0\" }\nserde = \"1\"\n";
    let expected = "[workspace]\nmembers = [\"crates/claw-a\", \"crates/claw-b\"]\n\n\
                    [workspace.dependencies]\nclaw-a = { path = \"crates/claw-a\", version = \"0.1.0\" , package = \"new-a\" }\nserde = \"1\"\n";
    assert_eq!(stage::root(text, &plan).unwrap(), expected);
}

#[test]
fn a_changelog_without_an_entry_is_no_changelog() {
    let section = |text| section(text, "0.2.0").map_err(|error| error.to_string());
    assert_eq!(
        section(
            "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One.\n- Two.\n  More.\n\n## [0.1.0]\n\n- Old.\n"
        ),
        Ok(("Unreleased", 2))
    );
    assert_eq!(
        section("## [Unreleased]\n\n## [0.2.0] - 2030-01-01\n\n- New.\n"),
        Ok(("0.2.0", 1))
    );
    let error = "CHANGELOG.md has no entry under [0.2.0] or [Unreleased]";
    assert_eq!(
        section("## [Unreleased]\n\nSoon.\n\n## [0.1.0]\n\n- Old.\n"),
        Err(error.to_owned())
    );
}

#[test]
fn the_versions_of_this_project_agree() {
    versions::check(&project().0).unwrap();
}

#[test]
fn versions_that_differ_are_named() {
    let a = package("a", &[("b", "normal", "^0.2.0"), ("serde", "normal", "^1")]);
    let b = package("b", &[("a", "dev", "*")]);
    let mut c = package("c", &[("a", "normal", "=0.1.0")]);
    c.version = "0.3.0".to_owned();
    assert_eq!(
        versions::differing(&[&a, &b, &c]),
        ["a requires b ^0.2.0, not 0.1.0", "c is 0.3.0, not 0.1.0"]
    );
}

/// Creates a repository with one crate and one commit.
fn repository() -> (tempfile::TempDir, Package) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Cargo.toml"), "").unwrap();
    git(folder.path(), "init --quiet");
    git(folder.path(), "add .");
    git(
        folder.path(),
        "-c user.name=n -c user.email=e commit --quiet -m first",
    );
    let mut package = package("old", &[]);
    package.manifest_path = folder.path().join("Cargo.toml");
    (folder, package)
}

fn git(folder: &Path, line: &str) {
    read(
        Command::new("git")
            .current_dir(folder)
            .args(line.split(' ')),
    )
    .unwrap();
}

#[test]
fn without_a_tag_there_is_nothing_to_compare_with() {
    let (folder, package) = repository();
    // This program does not exist, so running it would fail.
    let checked = semver::compare(folder.path(), &[&package], Command::new("no such program"));
    let Checked::No(reason) = checked.unwrap() else {
        panic!("it was checked");
    };
    assert_eq!(reason, "no tag yet: nothing to compare with");
}

#[test]
fn with_a_tag_what_is_there_is_compared_with_the_newest() {
    let (folder, package) = repository();
    for tag in ["v0.9.0", "v0.10.0", "v0.1.0", "other"] {
        git(folder.path(), &format!("tag {tag}"));
    }
    let mut new = self::package("new", &[]);
    new.manifest_path = folder.path().join("new/Cargo.toml");
    // This script replaces the tool, and writes its arguments to a file.
    let said = folder.path().join("said");
    let mut tool = Command::new("sh");
    tool.args([
        "-c",
        "echo \"$@\" > said; ! grep -q fail Cargo.toml",
        "tool",
    ]);
    let checked = semver::compare(folder.path(), &[&package, &new], tool);
    assert!(matches!(checked.unwrap(), Checked::Yes));
    assert_eq!(
        fs::read_to_string(said).unwrap(),
        "--baseline-rev v0.10.0 --package old\n"
    );

    fs::write(folder.path().join("Cargo.toml"), "fail").unwrap();
    let mut tool = Command::new("sh");
    tool.args(["-c", "! grep -q fail Cargo.toml", "tool"]);
    assert!(semver::compare(folder.path(), &[&package], tool).is_err());
}

#[test]
fn the_table_has_the_published_names_in_order() {
    let planned = |name: &str| Planned {
        name: format!("claw-{name}"),
        published: format!("new-{name}"),
        folder: "".into(),
        library: None,
    };
    let plan = Plan {
        version: "0.1.0".to_owned(),
        crates: vec![planned("b"), planned("a")],
    };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("new-b-0.1.0.crate"), [0; 1001]).unwrap();
    fs::create_dir_all(folder.path().join("new-b-0.1.0/src")).unwrap();
    fs::write(folder.path().join("new-b-0.1.0/src/lib.rs"), "").unwrap();
    assert_eq!(
        packages::table(&plan, folder.path()),
        "crate                version  published as                files packed kB\n\
         claw-b               0.1.0    new-b                           1         2\n\
         claw-a               0.1.0    new-a                           -         -\n"
    );
}

#[test]
fn the_program_needs_packages_first() {
    let folder = tempfile::tempdir().unwrap();
    let error = packages::enter(&mut Command::new("x"), folder.path()).unwrap_err();
    assert!(error.to_string().contains("`package` first"), "{error}");
}

#[test]
fn the_program_depends_on_the_published_name() {
    let (_, plan) = project();
    let client = &plan.named("claw-client").unwrap().published;
    let manifest = hello::manifest(&plan).unwrap();
    assert!(
        manifest.contains(&format!("\n{client} = \"=")),
        "{manifest}"
    );
    assert!(!manifest.contains("path"), "{manifest}");
}

/// A feature that is added to the client must also be added to the facade.
#[test]
fn the_facade_has_the_features_of_the_client() {
    let (workspace, _) = project();
    let package = |name: &str| workspace.packages.iter().find(|it| it.name == name);
    let (client, facade) = (
        package("claw-client").unwrap(),
        package("claude-claw").unwrap(),
    );
    let features = client.features.keys();
    let mut expected: BTreeMap<_, _> = features
        .map(|feature| (feature.clone(), vec![format!("claw-client/{feature}")]))
        .collect();
    // The feature `tools` is enabled by default, so that new users get typed inputs of tools.
    expected.insert("default".to_owned(), vec!["tools".to_owned()]);
    assert!(!client.features.contains_key("default"));
    assert_eq!(facade.features, expected);
}

#[test]
fn a_name_has_its_place_in_the_index() {
    for (name, expected) in [
        ("a", "1/a"),
        ("ab", "2/ab"),
        ("abc", "3/a/abc"),
        ("Abcd", "ab/cd/abcd"),
        ("claw-stream-types", "cl/aw/claw-stream-types"),
    ] {
        assert_eq!(registry::place(name), Path::new(expected));
    }
}

#[test]
fn the_index_says_what_a_package_needs_under_which_name() {
    let package = serde_json::json!({
        "name": "new-b", "version": "0.1.0", "features": { "x": ["dep:a"] }, "links": null, "rust_version": "1.91",
        "source": null,
        "dependencies": [
            { "name": "new-a", "rename": "a", "req": "^0.1.0", "kind": null, "optional": true,
              "uses_default_features": false, "features": ["y"], "target": "cfg(unix)" },
            { "name": "t", "rename": null, "req": "^1", "kind": "dev", "optional": false,
              "uses_default_features": true, "features": [], "target": null },
        ],
    });
    let line = registry::line(&serde_json::from_value(package).unwrap(), "0f");
    let expected = serde_json::json!({
        "name": "new-b", "vers": "0.1.0", "cksum": "0f", "features": { "x": ["dep:a"] }, "links": null,
        "rust_version": "1.91", "yanked": false, "v": 2,
        "deps": [{ "name": "a", "package": "new-a", "req": "^0.1.0", "features": ["y"], "optional": true,
                   "default_features": false, "target": "cfg(unix)", "kind": "normal" },
                 { "name": "t", "package": null, "req": "^1", "features": [], "optional": false,
                   "default_features": true, "target": null, "kind": "dev" }],
    });
    assert_eq!(line, expected);
}

#[test]
fn the_stranger_needs_a_registry_first() {
    let (workspace, plan) = project();
    let folder = tempfile::tempdir().unwrap();
    let stranger = Stranger {
        plan: &plan,
        registry: folder.path().join("registry"),
        folder: folder.path().join("stranger"),
    };
    for error in [
        stranger.hello(&workspace, None).unwrap_err().to_string(),
        stranger.install().unwrap_err().to_string(),
    ] {
        assert!(error.contains("`registry` first"), "{error}");
    }
    let error = stranger.hello(&workspace, Some("other")).unwrap_err();
    assert!(error.to_string().contains("do not run here"), "{error}");
}
