//! What is told while a turn runs, and beside its messages.
#![cfg(unix)]

use std::fs;
use std::process::{Command, Stdio};

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use serde_json::json;

use super::chat::{Terminal, chat, in_order};
use super::real_cli::{Place, wait};

/// It says how far it is, and runs a command that waits until somebody writes to a pipe.
async fn place() -> Place {
    let said = Block::text("Running test 5 of 20...");
    let wait = Block::tool_use("Bash", json!({"command": "cat pipe"}));
    let rules = [
        Rule::new(Answer::message([Block::text("All is well.")])).on_tool_error(false),
        Rule::new(Answer::message([said, wait])),
    ];
    let place = Place::new(Scenario::new("tests", rules)).await;
    let pipe = place.folder.path().join("work/pipe");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    place
}

/// How a progress line is removed: without an escape sequence, so that a terminal without colours has it too.
fn wiped(line: &str) -> String {
    format!("\r{}\r", " ".repeat(line.chars().count()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_without_colours_or_escape_sequences_has_its_progress_removed_too() {
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let place = place().await;
        let mut command = place.claw(&ARGS);
        command.env(name, value);
        let kind = if name == "TERM" { value } else { "xterm" };
        let mut terminal = Terminal::named(&command, 0, kind);
        terminal.until("⋯ Running tests 5/20 · Bash(cat pipe)");
        fs::write(place.folder.path().join("work/pipe"), "done").unwrap();
        terminal.until(&wiped("⋯ Running tests 5/20 · Bash(cat pipe)"));
        let rest = terminal.until("All is well.");
        assert!(!rest.contains('\u{1b}'), "{name}: {rest:?}");
    }
}

const ARGS: [&str; 4] = ["run", "Test it.", "--allowed-tools", "Bash"];

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_a_line_that_is_replaced() {
    let place = place().await;
    let mut terminal = Terminal::run(&place, &ARGS);
    terminal.until("Bash(cat pipe)");
    terminal.until("⋯ Running tests 5/20 · Bash(cat pipe)");
    // Opened for writing, it has a reader: the command.
    fs::write(place.folder.path().join("work/pipe"), "done").unwrap();
    // It is wiped before the result stands in its place.
    terminal.until(&wiped("⋯ Running tests 5/20 · Bash(cat pipe)"));
    terminal.until("done");
    terminal.until("All is well.");
    terminal.until("done: 2 turns");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipe_gets_nothing_of_it() {
    let place = place().await;
    let run = place.claw(&ARGS).stdin(Stdio::null()).spawn().unwrap();
    let pipe = place.folder.path().join("work/pipe");
    tokio::task::spawn_blocking(|| fs::write(pipe, "done"))
        .await
        .unwrap()
        .unwrap();
    let output = wait(run.wait_with_output()).await;
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert_eq!(output.stdout, "All is well.\n");
    in_order(&output.stderr, &["● Bash(cat pipe)", "done", "— done"]);
    assert!(
        !output.stderr.contains(['\u{1b}', '\r', '⋯']),
        "{:?}",
        output.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_changes_of_the_workspace_are_shown_in_a_chat() {
    let place = place().await;
    let work = place.folder.path().join("work");
    // Nothing is told of a folder that is no repository.
    let ran = chat(&place, &[], "/diff\n").await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    in_order(&ran.stdout, &["No changes are known: "]);

    fs::remove_file(work.join("pipe")).unwrap();
    fs::write(work.join("a.txt"), "one\n").unwrap();
    let identity = [
        "-c",
        "user.name=A User",
        "-c",
        "user.email=user@example.com",
    ];
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["add", "."],
        &[&identity[..], &["commit", "-q", "-m", "One"]].concat(),
    ] {
        let git = Command::new("git").args(args).current_dir(&work).status();
        assert!(git.expect("git is there").success(), "{args:?}");
    }
    fs::write(work.join("a.txt"), "two\n").unwrap();
    let ran = chat(&place, &[], "/diff\n").await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let diff = [
        "± Added 1 line, removed 1 line",
        "a.txt",
        "1 - one",
        "1 + two",
    ];
    in_order(&ran.stdout, &diff);
}
