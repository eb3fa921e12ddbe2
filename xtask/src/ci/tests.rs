use clap::Parser as _;

use super::*;
use xtask::steps::{Outcome, run};

fn record(name: &'static str, minutes: u64, outcome: Outcome) -> Record {
    Record {
        name: name.to_owned(),
        took: Duration::from_secs(minutes * 60),
        processor: (minutes > 0).then(|| Duration::from_secs(minutes * 90)),
        outcome,
    }
}

/// Returns the data of a run that began this long ago.
fn context(ago: Duration) -> Context {
    Context {
        workspace: Workspace::read().unwrap(),
        begun: SystemTime::now() - ago,
        allow_missing: false,
        programs: Vec::new(),
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
            record("four", 1, Outcome::PassedAgain("a::b".to_owned())),
        ],
        Duration::from_mins(14),
    );
    assert_eq!(
        table,
        "gate         minutes processor\n\
         one             12.0      18.0  passed\n\
         two              3.0       4.5  NOT CHECKED: no such target\n\
         three            0.0         -  FAILED\n\
         four             1.0       1.5  passed, but failed at first: a::b\n\
         total           14.0         -\n"
    );
}

#[test]
fn one_failed_gate_fails_the_run() {
    let records = [
        record("one", 1, Outcome::Failed),
        record("two", 1, Outcome::Passed),
    ];
    assert_eq!(
        verdict(&records, Duration::ZERO).unwrap_err().to_string(),
        "failed: one"
    );
}

#[test]
fn what_was_not_checked_on_request_does_not_fail() {
    assert!(
        verdict(
            &[record("one", 1, Outcome::NotChecked("x".to_owned()))],
            Duration::ZERO
        )
        .is_ok()
    );
}

#[test]
fn the_budget_holds_for_the_whole_run() {
    let run = |minutes| {
        verdict(
            &[record("a", 1, Outcome::Passed)],
            Duration::from_mins(minutes),
        )
    };
    assert!(run(89).is_ok());
    assert!(run(90).is_err());
}

#[test]
fn gates_that_would_start_too_late_are_not_checked() {
    const GATES: &[Gate] = &[Step {
        name: "x",
        run: |_| Ok(Checked::Yes),
    }];
    let args = Line::parse_from(["ci"]).args;
    let outcome = |tier, minutes| {
        let stage = Stage {
            name: "stage",
            tier,
            is_beside: false,
            programs: &[],
            gates: GATES,
        };
        let context = context(Duration::from_mins(minutes));
        let records = run_gates(&stage, &args, &context);
        records.into_iter().next().unwrap().outcome
    };
    let late = Outcome::NotChecked("the run had already taken over 70 minutes".to_owned());
    assert_eq!(outcome(Tier::Others, 69), Outcome::Passed);
    assert_eq!(outcome(Tier::Others, 71), late);
    assert_eq!(outcome(Tier::Own, 71), Outcome::Passed);

    let begun = Line::parse_from(["ci", "--begun", "60"]).args.begun();
    assert_eq!(begun, UNIX_EPOCH + Duration::from_mins(1));
}

#[test]
fn a_gate_says_how_it_went() {
    let context = context(Duration::ZERO);
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
    assert_eq!(
        outcome(|_| Ok(Checked::Again("a".to_owned()))),
        Outcome::PassedAgain("a".to_owned())
    );
    assert_eq!(outcome(|_| Err("e".into())), Outcome::Failed);
}

#[test]
fn gates_of_a_stage_that_leaves_no_results_failed() {
    let folder = tempfile::tempdir().unwrap();
    let args = Line::parse_from(["ci", "windows", "deploy"]).args;
    let stage = STAGES.iter().find(|stage| stage.name == "platforms");
    // The command starts this test executable again, which refuses the arguments of a stage.
    let context = context(Duration::ZERO);
    let beside = Beside::start(stage.unwrap(), folder.path(), &args, &context).unwrap();
    let records = beside.end(&args).unwrap();
    let failed = |record: &Record| record.outcome == Outcome::Failed;
    assert_eq!(records.len(), 1);
    assert!(records[0].name == "windows" && failed(&records[0]));
}

#[test]
fn the_programs_of_a_step_use_the_processor() {
    let busy = Step {
        name: "busy",
        run: |()| {
            let mut loops = Command::new("sh");
            xtask::run::run(
                loops.args(["-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]),
            )?;
            Ok(Checked::Yes)
        },
    };
    let record = run(&busy, &());
    if cfg!(target_os = "linux") {
        assert!(record.processor.unwrap() > Duration::ZERO);
    }
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
    let of_change: Vec<_> = all.into_iter().take(4).collect();
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
    let workflow = fs::read_to_string(root.join(".github/workflows/ci.yml")).unwrap();
    let stages = STAGES.map(|stage| stage.name).join(", ");
    assert!(workflow.contains(&format!("stage: [{stages}]")), "{stages}");
}

/// Runs `.ci/currency` with programs that replace npm, gh and cargo. `newest` is the newest version, `titles` are the
/// titles of existing issues, and `page` is the command that prints the page. Returns whether the script succeeded, and
/// the title and text of the issue that it opened.
#[cfg(unix)]
fn currency(newest: &str, titles: &str, page: &str) -> (bool, Option<String>) {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    const LIB: &str = "crates/claw-types/src/lib.rs";
    const SCRIPT: &str = ".ci/currency";

    let root = Workspace::read().unwrap().root;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    for file in [LIB, SCRIPT] {
        fs::create_dir_all(place.join(file).parent().unwrap()).unwrap();
        fs::copy(root.join(file), place.join(file)).unwrap();
    }
    let programs = place.join("programs");
    fs::create_dir(&programs).unwrap();
    let gh = format!(
        "if [ \"$2\" = list ]; then printf '{titles}'; else {{ echo \"$4\"; cat \"$6\"; }} >opened; fi"
    );
    let npm = format!("echo {newest}");
    for (name, script) in [("npm", &*npm), ("gh", &gh), ("cargo", page)] {
        let path = programs.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let output = Command::new(place.join(SCRIPT))
        .env("PATH", format!("{}:{path}", programs.display()))
        .output()
        .unwrap();
    let opened = fs::read_to_string(place.join("opened")).ok();
    (output.status.success(), opened)
}

#[cfg(unix)]
#[test]
fn a_new_version_gets_one_issue_with_its_page() {
    let page = "echo \"page of $3\"";
    let issue = "Claude Code 99.0.0\npage of 99.0.0\n".to_owned();
    assert_eq!(currency("99.0.0", "", page), (true, Some(issue.clone())));
    let other = "Claude Code 99.0.01\\nSay Claude Code 99.0.0\\n";
    assert_eq!(currency("99.0.0", other, page), (true, Some(issue)));
    let same = "Claude Code 98.0.0\\nClaude Code 99.0.0\\n";
    assert_eq!(currency("99.0.0", same, page), (true, None));
    let workspace = Workspace::read().unwrap();
    let pinned = xtask::claude::version(&workspace).unwrap();
    assert_eq!(currency(&pinned, "", page), (true, None));
    // If the page was printed only in part, no issue is opened.
    let failing = format!("{page}; exit 3");
    assert_eq!(currency("99.0.0", "", &failing), (false, None));
    assert_eq!(currency("E404", "", page), (false, None));
    assert_eq!(currency("", "", page), (false, None));
}

#[cfg(unix)]
#[test]
fn a_page_that_is_too_long_for_an_issue_is_cut_at_a_line_and_says_so() {
    let page = "yes 'ä line of the page' | head -n 5000";
    let (is_done, opened) = currency("99.0.0", "", page);
    let opened = opened.unwrap();
    assert!(is_done && opened.len() < 65_536, "{}", opened.len());
    let lines: Vec<_> = opened.lines().collect();
    let [title, page @ .., "", last] = &lines[..] else {
        panic!("{opened}");
    };
    assert_eq!(*title, "Claude Code 99.0.0");
    assert!(page.len() > 2000 && page.iter().all(|line| *line == "ä line of the page"));
    assert_eq!(
        *last,
        "The page is longer: `cargo xtask currency 99.0.0` prints all of it."
    );
}
