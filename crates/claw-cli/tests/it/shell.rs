//! `claw run` in shell scripts.

use std::fs;
use std::path::Path;
use std::process::Command;

use claw_testkit::Block;
use claw_testkit::agent::{self, Script, Step};
use claw_testkit::api::scenarios;
use claw_types::Untyped;
use serde_json::json;

use super::real_cli::Place;

fn says(text: &str) -> Step {
    Step::message([Block::text(text)])
}

/// The failure of a request to the API, as claude tells it.
fn failure(status: u16, error: &str) -> Script {
    Script::new([Step::Turn(vec![Step::api_failure(
        status,
        error,
        "It failed.",
    )])])
}

fn scripts(folder: &Path) {
    let turn = |steps: Vec<Step>| Script::new([Step::Turn(steps)]);
    let denied = Script::builtin("demo").unwrap();
    let mut denied = serde_json::to_string(&denied).unwrap();
    for (before, after) in [
        (
            "Let me see what is in this folder. I will ask the shell.",
            "Let me see.",
        ),
        (
            "You did not let me run the command, so I left everything as it is.",
            "I could not.",
        ),
    ] {
        assert!(denied.contains(before), "{denied}");
        denied = denied.replace(before, after);
    }
    let structured = json!({"type": "result", "subtype": "success", "is_error": false, "duration_ms": 1,
        "duration_api_ms": 1, "num_turns": 1, "result": "{\"sum\":4}", "structured_output": {"sum": 4},
        "stop_reason": "end_turn", "session_id": "11111111-1111-4111-8111-111111111111", "total_cost_usd": 0,
        "usage": {"input_tokens": 1, "output_tokens": 1}, "modelUsage": {}, "permission_denials": [],
        "uuid": "11111111-1111-4111-8111-111111111112"});
    let all = [
        ("answer", turn(vec![says("Four.")])),
        (
            "lingers",
            Script::new([Step::Turn(vec![says("Four.")]), Step::Hang]),
        ),
        (
            "error",
            turn(vec![Step::fail("error_during_execution", "It broke.")]),
        ),
        (
            "turns",
            turn(vec![Step::fail(
                "error_max_turns",
                "Reached the maximum of turns.",
            )]),
        ),
        (
            "budget",
            turn(vec![Step::fail(
                "error_max_budget_usd",
                "Reached the budget.",
            )]),
        ),
        ("rate", failure(429, "rate_limit")),
        ("login", failure(401, "authentication_failed")),
        ("dies", turn(vec![says("I think."), Step::Exit(3)])),
        ("hangs", turn(vec![says("I think."), Step::Hang])),
        (
            "structured",
            Script::new([
                Step::expect_initialize(),
                Step::Initialized,
                Step::expect_prompt(),
                Step::Raw(format!("{structured}\n")),
            ]),
        ),
    ];
    for (name, script) in all {
        let text = serde_json::to_string(&script).unwrap();
        fs::write(folder.join(format!("{name}.json")), text).unwrap();
    }
    fs::write(folder.join("denied.json"), denied).unwrap();
}

#[test]
fn run_is_a_tool_in_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let (work, scripted) = (folder.path().join("work"), folder.path().join("scripts"));
    fs::create_dir(&work).unwrap();
    fs::create_dir(&scripted).unwrap();
    scripts(&scripted);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shell/run.sh");
    let mut bash = Command::new("bash");
    bash.arg(file)
        .env("CLAW", env!("CARGO_BIN_EXE_claw"))
        .env("CLAW_CONFIG", "/dev/null")
        .env("AGENT", agent::program().unwrap().canonicalize().unwrap())
        .env("SCRIPTS", scripted)
        .env("WORK", work);
    let output = bash.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{error}");
}

#[tokio::test]
async fn the_real_cli_has_the_same_exit_codes() {
    let place = Place::new(scenarios::rate_limited()).await;
    let run = place.run(&["run", "Say hello."]).await;
    assert_eq!((run.code, &*run.stdout), (Some(6), ""), "{}", run.stderr);

    let place = Place::new(scenarios::bash()).await;
    let run = place
        .run(&[
            "run",
            "Greet.",
            "--max-turns",
            "1",
            "--allowed-tools",
            "Bash",
        ])
        .await;
    assert_eq!((run.code, &*run.stdout), (Some(6), ""), "{}", run.stderr);
}

#[tokio::test]
async fn a_file_and_an_image_reach_the_model() {
    const PNG: &[u8] = include_bytes!("../pixel.png");
    let place = Place::new(scenarios::text()).await;
    let work = place.folder.path().join("work");
    fs::write(work.join("notes.txt"), "The sum is four.").unwrap();
    fs::write(work.join("pixel.png"), PNG).unwrap();
    let args = [
        "run",
        "What is it?",
        "--file",
        "notes.txt",
        "--image",
        "pixel.png",
    ];
    let run = place.run(&args).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let requests = place.api.requests();
    let body = requests.last().unwrap().body["messages"].to_string();
    for part in ["The sum is four.", "notes.txt", "image/png", "What is it?"] {
        assert!(body.contains(part), "{part} in {body}");
    }
}

#[tokio::test]
async fn a_conversation_is_continued_resumed_and_forked() {
    let place = Place::new(scenarios::text()).await;
    let id = async |args: &[&str]| {
        let run = place.run(args).await;
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.stderr);
        let result: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        result["session_id"].as_str().unwrap().to_owned()
    };
    let first = id(&["run", "One.", "-o", "json"]).await;
    assert_eq!(
        id(&["run", "Two.", "-o", "json", "--continue"]).await,
        first
    );
    assert_eq!(
        id(&["run", "Three.", "-o", "json", "--resume", &first]).await,
        first
    );
    let forked = id(&["run", "Four.", "-o", "json", "--resume", &first, "--fork"]).await;
    assert_ne!(forked, first);
    let requests = place.api.requests();
    let body = requests.last().unwrap().body["messages"].to_string();
    for said in ["One.", "Two.", "Three.", "Four."] {
        assert!(body.contains(said), "{said} in {body}");
    }
}

/// The flags of a text, in backticks.
fn flags(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .flat_map(str::split_whitespace)
        .filter(|word| word.starts_with("--"))
        .collect()
}

/// The guide for people who come from `claude -p` names flags that there are, of the pinned CLI and of claw, and fields of
/// `--options` that there are.
#[test]
fn the_guide_from_other_tools_is_true() {
    let guide = include_str!("../../../../docs/guides/coming-from.md");
    let begin = guide.find("| `claude -p` |").unwrap();
    let table = &guide[begin..begin + guide[begin..].find("\n\n").unwrap()];
    let help = |mut command: Command| {
        let output = command.output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let mut claude = Command::new(claw_testkit::claude().unwrap());
    claude.arg("--help");
    let (claude, claw) = (help(claude), help(super::claw::claw(&["run", "--help"])));
    let mut rows = 0;
    for row in table.lines().skip(2) {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").collect();
        let [theirs, ours, ..] = cells[..] else {
            panic!("{row}")
        };
        for (flags, help) in [(flags(theirs), &claude), (flags(ours), &claw)] {
            for flag in flags {
                let is_there = |word: &str| word.trim_end_matches(',') == flag;
                assert!(help.split_whitespace().any(is_there), "{flag}: {row}");
            }
        }
        if let Some(field) = cells.get(2).and_then(|cell| cell.split('`').nth(1)) {
            let options = json!({ field: null }).to_string();
            let options: claw_client::types::QueryOptions = serde_json::from_str(&options).unwrap();
            let untyped = claw_client::types::untyped(&options);
            let is_unknown = |it: &Untyped| matches!(it, Untyped::Field { .. });
            assert!(!untyped.iter().any(is_unknown), "{row}: {untyped:?}");
        }
        rows += 1;
    }
    assert!(rows > 25, "{rows}");
}
