//! `claw run` with the real CLI and the scripted API.
#![cfg(unix)]

use std::io;
use std::process::{Output, Stdio};
use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Rule, Scenario, scenarios};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::process::Command;

use super::claw::{Ran, claw, ran};

pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// A home and a working directory for one run.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) api: Api,
}

impl Place {
    pub(crate) async fn new(scenario: Scenario) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self {
            folder,
            api: Api::start(scenario).await.unwrap(),
        }
    }

    pub(crate) fn claw(&self, args: &[&str]) -> Command {
        let mut command = Command::from(claw(args));
        command
            .envs(self.api.env())
            .env("HOME", self.folder.path().join("home"))
            .env("CLAW_CLAUDE_PATH", claw_testkit::claude().unwrap())
            .current_dir(self.folder.path().join("work"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // One that hangs fails its test, and no more than that.
            .kill_on_drop(true);
        command
    }

    pub(crate) async fn run(&self, args: &[&str]) -> Ran {
        wait(self.claw(args).output()).await
    }
}

pub(crate) async fn wait(output: impl Future<Output = io::Result<Output>>) -> Ran {
    let output = tokio::time::timeout(LIMIT, output).await;
    ran(output.expect("claw ends").unwrap())
}

#[tokio::test]
async fn an_answer_and_exit_code_0() {
    let place = Place::new(scenarios::text()).await;
    let run = place.run(&["run", "Say hello."]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.starts_with("— done: 1 turn,"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(!run.stdout.trim().is_empty());
    assert!(!run.stdout.contains('—'), "{}", run.stdout);
}

/// The CLI's own result has the last block alone.
#[tokio::test]
async fn an_answer_in_two_blocks_is_printed_whole_and_once() {
    let halves = Answer::message([
        Block::text("First half {\"a\":"),
        Block::text(" second half 1}"),
    ]);
    let place = Place::new(Scenario::new("halves", [Rule::new(halves)])).await;
    let run = place.run(&["run", "Say it."]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, "First half {\"a\": second half 1}\n");
    assert!(!run.stderr.contains("half"), "{}", run.stderr);
}

#[tokio::test]
async fn output_of_a_form_beside_text_blocks_is_printed_alone() {
    let output = || Block::tool_use("StructuredOutput", serde_json::json!({"answer": 4}));
    let blocks = [Block::text("It is {\"answer\":"), Block::text(" 5}.")];
    let before = blocks.clone().into_iter().chain([output()]);
    let behind = [output()].into_iter().chain(blocks);
    for blocks in [before.collect::<Vec<_>>(), behind.collect()] {
        let answer = Answer::message(blocks);
        let place = Place::new(Scenario::new("beside", [Rule::new(answer)])).await;
        let schema = place.folder.path().join("sum.json");
        let of = r#"{"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"]}"#;
        std::fs::write(&schema, of).unwrap();
        let schema = schema.to_str().unwrap();
        let run = place.run(&["run", "--schema", schema, "2 + 2?"]).await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(run.stdout, "{\"answer\":4}\n");
        let json = ["run", "--schema", schema, "--output", "json", "2 + 2?"];
        let run = place.run(&json).await;
        let result: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(result["structured_output"]["answer"], 4);
    }
}

/// A server that does not start.
const BROKEN: &str =
    r#"{"mcpServers": {"broken": {"type": "stdio", "command": "/no/such/program"}}}"#;

#[tokio::test]
async fn a_server_that_is_not_connected_is_named_and_can_be_required() {
    let place = Place::new(scenarios::text()).await;
    let options = place.folder.path().join("options.json");
    std::fs::write(&options, BROKEN).unwrap();
    let options = options.to_str().unwrap();
    let said = "The MCP server broken is not connected: failed.";
    let run = place.run(&["run", "--options", options, "Hello?"]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr.matches(said).count(), 1, "{}", run.stderr);
    for required in ["broken", "all", "another"] {
        let args = [
            "run",
            "-q",
            "--options",
            options,
            "--require-mcp",
            required,
            "Hello?",
        ];
        let run = place.run(&args).await;
        assert_eq!((run.code, &*run.stdout), (Some(8), ""), "{}", run.stderr);
        let said = if required == "another" {
            "There is no MCP server another."
        } else {
            said
        };
        assert_eq!(run.stderr, format!("claw: required: {said}\n"));
    }
}

/// A worker that tries again after 4 would do so for ever.
#[tokio::test]
async fn a_session_that_is_not_there_has_one_exit_code() {
    let place = Place::new(scenarios::text()).await;
    let id = "00000000-0000-4000-8000-000000000000";
    for id in [id, "not-an-id", &format!("{id}\n{id}"), "", " "] {
        let run = place.run(&["run", "--resume", id, "Hello?"]).await;
        assert_eq!(run.code, Some(3), "{id:?}: {}", run.stderr);
        assert!(
            run.stderr.starts_with("claw: there is no session"),
            "{}",
            run.stderr
        );
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    assert!(place.api.requests().is_empty());
}

#[tokio::test]
async fn raw_lines_are_json() {
    let place = Place::new(scenarios::non_ascii()).await;
    let run = place
        .run(&["run", "--output", "ndjson", "Say hello."])
        .await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let kinds: Vec<_> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].clone())
        .collect();
    for kind in ["system", "stream_event", "assistant", "result"] {
        assert!(kinds.contains(&kind.into()), "{kind} in {kinds:?}");
    }
}

#[tokio::test]
async fn a_tool_is_denied_where_nobody_can_be_asked() {
    let place = Place::new(scenarios::bash()).await;
    let run = place.run(&["run", "Write a greeting."]).await;
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    for part in ["● Bash(", "no terminal to ask on", "Nobody can be asked"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert_eq!(
        std::fs::read_dir(place.folder.path().join("work"))
            .unwrap()
            .count(),
        0
    );
}

#[tokio::test]
async fn an_allowed_tool_runs() {
    let place = Place::new(scenarios::bash()).await;
    let run = place
        .run(&["run", "Write a greeting.", "--allowed-tools", "Bash"])
        .await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("✓ "), "{}", run.stderr);
    assert!(!run.stderr.contains('?'), "{}", run.stderr);
    assert_eq!(
        std::fs::read_dir(place.folder.path().join("work"))
            .unwrap()
            .count(),
        1
    );
}

#[tokio::test]
async fn a_refused_key_is_an_error_result() {
    let place = Place::new(scenarios::unauthorized()).await;
    let run = place.run(&["run", "Say hello."]).await;
    assert_eq!((run.code, &*run.stdout), (Some(7), ""), "{}", run.stderr);
    assert!(run.stderr.contains("401"), "{}", run.stderr);
    assert!(run.stderr.contains("— error:"), "{}", run.stderr);
    says_how_to_log_in(&run);
}

fn says_how_to_log_in(run: &Ran) {
    for word in ["not logged in", "/login", "ANTHROPIC_API_KEY"] {
        assert!(run.stderr.contains(word), "{word}: {}", run.stderr);
    }
}

#[tokio::test]
async fn without_a_login_it_fails_and_says_how_to_log_in() {
    let place = Place::new(scenarios::text()).await;
    for flags in [
        &["run", "Say hello."][..],
        &["run", "--output", "ndjson", "Say hello."],
    ] {
        let output = place.claw(flags).env_remove("ANTHROPIC_API_KEY").output();
        let run = wait(output).await;
        assert_eq!(run.code, Some(7), "{}{}", run.stdout, run.stderr);
        says_how_to_log_in(&run);
    }
}

#[tokio::test]
async fn ctrl_c_interrupts_the_turn() {
    let place = Place::new(scenarios::slow()).await;
    place.api.gates().open("first");
    let child = place.claw(&["run", "Tell me a story."]).spawn().unwrap();
    let pid = child
        .id()
        .and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    tokio::time::timeout(LIMIT, place.api.gates().reached("half"))
        .await
        .unwrap();
    kill_process(pid.unwrap(), Signal::INT).unwrap();
    let run = wait(child.wait_with_output()).await;
    assert_eq!(run.code, Some(130), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("— interrupted:"), "{}", run.stderr);
    assert!(!run.stderr.contains("ede_diagnostic"), "{}", run.stderr);
}

#[tokio::test]
async fn a_recording_is_played_without_claude() {
    let place = Place::new(scenarios::bash()).await;
    let tape = place.folder.path().join("tape");
    let tape = tape.to_str().unwrap();
    let prompt = "Write a greeting.";
    let recorded = place.run(&["run", prompt, "--record", tape]).await;
    assert_eq!(recorded.code, Some(5), "{}", recorded.stderr);
    assert!(
        recorded.stderr.contains("no terminal"),
        "{}",
        recorded.stderr
    );

    let play = |prompt: &str| {
        let mut command = claw(&["run", prompt, "--replay", tape]);
        ran(command.env_remove("PATH").output().unwrap())
    };
    let played = play(prompt);
    assert_eq!(played.code, Some(5), "{}", played.stderr);
    assert_eq!(played.stdout, recorded.stdout);
    assert_eq!(played.stderr, recorded.stderr);
    let other = play("Write a farewell.");
    assert_eq!(other.code, Some(4), "{}", other.stdout);
    assert!(
        other.stderr.contains(prompt) && other.stderr.contains("farewell"),
        "{}",
        other.stderr
    );
}

/// A picture that does not compress, as a PNG of some 4.5 MB: more than the API takes.
fn noise() -> Vec<u8> {
    let (width, height) = (1300, 1150);
    let mut random = 1_u32;
    let pixels: Vec<u8> = (0..width * height * 3)
        .map(|_| {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            random.to_be_bytes()[0]
        })
        .collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    file
}

/// The CLI makes it smaller, so claw need not refuse it.
#[tokio::test]
async fn a_large_image_arrives_at_the_model() {
    let place = Place::new(scenarios::text()).await;
    let picture = noise();
    assert!(picture.len() > 4_000_000, "{}", picture.len());
    std::fs::write(place.folder.path().join("work/noise.png"), &picture).unwrap();
    let run = place
        .run(&["run", "What is it?", "--image", "noise.png"])
        .await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let images: Vec<_> = place
        .api
        .requests()
        .iter()
        .flat_map(|request| {
            let messages = request.body["messages"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let blocks = messages
                .into_iter()
                .flat_map(|message| message["content"].as_array().cloned().unwrap_or_default());
            let lengths = blocks.filter_map(|block| Some(block["source"]["data"].as_str()?.len()));
            lengths.collect::<Vec<_>>()
        })
        .collect();
    assert!(matches!(images[..], [1..5_000_000]), "{images:?}");
}
