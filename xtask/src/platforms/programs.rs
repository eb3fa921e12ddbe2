//! Builds the test programs of a target, and lists their tests.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask::run::{Result, cargo, read};

/// One test.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Test {
    pub(super) package: String,
    /// `lib`, or the name of the test program.
    pub(super) program: String,
    pub(super) name: String,
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.package, self.program, self.name)
    }
}

/// The paths of test programs. The keys are a package and the name of a program.
pub(super) struct Programs(BTreeMap<(String, String), PathBuf>);

impl Programs {
    /// Builds the tests of packages, and the examples and programs that these tests run. If `target` is `None`, builds
    /// for this machine.
    pub(super) fn build(
        target: Option<&str>,
        packages: &[&str],
        environment: &[(&str, &str)],
    ) -> Result<Self> {
        let with = |command: &str| {
            let mut command = cargo(command);
            if let Some(target) = target {
                build_for(&mut command, target, environment);
            }
            command.arg("--all-features");
            command.args(
                packages
                    .iter()
                    .map(|package| format!("--package={package}")),
            );
            command.arg("--message-format=json-render-diagnostics");
            command
        };
        // In a build for this machine, the tests are only listed, so the examples are not needed.
        if target.is_some() {
            read(with("build").arg("--examples"))?;
        }
        let output = read(with("test").args(["--no-run", "--lib", "--bins", "--tests"]))?;
        let mut programs = BTreeMap::new();
        for artifact in artifacts(&output)? {
            if artifact["profile"]["test"] != true {
                continue;
            }
            let (Some(executable), Some(manifest)) = (
                artifact["executable"].as_str(),
                artifact["manifest_path"].as_str(),
            ) else {
                continue;
            };
            let package = Path::new(manifest).parent().and_then(Path::file_name);
            let package = package.unwrap_or_default().to_string_lossy().into_owned();
            let kind = artifact["target"]["kind"][0].as_str().unwrap_or_default();
            let name = artifact["target"]["name"].as_str().unwrap_or_default();
            let program = if kind == "lib" { "lib" } else { name };
            programs.insert((package, program.to_owned()), executable.into());
        }
        Ok(Self(programs))
    }

    /// Lists the tests of each program. `command` returns the command that runs a program.
    pub(super) fn tests(&self, command: impl Fn(&Path) -> Command) -> Result<Vec<(Test, PathBuf)>> {
        let mut tests = Vec::new();
        for ((package, program), path) in &self.0 {
            let listed = read(command(path).args(["--list", "--format=terse"]))?;
            for name in listed
                .lines()
                .filter_map(|line| line.trim().strip_suffix(": test"))
            {
                let test = Test {
                    package: package.clone(),
                    program: program.clone(),
                    name: name.to_owned(),
                };
                tests.push((test, path.clone()));
            }
        }
        Ok(tests)
    }
}

/// Builds the programs of a package, and returns the path of one of them.
pub(super) fn program(
    package: &str,
    target: &str,
    environment: &[(&str, &str)],
) -> Result<PathBuf> {
    let mut cargo = cargo("build");
    cargo.args([&format!("--package={package}"), "--bins"]);
    build_for(&mut cargo, target, environment);
    let output = read(cargo.arg("--message-format=json-render-diagnostics"))?;
    let built = artifacts(&output)?
        .into_iter()
        .find_map(|artifact| Some(PathBuf::from(artifact["executable"].as_str()?)));
    built.ok_or_else(|| format!("cargo named no executable of {package}").into())
}

/// Prepares a build for another target. The programs are built without debug information, because they are not
/// debugged. They then need only a third of the disk space.
fn build_for(cargo: &mut Command, target: &str, environment: &[(&str, &str)]) {
    cargo.arg(format!("--target={target}"));
    cargo.env("CARGO_INCREMENTAL", "0");
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false");
    cargo.env("CARGO_PROFILE_DEV_STRIP", "debuginfo");
    cargo.envs(environment.iter().copied());
}

fn artifacts(output: &str) -> Result<Vec<Value>> {
    let parsed: std::result::Result<_, _> = output.lines().map(serde_json::from_str).collect();
    Ok(parsed?)
}
