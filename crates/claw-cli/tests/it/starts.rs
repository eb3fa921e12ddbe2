//! What delays a start, and what is not connected, is said: with the real CLI.
#![cfg(unix)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use claw_testkit::api::scenarios;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::chat::soon;
use super::real_cli::Place;

const HOOK: &str = "The hook SessionStart:startup has been running for ";
const SERVER: &str = "The MCP server broken is not connected: failed.";

/// Settings with a hook that waits at the start until its gate is opened, and a server that does not start. Returns the
/// gate.
fn prepare(place: &Place) -> PathBuf {
    let (home, gate) = (
        place.folder.path().join("home"),
        place.folder.path().join("gate"),
    );
    let made = std::process::Command::new("mkfifo").arg(&gate).status();
    assert!(made.unwrap().success());
    let hook = json!({"type": "command", "command": format!("cat '{}'", gate.display())});
    let settings = json!({"hooks": {"SessionStart": [{"hooks": [hook]}]}});
    fs::create_dir(home.join(".claude")).unwrap();
    fs::write(home.join(".claude/settings.json"), settings.to_string()).unwrap();
    let server = json!({"type": "stdio", "command": "/no/such/program"});
    let servers = json!({"mcpServers": {"broken": server}});
    fs::write(home.join(".claude.json"), servers.to_string()).unwrap();
    gate
}

fn open(gate: &Path) {
    drop(File::options().write(true).open(gate).unwrap());
}

#[tokio::test]
async fn a_run_says_which_hook_it_waits_for_and_which_server_is_not_connected() {
    let place = Place::new(scenarios::text()).await;
    let gate = prepare(&place);
    let mut command = place.claw(&["run", "Hello?"]);
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = soon(lines.next_line()).await.unwrap().unwrap();
    assert!(first.trim_start().starts_with(HOOK), "{first}");
    open(&gate);
    let mut rest = String::new();
    while let Some(line) = soon(lines.next_line()).await.unwrap() {
        rest.push_str(&line);
        rest.push('\n');
    }
    assert_eq!(rest.matches(SERVER).count(), 1, "{rest}");
    assert!(soon(child.wait()).await.unwrap().success(), "{rest}");
}

/// With the line editor, and without it.
#[tokio::test(flavor = "multi_thread")]
async fn a_chat_says_which_hook_it_waits_for_and_which_server_is_not_connected() {
    for kind in ["xterm", "dumb"] {
        let place = Place::new(scenarios::text()).await;
        let gate = prepare(&place);
        let command = place.claw(&["chat"]);
        let mut terminal = super::chat::Terminal::named(&command, 100, kind);
        terminal.until(HOOK);
        open(&gate);
        terminal.until("Ctrl-C interrupts");
        terminal.press("Hello?\r");
        terminal.until(SERVER);
        terminal.until("done: 1 turn");
        terminal.press("\u{4}");
        assert!(
            soon(terminal.child.wait()).await.unwrap().success(),
            "{kind}"
        );
    }
}

/// Hooks do not run, and nothing is sent.
#[tokio::test]
async fn the_doctor_names_a_server_that_is_not_connected() {
    let place = Place::new(scenarios::text()).await;
    prepare(&place);
    let ran = place.run(&["doctor"]).await;
    let line = format!("! mcp       {SERVER}");
    assert!(ran.stdout.contains(&line), "{}{}", ran.stdout, ran.stderr);
    assert!(place.api.requests().is_empty());
}
