//! Runs steps in order, and prints a table with the outcome of each. The steps are gates of `cargo xtask ci` or steps
//! of `cargo xtask release`.

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

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
    /// The check passed, but not at the first attempt. The text names the parts that failed at first.
    Again(String),
    /// The check could not run, which is accepted. The text is the reason.
    No(String),
}

/// The result of a step, with its time.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    /// The name of the step.
    pub name: String,
    /// The duration of the step.
    pub took: Duration,
    /// The processor time of the programs that the step has started. Absent on systems without `/proc`.
    pub processor: Option<Duration>,
    /// The outcome of the step.
    pub outcome: Outcome,
}

/// The outcome of a step.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The check passed.
    Passed,
    /// The check passed, but not at the first attempt. The text names the parts that failed at first.
    PassedAgain(String),
    /// The check could not run. The text is the reason.
    NotChecked(String),
    /// The check failed. The reason was already printed.
    Failed,
}

/// Runs the named steps, or all steps if no step is named. If a step fails, the following steps still run.
pub fn run_all<C>(steps: &[Step<C>], named: &[String], context: &C) -> Vec<Record> {
    let mut records = Vec::new();
    for step in steps {
        if named.is_empty() || named.iter().any(|name| name == step.name) {
            records.push(run_one(step, context));
        }
    }
    records
}

/// Runs one step between its heading and its duration.
pub fn run_one<C>(step: &Step<C>, context: &C) -> Record {
    println!("\n=== {} ===", step.name);
    let record = run(step, context);
    // A run that is stopped prints no table.
    println!("{} took {:.1} minutes", step.name, minutes(record.took));
    record
}

/// Runs one step, and prints its error if it fails.
pub fn run<C>(step: &Step<C>, context: &C) -> Record {
    let (start, before) = (Instant::now(), processor());
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
        name: step.name.to_owned(),
        took: start.elapsed(),
        processor: processor()
            .zip(before)
            .map(|(now, before)| now.saturating_sub(before)),
        outcome,
    }
}

/// Returns the processor time of all programs that this process has started and that have ended, and of the programs
/// that these have started.
fn processor() -> Option<Duration> {
    /// The unit of processor times in `/proc`. It is a hundredth of a second on every architecture.
    const TICK: Duration = Duration::from_millis(10);

    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in brackets and may contain spaces. The first field after the brackets is field 3.
    // `cutime` and `cstime` are the fields 16 and 17.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(13);
    let mut ticks = || fields.next()?.parse::<u32>().ok();
    Some(TICK * (ticks()? + ticks()?))
}

/// Returns a table with the duration and the processor time of each step and of all steps together, in minutes. `kind`
/// is the heading of the column with the names of the steps. `took` is the duration of all steps, some of which may run
/// at the same time.
pub fn table(kind: &str, records: &[Record], took: Duration) -> String {
    let mut text = format!("{kind:<12} minutes processor\n");
    for record in records {
        let Record { name, outcome, .. } = record;
        let outcome = match outcome {
            Outcome::Passed => "passed".to_owned(),
            Outcome::PassedAgain(what) => format!("passed, but failed at first: {what}"),
            Outcome::NotChecked(reason) => format!("NOT CHECKED: {reason}"),
            // The reason was printed when the step failed.
            Outcome::Failed => "FAILED".to_owned(),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{name:<12} {}  {outcome}",
            times(record.took, record.processor)
        );
    }
    let processor = records.iter().map(|record| record.processor).sum();
    let _ = writeln!(text, "{:<12} {}", "total", times(took, processor));
    text
}

fn times(took: Duration, processor: Option<Duration>) -> String {
    let processor = processor.map_or_else(|| "-".to_owned(), |it| format!("{:.1}", minutes(it)));
    format!("{:>7.1} {processor:>9}", minutes(took))
}

/// Returns the result of all steps.
///
/// # Errors
/// Fails if a step failed. The error names all failed steps.
pub fn verdict(records: &[Record]) -> Result {
    let failed: Vec<_> = records
        .iter()
        .filter(|record| record.outcome == Outcome::Failed)
        .map(|record| &*record.name)
        .collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("failed: {}", failed.join(", ")).into())
    }
}

/// Converts a duration to minutes.
pub fn minutes(took: Duration) -> f64 {
    took.as_secs_f64() / 60.0
}
