//! `claw run`, stopped for longer than claude may be silent (Ctrl-Z, a laptop's lid).

use std::io::{BufRead, BufReader, Read as _};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use claw_testkit::agent::{self, Script, Step};
use claw_testkit::{Block, Gates};
use rustix::process::{Pid, Signal, kill_process};

use super::claw::claw;

/// How long claude may be silent, and how long the command is stopped: 6 s, or as many as `CLAW_TEST_STOP` says.
const LIMIT: &str = "5";

fn length() -> Duration {
    let named = std::env::var("CLAW_TEST_STOP").ok();
    Duration::from_secs(named.map_or(6, |seconds| seconds.parse().unwrap()))
}

/// Reads lines up to a message with this text.
fn until_line(lines: &mut impl BufRead, text: &str) {
    let mut line = String::new();
    while !(line.contains(text) && line.contains("\"type\":\"assistant\"")) {
        line.clear();
        assert_ne!(lines.read_line(&mut line).unwrap(), 0, "no {text}");
    }
}

#[test]
fn a_stopped_command_reads_what_is_there_before_its_limit_counts() {
    let folder = tempfile::tempdir().unwrap();
    // The gate opens while the command is stopped: what comes then stands in the pipe. More comes late.
    let turn = vec![
        Step::message([Block::text("I think.\n")]),
        Step::gate("stopped"),
        Step::message([Block::text("I see.\n")]),
        Step::gate("continued"),
        Step::message([Block::text("Four.")]),
    ];
    let script = Script::new([Step::Turn(turn)]);
    let file = folder.path().join("script.json");
    std::fs::write(&file, serde_json::to_vec(&script).unwrap()).unwrap();
    let gates = Gates::in_folder(folder.path());
    let mut child = claw(&["run", "2 + 2?", "--output=ndjson", "--stall", LIMIT])
        .env("CLAW_CLAUDE_PATH", agent::program().unwrap())
        .env("CLAW_AGENT_SCRIPT", &file)
        .env("CLAW_AGENT_GATES", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    until_line(&mut stdout, "I think.");

    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::STOP).unwrap();
    gates.open("stopped");
    thread::sleep(length());
    kill_process(pid, Signal::CONT).unwrap();
    until_line(&mut stdout, "I see.");
    gates.open("continued");
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}{rest}");
    assert!(rest.contains("Four."), "{rest}");
}
