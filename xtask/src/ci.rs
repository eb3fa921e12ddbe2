//! `cargo xtask ci`: every gate, in order, with its minutes.

use std::time::Duration;

use crate::run::Result;
use crate::steps::{self, Checked, Record, Step, minutes, table, total};
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
type Gate = Step<Context>;

/// Runs the gates. One that fails stops no other.
pub(crate) fn main(args: &Args) -> Result {
    let context = Context {
        workspace: Workspace::read()?,
        allow_missing: args.allow_missing,
    };
    let records = steps::run_all(&gates::GATES, &args.gates, &context);
    print!("\n{}", table("gate", &records));
    verdict(&records)
}

/// What the whole run comes to.
///
/// # Errors
/// When a gate failed, or all together took too long.
fn verdict(records: &[Record]) -> Result {
    let total = total(records);
    if total >= WARN_AT {
        println!(
            "warning: over {} minutes, time to make a gate cheaper",
            minutes(WARN_AT)
        );
    }
    steps::verdict(records)?;
    if total >= FAIL_AT {
        Err(format!("every gate passed, but over {} minutes", minutes(FAIL_AT)).into())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
