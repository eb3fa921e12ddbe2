//! Recordings of the real CLI, as claw-view loads them.
#![cfg(unix)]

use std::fs;

use claw_client::transport::Replay;
use claw_client::types::{Map, QueryOptions};
use claw_client::{Session, SessionBuilder};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use claw_view::element::Content;
use claw_view::{Direction, Elements, Recording};
use serde_json::json;

use crate::claw::{claw, ran};
use crate::real_cli::{LIMIT, Place};

async fn soon<T>(what: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(LIMIT, what).await;
    waited.expect("it takes too long")
}

fn recorded(place: &Place) -> SessionBuilder {
    let mut env = Map::default();
    for (name, value) in place.api.env() {
        env.insert(name, Some(value));
    }
    let home = place.folder.path().join("home");
    env.insert("HOME", Some(home.display().to_string()));
    let options = QueryOptions::default()
        .env(env)
        .cwd(place.folder.path().join("work"))
        .path_to_claude_code_executable(claw_testkit::claude().unwrap());
    Session::builder(options).record(place.folder.path().join("recording"))
}

/// What people and the model said, and what tools were used, in order.
fn said(elements: &Elements) -> Vec<String> {
    let said = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::UserInput(input) => Some(format!("> {}", input.text)),
            Content::AssistantText(text) => Some(text.text.clone()),
            Content::ToolCall(call) => Some(format!("● {}", call.tool)),
            _ => None,
        });
    said.collect()
}

#[test]
fn both_crates_name_the_files_alike() {
    assert_eq!(
        [Recording::STDOUT, Recording::STDIN, Recording::ORDER],
        [Replay::STDOUT, Replay::STDIN, Replay::ORDER]
    );
}

/// A turn, and a prompt that is sent in the middle of the next one, which takes it up behind its tool.
#[tokio::test]
async fn a_steering_prompt_stands_where_it_was_taken_up() {
    let text = Block::text("I look around.").hold(1, "half");
    let look = Block::tool_use("Bash", json!({"command": "ls"}));
    let rules = [
        Rule::new(Answer::message([Block::text("Hello.")])).on_prompt("Greet me."),
        Rule::new(Answer::message([text, look]))
            .on_prompt("Look around.")
            .times(1),
        Rule::new(Answer::message([Block::text("I saw it, and hurry.")])),
    ];
    let place = Place::new(Scenario::new("steering", rules)).await;
    let session = soon(recorded(&place).connect()).await.unwrap();
    soon(session.ask("Greet me.")).await.unwrap();
    let first = soon(session.send("Look around.")).await.unwrap();
    soon(place.api.gates().reached("half")).await;
    let second = soon(session.send("Hurry.")).await.unwrap();
    place.api.gates().open("half");
    soon(first.result()).await.unwrap();
    drop(second);
    soon(session.close()).await.unwrap();

    let folder = place.folder.path().join("recording");
    let recording = Recording::open(&folder).unwrap();
    assert_eq!(recording.damage(), []);
    let expected = [
        "> Greet me.",
        "Hello.",
        "> Look around.",
        "I look around.",
        "● Bash",
        "> Hurry.",
        "I saw it, and hurry.",
    ];
    assert_eq!(said(&recording.elements()), expected);

    // The order has it where it was sent: after the start of the answer, and before its end.
    let lines = recording.lines();
    let place_of = |direction: Direction, text: &str| {
        let is_it = |line: &claw_view::RecordedLine| {
            line.direction == direction && line.text.contains(text)
        };
        lines.iter().position(is_it).unwrap()
    };
    let sent = place_of(Direction::ToClaude, "Hurry.");
    assert!(place_of(Direction::ToClaude, "Look around.") < sent);
    assert!(sent < place_of(Direction::FromClaude, "\"tool_use\""));
    assert!(lines.windows(2).all(|two| two[0].at <= two[1].at));

    let folder = folder.to_str().unwrap();
    let shown = ran(claw(&["show", folder]).output().unwrap());
    assert_eq!((shown.code, &*shown.stderr), (Some(0), ""));
    let mut rest = &*shown.stdout;
    for part in expected {
        let at = rest.find(part);
        rest = &rest[at.unwrap_or_else(|| panic!("{part}: {}", shown.stdout))..];
    }
    let checked = ran(claw(&["check", folder]).output().unwrap());
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
}

#[test]
fn damage_is_told_on_stderr_and_the_rest_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    for name in [Replay::STDOUT, Replay::STDIN] {
        let from = crate::claw::fixtures().join("bash_denied").join(name);
        fs::copy(from, folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join(Replay::ORDER), "{\"stream\":").unwrap();
    let path = folder.path().to_str().unwrap();
    let page = folder.path().join("page.html");
    for args in [
        vec!["show", path],
        vec!["view", "--html", path, "-o", page.to_str().unwrap()],
    ] {
        let shown = ran(claw(&args).output().unwrap());
        assert_eq!(shown.code, Some(0), "{}", shown.stderr);
        assert!(
            shown
                .stderr
                .starts_with("order.ndjson:1: the order is not known from this line on: "),
            "{}",
            shown.stderr
        );
        assert_eq!(shown.stderr.lines().count(), 1, "{}", shown.stderr);
    }
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("Write hello into greeting.txt."));
}
