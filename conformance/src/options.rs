//! `cargo xtask options`: compares what claw and the official TypeScript SDK send to the CLI for each option.
//!
//! Both start the same recorder instead of the CLI, with the options of a case. The two records are compared. Each
//! difference needs a row of the table in docs/options.md, and each row needs a difference.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::sdk;

use crate::parity;
use xtask::run::{Result, read, run};
use xtask::workspace::Workspace;

mod cases;
mod play;
mod reasons;
mod record;

use cases::{Case, Role};
use record::{Found, Record, compare as beside};

/// The cases: the options for both sides, and the expected differences, each with the row that explains it.
const CASES: &str = "conformance/src/options/cases.json";
/// The document with the rows.
const REASONS: &str = "docs/options.md";
/// The program that replaces the CLI, and the program that runs the official SDK.
const RECORDER: &str = include_str!("options/recorder.mjs");
const OFFICIAL: &str = "conformance/src/options/official.mjs";

/// The command line of `cargo xtask options`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Runs claw's part: a file of roles. The environment of this process is that of the host.
    #[arg(long, hide = true, value_name = "FILE")]
    play: Option<PathBuf>,
}

pub(crate) fn main(args: &Args) -> Result {
    if let Some(roles) = &args.play {
        return play::all(roles);
    }
    let workspace = Workspace::read()?;
    let (cases, found) = compared(&workspace)?;
    for (case, found) in cases.iter().zip(&found) {
        let refused = if found.refused {
            ": refused by both"
        } else {
            ""
        };
        println!("{}{refused}", case.name());
        for difference in &found.differences {
            println!("    {difference}");
        }
    }
    judge(&workspace, &cases, &found)
}

/// Fails unless each difference is explained, and each explanation is needed.
pub(crate) fn check(workspace: &Workspace) -> Result {
    let (cases, found) = compared(workspace)?;
    judge(workspace, &cases, &found)
}

/// Returns the cases, and the result of each.
fn compared(workspace: &Workspace) -> Result<(Vec<Case>, Vec<Found>)> {
    let cases: Vec<Case> = serde_json::from_str(&fs::read_to_string(workspace.root.join(CASES))?)?;
    let surface = parity::options(workspace)?;
    let seen: BTreeSet<_> = cases.iter().map(|case| &*case.option).collect();
    let unseen: Vec<_> = surface
        .iter()
        .filter(|name| !seen.contains(&***name))
        .collect();
    if !unseen.is_empty() {
        return Err(format!("no case in {CASES} is about the options {unseen:?}").into());
    }
    println!("{} cases, of all {} options", cases.len(), surface.len());
    let found = found(workspace, &cases)?;
    Ok((cases, found))
}

fn judge(workspace: &Workspace, cases: &[Case], found: &[Found]) -> Result {
    let rows = reasons::rows(&fs::read_to_string(workspace.root.join(REASONS))?);
    let problems = reasons::judge(cases, found, &rows);
    if problems.is_empty() {
        println!(
            "equal, but for what the {} rows of {REASONS} explain",
            rows.len()
        );
        Ok(())
    } else {
        let problems = problems.join("\n");
        Err(
            format!("claw and the official SDK differ otherwise than {REASONS} says:\n{problems}")
                .into(),
        )
    }
}

/// Returns the differences of each case, without those of every start.
fn found(workspace: &Workspace, cases: &[Case]) -> Result<Vec<Found>> {
    let folder = tempfile::tempdir()?;
    // Links in the path of a folder would be treated as other names of the folder.
    let root = folder.path().canonicalize()?;
    let recorder = recorder()?;
    let (mut there, mut here) = (Vec::new(), Vec::new());
    for (at, case) in cases.iter().enumerate() {
        there.push(case.role(&recorder, &root.join(format!("{at}/there")), &case.there)?);
        here.push(case.role(&recorder, &root.join(format!("{at}/here")), &case.here)?);
    }
    let hosts: BTreeSet<_> = cases.iter().map(|case| &case.host).collect();
    for host in hosts {
        let of = |roles: &[Role]| -> Vec<Role> {
            let pairs = roles.iter().zip(cases);
            pairs
                .filter(|(_, case)| case.host == *host)
                .map(|(role, _)| role.clone())
                .collect()
        };
        official(workspace, &root, &of(&there), host)?;
        claw(&root, &of(&here), host)?;
    }
    let mut all = Vec::new();
    for ((case, there), here) in cases.iter().zip(&there).zip(&here) {
        let host = environment(&root, &case.host);
        let record = |role: &Role| {
            Record::read(&role.folder, &host).map_err(|error| {
                format!(
                    "{}: nothing was recorded in {}: {error}",
                    case.name(),
                    role.folder.display()
                )
            })
        };
        all.push(beside(&record(there)?, &record(here)?));
    }
    // The first case sets no option, so its differences occur in all cases.
    let always = all.first().cloned().unwrap_or_default();
    for found in all.iter_mut().skip(1) {
        let own = |difference: &_| !always.differences.contains(difference);
        found.differences.retain(own);
    }
    Ok(all)
}

/// Returns the environment of a host.
fn environment(root: &Path, more: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut host = BTreeMap::from([("HOME".to_owned(), root.display().to_string())]);
    host.extend(env::var("PATH").map(|path| ("PATH".to_owned(), path)));
    host.extend(more.clone());
    host
}

/// Runs the roles with the official SDK.
fn official(
    workspace: &Workspace,
    root: &Path,
    roles: &[Role],
    host: &BTreeMap<String, String>,
) -> Result {
    let package = sdk::package(workspace)?;
    let file = root.join("there.json");
    fs::write(&file, serde_json::to_string(roles)?)?;
    let mut node = Command::new("node");
    node.env_clear().envs(environment(root, host));
    node.arg("--no-warnings").arg(workspace.root.join(OFFICIAL));
    needs_node(run(node.arg(package).arg(file).current_dir(root)))
}

/// Runs the roles with claw, in a separate process with its own environment.
fn claw(root: &Path, roles: &[Role], host: &BTreeMap<String, String>) -> Result {
    let file = root.join("here.json");
    fs::write(&file, serde_json::to_string(roles)?)?;
    let mut claw = Command::new(env::current_exe()?);
    claw.env_clear().envs(environment(root, host));
    run(claw.args(["options", "--play"]).arg(file).current_dir(root))
}

/// Returns the recorder with the path of this machine's Node, because a role may have no `PATH`.
fn recorder() -> Result<String> {
    let mut node = Command::new("node");
    let path = needs_node(read(node.args(["-p", "process.execPath"])))?;
    Ok(format!("#!{}\n{RECORDER}", path.trim()))
}

fn needs_node<T>(result: Result<T>) -> Result<T> {
    result.map_err(|error| format!("{error} (the official SDK needs Node.js 20 or newer)").into())
}

#[cfg(test)]
mod tests;
