//! `--options FILE`.
#![cfg(unix)]

use std::fs;

use claw_testkit::api::scenarios;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::claw::{Ran, claw, ran, script};
use super::real_cli::Place;

/// A claude that says how it was started, and ends.
struct Told {
    folder: TempDir,
}

impl Told {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let arguments = folder.path().join("arguments");
        let text = format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}'\nexit 7\n",
            arguments.display()
        );
        script(&folder.path().join("claude"), &text);
        Self { folder }
    }

    /// Runs it with these options and arguments.
    fn run(&self, command: &str, options: &str, args: &[&str]) -> Ran {
        let file = self.folder.path().join("options.json");
        fs::write(&file, options).unwrap();
        let all = [&[command, "--options", file.to_str().unwrap()], args].concat();
        let output = claw(&all)
            .env("CLAW_CLAUDE_PATH", self.folder.path().join("claude"))
            .output();
        ran(output.unwrap())
    }

    fn arguments(&self) -> String {
        fs::read_to_string(self.folder.path().join("arguments")).unwrap()
    }
}

#[test]
fn options_come_from_a_file_and_flags_win() {
    let told = Told::new();
    let options = json!({"model": "of-the-file", "maxTurns": 3, "effort": "low",
        "allowedTools": ["Read"], "resume": "11111111-1111-4111-8111-111111111111"});
    told.run("run", &options.to_string(), &["hello"]);
    let arguments = told.arguments();
    for flag in [
        "--model=of-the-file",
        "--max-turns=3",
        "--effort=low",
        "--include-partial-messages",
    ] {
        assert!(
            arguments.lines().any(|line| line == flag),
            "{flag} in {arguments}"
        );
    }
    let flags = [
        "hello",
        "--model",
        "of-the-flag",
        "--max-turns",
        "5",
        "--allowed-tools",
        "Bash",
    ];
    told.run("run", &options.to_string(), &flags);
    let arguments = told.arguments();
    for flag in ["--model=of-the-flag", "--max-turns=5", "--effort=low"] {
        assert!(
            arguments.lines().any(|line| line == flag),
            "{flag} in {arguments}"
        );
    }
    assert!(
        arguments.contains("Bash") && !arguments.contains("Read"),
        "{arguments}"
    );

    let own = json!({"includePartialMessages": false, "continue": true});
    told.run("chat", &own.to_string(), &[]);
    let arguments = told.arguments();
    assert!(
        !arguments.contains("--include-partial-messages"),
        "{arguments}"
    );
    assert!(
        arguments.lines().any(|line| line == "--continue"),
        "{arguments}"
    );
    let id = "22222222-2222-4222-8222-222222222222";
    told.run("chat", &own.to_string(), &["--resume", id]);
    let arguments = told.arguments();
    assert!(arguments.contains(&format!("--resume={id}")), "{arguments}");
    assert!(!arguments.contains("--continue"), "{arguments}");
}

#[test]
fn what_does_not_fit_is_said_with_the_file_and_the_path_in_it() {
    let told = Told::new();
    let secret = "sk-hidden-value";
    let hidden = format!("{{\"env\": {{\"KEY\": [\"{secret}\"]}}}}");
    for (options, path) in [
        ("{\"model\": 7}", "model: "),
        ("{\n  \"maxTurns\": \"three\"\n}", "maxTurns: "),
        (
            "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [1]}}}",
            "mcpServers.a",
        ),
        ("{\"modell\": \"x\"}", "modell: there is no such option"),
        (
            "{\"agents\": {\"a\": {\"description\": \"d\", \"prompt\": \"p\", \"later\": 1}}}",
            "agents.a.later: there is no such option",
        ),
        ("{\"sandbox\": {\"\u{9b}\": 1}}", "sandbox."),
        (
            "{\"model\": \"x\"",
            if cfg!(feature = "terminal") {
                "no JSON: "
            } else {
                "EOF"
            },
        ),
        ("[]", ""),
        (&*hidden, "env.KEY"),
    ] {
        let ran = told.run("run", options, &["hello"]);
        assert_eq!(ran.code, Some(2), "{options}: {}", ran.stderr);
        let place = format!("options.json: {path}");
        assert!(ran.stderr.contains(&place), "{options}: {}", ran.stderr);
        assert!(
            !ran.stderr.contains(['\u{1b}', '\u{9b}']),
            "{:?}",
            ran.stderr
        );
        assert!(!ran.stderr.contains(secret), "{}", ran.stderr);
        assert!(!told.folder.path().join("arguments").exists(), "{options}");
    }
    let run = ran(claw(&["run", "hello", "--options", "/no/such/file"])
        .output()
        .unwrap());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("/no/such/file"), "{}", run.stderr);
}

#[tokio::test]
async fn the_real_cli_takes_the_options_of_a_file() {
    let place = Place::new(scenarios::text()).await;
    let file = place.folder.path().join("options.json");
    let options = json!({"systemPrompt": "You are a lighthouse.", "model": "claude-opus-5-5",
        "allowedTools": ["Read"], "settings": {"env": {"UNUSED": "1"}}});
    fs::write(&file, options.to_string()).unwrap();
    let run = place
        .run(&["run", "Say hello.", "--options", file.to_str().unwrap()])
        .await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let asked: Vec<Value> = place
        .api
        .requests()
        .into_iter()
        .map(|asked| asked.body)
        .collect();
    let asked = asked
        .iter()
        .find(|body| body["system"].to_string().contains("a lighthouse"));
    let asked = asked.expect("the system prompt is sent");
    assert_eq!(asked["model"], "claude-opus-5-5");
}
