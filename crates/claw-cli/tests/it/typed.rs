//! Lines that are typed or pasted before `claw chat` asks for them, with the real CLI at a terminal.
#![cfg(unix)]

use std::fs;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use serde_json::json;

use super::chat::{Terminal, says, soon};
use super::real_cli::Place;

/// The model's answers to these prompts.
fn answers(place: &str) -> Scenario {
    let rules = ["third", "second", "first"].map(|prompt| {
        says(&format!("Heard the {prompt}.")).on_prompt(format!("the {prompt} line"))
    });
    Scenario::new(place, rules)
}

/// The prompts that the model was sent, in order.
fn prompts(place: &Place) -> Vec<String> {
    let requests = place.api.requests();
    let body = requests.last().unwrap().body.to_string();
    let mut found: Vec<_> = ["first", "second", "third", "fourth"]
        .into_iter()
        .filter_map(|prompt| Some((body.find(&format!("the {prompt} line"))?, prompt.to_owned())))
        .collect();
    found.sort();
    found.into_iter().map(|(_, prompt)| prompt).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn pasted_lines_are_all_sent_in_their_order() {
    let place = Place::new(answers("pasted")).await;
    let mut terminal = Terminal::run(&place, &["chat"]);
    terminal.until("> ");
    terminal.press("Say the first line\rSay the second line\rSay the third line\r");
    // The CLI answers prompts together that came while it worked on another.
    terminal.until("Heard the third.");
    terminal.until("> ");
    assert_eq!(prompts(&place), ["first", "second", "third"]);
    terminal.press("\u{4}");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_typed_during_a_turn_are_sent_in_order() {
    let held = Block::text("Wait a moment, please.").hold(2, "half");
    let rules = [
        says("Heard the third.").on_prompt("the third line"),
        says("Heard the second.").on_prompt("the second line"),
        Rule::new(Answer::message([held])).on_prompt("the first line"),
    ];
    let place = Place::new(Scenario::new("typed", rules)).await;
    let mut terminal = Terminal::run(&place, &["chat"]);
    terminal.until("> ");
    terminal.press("Say the first line\r");
    soon(place.api.gates().reached("half")).await;
    terminal.press("Say the second line\rSay the third line\r");
    // Each is echoed where it is typed.
    terminal.until("Say the third line");
    place.api.gates().open("half");
    terminal.until("Heard the third.");
    assert_eq!(prompts(&place), ["first", "second", "third"]);
    terminal.until("> ");
    terminal.press("\u{4}");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
}

/// What was typed before a question is no answer to it, and is not lost.
#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_typed_before_and_after_a_question_are_kept() {
    let bash = Block::tool_use("Bash", json!({"command": "touch it"}));
    let held = Block::text("Wait a moment, please.").hold(2, "half");
    let rules = [
        says("Heard the fourth.").on_prompt("the fourth line"),
        says("Heard the third.").on_prompt("the third line"),
        says("Heard the second.").on_prompt("the second line"),
        says("I could not.").on_tool_error(true),
        Rule::new(Answer::message([held, bash])),
    ];
    let place = Place::new(Scenario::new("typed before", rules)).await;
    let mut terminal = Terminal::run(&place, &["chat"]);
    terminal.until("> ");
    terminal.press("Say the first line\r");
    soon(place.api.gates().reached("half")).await;
    terminal.press("Say the second line\r");
    terminal.until("Say the second line");
    place.api.gates().open("half");
    terminal.until("/N] ");
    // The answer, and a prompt in the same breath.
    terminal.press("n\rSay the third line\r");
    terminal.until("(the answer was no)");
    let work = place.folder.path().join("work");
    assert_eq!(fs::read_dir(work).unwrap().count(), 0);
    terminal.until("done: 2 turns");
    // The CLI hands the others to the model with the result of the tool, or after it. None is behind this one.
    terminal.press("Say the fourth line\r");
    terminal.until("Heard the fourth.");
    assert_eq!(prompts(&place), ["first", "second", "third", "fourth"]);
    let last = place.api.requests().last().unwrap().body.to_string();
    assert!(last.contains("The user said no."), "{last}");
    terminal.until("> ");
    terminal.press("\u{4}");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
}
