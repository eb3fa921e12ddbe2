use clap::Parser as _;

use super::*;
use xtask::steps::{Outcome, run};

fn record(name: &'static str, minutes: u64, outcome: Outcome) -> Record {
    Record {
        name,
        took: Duration::from_secs(minutes * 60),
        outcome,
    }
}

#[test]
fn the_table_has_a_line_a_gate_and_a_total() {
    let table = table(
        "gate",
        &[
            record("one", 12, Outcome::Passed),
            record("two", 3, Outcome::NotChecked("no such target".to_owned())),
            record("three", 0, Outcome::Failed),
        ],
    );
    assert_eq!(
        table,
        "gate         minutes\n\
         one             12.0  passed\n\
         two              3.0  NOT CHECKED: no such target\n\
         three            0.0  FAILED\n\
         total           15.0\n"
    );
}

#[test]
fn one_failed_gate_fails_the_run() {
    let records = [
        record("one", 1, Outcome::Failed),
        record("two", 1, Outcome::Passed),
    ];
    assert_eq!(verdict(&records).unwrap_err().to_string(), "failed: one");
}

#[test]
fn what_was_not_checked_on_request_does_not_fail() {
    assert!(verdict(&[record("one", 1, Outcome::NotChecked("x".to_owned()))]).is_ok());
}

#[test]
fn the_budget_holds_for_all_gates_together() {
    let run = |minutes| {
        verdict(&[
            record("a", minutes, Outcome::Passed),
            record("b", 40, Outcome::Passed),
        ])
    };
    assert!(run(39).is_ok());
    assert!(run(40).is_err());
}

#[test]
fn a_gate_says_how_it_went() {
    let context = Context {
        workspace: Workspace::read().unwrap(),
        allow_missing: false,
        programs: Vec::new(),
    };
    let outcome = |gate| {
        run(
            &Gate {
                name: "x",
                run: gate,
            },
            &context,
        )
        .outcome
    };
    assert_eq!(outcome(|_| Ok(Checked::Yes)), Outcome::Passed);
    assert_eq!(
        outcome(|_| Ok(Checked::No("n".to_owned()))),
        Outcome::NotChecked("n".to_owned())
    );
    assert_eq!(outcome(|_| Err("e".into())), Outcome::Failed);
}

#[test]
fn gates_and_stages_have_names_of_their_own() {
    let stages = STAGES.iter().map(|stage| stage.name);
    let gates = STAGES
        .iter()
        .flat_map(|stage| stage.gates)
        .map(|gate| gate.name);
    for names in [stages.collect::<Vec<_>>(), gates.collect()] {
        let mut unique = names.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), names.len(), "{names:?}");
    }
}

#[test]
fn the_second_tier_runs_when_it_is_asked_for() {
    let asked = |line: &str| {
        let args = Line::parse_from(line.split(' ')).args;
        let stages = STAGES.iter().filter(|stage| args.asks_for(stage));
        stages.map(|stage| stage.name).collect::<Vec<_>>()
    };
    let all = STAGES.map(|stage| stage.name);
    let of_change: Vec<_> = all.into_iter().take(5).collect();
    assert_eq!(asked("ci"), of_change);
    assert_eq!(asked("ci --all"), all);
    assert_eq!(asked("ci --stage platforms"), ["platforms"]);
    assert_eq!(asked("ci --all --stage quick"), ["quick"]);
    assert_eq!(asked("ci parity"), ["conformance"]);
    assert_eq!(asked("ci clippy parity"), ["quick", "conformance"]);
}

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

#[test]
fn the_workflow_has_a_job_for_each_stage() {
    let root = Workspace::read().unwrap().root;
    let workflow = std::fs::read_to_string(root.join(".github/workflows/ci.yml")).unwrap();
    let stages = STAGES.map(|stage| stage.name).join(", ");
    assert!(workflow.contains(&format!("stage: [{stages}]")), "{stages}");
}
