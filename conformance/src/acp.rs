//! `cargo xtask acp`: compares `claw acp` with the npm package `claude-agent-acp`.
//!
//! Both agents run the same Claude Code, which uses a scripted Messages API on loopback. A client plays the same
//! scenarios with both, and their visible results are compared. Each difference needs a reason in the baseline, and
//! each reason needs a difference. Every line of `claw acp` must fit the protocol's JSON Schema.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use serde_json::Value;
use xtask::run::Result;
use xtask::workspace::Workspace;

mod agents;
mod baseline;
mod client;
mod compare;
mod play;
mod scenario;
mod validity;
mod view;

use agents::Kind;
use baseline::Baseline;
use scenario::Scenario;
use validity::Validity;

/// The scenarios.
const SCENARIOS: &str = "conformance/src/acp/scenarios.json";
/// The accepted differences.
const BASELINE: &str = "conformance/acp.baseline.json";

/// The command line of `cargo xtask acp`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The names of scenarios. Without names, all are played, and the baseline must contain no other differences.
    scenarios: Vec<String>,
    /// Prints every line of both agents.
    #[arg(long)]
    lines: bool,
    /// Adds differences that are not listed to a group without a reason, and removes those that no longer occur.
    #[arg(long, conflicts_with = "scenarios")]
    write_baseline: bool,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    let all: Vec<Scenario> =
        serde_json::from_str(&fs::read_to_string(workspace.root.join(SCENARIOS))?)
            .map_err(|error| format!("{SCENARIOS}: {error}"))?;
    let path = workspace.root.join(BASELINE);
    let mut baseline = Baseline::read(&path)?;
    let agents = agents::install(&workspace)?;
    let validity = Validity::of_sdk(&agents.schema)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    for name in &args.scenarios {
        if !all.iter().any(|scenario| scenario.name == *name) {
            return Err(format!("{SCENARIOS} has no scenario `{name}`").into());
        }
    }
    let chosen =
        |scenario: &&Scenario| args.scenarios.is_empty() || args.scenarios.contains(&scenario.name);
    let mut differences = Vec::new();
    let mut faults = Vec::new();
    let mut lines = 0;
    // A difference in the first scenario occurs in all scenarios that begin in the same way.
    let mut always = BTreeMap::new();
    for scenario in all.iter().filter(chosen) {
        let start = Instant::now();
        let mut views = Vec::new();
        for kind in [Kind::Claw, Kind::Npm] {
            let log = runtime.block_on(play::play(&agents, kind, scenario))?;
            if args.lines {
                println!("{}", log.text(kind.name()));
            }
            if kind == Kind::Claw {
                let found = validity.faults(&log);
                lines += log.received();
                faults.extend(found.iter().map(|it| format!("{}: {it}", scenario.name)));
            }
            views.push(view::view(&log, scenario.at_once));
        }
        // The npm agent lets the model write titles outside of the turn. Their cost may or may not be part of its
        // figure. claw's figure must equal the baseline.
        if let Some(cost) = views[1]
            .pointer_mut("/usage/cost")
            .and_then(Value::as_object_mut)
        {
            cost.remove("amount");
        }
        let mut found = compare::differences(&views[0], &views[1]);
        if always.is_empty() {
            always.clone_from(&found);
        } else {
            found.retain(|place, what| always.get(place) != Some(what));
        }
        println!(
            "{}: {} differences, {:.1} s",
            scenario.name,
            found.len(),
            start.elapsed().as_secs_f64()
        );
        let found = found.iter();
        differences
            .extend(found.map(|(place, what)| format!("{}: {place}: {what}", scenario.name)));
    }
    println!(
        "{} scenarios, {lines} lines of claw acp, {} of them not valid, {} differences",
        all.iter().filter(chosen).count(),
        faults.len(),
        differences.len()
    );
    if args.write_baseline {
        baseline.update(&differences);
        baseline.write(&path)?;
    }
    print!("{}", baseline.explain(&differences));
    if !faults.is_empty() {
        let faults = faults.join("\n  ");
        return Err(format!("lines that do not fit the protocol's schema:\n  {faults}").into());
    }
    baseline.judge(&differences, args.scenarios.is_empty())
}
