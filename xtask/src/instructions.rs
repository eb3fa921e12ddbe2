//! `cargo xtask instructions`: counts the instructions of the hot paths with callgrind.
//!
//! The counts do not depend on the load of the machine. Each count is divided by the count for `serde_json` (or for a
//! simple scan) with the same bytes in the same run. A new compiler changes both counts, so this share stays nearly the
//! same. The accepted shares are in `instructions.baseline.json`. A larger share is a slow-down. A smaller share must
//! be written to the baseline.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use xtask::run::{Result, cargo, read};
use xtask::workspace::Workspace;

mod prove;

/// The file with the accepted shares.
const BASELINE: &str = "xtask/instructions.baseline.json";
/// The accepted deviation of a share. It is needed because the layout of code changes counts by a few instructions.
const TOLERANCE: f64 = 0.03;
/// The accepted deviation if the baseline was counted with another compiler.
const TOLERANCE_OF_COMPILERS: f64 = 0.15;

/// The numbers of rounds in the two runs. Only the difference of the two counts is used, so work that is done once has
/// no influence.
const ROUNDS: [u32; 2] = [5, 25];

/// A row of the table: the crate, its operation, the operation with which it is compared, and the input.
struct Row {
    package: &'static str,
    ours: &'static str,
    theirs: &'static str,
    on: &'static str,
}

const fn row(package: &'static str, [ours, theirs]: [&'static str; 2], on: &'static str) -> Row {
    Row {
        package,
        ours,
        theirs,
        on,
    }
}

const DECODE: [&str; 2] = ["decode", "skip"];
const ENCODE: [&str; 2] = ["encode", "encode-value"];
const TURN: [&str; 2] = ["turn", "skip"];
/// The rows do not include `system/init`, because it consists mostly of allocations, whose cost depends on the state of
/// the heap. A test of claw-types limits their number.
const ROWS: [Row; 13] = [
    row("claw-types", DECODE, "assistant"),
    row("claw-types", DECODE, "user"),
    row("claw-types", DECODE, "result/success"),
    row("claw-types", DECODE, "stream_event"),
    row("claw-types", DECODE, "system/status"),
    row("claw-types", ENCODE, "assistant"),
    row("claw-types", ENCODE, "user"),
    row("claw-types", ENCODE, "result/success"),
    row("claw-types", ENCODE, "stream_event"),
    row("claw-types", ENCODE, "system/status"),
    row("claw-codec", ["lines", "scan"], "text"),
    row("claw-client", TURN, "stream_event"),
    row("claw-client", TURN, "assistant"),
];

/// The counted shares, and the version of the compiler.
#[derive(Serialize, Deserialize)]
struct Counts {
    rustc: String,
    parts: BTreeMap<String, f64>,
}

/// The command line of `cargo xtask instructions`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Accept the current counts.
    #[arg(long)]
    write_baseline: bool,
    /// Insert slow-downs into a copy of the project, and check that each is detected.
    #[arg(long, conflicts_with = "write_baseline")]
    prove: bool,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    if args.prove {
        return prove::main(&workspace);
    }
    if args.write_baseline {
        let counted = count(&workspace.root, &workspace.ci_directory())?;
        let text = serde_json::to_string_pretty(&counted)?;
        fs::write(workspace.root.join(BASELINE), text + "\n")?;
        return Ok(());
    }
    check(&workspace)
}

/// Counts the instructions, and compares the shares with the baseline.
///
/// # Errors
/// Fails if a share differs from the accepted share, or if the instructions cannot be counted.
pub(crate) fn check(workspace: &Workspace) -> Result {
    let counted = count(&workspace.root, &workspace.ci_directory())?;
    let accepted = baseline(&workspace.root)?;
    if counted.rustc != accepted.rustc {
        println!(
            "{BASELINE} is of rustc {}: {TOLERANCE_OF_COMPILERS} is tolerated",
            accepted.rustc
        );
    }
    let wrong = differences(&accepted, &counted);
    if wrong.is_empty() {
        Ok(())
    } else {
        let hint = "a gain is written down by `cargo xtask instructions --write-baseline`";
        Err(format!("{}\n{hint}", wrong.join("\n")).into())
    }
}

fn baseline(root: &Path) -> Result<Counts> {
    Ok(serde_json::from_slice(&fs::read(root.join(BASELINE))?)?)
}

/// Returns the differences from the accepted shares.
fn differences(accepted: &Counts, counted: &Counts) -> Vec<String> {
    let tolerance = if accepted.rustc == counted.rustc {
        TOLERANCE
    } else {
        TOLERANCE_OF_COMPILERS
    };
    let (accepted, counted) = (&accepted.parts, &counted.parts);
    let mut wrong = Vec::new();
    for (name, part) in counted {
        match accepted.get(name) {
            None => wrong.push(format!("{name}: {part:.3}, not in {BASELINE}")),
            Some(accepted) if (part / accepted - 1.0).abs() > tolerance => {
                wrong.push(format!("{name}: {part:.3}, accepted is {accepted:.3}"));
            }
            Some(_) => {}
        }
    }
    let gone = accepted.keys().filter(|name| !counted.contains_key(*name));
    wrong.extend(gone.map(|name| format!("{name}: in {BASELINE}, and not counted")));
    wrong
}

/// Counts the instructions, prints a table, and returns the share of each row. The keys are the names of the rows.
fn count(root: &Path, target: &Path) -> Result<Counts> {
    let programs = build(root, target)?;
    let mut parts = BTreeMap::new();
    println!(
        "{:<42}{:>14}{:>14}{:>8}",
        "instructions a line", "claw", "beside", "part"
    );
    for row in ROWS {
        let program = programs
            .get(row.package)
            .ok_or_else(|| format!("{} has no program in xtask-instructions", row.package))?;
        let name = format!("{} {} {}", row.package, row.ours, row.on);
        let count = |what| instructions(program, what, row.on, target);
        let (ours, theirs) = thread::scope(|scope| {
            let theirs = scope.spawn(|| count(row.theirs).map_err(|error| error.to_string()));
            let ours = count(row.ours);
            (ours, theirs.join())
        });
        let (ours, theirs) = (ours?, theirs.map_err(|_| "the count panicked")??);
        let part = (ours / theirs * 1000.0).round() / 1000.0;
        println!("{name:<42}{ours:>14.0}{theirs:>14.0}{part:>8.3}");
        parts.insert(name, part);
    }
    let version = read(Command::new("rustc").arg("--version"))?;
    let rustc = version.split_whitespace().nth(1).unwrap_or_default();
    Ok(Counts {
        rustc: rustc.to_owned(),
        parts,
    })
}

/// Builds the programs, and returns their paths. The keys are the names of the packages whose operations the programs
/// contain.
fn build(root: &Path, target: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut build = cargo("build");
    build
        .current_dir(root)
        // With several units, the division of a crate into units depends on its folder, and inlining depends on the
        // division.
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .arg("--target-dir")
        .arg(target.join("instructions"));
    build.args(["--release", "--package", "xtask-instructions"]);
    build.arg("--message-format=json-render-diagnostics");
    let mut programs = BTreeMap::new();
    for line in read(&mut build)?.lines() {
        let artifact: Value = serde_json::from_str(line)?;
        let package = artifact["target"]["name"].as_str();
        let package = package.and_then(|name| name.strip_prefix("count-"));
        if let (Some(package), Some(program)) = (package, artifact["executable"].as_str()) {
            programs.insert(package.to_owned(), PathBuf::from(program));
        }
    }
    Ok(programs)
}

/// Returns the average number of instructions for a line.
fn instructions(program: &Path, what: &str, on: &str, target: &Path) -> Result<f64> {
    let mut counts = [0.0; 2];
    let mut lines = 1.0;
    for (count, rounds) in counts.iter_mut().zip(ROUNDS) {
        let out = target.join(format!("callgrind.{what}"));
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--quiet", "--tool=callgrind"]);
        valgrind.arg(format!("--callgrind-out-file={}", out.display()));
        valgrind.arg(program).args([what, on, &rounds.to_string()]);
        let printed = read(&mut valgrind)
            .map_err(|error| format!("{error} (valgrind is a package of the system's)"))?;
        lines = printed.trim().parse()?;
        let text = fs::read_to_string(&out)?;
        let total = text
            .lines()
            .find_map(|line| line.strip_prefix("totals: "))
            .ok_or("callgrind has counted nothing")?;
        *count = total.trim().parse()?;
    }
    let [few, many] = counts;
    let [first, second] = ROUNDS;
    Ok((many - few) / f64::from(second - first) / lines)
}

#[cfg(test)]
mod tests {
    use super::{Counts, differences};

    fn counts<const N: usize>(rustc: &str, of: [(&str, f64); N]) -> Counts {
        Counts {
            rustc: rustc.to_owned(),
            parts: of.map(|(name, part)| (name.to_owned(), part)).into(),
        }
    }

    #[test]
    fn what_moved_either_way_is_reported() {
        let accepted = counts(
            "1",
            [
                ("same", 0.5),
                ("slower", 0.5),
                ("faster", 0.5),
                ("gone", 0.5),
            ],
        );
        let counted = counts(
            "1",
            [
                ("same", 0.505),
                ("slower", 0.52),
                ("faster", 0.48),
                ("new", 0.5),
            ],
        );
        let report = differences(&accepted, &counted).join("\n");
        assert_eq!(report.lines().count(), 4, "{report}");
        assert!(!report.contains("same"), "{report}");
    }

    #[test]
    fn another_compiler_may_move_more() {
        let accepted = counts("1", [("moved", 0.5), ("slower", 0.5)]);
        let counted = counts("2", [("moved", 0.55), ("slower", 0.6)]);
        let report = differences(&accepted, &counted).join("\n");
        assert!(
            report.starts_with("slower") && report.lines().count() == 1,
            "{report}"
        );
    }
}
