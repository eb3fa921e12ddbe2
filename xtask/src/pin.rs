//! `cargo xtask pin VERSION`: performs the automatic steps of an update to another version of Claude Code.
//!
//! The versions are constants in the code, so the steps after setting them need a new build of xtask. Each step is a
//! separate `cargo xtask` command, which can also be called alone.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Deserialize;

use xtask::run::{Result, cargo, run};
use xtask::workspace::Workspace;
use xtask::{claude, python, sdk};

/// The command line of `cargo xtask pin`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The new version of the CLI, such as 2.1.330.
    version: String,
    /// The corresponding version of the TypeScript SDK, if its last number differs from the CLI's.
    #[arg(long, value_name = "VERSION")]
    sdk: Option<String>,
    /// The version of the Python SDK. Without this flag, it stays.
    #[arg(long, value_name = "VERSION")]
    python: Option<String>,
}

/// The versions that belong together.
struct Versions<'a> {
    cli: &'a str,
    sdk: &'a str,
    python: &'a str,
}

/// The program whose version a place contains.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pinned {
    Cli,
    Sdk,
    Python,
}

/// A place in a file that contains a pinned version.
struct Place {
    file: &'static str,
    /// The text before the version, which occurs only once in the file.
    before: &'static str,
    which: Pinned,
}

/// All places that contain a pinned version. Other mentions of a version are facts about that version, such as when a
/// field was added or what was measured. They are not changed.
const PLACES: [Place; 13] = [
    Place {
        file: "crates/claw-types/src/lib.rs",
        before: "pub const CLI_VERSION: &str = \"",
        which: Pinned::Cli,
    },
    Place {
        file: "xtask/src/sdk.rs",
        before: "pub const VERSION: &str = \"",
        which: Pinned::Sdk,
    },
    Place {
        file: "README.md",
        before: "are checked against the real CLI, ",
        which: Pinned::Cli,
    },
    Place {
        file: "docs/versioning.md",
        before: "| the CLI that tests run and fixtures are recorded with | ",
        which: Pinned::Cli,
    },
    Place {
        file: "docs/versioning.md",
        before: "| the official TypeScript package, whose declarations are compared | ",
        which: Pinned::Sdk,
    },
    Place {
        file: "docs/options.md",
        before: "in place of the CLI, with that SDK (",
        which: Pinned::Sdk,
    },
    Place {
        file: "CHANGELOG.md",
        before: "It describes Claude Code ",
        which: Pinned::Cli,
    },
    Place {
        file: "schemas/CHANGELOG.md",
        before: "It describes Claude Code ",
        which: Pinned::Cli,
    },
    Place {
        file: "docs/deploying/Dockerfile",
        before: "@anthropic-ai/claude-code@",
        which: Pinned::Cli,
    },
    // A test compares the flags of this page with those of the CLI.
    Place {
        file: "docs/guides/coming-from.md",
        before: "`claude --help` of ",
        which: Pinned::Cli,
    },
    // `cargo xtask parity` compares these two pages with the exports of the packages.
    Place {
        file: "docs/guides/coming-from-typescript.md",
        before: "that `@anthropic-ai/claude-agent-sdk` ",
        which: Pinned::Sdk,
    },
    Place {
        file: "docs/guides/coming-from-python.md",
        before: "that `claude-agent-sdk` ",
        which: Pinned::Python,
    },
    Place {
        file: "xtask/src/python.rs",
        before: "pub const SDK_PACKAGE: &str = \"claude-agent-sdk==",
        which: Pinned::Python,
    },
];

/// The steps after the versions were set. Each consists of the arguments of `cargo xtask`.
const STEPS: [&[&str]; 6] = [
    &["claude"],
    &["fixtures", "record"],
    &["schema", "write"],
    &["fixtures", "check"],
    &["parity"],
    &["options"],
];

/// The tasks that remain for a person.
const REMAINS: &str = "\
What remains, see docs/versioning.md:
- type what the page of `currency` (kept below the target folder, as ci/currency/VERSION.md) and the gate `parity` name as
  new, each with a test; then `cargo xtask schema write`
- `cargo xtask parity --write-baseline`, and a reason for what is not typed
- a failed step above: mend it, and repeat it by its own command
- `cargo xtask ci --all`
- a row in the table of bumps in docs/versioning.md, and in that of `cargo xtask currency`
- the versions in README's comparison are those of its measurements: set them when these are repeated
";

/// The heading of the list that [`mentions`] returns.
const MENTIONS: &str = "\
Lines that still name an older version. A line about when something came, or about what was measured or observed, is right
if it is still true of that version. Any other line needs the new one:
";

/// The maximum length of a listed line, in characters.
const LONGEST: usize = 160;

/// Files in which mentions of a version are facts: recordings, data of tests, generated files, and records of the past.
const FACTS: [&str; 9] = [
    ":!fixtures",
    ":!*/fixtures/*",
    ":!*/tests/*",
    ":!*/tests.rs",
    ":!bench",
    ":!fuzz",
    ":!schemas",
    ":!Cargo.lock",
    ":!docs/pictures",
];

/// The result of a step.
struct Took {
    step: String,
    time: Duration,
    done: Result,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let cli = &args.version;
    let sdk = match &args.sdk {
        Some(sdk) => sdk.clone(),
        None => sdk::of_cli(cli)?,
    };
    belong_together(&workspace, cli, &sdk)?;

    let pinned = claude::version(&workspace)?;
    let mut steps = vec![timed(&format!("currency {cli}"), || {
        run(cargo("xtask")
            .args(["currency", cli, "--sdk", &sdk])
            .current_dir(&workspace.root))
    })];
    let versions = Versions {
        cli,
        sdk: &sdk,
        python: args.python.as_deref().unwrap_or(pinned_python()),
    };
    println!("\n{} and {} become {cli} and {sdk}", pinned, sdk::VERSION);
    let older = [
        (pinned.as_str(), cli.as_str()),
        (sdk::VERSION, &sdk),
        (pinned_python(), versions.python),
    ];
    let older = older.iter().filter(|(old, new)| old != new);
    let older: Vec<_> = older.map(|(old, _)| *old).collect();
    for place in &PLACES {
        place.set(&workspace.root, place.which.of(&versions))?;
    }
    for step in STEPS {
        steps.push(timed(&step.join(" "), || {
            run(cargo("xtask").args(step).current_dir(&workspace.root))
        }));
    }
    println!("\n{}\n{REMAINS}", table(&steps));
    let left = mentions(&workspace.root, &older)?;
    if !left.is_empty() {
        println!("{MENTIONS}{left}");
    }
    match steps.iter().filter(|step| step.done.is_err()).count() {
        0 => Ok(()),
        failed => Err(format!("{failed} steps did not succeed").into()),
    }
}

/// Returns the lines of the project that contain one of these versions, each with its file and line number.
/// Declarations of the version that added a field are left out.
fn mentions(root: &Path, versions: &[&str]) -> Result<String> {
    let mut git = Command::new("git");
    git.args([
        "grep",
        "--line-number",
        "-I",
        "--fixed-strings",
        "--word-regexp",
    ]);
    for version in versions {
        git.args(["-e", version]);
    }
    git.args(["--", "."]).args(FACTS).current_dir(root);
    let output = git.output()?;
    // git exits with 1 if no line was found.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let lines = String::from_utf8(output.stdout)?;
    let lines = lines.lines().filter(|line| !line.contains("since = \""));
    let short = lines.map(|line| line.chars().take(LONGEST).collect::<String>() + "\n");
    Ok(short.collect())
}

/// Fails unless this version of the SDK belongs to this version of the CLI.
fn belong_together(workspace: &Workspace, cli: &str, sdk: &str) -> Result {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Package {
        claude_code_version: String,
    }
    let package = sdk::package_of(workspace, sdk)?.join("package.json");
    let package: Package = serde_json::from_str(&fs::read_to_string(package)?)?;
    if package.claude_code_version == cli {
        Ok(())
    } else {
        Err(format!(
            "{} {sdk} belongs to the CLI {}, not {cli}; name another with --sdk",
            sdk::PACKAGE,
            package.claude_code_version
        )
        .into())
    }
}

/// Returns the version of the Python SDK that is currently pinned.
fn pinned_python() -> &'static str {
    let package = python::SDK_PACKAGE;
    package
        .split_once("==")
        .map_or(package, |(_, version)| version)
}

impl Pinned {
    fn of<'a>(self, versions: &Versions<'a>) -> &'a str {
        match self {
            Self::Cli => versions.cli,
            Self::Sdk => versions.sdk,
            Self::Python => versions.python,
        }
    }
}

impl Place {
    /// Replaces the version at this place.
    fn set(&self, root: &Path, version: &str) -> Result {
        let path = root.join(self.file);
        let text = fs::read_to_string(&path)?;
        let (before, _, after) = self.find(&text)?;
        Ok(fs::write(path, format!("{before}{version}{after}"))?)
    }

    /// Returns the version at this place, together with the text before it and the text after it.
    fn find<'a>(&self, text: &'a str) -> Result<(&'a str, &'a str, &'a str)> {
        let missing = || format!("{} has no version after {:?}", self.file, self.before);
        let start = text.find(self.before).ok_or_else(missing)? + self.before.len();
        let (before, rest) = text.split_at(start);
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit());
        let (version, _) = rest.split_at(end.unwrap_or(rest.len()));
        // The version may be followed by the full stop of a sentence, such as "2.1.330."
        let version = version.trim_end_matches('.');
        if version.is_empty() {
            return Err(missing().into());
        }
        Ok((before, version, &rest[version.len()..]))
    }
}

fn timed(step: &str, act: impl FnOnce() -> Result) -> Took {
    println!("\n=== {step} ===");
    let start = Instant::now();
    let done = act();
    if let Err(error) = &done {
        println!("FAILED: {error}");
    }
    Took {
        step: step.to_owned(),
        time: start.elapsed(),
        done,
    }
}

/// Returns a table with one line for each step.
fn table(steps: &[Took]) -> String {
    let width = steps.iter().map(|took| took.step.len()).max();
    let width = width.unwrap_or_default().max("step".len());
    let mut text = format!("{:<width$} minutes\n", "step");
    for Took { step, time, done } in steps {
        let outcome = if done.is_ok() {
            "done"
        } else {
            "TO BE LOOKED AT"
        };
        let minutes = time.as_secs_f64() / 60.0;
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{step:<width$} {minutes:>7.1}  {outcome}");
    }
    text
}

#[cfg(test)]
mod tests;
