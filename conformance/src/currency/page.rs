//! `cargo xtask currency NEW`: one page about what changed between the pinned CLI and a newer one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use claw_client::types::schema;
use xtask::claude;
use xtask::npm;
use xtask::run::{Result, read};
use xtask::workspace::Workspace;

use super::Release;
use super::missing::{self, Missing};
use super::names::{Kind, Names, names};
use crate::parity;
use xtask_recordings::fixtures::changes::changes;
use xtask_recordings::fixtures::{self, Played};

/// The longest list that the page has. Longer lists are cut.
const MOST: usize = 400;

/// The most versions between the two in which names are looked up.
const MOST_BETWEEN: usize = 8;

/// What was found about a CLI.
struct Found {
    names: Names,
    help: BTreeSet<String>,
    played: Played,
}

/// Prints the page.
pub(super) fn print(workspace: &Workspace, old: &Release, new: &Release, keep: bool) -> Result {
    let begun = Instant::now();
    let declared = parity::declared(workspace, &old.sdk, &new.sdk)?;
    let prefix = |version: &str| claude::prefix_of(workspace, version);
    let install = |version: &str| claude::install_version(&prefix(version), version);
    let (old_cli, new_cli) = (install(&old.cli)?, install(&new.cli)?);
    // One thread for each CLI: most of the time is spent in waits for it.
    let (old_found, new_found) = thread::scope(|scope| {
        let root = &workspace.root;
        let other = scope.spawn(|| found(root, &old_cli).map_err(|error| error.to_string()));
        let new_found = found(root, &new_cli);
        (other.join(), new_found)
    });
    let old_found = old_found.map_err(|_| "the older CLI's thread has panicked")??;
    let new_found = new_found?;
    let schemas = serde_json::to_string(&schema::files())?;
    let known = words(&schemas);
    let mut missing = Missing::default();
    missing.add_names(&old_found.names, &new_found.names, &known);
    for (old, new) in [
        (&old_found.played.lines, &new_found.played.lines),
        (&old_found.played.transcripts, &new_found.played.transcripts),
    ] {
        missing.add_traits(old, new, &known);
    }
    let since = since(workspace, old, new, &missing, keep)?;
    let missing = missing.section(&fs::read(&new_cli)?, |name| match since.get(name) {
        Some(version) => version.clone(),
        None => new.cli.clone(),
    });
    if !keep {
        for version in [&old.cli, &new.cli] {
            fs::remove_dir_all(prefix(version))?;
        }
    }
    let mut page = format!(
        "# Claude Code {} beside {}\n\nWhat a program notices first comes first. A name with ✓ occurs in claw's \
         schemas.\n",
        new.cli, old.cli
    );
    let lists = [
        (
            format!(
                "Declared by the official SDK: {} beside {}",
                new.sdk, old.sdk
            ),
            &declared.changes,
        ),
        (
            "Declared, and neither in claw nor in its baseline".to_owned(),
            &declared.gaps,
        ),
    ];
    for (title, lines) in lists {
        section(&mut page, &title, lines.iter().map(String::as_str));
    }
    page += &missing;
    let parts = [
        (
            "Lines of sessions",
            &old_found.played.lines,
            &new_found.played.lines,
        ),
        (
            "Lines of transcripts",
            &old_found.played.transcripts,
            &new_found.played.transcripts,
        ),
        (
            "Parts of lines for which claw has no type",
            &old_found.played.untyped,
            &new_found.played.untyped,
        ),
    ];
    for (title, old, new) in parts {
        // Writing to a String cannot fail.
        let _ = write!(page, "\n## {title}\n\n```text\n{}```\n", changes(old, new));
    }
    let failed = &new_found.played.failed;
    let failed = failed
        .iter()
        .filter(|failure| !old_found.played.failed.contains(failure));
    section(&mut page, "Recipes that fail", failed.map(String::as_str));
    let help = help_changes(&old_found.help, &new_found.help);
    section(&mut page, "`--help`", help.iter().map(String::as_str));
    page += &name_changes(&old_found.names, &new_found.names, &known);
    page += &unknown_names(&new_found.names, &known);
    let _ = writeln!(page, "\nMade in {} s.", begun.elapsed().as_secs());
    print!("{page}");
    let kept = workspace
        .ci_directory()
        .join(format!("currency/{}.md", new.cli));
    fs::write(&kept, page)?;
    eprintln!("The page is also in {}.", kept.display());
    Ok(())
}

/// Returns the versions between the two whose executables have a name, by this name: of each the first one. The last
/// [`MOST_BETWEEN`] versions are searched. A name that the first of these has may be older, if there are more.
fn since(
    workspace: &Workspace,
    old: &Release,
    new: &Release,
    missing: &Missing,
    keep: bool,
) -> Result<BTreeMap<String, String>> {
    let published = npm::versions("@anthropic-ai/claude-code")?;
    let place = |version: &str| published.iter().position(|other| other == version);
    let between = match (place(&old.cli), place(&new.cli)) {
        (Some(old), Some(new)) if old < new => &published[old + 1..new],
        _ => &[],
    };
    let mut since = BTreeMap::new();
    let unsearched = between.len().saturating_sub(MOST_BETWEEN);
    for (at, version) in between[unsearched..].iter().enumerate() {
        let may_be_older = at == 0 && unsearched > 0;
        let prefix = claude::prefix_of(workspace, version);
        let program = fs::read(claude::install_version(&prefix, version)?)?;
        for name in missing.names() {
            if !since.contains_key(name) && missing::has(&program, name) {
                let older = if may_be_older { " or before" } else { "" };
                since.insert(name.to_owned(), format!("{version}{older}"));
            }
        }
        if !keep {
            fs::remove_dir_all(&prefix)?;
        }
    }
    Ok(since)
}

fn found(root: &Path, cli: &Path) -> Result<Found> {
    Ok(Found {
        names: names(&fs::read(cli)?),
        help: help(cli)?,
        played: fixtures::played(root, cli, (super::untyped_parts, super::notes))?,
    })
}

fn section<'a>(page: &mut String, title: &str, lines: impl Iterator<Item = &'a str>) {
    let mut lines = lines.peekable();
    let _ = writeln!(page, "\n## {title}\n");
    if lines.peek().is_none() {
        page.push_str("none\n");
    }
    for line in lines {
        let _ = writeln!(page, "- `{line}`");
    }
}

/// Returns the lines of `claude --help` and of the help of each of its commands, with the name of the command.
fn help(cli: &Path) -> Result<BTreeSet<String>> {
    let home = tempfile::tempdir()?;
    let text = |words: &[&str]| {
        let mut claude = Command::new(cli);
        claude.env_clear().env("HOME", home.path());
        claude.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        claude.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        // The lines of a narrow terminal break elsewhere when a text grows.
        claude.env("COLUMNS", "400");
        read(claude.args(words).arg("--help").current_dir(home.path()))
    };
    let top = text(&[])?;
    let mut lines = help_lines("claude", &top);
    for command in commands(&top) {
        lines.extend(help_lines(
            &format!("claude {command}"),
            &text(&[&command])?,
        ));
    }
    Ok(lines)
}

fn help_lines(command: &str, text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    words.map(|line| format!("{command}: {line}")).collect()
}

/// Returns the names of the commands in a help.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.filter_map(|line| {
        let name = line.strip_prefix("  ")?.split([' ', '|']).next()?;
        (!name.is_empty() && name != "help").then(|| name.to_owned())
    });
    names.collect()
}

/// Returns the lines that only one help has, each after a sign. A line that was changed is in both lists.
fn help_changes(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Vec<String> {
    let gone = old.difference(new).map(|line| format!("- {line}"));
    let added = new.difference(old).map(|line| format!("+ {line}"));
    added.chain(gone).collect()
}

/// Returns the words of a text.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| c != '_' && c != '-' && !c.is_ascii_alphanumeric())
        .collect()
}

/// Returns the sections with the names that only one executable has, the most noticeable kinds first. A name that is new
/// in several ways is listed once.
fn name_changes(old: &Names, new: &Names, known: &BTreeSet<&str>) -> String {
    let mut text = String::from("\n## Names in the executable\n");
    let before: BTreeSet<_> = old.values().flatten().collect();
    let nothing = BTreeSet::new();
    // Of a field with its subtype, the name of the field.
    let is_known = |name: &str| known.contains(name.rsplit('.').next().unwrap_or(name));
    let mut listed = BTreeSet::new();
    let kinds: BTreeSet<Kind> = old.keys().chain(new.keys()).copied().collect();
    for kind in kinds {
        let (old, new) = (old.get(&kind), new.get(&kind));
        let (old, new) = (old.unwrap_or(&nothing), new.unwrap_or(&nothing));
        let mut rows = [Vec::new(), Vec::new(), Vec::new()];
        for name in new.difference(old).filter(|name| listed.insert(*name)) {
            rows[usize::from(before.contains(name))].push(name);
        }
        rows[2].extend(old.difference(new));
        if kind.is_noise() {
            // These kinds overlap with the others, where most of the names were before.
            rows[1].clear();
        }
        if rows.iter().all(Vec::is_empty) {
            continue;
        }
        let noise = if kind.is_noise() {
            " (mostly noise)"
        } else {
            ""
        };
        let _ = writeln!(text, "\n### {}{noise}\n", kind.title());
        for (title, names) in ["new", "new in this place", "gone"].iter().zip(&mut rows) {
            // What claw does not know needs a person.
            names.sort_by_key(|name| (is_known(name), *name));
            let shown = names.iter().take(MOST).map(|name| {
                let mark = if is_known(name) { " ✓" } else { "" };
                format!("`{name}`{mark}")
            });
            let shown: Vec<_> = shown.collect();
            let more = match names.len().saturating_sub(MOST) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            if !shown.is_empty() {
                let _ = writeln!(text, "- {title}: {}{more}", shown.join(", "));
            }
        }
    }
    text
}

/// Returns the section with the kinds of the newer executable that claw's schemas do not have. The older executable may
/// have them too: then they are no change, but a gap of claw, or left out on purpose.
fn unknown_names(names: &Names, known: &BTreeSet<&str>) -> String {
    let mut text = String::from("\n## In the executable, and not in claw\n");
    let kinds = [Kind::HookEvent, Kind::Subtype, Kind::Type];
    let mut lists: Vec<_> = kinds.map(|kind| (kind.title(), kind, "")).to_vec();
    // The CLI compares the types of these blocks, and does not check the blocks.
    lists.push((
        "Results of the API's own tools",
        Kind::Value,
        "_tool_result",
    ));
    for (title, kind, end) in lists {
        let names = names.get(&kind).into_iter().flatten();
        let names = names.filter(|name| name.ends_with(end) && !known.contains(name.as_str()));
        let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
        let names = super::none_or(&names);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n- {title}: {names}");
    }
    text
}

#[cfg(test)]
mod tests;
