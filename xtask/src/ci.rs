//! `cargo xtask ci`: every gate, in stages, with its minutes.

use std::time::Duration;

use clap::builder::PossibleValuesParser;
use xtask::run::Result;
use xtask::steps::{self, Checked, Record, Step, minutes, table, total};
use xtask::workspace::Workspace;

mod gates;

use gates::STAGES;

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
    /// Run only the gates of this stage.
    #[arg(long, value_name = "NAME", conflicts_with = "gates", value_parser = PossibleValuesParser::new(STAGES.map(|stage| stage.name)))]
    stage: Option<String>,
    /// Run only these gates.
    #[arg(value_name = "GATE", value_parser = PossibleValuesParser::new(STAGES.iter().flat_map(|stage| stage.gates).map(|gate| gate.name)))]
    gates: Vec<String>,
}

/// What a gate needs to know.
struct Context {
    workspace: Workspace,
    allow_missing: bool,
}

/// One thing that must hold.
type Gate = Step<Context>;

/// Gates that run together. CI has a job for each stage.
struct Stage {
    name: &'static str,
    gates: &'static [Gate],
}

/// Runs the gates. One that fails stops no other.
pub(crate) fn main(args: &Args) -> Result {
    let context = Context {
        workspace: Workspace::read()?,
        allow_missing: args.allow_missing,
    };
    let is_asked = |stage: &&Stage| args.stage.as_ref().is_none_or(|name| name == stage.name);
    let records: Vec<_> = STAGES
        .iter()
        .filter(is_asked)
        .flat_map(|stage| steps::run_all(stage.gates, &args.gates, &context))
        .collect();
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
