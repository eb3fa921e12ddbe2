//! `cargo xtask conform`: runs the conformance suite with the testees of several SDKs, and prints how each of them does.
//!
//! The testees are in `conformance/testees`. For each SDK, `conformance/known` has the list of the cases that it is known
//! to fail. A case that fails and is not in the list fails the command, and so does a case of the list that passes, unless
//! the comment `# sometimes` follows its name.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::Deserialize;
use xtask::run::{Result, cargo, run, spelled};
use xtask::workspace::Workspace;
use xtask::{npm, python, sdk};

/// The packages that the testee of the official TypeScript package needs, beside the package itself. Its declarations
/// name the others, and it loads them when it starts.
const TYPESCRIPT: [&str; 3] = [
    "zod@4.6.7",
    "@anthropic-ai/sdk@1.14.0",
    "@modelcontextprotocol/sdk@1.32.2",
];

/// The workspace of the testees of Rust crates.
const RUST: &str = "conformance/testees/rust";

/// What a case that ran into a limit of time has in its differences.
const OUT_OF_TIME: &str = "did not end within";

/// The SDKs, in the order of the table. Each name is that of its list of known failures.
const SDKS: [Sdk; 7] = [
    Sdk {
        name: "claw",
        title: "claw-client",
        language: "Rust",
    },
    Sdk {
        name: "claw-blocking",
        title: "claw-client",
        language: "Rust, without async",
    },
    Sdk {
        name: "typescript",
        title: sdk::PACKAGE,
        language: "TypeScript",
    },
    Sdk {
        name: "python",
        title: "claude-agent-sdk",
        language: "Python",
    },
    Sdk {
        name: "claude-codes",
        title: "claude-codes",
        language: "Rust",
    },
    Sdk {
        name: "claude-agent-sdk-rs",
        title: "claude-agent-sdk-rs",
        language: "Rust",
    },
    Sdk {
        name: "claude-cli-sdk",
        title: "claude-cli-sdk",
        language: "Rust",
    },
];

/// The command line of `cargo xtask conform`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Test only these SDKs.
    #[arg(value_name = "SDK", value_parser = clap::builder::PossibleValuesParser::new(SDKS.map(|sdk| sdk.name)))]
    sdks: Vec<String>,
    /// Write the lists of known failures again.
    #[arg(long)]
    write_known: bool,
}

/// An SDK that the suite tests.
struct Sdk {
    name: &'static str,
    /// The name of its package.
    title: &'static str,
    language: &'static str,
}

/// The cases that an SDK is known to fail, and whether it fails each of them always.
type Known<'a> = BTreeMap<&'a str, bool>;

/// The comment after a case that an SDK fails in some runs and passes in others.
const SOMETIMES: &str = "# sometimes";

/// A case, as `claw conform --json` prints it.
#[derive(Debug, Deserialize)]
struct Played {
    case: String,
    rule: String,
    state: String,
    differences: Vec<String>,
}

/// The outcome of the suite for one SDK.
struct Outcome {
    sdk: &'static Sdk,
    version: String,
    cases: Vec<Played>,
    seconds: u64,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let is_chosen =
        |sdk: &&'static Sdk| args.sdks.is_empty() || args.sdks.iter().any(|it| it == sdk.name);
    let claw = build_claw(&workspace)?;
    let mut outcomes = Vec::new();
    for sdk in SDKS.iter().filter(is_chosen) {
        let (version, testee) = testee(&workspace, sdk)?;
        let known = fs::read_to_string(known_file(&workspace, sdk)).unwrap_or_default();
        outcomes.push(test(&claw, sdk, version, &testee, &names(&known))?);
    }
    print!("{}", table(&outcomes));
    let mut changes = String::new();
    for outcome in &outcomes {
        let file = known_file(&workspace, outcome.sdk);
        let known = fs::read_to_string(&file).unwrap_or_default();
        if args.write_known {
            fs::write(&file, outcome.list(&names(&known)))?;
        } else {
            changes += &changed(outcome, &names(&known));
        }
    }
    if changes.is_empty() {
        return Ok(());
    }
    Err(format!("the lists of known failures differ:\n{changes}").into())
}

fn known_file(workspace: &Workspace, sdk: &Sdk) -> PathBuf {
    let folder = workspace.root.join("conformance/known");
    folder.join(format!("{}.txt", sdk.name))
}

/// Builds claw, and returns its path.
fn build_claw(workspace: &Workspace) -> Result<PathBuf> {
    let mut build = cargo("build");
    build.current_dir(&workspace.root);
    build.args(["--package=claw-cli", "--features=terminal"]);
    run(build.stdout(Stdio::from(std::io::stderr())))?;
    Ok(workspace.debug_directory().join("claw"))
}

/// Builds or installs what an SDK and its testee need. Returns the SDK's version, and the command of the testee.
fn testee(workspace: &Workspace, sdk: &Sdk) -> Result<(String, Vec<PathBuf>)> {
    let testees = workspace.root.join("conformance/testees");
    match sdk.name {
        "claw" | "claw-blocking" => {
            let mut build = cargo("build");
            build.current_dir(&workspace.root);
            build.args(["--package=claw-client", "--features=blocking,mcp"]);
            build.args(["--example=testee"]);
            run(build.stdout(Stdio::from(std::io::stderr())))?;
            let mut testee = vec![workspace.debug_directory().join("examples/testee")];
            if sdk.name == "claw-blocking" {
                testee.push("--blocking".into());
            }
            Ok((version_of(workspace, "claw-client")?, testee))
        }
        "typescript" => {
            let folder = format!("conform-typescript-{}", sdk::VERSION);
            let folder = workspace.ci_directory().join(folder);
            let package = format!("{}@{}", sdk::PACKAGE, sdk::VERSION);
            let packages = [&[&*package][..], &TYPESCRIPT].concat();
            let installed = folder.join("node_modules").join(sdk::PACKAGE);
            if !installed.join("package.json").is_file() {
                // The CLI, an optional dependency, is not needed.
                npm::install(&folder, &packages, &["--omit=optional"])?;
            }
            // Node.js looks for packages beside the program.
            let testee = folder.join("typescript.mjs");
            fs::copy(testees.join("typescript.mjs"), &testee)?;
            Ok((sdk::VERSION.to_owned(), vec!["node".into(), testee]))
        }
        "python" => {
            let folder = workspace.ci_directory().join("conform-python");
            // A package that is built from source contains no CLI.
            let packages = ["--no-binary", sdk.title, python::SDK_PACKAGE];
            let programs = python::install(&folder, &packages.join(" "), packages)?;
            let version = python::SDK_PACKAGE.rsplit("==").next().unwrap_or_default();
            let testee = testees.join("python.py");
            Ok((version.to_owned(), vec![programs.join("python"), testee]))
        }
        name => {
            let target = workspace.ci_directory().join("conform");
            let mut build = cargo("build");
            build.current_dir(workspace.root.join(RUST));
            build.env("CARGO_TARGET_DIR", &target);
            run(build
                .args(["--locked", "--bin", name])
                .stdout(Stdio::from(std::io::stderr())))?;
            let lock = fs::read_to_string(workspace.root.join(RUST).join("Cargo.lock"))?;
            let version = locked_version(&lock, sdk.title)
                .ok_or_else(|| format!("{RUST}/Cargo.lock does not have {}", sdk.title))?;
            Ok((version.to_owned(), vec![target.join("debug").join(name)]))
        }
    }
}

fn version_of(workspace: &Workspace, name: &str) -> Result<String> {
    let mut packages = workspace.packages.iter();
    let package = packages.find(|package| package.name == name);
    let package = package.ok_or_else(|| format!("there is no crate {name}"))?;
    Ok(package.version.clone())
}

/// Returns the version of a package in a lock file of cargo.
fn locked_version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    Some(rest.split_once('"')?.0)
}

/// Runs the suite. Cases that fail because of a limit of time, and are not known to fail, are repeated by themselves,
/// because the machine may have been busy.
fn test(
    claw: &Path,
    sdk: &'static Sdk,
    version: String,
    testee: &[PathBuf],
    known: &Known<'_>,
) -> Result<Outcome> {
    let begun = Instant::now();
    let mut cases = play(claw, testee, &[])?;
    let seconds = begun.elapsed().as_secs();
    for case in &mut cases {
        if !case.is_out_of_time() || known.contains_key(&*case.case) {
            continue;
        }
        eprintln!("{} runs again, by itself", case.case);
        let again = play(claw, testee, &["--jobs=1", "--case", &case.case])?;
        // Other cases may begin with the same name.
        if let Some(again) = again.into_iter().find(|again| again.case == case.case) {
            *case = again;
        }
    }
    Ok(Outcome {
        sdk,
        version,
        cases,
        seconds,
    })
}

/// Runs `claw conform`, and reads its lines.
fn play(claw: &Path, testee: &[PathBuf], more: &[&str]) -> Result<Vec<Played>> {
    let mut conform = Command::new(claw);
    conform
        .args(["conform", "--json"])
        .args(more)
        .arg("--")
        .args(testee);
    eprintln!("$ {}", spelled(&conform));
    let output = conform
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    // The code is also 1 if cases fail.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("`{}` ended with {}", spelled(&conform), output.status).into());
    }
    let text = String::from_utf8(output.stdout)?;
    text.lines()
        .map(|line| Ok(serde_json::from_str(line)?))
        .collect()
}

impl Played {
    fn is_out_of_time(&self) -> bool {
        let mut differences = self.differences.iter();
        self.state == "failed" && differences.any(|it| it.contains(OUT_OF_TIME))
    }
}

impl Outcome {
    fn count(&self, state: &str) -> usize {
        self.of(state).count()
    }

    fn of(&self, state: &str) -> impl Iterator<Item = &Played> {
        self.cases.iter().filter(move |case| case.state == state)
    }

    /// Returns the list of the cases that fail, and of those that are known to fail sometimes.
    fn list(&self, known: &Known<'_>) -> String {
        let mut text = format!(
            "# The cases that {} {} fails. `cargo xtask conform --write-known` writes this file.\n",
            self.sdk.title, self.version
        );
        for case in &self.cases {
            let name = &case.case;
            if known.get(&**name) == Some(&false) {
                let _ = writeln!(text, "{name} {SOMETIMES}");
            } else if case.state == "failed" {
                let _ = writeln!(text, "{name}");
            }
        }
        text
    }
}

/// Reads a list of known failures.
fn names(text: &str) -> Known<'_> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| match line.strip_suffix(SOMETIMES) {
            Some(name) => (name.trim_end(), false),
            None => (line, true),
        })
        .collect()
}

/// Describes how the failures differ from the known ones.
fn changed(outcome: &Outcome, known: &Known<'_>) -> String {
    let failed: BTreeMap<&str, &Played> = outcome.of("failed").map(|it| (&*it.case, it)).collect();
    let name = outcome.sdk.name;
    let mut text = String::new();
    for (case, played) in &failed {
        if !known.contains_key(case) {
            let why = played.differences.join("; ");
            let _ = writeln!(text, "{name}: {case} fails: {why}");
        }
    }
    let always = known.iter().filter(|(_, always)| **always);
    for (case, _) in always.filter(|(case, _)| !failed.contains_key(*case)) {
        let _ = writeln!(text, "{name}: {case} is a known failure, and does not fail");
    }
    text
}

/// Returns the results in Markdown.
fn table(outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "| SDK | version | passed | failed | not supported | seconds |\n|---|---|---|---|---|---|\n",
    );
    for outcome in outcomes {
        let Sdk {
            title, language, ..
        } = outcome.sdk;
        let (version, seconds) = (&outcome.version, outcome.seconds);
        let [passed, failed, unsupported] =
            ["passed", "failed", "unsupported"].map(|state| outcome.count(state));
        let _ = writeln!(
            text,
            "| `{title}` ({language}) | {version} | {passed} | {failed} | {unsupported} | {seconds} |"
        );
    }
    for outcome in outcomes {
        if outcome.count("failed") + outcome.count("unsupported") == 0 {
            continue;
        }
        let _ = writeln!(
            text,
            "\n### `{}` ({})\n",
            outcome.sdk.title, outcome.sdk.language
        );
        for case in outcome.of("failed") {
            let _ = writeln!(text, "- `{}`: {}", case.case, case.rule);
        }
        let unsupported: Vec<_> = outcome
            .of("unsupported")
            .map(|it| format!("`{}`", it.case))
            .collect();
        if !unsupported.is_empty() {
            let _ = writeln!(text, "\nNot supported: {}.", unsupported.join(", "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(cases: &[(&str, &str)]) -> Outcome {
        let played = |(case, state): &(&str, &str)| Played {
            case: (*case).to_owned(),
            rule: format!("The rule of {case}."),
            state: (*state).to_owned(),
            differences: vec!["a difference".to_owned()],
        };
        Outcome {
            sdk: &SDKS[0],
            version: "1.2.3".to_owned(),
            cases: cases.iter().map(played).collect(),
            seconds: 7,
        }
    }

    #[test]
    fn what_is_not_known_and_what_is_no_failure_is_named() {
        let outcome = outcome(&[
            ("a/new", "failed"),
            ("a/old", "failed"),
            ("a/good", "passed"),
        ]);
        let known = "# A comment.\na/old\n\na/good\na/gone\nb/flaky # sometimes\n";
        let text = changed(&outcome, &names(known));
        assert_eq!(
            text,
            "claw: a/new fails: a difference\nclaw: a/gone is a known failure, and does not fail\n\
             claw: a/good is a known failure, and does not fail\n"
        );
        let list = outcome.list(&names("a/good # sometimes\n"));
        assert!(
            list.ends_with("\na/new\na/old\na/good # sometimes\n"),
            "{list}"
        );
        assert_eq!(changed(&outcome, &names(&list)), "");
    }

    #[test]
    fn the_table_has_the_counts_and_the_rules_of_failed_cases() {
        let outcome = outcome(&[("a/b", "failed"), ("a/c", "passed"), ("a/d", "unsupported")]);
        let text = table(&[outcome]);
        assert!(
            text.contains("| `claw-client` (Rust) | 1.2.3 | 1 | 1 | 1 | 7 |\n"),
            "{text}"
        );
        assert!(text.contains("- `a/b`: The rule of a/b.\n"), "{text}");
        assert!(text.contains("Not supported: `a/d`.\n"), "{text}");
    }

    #[test]
    fn a_version_is_read_from_a_lock_file() {
        let lock = "[[package]]\nname = \"ab\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"a\"\nversion = \"2.0.0\"\n";
        assert_eq!(locked_version(lock, "a"), Some("2.0.0"));
        assert_eq!(locked_version(lock, "b"), None);
    }
}
