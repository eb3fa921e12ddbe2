//! Compares the functions that the official packages export with the rows of the pages for users of these packages.
//!
//! Each function, constant, class, method and option of a package needs a row, and each row must name something that
//! the package exports. `cargo xtask tidy` checks that the names of claw in the rows exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use xtask::run::{Result, read};
use xtask::sdk::{self, PACKAGE, VERSION};
use xtask::workspace::Workspace;

/// The exported names, each with its options.
type Surface = BTreeMap<String, BTreeSet<String>>;

/// The page with the rows of options.
const OPTIONS: &str = "docs/options.md";

/// Fails unless the pages have a row for everything that both packages export.
pub(super) fn check(workspace: &Workspace) -> Result {
    let scripts = workspace.root.join("conformance/src/parity");
    let mut node = Command::new("node");
    node.arg(scripts.join("functions.mjs"));
    node.arg(sdk::install(workspace, VERSION)?).arg(PACKAGE);
    let mut python = Command::new(crate::sessions::interpreter(workspace)?);
    python.arg(scripts.join("functions.py"));
    let text = |page: &str| fs::read_to_string(workspace.root.join(page));
    let options = text(OPTIONS)?;
    let mut problems = Vec::new();
    for (sdk, own_options, page, command) in [
        (
            "TypeScript",
            "Options",
            "docs/guides/coming-from-typescript.md",
            &mut node,
        ),
        (
            "Python",
            "ClaudeAgentOptions",
            "docs/guides/coming-from-python.md",
            &mut python,
        ),
    ] {
        let mut surface: Surface = serde_json::from_str(&read(command)?)?;
        let own = surface.remove(own_options).unwrap_or_default();
        if own.is_empty() {
            return Err(format!("the {sdk} SDK has no {own_options}").into());
        }
        let missing = without_option_row(&own, &options);
        problems.extend(missing.map(|option| format!("{OPTIONS}: no row: {option} of {sdk}")));
        let found = judge(&surface, &text(page)?);
        println!(
            "{sdk}: {} options, {} functions, methods and constants with {} options of their own",
            own.len(),
            surface.len(),
            surface.values().map(BTreeSet::len).sum::<usize>(),
        );
        problems.extend(
            found
                .into_iter()
                .map(|problem| format!("{page}: {problem}")),
        );
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(problems.join("\n").into())
}

/// Returns the options that are in the first cell of no row of the page. The names are compared without case and
/// underscores.
fn without_option_row<'a>(
    options: &'a BTreeSet<String>,
    page: &str,
) -> impl Iterator<Item = &'a String> {
    let (page, _) = page.split_once("\n## Environment").unwrap_or((page, ""));
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let cells = rows(page).filter_map(|cells| cells.first().copied());
    let listed: BTreeSet<String> = cells.flat_map(codes).map(plain).collect();
    options
        .iter()
        .filter(move |option| !listed.contains(&plain(option)))
}

/// Returns the problems of the rows. The first cell of a row contains names, followed by their options, each with a
/// dot. The second cell contains the counterpart in claw, or the third cell contains the reason why there is none.
fn judge(surface: &Surface, page: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut listed = BTreeSet::new();
    for cells in rows(page) {
        let [first, second, third] = cells[..] else {
            problems.push(format!("not three cells: {cells:?}"));
            continue;
        };
        let (options, names): (Vec<_>, Vec<_>) =
            codes(first).partition(|code| code.starts_with('.'));
        let options: BTreeSet<_> = options.iter().map(|option| &option[1..]).collect();
        let mut used = BTreeSet::new();
        for name in names {
            if !listed.insert(name) {
                problems.push(format!("listed twice: {name}"));
            }
            let Some(own) = surface.get(name) else {
                problems.push(format!("listed, and gone: {name}"));
                continue;
            };
            let own: BTreeSet<_> = own.iter().map(String::as_str).collect();
            let missing = own.difference(&options);
            problems.extend(missing.map(|option| format!("not listed: {name}.{option}")));
            used.extend(own);
        }
        let gone = options.difference(&used);
        problems.extend(gone.map(|option| format!("listed, and gone: .{option} in {first}")));
        if codes(second).next().is_none() && third.is_empty() {
            problems.push(format!("neither a counterpart nor a reason: {first}"));
        }
    }
    let missing = surface.keys().filter(|name| !listed.contains(&***name));
    problems.extend(missing.map(|name| format!("not listed: {name}")));
    problems
}

/// Returns the cells of the rows of all tables, without the heads of the tables.
fn rows(page: &str) -> impl Iterator<Item = Vec<&str>> {
    page.lines()
        .filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'))
        .map(|row| row.split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|cells| codes(cells[0]).next().is_some())
}

/// Returns the texts in `code` in a cell.
fn codes(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURFACE: &str =
        r#"{"query": ["prompt"], "Query.interrupt": [], "tag": ["dir", "store"]}"#;
    const ROWS: &str = "\
| TypeScript | claw | |
| --- | --- | --- |
| `query` `.prompt` | `query` | |
| `Query.interrupt`, `tag` `.dir` `.store` | none | a reason |
";

    fn found(from: &str, to: &str) -> Vec<String> {
        let page = ROWS.replace(from, to);
        assert!(from == to || page != ROWS, "{from}");
        judge(&serde_json::from_str(SURFACE).unwrap(), &page)
    }

    #[test]
    fn complete_rows_pass() {
        assert_eq!(found("", ""), [""; 0]);
    }

    #[test]
    fn what_has_no_row_is_found() {
        for (from, to, problem) in [
            ("`Query.interrupt`, ", "", "not listed: Query.interrupt"),
            (" `.store`", "", "not listed: tag.store"),
            (
                " `.store`",
                " `.store` `.old`",
                "listed, and gone: .old in `Query.interrupt`, `tag` `.dir` `.store` `.old`",
            ),
            (
                "`Query.interrupt`, ",
                "`Query.interrupt`, `Query.old`, ",
                "listed, and gone: Query.old",
            ),
            ("`tag`", "`tag` `query` `.prompt`", "listed twice: query"),
            (
                "a reason",
                "",
                "neither a counterpart nor a reason: `Query.interrupt`, `tag` `.dir` `.store`",
            ),
        ] {
            assert_eq!(found(from, to), [problem]);
        }
    }

    #[test]
    fn options_are_found_in_either_case() {
        let options = ["maxTurns", "max_turns", "newOne"]
            .map(str::to_owned)
            .into();
        let page = "| `max_turns` | a bound |\n\n## Environment\n\n| `newOne` | a variable |\n";
        let missing: Vec<_> = without_option_row(&options, page).collect();
        assert_eq!(missing, ["newOne"]);
    }
}
