//! The reasons: rows of a table in docs/options.md. Each is needed for a difference.

use std::collections::BTreeSet;

use super::cases::Case;
use super::record::Found;
use super::{CASES, REASONS};

/// The heading above the table.
const HEADING: &str = "### Differences in what the CLI receives";

/// Returns the names of the table's rows: their first cells.
pub(super) fn rows(text: &str) -> BTreeSet<String> {
    let lines = text.lines().skip_while(|line| *line != HEADING).skip(1);
    let table = lines
        .take_while(|line| !line.starts_with('#'))
        .filter(|line| line.starts_with('|'));
    // Skips the heading of the table, and the line below it.
    let names = table.skip(2).filter_map(|line| line.split('|').nth(1));
    names.map(|name| name.trim().to_owned()).collect()
}

/// Returns the disagreements between the found differences, the listed differences, and the rows.
pub(super) fn judge(cases: &[Case], found: &[Found], rows: &BTreeSet<String>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut used = BTreeSet::new();
    for (case, found) in cases.iter().zip(found) {
        if case.refused != found.refused {
            let what = if found.refused {
                "now refused"
            } else {
                "not refused"
            };
            problems.push(format!("{}: {what} by both sides", case.name()));
        }
        for difference in &found.differences {
            match case.differs.get(&difference.key) {
                None => problems.push(format!("{}: not explained: {difference}", case.name())),
                Some(row) if !rows.contains(row) => problems.push(format!(
                    "{}: {}: {REASONS} has no row `{row}` under `{HEADING}`",
                    case.name(),
                    difference.key
                )),
                Some(row) => drop(used.insert(row)),
            }
        }
        for key in case.differs.keys() {
            if !found
                .differences
                .iter()
                .any(|difference| difference.key == *key)
            {
                problems.push(format!(
                    "{}: explained in {CASES}, but gone: {key}",
                    case.name()
                ));
            }
        }
    }
    for row in rows.iter().filter(|row| !used.contains(row)) {
        problems.push(format!("the row `{row}` of {REASONS} explains nothing"));
    }
    problems
}
