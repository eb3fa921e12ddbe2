//! `cargo xtask ci`: runs the gates, in two tiers and in stages, and prints the minutes of each.

use std::time::Duration;

use clap::builder::PossibleValuesParser;
use xtask::run::Result;
use xtask::steps::{self, Checked, Record, Step, minutes, table, total};
use xtask::workspace::Workspace;

mod gates;
mod side_by_side;
mod system;

use gates::STAGES;
use system::Program;

/// The duration from which a run prints a warning.
const WARN_AT: Duration = Duration::from_hours(1);
/// The duration from which a run fails. The machine that runs it stops at 90 minutes.
const FAIL_AT: Duration = Duration::from_mins(80);

/// The command line of `cargo xtask ci`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print NOT CHECKED, instead of failing, if a compile target is missing and cannot be added. CI does not use this
    /// option.
    #[arg(long)]
    allow_missing: bool,
    /// Also run the gates of the second tier, which compare claw with others.
    #[arg(long)]
    all: bool,
    /// Run only the gates of this stage.
    #[arg(long, value_name = "NAME", conflicts_with = "gates", value_parser = PossibleValuesParser::new(STAGES.map(|stage| stage.name)))]
    stage: Option<String>,
    /// Run only these gates, of either tier.
    #[arg(value_name = "GATE", value_parser = PossibleValuesParser::new(STAGES.iter().flat_map(|stage| stage.gates).map(|gate| gate.name)))]
    gates: Vec<String>,
}

/// The data that gates need.
struct Context {
    workspace: Workspace,
    allow_missing: bool,
    /// The programs of the system that the gates start.
    programs: Vec<&'static Program>,
}

/// A gate: a check that must pass.
type Gate = Step<Context>;

/// The purpose of a gate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tier {
    /// Checks of properties that a change of claw can break.
    Own,
    /// Comparisons of claw with others: official packages, older versions, other languages and systems.
    Others,
}

/// Gates that run together. CI has a job for each stage.
struct Stage {
    name: &'static str,
    tier: Tier,
    /// The programs of the system that its gates start.
    programs: &'static [&'static Program],
    gates: &'static [Gate],
}

impl Args {
    /// Whether the gates of a stage run. Gates that are named individually always run.
    fn asks_for(&self, stage: &Stage) -> bool {
        let is_in_tier = self.all || !self.gates.is_empty() || stage.tier == Tier::Own;
        let of_stage = self.stage.as_ref().map(|name| name == stage.name);
        let is_of_stage = of_stage.unwrap_or(is_in_tier);
        is_of_stage && stage.gates.iter().any(|gate| self.asks_for_gate(gate))
    }

    fn asks_for_gate(&self, gate: &Gate) -> bool {
        self.gates.is_empty() || self.gates.iter().any(|name| name == gate.name)
    }
}

/// Installs the programs of the system that the gates need.
const SET_UP: Gate = Step {
    name: "set-up",
    run: |context| {
        let provided = system::provide(&context.programs);
        match provided {
            Err(error) if context.allow_missing => Ok(Checked::No(error.to_string())),
            provided => provided.map(|()| Checked::Yes),
        }
    },
};

/// Runs the gates. After a gate fails, the others still run.
pub(crate) fn main(args: &Args) -> Result {
    let mut programs = Vec::new();
    for stage in STAGES.iter().filter(|stage| args.asks_for(stage)) {
        programs.extend(stage.programs);
    }
    programs.sort_unstable();
    programs.dedup();
    let context = Context {
        workspace: Workspace::read()?,
        allow_missing: args.allow_missing,
        programs,
    };
    let mut all = Vec::new();
    let mut set_up = Vec::new();
    if !context.programs.is_empty() {
        set_up = steps::run_all(&[SET_UP], &[], &context);
    }
    for (tier, title) in [
        (Tier::Own, "what a change can break"),
        (Tier::Others, "what compares claw with others"),
    ] {
        let stages = STAGES.iter().filter(|stage| stage.tier == tier);
        let stages = stages.filter(|stage| args.asks_for(stage));
        let mut records = std::mem::take(&mut set_up);
        records.extend(stages.flat_map(|stage| steps::run_all(stage.gates, &args.gates, &context)));
        if !records.is_empty() {
            println!("\n{title}:\n{}", table("gate", &records));
        }
        all.extend(records);
    }
    verdict(&all)
}

/// Returns the result of the whole run.
///
/// # Errors
/// Fails if a gate failed, or if all gates together took too long.
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
