//! `cargo xtask ci`: runs the gates, in two tiers and in stages, and prints the duration of each in minutes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::builder::PossibleValuesParser;
use xtask::run::Result;
use xtask::steps::{self, Checked, Outcome, Record, Step, minutes, table};
use xtask::workspace::Workspace;

mod gates;
mod side_by_side;
mod system;

use gates::STAGES;
use system::Program;

/// The duration of a run from which the run prints a warning.
const WARN_AT: Duration = Duration::from_hours(1);
/// The duration of a run from which the run fails. The machine that runs it stops it then.
const FAIL_AT: Duration = Duration::from_mins(90);
/// The duration of a run from which no gate of the second tier starts, so that the run of a slow machine ends in time. These
/// gates are not checked in that run. Each stage has its own job in CI, which checks them.
const LATEST_START: Duration = Duration::from_mins(70);

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
    /// The file for the results of the gates. A run gives it to the runs of stages that are side by side, and they install no
    /// program of the system.
    #[arg(long, value_name = "FILE", hide = true)]
    records: Option<PathBuf>,
    /// The begin of the run, in seconds since 1970. A run gives it to the runs of stages that are side by side.
    #[arg(long, value_name = "SECONDS", hide = true)]
    begun: Option<u64>,
}

/// The data that gates need.
struct Context {
    workspace: Workspace,
    begun: SystemTime,
    allow_missing: bool,
    /// The programs of the system that the gates of this run start.
    programs: Vec<&'static Program>,
}

/// A gate: a check that must pass.
type Gate = Step<Context>;

/// The reason why a gate exists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tier {
    /// Checks of properties that a change of claw can break.
    Own,
    /// Comparisons of claw with others: official packages, older versions, other languages, compilers and systems.
    Others,
}

/// Gates that run together. CI has a job for each stage.
struct Stage {
    name: &'static str,
    tier: Tier,
    /// Whether the stage runs at the same time as the stage before it, with a lower priority. If so, its gates build in
    /// separate folders.
    is_beside: bool,
    /// The programs of the system that the gates of this stage start.
    programs: &'static [&'static Program],
    gates: &'static [Gate],
}

impl Args {
    /// Whether any gate of a stage runs. Gates that are named individually always run.
    fn asks_for(&self, stage: &Stage) -> bool {
        let is_in_tier = self.all || !self.gates.is_empty() || stage.tier == Tier::Own;
        let of_stage = self.stage.as_ref().map(|name| name == stage.name);
        let is_of_stage = of_stage.unwrap_or(is_in_tier);
        is_of_stage && stage.gates.iter().any(|gate| self.asks_for_gate(gate))
    }

    /// Returns the names of the gates of a stage that run.
    fn gates_of(&self, stage: &Stage) -> impl Iterator<Item = &'static str> {
        let gates = stage.gates.iter();
        gates
            .filter(|gate| self.asks_for_gate(gate))
            .map(|gate| gate.name)
    }

    /// Returns the begin of the run, which is now unless another run has started this one.
    fn begun(&self) -> SystemTime {
        let seconds = self.begun.map(Duration::from_secs);
        seconds.map_or_else(SystemTime::now, |seconds| UNIX_EPOCH + seconds)
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
        begun: args.begun(),
        allow_missing: args.allow_missing,
        programs,
    };
    let mut all = Vec::new();
    let (mut set_up, mut start) = (Vec::new(), Instant::now());
    if !context.programs.is_empty() && args.records.is_none() {
        set_up.push(steps::run_one(&SET_UP, &context));
    }
    for (tier, title) in [
        (Tier::Own, "what a change can break"),
        (Tier::Others, "what compares claw with others"),
    ] {
        let stages = STAGES.iter().filter(|stage| stage.tier == tier);
        let stages: Vec<_> = stages.filter(|stage| args.asks_for(stage)).collect();
        let mut records = std::mem::take(&mut set_up);
        for stages in stages.chunk_by(|_, next| next.is_beside) {
            if let [stage, beside @ ..] = stages {
                records.extend(side_by_side(stage, beside, args, &context)?);
            }
        }
        if !records.is_empty() {
            let table = table("gate", &records, start.elapsed());
            println!("\n{title}:\n{table}");
        }
        all.extend(records);
        start = Instant::now();
    }
    if let Some(file) = &args.records {
        serde_json::to_writer(File::create(file)?, &all)?;
        // The run that has started this one checks the duration.
        return steps::verdict(&all);
    }
    verdict(&all, context.took())
}

impl Context {
    /// Returns the duration of the run until now. It is zero if the clock of the system was set back.
    fn took(&self) -> Duration {
        self.begun.elapsed().unwrap_or_default()
    }
}

/// Runs the gates of a stage in order. Those of the second tier that would start too late are not checked.
fn run_gates(stage: &Stage, args: &Args, context: &Context) -> Vec<Record> {
    let mut records = Vec::new();
    for gate in stage.gates.iter().filter(|gate| args.asks_for_gate(gate)) {
        if stage.tier == Tier::Others && context.took() >= LATEST_START {
            let minutes = minutes(LATEST_START);
            let reason = format!("the run had already taken over {minutes} minutes");
            println!("\n=== {} ===\nNOT CHECKED: {reason}", gate.name);
            records.push(not_run(gate.name, Outcome::NotChecked(reason)));
        } else {
            records.push(steps::run_one(gate, context));
        }
    }
    records
}

/// Runs a stage, and at the same time those beside it, each in a separate process. Prints the output of these processes
/// when the stage has ended. Stages run side by side because tests wait most of the time, and because many builds use
/// only one core.
fn side_by_side(
    stage: &Stage,
    beside: &[&Stage],
    args: &Args,
    context: &Context,
) -> Result<Vec<Record>> {
    let folder = context.workspace.ci_directory().join("stages");
    let started: Result<Vec<_>> = beside
        .iter()
        .map(|stage| Beside::start(stage, &folder, args, context))
        .collect();
    let mut records = run_gates(stage, args, context);
    for beside in started? {
        records.extend(beside.end(args)?);
    }
    Ok(records)
}

/// A stage that runs beside another one.
struct Beside<'a> {
    stage: &'a Stage,
    process: Child,
    /// The file with the output of the process.
    output: PathBuf,
    /// The file with the records of the gates.
    records: PathBuf,
}

impl<'a> Beside<'a> {
    /// Starts the gates of a stage. The files are in `folder`.
    fn start(stage: &'a Stage, folder: &Path, args: &Args, context: &Context) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let records = folder.join(stage.name).with_extension("json");
        let output = records.with_extension("txt");
        // The file is emptied first, because a run that is killed writes no records.
        File::create(&records)?;
        let mut command = background()?;
        command.arg("ci").arg("--records").arg(&records);
        let begun = context.begun.duration_since(UNIX_EPOCH)?.as_secs();
        command.arg("--begun").arg(begun.to_string());
        if args.allow_missing {
            command.arg("--allow-missing");
        }
        command.args(args.gates_of(stage)).stdin(Stdio::null());
        let file = File::create(&output)?;
        command.stdout(file.try_clone()?).stderr(file);
        Ok(Self {
            stage,
            process: command.spawn()?,
            output,
            records,
        })
    }

    /// Waits for the end of the stage, prints its output, and returns the records of its gates.
    fn end(mut self, args: &Args) -> Result<Vec<Record>> {
        // The status is ignored, because the records contain the failures, too.
        self.process.wait()?;
        println!("\n=== stage {} ===", self.stage.name);
        print!("{}", String::from_utf8_lossy(&fs::read(&self.output)?));
        let records = serde_json::from_slice(&fs::read(&self.records)?);
        Ok(records.unwrap_or_else(|_| {
            let gates = args.gates_of(self.stage);
            gates.map(|gate| not_run(gate, Outcome::Failed)).collect()
        }))
    }
}

/// Returns a command that runs this program with a low priority. It only uses cores that are idle, so that tests do not
/// wait for builds.
fn background() -> Result<Command> {
    let program = std::env::current_exe()?;
    Ok(if cfg!(unix) {
        let mut nice = Command::new("nice");
        nice.args(["-n", "19"]).arg(program);
        nice
    } else {
        Command::new(program)
    })
}

/// Returns the record of a gate that did not run, or whose process ended without writing a record.
fn not_run(gate: &str, outcome: Outcome) -> Record {
    Record {
        name: gate.to_owned(),
        took: Duration::ZERO,
        processor: None,
        outcome,
    }
}

/// Returns the result of the whole run.
///
/// # Errors
/// Fails if a gate failed, or if the run took too long.
fn verdict(records: &[Record], took: Duration) -> Result {
    if took >= WARN_AT {
        println!(
            "warning: over {} minutes, time to make a gate cheaper",
            minutes(WARN_AT)
        );
    }
    steps::verdict(records)?;
    if took >= FAIL_AT {
        Err(format!("every gate passed, but over {} minutes", minutes(FAIL_AT)).into())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
