//! `cargo xtask ci`: every gate, in order, with its minutes.

use std::time::{Duration, Instant};

use crate::run::Result;
use crate::workspace::Workspace;

mod gates;

/// From here on the run is too long for comfort, and says so.
const WARN_AT: Duration = Duration::from_hours(1);
/// From here on it fails: the machine that runs it stops at 90 minutes.
const FAIL_AT: Duration = Duration::from_mins(80);

/// The command line of `cargo xtask ci`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print NOT CHECKED, instead of failing, where a compile target is missing and cannot be
    /// added. For people; CI goes without.
    #[arg(long)]
    allow_missing: bool,
    /// Run only these gates.
    #[arg(value_name = "GATE", value_parser = clap::builder::PossibleValuesParser::new(gates::GATES.map(|gate| gate.name)))]
    gates: Vec<String>,
}

/// What a gate needs to know.
struct Context {
    workspace: Workspace,
    allow_missing: bool,
}

/// One thing that must hold.
struct Gate {
    name: &'static str,
    run: fn(&Context) -> Result<Checked>,
}

/// What a gate that did not fail says.
enum Checked {
    Yes,
    /// It could not look, and was told that this is fine. Says why.
    No(String),
}

/// How a gate went.
struct Record {
    name: &'static str,
    took: Duration,
    outcome: Outcome,
}

#[derive(Debug, PartialEq)]
enum Outcome {
    Passed,
    NotChecked(String),
    /// Its reason has been printed.
    Failed,
}

/// Runs the gates. One that fails stops no other.
pub(crate) fn main(args: &Args) -> Result {
    let context = Context {
        workspace: Workspace::read()?,
        allow_missing: args.allow_missing,
    };
    let mut records = Vec::new();
    for gate in &gates::GATES {
        if args.gates.is_empty() || args.gates.iter().any(|name| name == gate.name) {
            println!("\n=== {} ===", gate.name);
            records.push(run(gate, &context));
        }
    }
    print!("\n{}", table(&records));
    verdict(&records)
}

fn run(gate: &Gate, context: &Context) -> Record {
    let start = Instant::now();
    let outcome = match (gate.run)(context) {
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
        name: gate.name,
        took: start.elapsed(),
        outcome,
    }
}

/// A line a gate, and the total.
fn table(records: &[Record]) -> String {
    use std::fmt::Write as _;

    let mut text = String::from("gate         minutes\n");
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

/// What the whole run comes to.
///
/// # Errors
/// When a gate failed, or all together took too long.
fn verdict(records: &[Record]) -> Result {
    let failed: Vec<_> = records
        .iter()
        .filter(|record| record.outcome == Outcome::Failed)
        .map(|record| record.name)
        .collect();
    let total = total(records);
    if total >= WARN_AT {
        println!(
            "warning: over {} minutes, time to make a gate cheaper",
            minutes(WARN_AT)
        );
    }
    if !failed.is_empty() {
        Err(format!("failed: {}", failed.join(", ")).into())
    } else if total >= FAIL_AT {
        Err(format!("every gate passed, but over {} minutes", minutes(FAIL_AT)).into())
    } else {
        Ok(())
    }
}

fn total(records: &[Record]) -> Duration {
    records.iter().map(|record| record.took).sum()
}

fn minutes(took: Duration) -> f64 {
    took.as_secs_f64() / 60.0
}

#[cfg(test)]
mod tests;
