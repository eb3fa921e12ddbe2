//! Steps that are run one after the other, and the table of how each went: gates of `cargo xtask ci`, steps of
//! `cargo xtask release`.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::run::Result;

/// One thing that must hold. `C` is what the step needs to know.
pub struct Step<C> {
    /// What it is called in the table, and on the command line.
    pub name: &'static str,
    /// Runs it.
    pub run: fn(&C) -> Result<Checked>,
}

/// What a step that did not fail says.
pub enum Checked {
    /// It holds.
    Yes,
    /// The step could not look, and this is fine. Says why.
    No(String),
}

/// How a step went.
pub struct Record {
    /// The name of the step.
    pub name: &'static str,
    /// How long it ran.
    pub took: Duration,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a step ended.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// The step could not look. Says why.
    NotChecked(String),
    /// Its reason has been printed.
    Failed,
}

/// Runs the steps that are named, or all where none is named. One that fails stops no other.
pub fn run_all<C>(steps: &[Step<C>], named: &[String], context: &C) -> Vec<Record> {
    let mut records = Vec::new();
    for step in steps {
        if named.is_empty() || named.iter().any(|name| name == step.name) {
            println!("\n=== {} ===", step.name);
            records.push(run(step, context));
        }
    }
    records
}

/// Runs one step. What it fails with is printed.
pub fn run<C>(step: &Step<C>, context: &C) -> Record {
    let start = Instant::now();
    let outcome = match (step.run)(context) {
        Ok(Checked::Yes) => Outcome::Passed,
        Ok(Checked::No(reason)) => {
            println!("NOT CHECKED: {reason}");
            Outcome::NotChecked(reason)
        }
        Err(error) => {
            println!("FAILED: {error}");
            Outcome::Failed
        }
    };
    Record {
        name: step.name,
        took: start.elapsed(),
        outcome,
    }
}

/// A line a step, and the total. `kind` names the steps in the first line.
pub fn table(kind: &str, records: &[Record]) -> String {
    let mut text = format!("{kind:<12} minutes\n");
    for Record {
        name,
        took,
        outcome,
    } in records
    {
        let outcome = match outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::NotChecked(reason) => format!("NOT CHECKED: {reason}"),
            // The reason stands where it happened, above.
            Outcome::Failed => "FAILED".to_owned(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<12} {:>7.1}  {outcome}", minutes(*took));
    }
    let _ = writeln!(text, "{:<12} {:>7.1}", "total", minutes(total(records)));
    text
}

/// What all steps come to.
///
/// # Errors
/// When a step failed: names all that did.
pub fn verdict(records: &[Record]) -> Result {
    let failed: Vec<_> = records
        .iter()
        .filter(|record| record.outcome == Outcome::Failed)
        .map(|record| record.name)
        .collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("failed: {}", failed.join(", ")).into())
    }
}

/// How long all steps ran.
pub fn total(records: &[Record]) -> Duration {
    records.iter().map(|record| record.took).sum()
}

/// The time in minutes.
pub fn minutes(took: Duration) -> f64 {
    took.as_secs_f64() / 60.0
}
