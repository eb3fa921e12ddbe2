//! What a person at a terminal is asked before a tool may be used, with the real CLI.
#![cfg(unix)]

use std::fs;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use serde_json::{Value, json};

use super::chat::{Terminal, says, soon};
use super::real_cli::Place;

/// The model uses the tool, and twice more when it has run; then it is done.
fn thrice(tool: &str, input: &Value) -> Scenario {
    let uses = || Rule::new(Answer::message([Block::tool_use(tool, input.clone())]));
    let rules = [
        says("I could not.").on_tool_error(true),
        uses().on_tool_error(false).times(2),
        says("All done.").on_tool_error(false),
        uses(),
    ];
    Scenario::new("thrice", rules)
}

#[tokio::test(flavor = "multi_thread")]
async fn suggestions_that_are_chosen_are_kept_where_it_says_and_it_is_asked_no_more() {
    let input = json!({"command": "echo hello | tee it", "description": "Make \u{1b}[31mit"});
    let place = Place::new(thrice("Bash", &input)).await;
    let work = place.folder.path().join("work");
    let mut terminal = Terminal::run(&place, &["run", "Make it."]);
    terminal.until("? May claude use Bash(echo hello | tee it)?");
    terminal.until("description: Make \\u{1b}[31mit");
    terminal.until("y. Yes, this once.");
    terminal.until("1. Yes, and always allow Bash(echo hello *) (written to the project's local");
    terminal.until("2. Yes, and add to the session's folders, which tools read without asking: ");
    terminal.until(
        "3. Yes, and go on in the permission mode acceptEdits, which changes and deletes files",
    );
    terminal.until("n is a no");
    terminal.until("[y/1/2/3/N] ");
    assert!(!work.join("it").exists());
    terminal.press("1,2,3\r");
    // What is allowed now are the first command and a mode; the second command has a suggestion of its own.
    terminal.until("? May claude use Bash(echo hello | tee it)?");
    terminal.until("1. Yes, and always allow Bash(tee it *) (written to the project's local");
    terminal.until("[y/1/N] ");
    terminal.press("1\r");
    // Asked no more.
    let seen = terminal.until("All done.");
    assert!(!seen.contains("? May"), "{seen}");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
    assert!(work.join("it").exists());
    let settings = fs::read_to_string(work.join(".claude/settings.local.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    let expected = json!({"permissions": {"allow": ["Bash(echo hello *)", "Bash(tee it *)"]}});
    assert_eq!(
        settings, expected,
        "what is for the session alone is not there"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_asked_about_with_its_change_and_the_end_of_input_is_a_no() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("song.txt");
    for command in [&["run", "Sing."][..], &["chat"]] {
        let input = json!({"file_path": file, "content": "la\u{9b}1m\nlo\n"});
        let place = Place::new(thrice("Write", &input)).await;
        let mut terminal = Terminal::run(&place, command);
        if command == ["chat"] {
            terminal.until("> ");
            terminal.press("Sing.\r");
        }
        // Once: it is drawn above the question, or below.
        let before = terminal.until("? May claude use Write(");
        let behind = terminal.until("1. Yes, and ");
        let both = [before, behind].concat();
        assert_eq!(both.matches("1 + la\\u{9b}1m").count(), 1, "{both}");
        assert_eq!(both.matches("2 + lo").count(), 1, "{both}");
        assert!(!both.contains("\"content\""), "{both}");
        terminal.until("/N] ");
        // Ctrl-D.
        terminal.press("\u{4}");
        terminal.until("I could not.");
        assert!(!file.exists());
        if command == ["chat"] {
            terminal.until("> ");
            terminal.press("\u{4}");
        }
        let code = if command == ["chat"] { 0 } else { 5 };
        let ended = soon(terminal.child.wait()).await.unwrap();
        assert_eq!(ended.code(), Some(code));
    }
}
