//! `cargo xtask currency`: tests claw with other versions of the CLI than the pinned one. With a version, it prints a
//! page about what changed in that version.
//!
//! Each version is installed below the target folder, runs a fixed set of tasks with the scripted API, and is removed.
//! The table of docs/versioning.md contains the output.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use claw_client::OLDEST_CLI;
use claw_client::types::QueryOptions;
use claw_client::types::dialect::Today;
use claw_client::types::{StdoutMessage, Untyped, from_line, untyped};
use claw_testkit::api::{Api, scenarios};
use claw_view::{Flow, Read};
use serde::Deserialize;
use serde_json::{Map, Value};
use xtask::run::Result;
use xtask::workspace::Workspace;
use xtask::{claude, sdk};

use xtask_recordings::fixtures;

mod missing;
mod names;
mod page;
mod things;

use things::{Place, THINGS};

/// Versions from the oldest that claw supports to the newest at the time of the last update of this list. The pinned
/// version is tested after them.
const VERSIONS: [&str; 10] = [
    OLDEST_CLI, "2.1.215", "2.1.229", "2.1.243", "2.1.258", "2.1.272", "2.1.286", "2.1.301",
    "2.1.316", "2.1.330",
];

/// The options of each case, from which the flags are taken.
const CASES: &str = include_str!("options/cases.json");

/// A flag that no CLI has.
const NO_FLAG: &str = "--no-such-flag-at-all";

/// The time within which a CLI must refuse flags.
const PATIENCE: Duration = Duration::from_secs(30);

/// The command line of `cargo xtask currency`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A newer CLI: prints what changed in it since the pinned one.
    #[arg(value_name = "NEW")]
    new: Option<String>,
    /// The CLI with which the newer one is compared, in place of the pinned one.
    #[arg(long, value_name = "VERSION", requires = "new")]
    from: Option<String>,
    /// The TypeScript SDK that belongs to the newer CLI, if its last number differs from the CLI's.
    #[arg(long, value_name = "VERSION", requires = "new")]
    sdk: Option<String>,
    /// Test only these versions.
    #[arg(long, value_name = "VERSION", num_args = 1.., conflicts_with = "new")]
    only: Vec<String>,
    /// Keep the installed versions. A version takes about 250 to 400 MB.
    #[arg(long)]
    keep: bool,
}

/// A version of the CLI, and that of the TypeScript SDK that belongs to it.
struct Release {
    cli: String,
    sdk: String,
}

impl Release {
    /// Returns a CLI with the SDK that has the same last number.
    fn of_cli(cli: &str) -> Result<Self> {
        Ok(Self {
            cli: cli.to_owned(),
            sdk: sdk::of_cli(cli)?,
        })
    }
}

/// The recipe of the session in a terminal, which all versions can play.
const IN_TERMINAL: &str = "interactive_basics";

/// The results of a version.
#[derive(Default)]
struct Seen {
    /// The problem of each task. `None` if it succeeded.
    things: Vec<Option<String>>,
    /// The milliseconds until the response to `initialize`.
    start: u128,
    lines: usize,
    /// The parts of lines for which claw has no type, with the number of lines that contain them.
    untyped: BTreeMap<String, usize>,
    terminal: Terminal,
    /// Flags that claw may pass and the CLI does not accept.
    flags: Vec<String>,
}

/// The results of the session in a terminal.
#[derive(Default)]
struct Terminal {
    /// The reason why the session could not be played to its end.
    problem: Option<String>,
    /// The number of lines in the transcripts.
    lines: usize,
    /// The parts of these lines for which claw has no type, and the violations that `claw check` finds, with their numbers.
    found: BTreeMap<String, usize>,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    if let Some(new) = &args.new {
        let old = match &args.from {
            Some(from) => Release::of_cli(from)?,
            None => Release {
                cli: claude::version(&workspace)?,
                sdk: sdk::VERSION.to_owned(),
            },
        };
        let mut new = Release::of_cli(new)?;
        if let Some(sdk) = &args.sdk {
            new.sdk.clone_from(sdk);
        }
        return page::print(&workspace, &old, &new, args.keep);
    }
    let names: Vec<_> = THINGS.iter().map(|(name, _)| *name).collect();
    let versions: Vec<_> = match &args.only[..] {
        [] => {
            let pinned = claude::version(&workspace)?;
            let others = VERSIONS.iter().filter(|version| **version != pinned);
            let mut versions: Vec<_> = others.map(|version| (*version).to_owned()).collect();
            versions.push(pinned);
            versions
        }
        some => some.to_vec(),
    };
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for version in &versions {
        let prefix = claude::prefix_of(&workspace, version);
        let path = claude::install_version(&prefix, version)?;
        let mut seen = run_tasks(&path)?;
        seen.terminal = in_terminal(&workspace, &path)?;
        if !args.keep {
            fs::remove_dir_all(&prefix)?;
        }
        for (name, problem) in names.iter().zip(&seen.things) {
            if let Some(problem) = problem {
                wrong.push(format!("{version}: {name}: {problem}"));
            }
        }
        if let Some(problem) = &seen.terminal.problem {
            wrong.push(format!("{version}: terminal: {problem}"));
        }
        rows.push(row(version, &seen));
        eprintln!("{}", rows[rows.len() - 1]);
    }
    println!(
        "| CLI | {} | start | lines | without a type | terminal | lines of transcripts | notes of `claw check` | flags that \
         it does not take |",
        names.join(" | ")
    );
    println!(
        "| --- |{} ---: | ---: | --- | --- | ---: | --- | --- |",
        " --- |".repeat(names.len())
    );
    println!("{}", rows.join("\n"));
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

fn row(version: &str, seen: &Seen) -> String {
    let yes_or_no = |problem: &Option<String>| if problem.is_none() { "yes" } else { "**no**" };
    let things = seen.things.iter().map(yes_or_no);
    let counted = |found: &BTreeMap<String, usize>| {
        let found = found.iter();
        let parts: Vec<_> = found
            .map(|(what, times)| format!("`{what}` {times}"))
            .collect();
        none_or(&parts)
    };
    let flags: Vec<_> = seen.flags.iter().map(|flag| format!("`{flag}`")).collect();
    format!(
        "| {version} | {} | {} ms | {} | {} | {} | {} | {} | {} |",
        things.collect::<Vec<_>>().join(" | "),
        seen.start,
        seen.lines,
        counted(&seen.untyped),
        yes_or_no(&seen.terminal.problem),
        seen.terminal.lines,
        counted(&seen.terminal.found),
        none_or(&flags)
    )
}

fn none_or(parts: &[String]) -> String {
    if parts.is_empty() {
        "none".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Runs all tasks with a CLI.
fn run_tasks(path: &Path) -> Result<Seen> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut seen = Seen::default();
    for (_, thing) in THINGS {
        let folder = tempfile::tempdir()?;
        let place = Place::new(path, folder.path())?;
        let done = runtime
            .block_on(async { tokio::time::timeout(Duration::from_mins(2), thing(&place)).await });
        let problem = match done {
            Ok(Ok(start)) => {
                seen.start = seen.start.max(start.as_millis());
                None
            }
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("it does not end".to_owned()),
        };
        seen.things.push(problem);
        for line in place.lines()? {
            seen.lines += 1;
            for part in untyped_parts(&line) {
                *seen.untyped.entry(part).or_default() += 1;
            }
        }
    }
    seen.flags = flags(path)?;
    Ok(seen)
}

/// Returns the parts of a line for which claw has no type.
fn untyped_parts(line: &str) -> Vec<String> {
    let Ok(message) = from_line::<StdoutMessage>(line.as_bytes()) else {
        return vec!["a line that cannot be read".to_owned()];
    };
    untyped(&message).iter().map(untyped_name).collect()
}

fn untyped_name(part: &Untyped) -> String {
    match part {
        Untyped::Kind { kind, path, .. } => format!("{kind} {path}").trim().to_owned(),
        Untyped::Field { owner, key, .. } | Untyped::Null { owner, key, .. } => {
            format!("{owner}.{key}")
        }
        _ => "other".to_owned(),
    }
}

/// Plays the session in a terminal, and checks what it has left on disk.
fn in_terminal(workspace: &Workspace, path: &Path) -> Result<Terminal> {
    let left = fixtures::play_one(&workspace.root, IN_TERMINAL, path)?;
    let mut terminal = Terminal {
        problem: left.problem,
        ..Terminal::default()
    };
    for text in &left.transcripts {
        terminal.lines += text.lines().count();
        let notes = text.lines().flat_map(notes);
        let violations = Flow::check(text.lines()).into_iter();
        let violations = violations.map(|violation| format!("{:?}", violation.rule));
        for found in notes.chain(violations) {
            *terminal.found.entry(found).or_default() += 1;
        }
    }
    Ok(terminal)
}

/// Returns the parts of a transcript's line about which `claw check` prints a note.
fn notes(line: &str) -> Vec<String> {
    // The number of the line is not used.
    let parts = match claw_view::read(line, 1) {
        Read::Entry(entry) => untyped(&entry),
        Read::Today(Today::Stdout(message)) => untyped(&message),
        // `Flow` reports what is unreadable.
        _ => Vec::new(),
    };
    // `claw check` does not count the second ID of an entry, either.
    let is_second_id =
        |part: &&Untyped| matches!(part, Untyped::Field { key, .. } if key == "session_id");
    let parts = parts.iter().filter(|part| !is_second_id(part));
    let parts: BTreeSet<_> = parts.map(untyped_name).collect();
    parts.into_iter().collect()
}

/// Returns the flags that claw can pass and a CLI does not accept. The CLI names only one of them at a time.
fn flags(path: &Path) -> Result<Vec<String>> {
    let mut all = all_flags()?;
    // No CLI accepts this flag. A CLI that does not refuse it has not checked the other flags either.
    all.insert(NO_FLAG.to_owned(), NO_FLAG.to_owned());
    // Some versions search for the settings file before they check the flags.
    all.insert("--settings".to_owned(), "--settings={}".to_owned());
    let mut refused = Vec::new();
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let api = runtime.block_on(Api::start(scenarios::text()))?;
    while let Some(name) = refused_flag(path, folder.path(), &api, all.values())? {
        if all.remove(&name).is_none() {
            return Err(
                format!("the CLI refuses the flag {name:?}, which it was not given").into(),
            );
        }
        refused.push(name);
    }
    if !refused.iter().any(|name| name == NO_FLAG) {
        return Err(format!("the CLI does not refuse {NO_FLAG}").into());
    }
    refused.retain(|name| name != NO_FLAG);
    Ok(refused)
}

fn refused_flag<'a>(
    path: &Path,
    home: &Path,
    api: &Api,
    flags: impl Iterator<Item = &'a String>,
) -> Result<Option<String>> {
    let mut command = Command::new(path);
    command
        .arg("--print")
        .args(flags)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .envs(api.env())
        .current_dir(home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let begun = Instant::now();
    // A CLI that accepts all flags may wait for input.
    while child.try_wait()?.is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill()?;
        }
        thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("error: "));
    let named =
        line.filter(|line| line.starts_with("unknown option") || line.starts_with("option '"));
    Ok(named.and_then(|line| {
        let from = line.find("--")?;
        let rest = &line[from..];
        let end = rest.find(|c: char| c != '-' && !c.is_ascii_alphanumeric());
        Some(rest[..end.unwrap_or(rest.len())].to_owned())
    }))
}

/// Returns a value of each flag that claw can pass, by name. The flags come from the cases of `cargo xtask options`.
fn all_flags() -> Result<BTreeMap<String, String>> {
    #[derive(Deserialize)]
    struct Case {
        #[serde(default)]
        options: Map<String, Value>,
        #[serde(default)]
        here: Map<String, Value>,
    }
    let cases: Vec<Case> = serde_json::from_str(CASES)?;
    let mut flags = BTreeMap::new();
    for case in cases {
        let mut options = case.options;
        options.extend(case.here);
        // The flags of these options are invented.
        options.remove("extraArgs");
        // claw refuses some cases, which then have no arguments.
        let Ok(options) = serde_json::from_value::<QueryOptions>(Value::Object(options)) else {
            continue;
        };
        let Ok(arguments) = claw_client::transport::argv(&options, false) else {
            continue;
        };
        for argument in arguments {
            let argument = argument.to_string_lossy().into_owned();
            let name = argument.split('=').next().unwrap_or_default().to_owned();
            if name.starts_with("--") {
                flags.entry(name).or_insert(argument);
            }
        }
    }
    Ok(flags)
}
