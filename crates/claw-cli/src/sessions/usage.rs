//! `claw sessions usage`.

use std::collections::BTreeMap;

use claw_sessions::{Sessions, Usage};
use serde::Serialize;

use super::table::{Column, Table, dollars, number};
use super::{Done, Failed, json_line, print, report_problems};
use crate::args::sessions::{By, Scope};
use crate::outcome::Outcome;
use crate::view::terminal_width;

pub(super) fn usage(
    sessions: &Sessions,
    id: Option<&str>,
    scope: &Scope,
    by: By,
    json: bool,
) -> Done {
    let Some(id) = id else {
        let mut usage = sessions.usage();
        if let Some(directory) = scope.directory() {
            usage = usage.project(directory);
        }
        let report = usage.run()?;
        let parts = match by {
            By::Model => ("MODEL", &report.by_model),
            By::Day => ("DAY", &report.by_day),
            By::Project => ("PROJECT", &report.by_project),
        };
        print_usage(&report, parts, &report.total, json)?;
        report_problems(&report.problems);
        return Ok(());
    };
    let usage = sessions.find_by_prefix(id)?.usage()?;
    let parts = match by {
        By::Model => ("MODEL", &usage.by_model),
        By::Day => ("DAY", &usage.by_day),
        By::Project => {
            anstream::eprintln!("claw: a session is of one project: --by day, or --by model");
            return Err(Failed::Reported(Outcome::Usage));
        }
    };
    print_usage(&usage, parts, &usage.total, json)?;
    report_problems(&usage.problems);
    Ok(())
}

fn print_usage(
    all: &impl Serialize,
    (name, parts): (&'static str, &BTreeMap<String, Usage>),
    total: &Usage,
    json: bool,
) -> Done {
    if json {
        json_line(all)?;
        return Ok(());
    }
    let mut table = Table::new(&[
        (name, Column::Text(40)),
        ("ANSWERS", Column::Number),
        ("INPUT", Column::Number),
        ("CACHED", Column::Number),
        ("TO CACHE", Column::Number),
        ("OUTPUT", Column::Number),
        ("SUB-AGENTS", Column::Number),
        ("COST", Column::Number),
    ]);
    let parts = parts.iter().map(|(name, usage)| (name.clone(), usage));
    for (name, usage) in parts.chain([("total".to_owned(), total)]) {
        let tokens = usage.all.tokens;
        table.row([
            name,
            usage.all.answers.to_string(),
            number(tokens.input),
            number(tokens.cache_read),
            number(tokens.cache_write),
            number(tokens.output),
            share(usage),
            dollars(usage.cost),
        ]);
    }
    print(&table.lines(terminal_width()))?;
    if total.cost.is_some_and(|cost| !cost.is_whole) {
        print("A cost with a + is a part: the CLI did not write the rest down.\n")?;
    }
    Ok(())
}

/// How much of the tokens sub-agents have used.
fn share(usage: &Usage) -> String {
    let (part, all) = (usage.subagents.tokens.total(), usage.all.tokens.total());
    if part == 0 {
        return String::new();
    }
    let percent = u128::from(part) * 100 / u128::from(all.max(1));
    format!("{percent} %")
}
