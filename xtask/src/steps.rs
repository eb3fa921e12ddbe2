//! Runs steps in order, and prints a table with the outcome of each: gates of `cargo xtask ci`, steps of `cargo xtask
//! release`.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::run::Result;

/// A check that must pass. `C` is the data that the step needs.
pub struct Step<C> {
    /// The name of the step in the table and on the command line.
    pub name: &'static str,
    /// The function that runs the step.
    pub run: fn(&C) -> Result<Checked>,
}

/// The result of a step that did not fail.
pub enum Checked {
    /// The check passed.
    Yes,
    /// The check passed, but not at the first attempt. The text names what failed at first.
    Again(String),
    /// The check could not run, which is accepted. The text is the reason.
    No(String),
}

/// The result of a step, with its time.
pub struct Record {
    /// The name of the step.
    pub name: &'static str,
    /// The duration of the step.
    pub took: Duration,
    /// The outcome of the step.
    pub outcome: Outcome,
}

/// The outcome of a step.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// The check passed.
    Passed,
    /// The check passed, but not at the first attempt. The text names what failed at first.
    PassedAgain(String),
    /// The check could not run. The text is the reason.
    NotChecked(String),
    /// The check failed. The reason was already printed.
    Failed,
}

/// Runs the named steps, or all steps if none is named. After a step fails, the others still run.
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

/// Runs one step, and prints its error if it fails.
pub fn run<C>(step: &Step<C>, context: &C) -> Record {
    let start = Instant::now();
    let outcome = match (step.run)(context) {
        Ok(Checked::Yes) => Outcome::Passed,
        Ok(Checked::Again(what)) => Outcome::PassedAgain(what),
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

/// Returns a table with a line for each step, and the total. `kind` names the steps in the first line.
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
            Outcome::PassedAgain(what) => format!("passed, but failed at first: {what}"),
            Outcome::NotChecked(reason) => format!("NOT CHECKED: {reason}"),
            // The reason was printed when the step failed.
            Outcome::Failed => "FAILED".to_owned(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<12} {:>7.1}  {outcome}", minutes(*took));
    }
    let _ = writeln!(text, "{:<12} {:>7.1}", "total", minutes(total(records)));
    text
}

/// Returns the result of all steps.
///
/// # Errors
/// Fails if a step failed. The error names all failed steps.
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

/// Returns the total duration of all steps.
pub fn total(records: &[Record]) -> Duration {
    records.iter().map(|record| record.took).sum()
}

/// Converts a duration to minutes.
pub fn minutes(took: Duration) -> f64 {
    took.as_secs_f64() / 60.0
}
