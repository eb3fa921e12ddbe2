//! What stands in the way is said exactly, each with its exit code.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use claw_testkit::Block;
use claw_testkit::agent::{self, Script, Step};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::claw::{claw, ran, script};

#[test]
fn no_claude_says_where_it_looked_and_how_to_install() {
    let home = tempfile::tempdir().unwrap();
    let run = ran(claw(&["run", "hello"])
        .env("PATH", home.path())
        .env("HOME", home.path())
        .output()
        .unwrap());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stderr
            .contains(&home.path().join(".local/bin/claude").display().to_string())
    );
    assert!(
        run.stderr
            .contains("npm install -g @anthropic-ai/claude-code"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, "");
}

#[test]
fn a_missing_directory_is_named() {
    let home = tempfile::tempdir().unwrap();
    let claude = home.path().join("claude");
    script(&claude, "#!/bin/sh\nexit 0\n");
    let run = ran(claw(&["run", "hello", "--cwd", "/no/such/folder"])
        .env("CLAW_CLAUDE_PATH", &claude)
        .output()
        .unwrap());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("/no/such/folder"), "{}", run.stderr);
    assert!(!run.stderr.contains("npm"), "{}", run.stderr);
}

#[test]
fn a_file_that_cannot_be_launched_is_named() {
    let home = tempfile::tempdir().unwrap();
    let claude = home.path().join("claude");
    script(&claude, "#!/no/such/interpreter\n");
    let run = ran(claw(&["run", "hello"])
        .env("CLAW_CLAUDE_PATH", &claude)
        .output()
        .unwrap());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stderr.contains(&claude.display().to_string()),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("npm"), "{}", run.stderr);
}

#[test]
fn a_claude_that_falls_silent_is_ended() {
    let home = tempfile::tempdir().unwrap();
    let thinks = Step::message([Block::text("I think.")]);
    let script = Script::new([Step::Turn(vec![thinks, Step::Hang])]);
    let file = home.path().join("script.json");
    std::fs::write(&file, serde_json::to_vec(&script).unwrap()).unwrap();
    let run = ran(claw(&["run", "hello", "--stall", "1"])
        .env("CLAW_CLAUDE_PATH", agent::program().unwrap())
        .env("CLAW_AGENT_SCRIPT", &file)
        .output()
        .unwrap());
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("I think."), "{}", run.stderr);
    assert!(run.stderr.contains("silent"), "{}", run.stderr);
}

#[test]
fn a_crash_tells_status_and_stderr_without_steering_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let claude = home.path().join("claude");
    script(
        &claude,
        "#!/bin/sh\nread line\nprintf 'out of \\033[31mluck\\n' >&2\nexit 7\n",
    );
    let run = ran(claw(&["run", "hello"])
        .env("CLAW_CLAUDE_PATH", &claude)
        .output()
        .unwrap());
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(
        run.stderr.contains('7') && run.stderr.contains("luck"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
}

#[test]
fn a_second_ctrl_c_leaves_nothing_of_one_that_will_not_end() {
    let home = tempfile::tempdir().unwrap();
    let claude = home.path().join("claude");
    script(
        &claude,
        "#!/bin/sh\ntrap '' TERM\nread initialize; read prompt\necho \"{\\\"type\\\":\\\"$$\\\"}\"\n\
         read interrupt; echo '{\"type\":\"interrupted\"}'\nwhile :; do sleep 1; done\n",
    );
    let mut run = claw(&["run", "hello", "-o", "ndjson"])
        .env("CLAW_CLAUDE_PATH", &claude)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let claw = Pid::from_child(&run);
    let mut lines = BufReader::new(run.stdout.take().unwrap()).lines();
    let mut kind = || {
        let line: serde_json::Value =
            serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        line["type"].as_str().unwrap().to_owned()
    };
    let claude = Pid::from_raw(kind().parse().unwrap()).unwrap();
    kill_process(claw, Signal::INT).unwrap();
    assert_eq!(kind(), "interrupted");
    kill_process(claw, Signal::INT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert!(test_kill_process(claude).is_err(), "it is still there");
}
