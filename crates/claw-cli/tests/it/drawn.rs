//! What `claw chat` draws of Markdown and of commands, as a person sees it: with the scripted agent and with the real CLI.
#![cfg(all(unix, feature = "terminal"))]

use std::fs;

use claw_testkit::Block;
use claw_testkit::agent::Step;
use claw_testkit::api::{Answer, Rule, Scenario};

use super::real_cli::Place;
use super::screen::{Person, Stage, place};

/// A text in deltas that end within an emphasis, a table and a line of code.
fn markdown() -> Block {
    let deltas = [
        "# The plan\\n\\nSome **str",
        "ong** words.\\n\\n- one\\n- two\\n\\n| Key | Text |\\n|---|---|\\n| a | first |\\n| b",
        " | a longer cell that needs more than one row |\\n\\n```rust\\nlet x = 1",
        ";\\n```\\n\\nThe \\u001b[2Jend.",
    ];
    let block = Block::escaped_text(deltas);
    block.hold(1, "word").hold(2, "table").hold(3, "code")
}

/// What a person sees of that text on 40 columns, while it arrives.
fn sees_markdown(person: &mut Person, open: impl Fn(&str)) {
    person.press("Go.\r");
    // What is not certain is there as well.
    person.sees("Some **str");
    open("word");
    person.sees("Some strong words.");
    person.until("a row so far", |rows| rows.iter().any(|row| row == "b   │"));
    person.resize(30, 24);
    person.until("a row so far", |rows| rows.iter().any(|row| row == "b   │"));
    person.resize(40, 24);
    open("table");
    person.sees("  let x = 1");
    open("code");
    person.sees("The \\u{1b}[2Jend.");
    person.sees("— done:");
    let rows = person.rows();
    let parts = [
        "The plan",
        "Some strong words.",
        "• one",
        "• two",
        "Key │ Text",
        "────┼─────",
        "a   │ first",
        "b   │ a longer cell that needs more than",
        "    │ one row",
        "rust",
        "  let x = 1;",
        "The \\u{1b}[2Jend.",
    ];
    let found: Vec<_> = rows.iter().filter(|row| !row.is_empty()).collect();
    let first = found.iter().position(|row| *row == parts[0]).unwrap();
    for (part, row) in parts.iter().zip(&found[first..]) {
        assert!(row.starts_with(part), "{part:?}: {rows:#?}");
    }
    let screen = person.parser.screen();
    let cell = |part: &str, column: u16| {
        let row = u16::try_from(place(&rows, part)).unwrap();
        screen.cell(row, column).unwrap().clone()
    };
    assert!(cell("The plan", 0).bold() && cell("The plan", 0).underline());
    assert!(cell("Some strong", 5).bold() && !cell("Some strong", 12).bold());
    assert_eq!(cell("let x", 2).fgcolor(), vt100::Color::Idx(5));
    assert_eq!(cell("let x", 6).fgcolor(), vt100::Color::Default);
    // A finished line is written once.
    let written = String::from_utf8_lossy(&person.bytes);
    assert_eq!(written.matches("The plan").count(), 1);
}

#[test]
fn markdown_is_drawn_while_it_streams() {
    let turn = vec![Step::message([markdown()])];
    let stage = Stage::new([Step::Turn(turn)]);
    let mut person = Person::at(&stage.chat(), 40, 24);
    person.is_ready();
    sees_markdown(&mut person, |gate| stage.gates.open(gate));
}

#[tokio::test(flavor = "multi_thread")]
async fn markdown_of_the_real_claude_is_drawn_while_it_streams() {
    let answer = Rule::new(Answer::message([markdown()]));
    let place = Place::new(Scenario::new("markdown", [answer])).await;
    let mut command = place.claw(&["chat"]);
    command.env("TERM", "xterm");
    let mut person = Person::at(command.as_std(), 40, 24);
    person.is_ready();
    sees_markdown(&mut person, |gate| place.api.gates().open(gate));
}

/// A table that is higher than the screen.
#[test]
fn a_text_that_may_change_never_covers_more_than_the_screen() {
    let row = |number: usize| format!("| {number} | text |\\n");
    let rows: String = (0..30).map(row).collect();
    let table = format!("above\\n\\n| Number | Text |\\n|---|---|\\n{rows}| last");
    let block = Block::escaped_text([table.as_str(), " | row |\\n\\nend"]).hold(1, "more");
    let stage = Stage::new([Step::Turn(vec![Step::message([block])])]);
    let mut person = Person::at(&stage.chat(), 40, 10);
    person.is_ready();
    person.press("Go.\r");
    person.sees("last");
    person.press("a draft");
    person.ends_with("> a draft");
    stage.gates.open("more");
    person.sees("— done:");
    person.ends_with("> a draft");
    let rows = person.rows();
    assert_eq!(
        place(&rows, "last   │ row"),
        place(&rows, "29     │ text") + 1
    );
    // Everything scrolled away once, in its order.
    let written = String::from_utf8_lossy(&person.bytes);
    let last = written.rfind("Number │").unwrap_or_default();
    assert!(written[last..].contains("29    "), "{written:?}");
}

#[test]
fn commands_are_offered_with_their_descriptions() {
    let stage = Stage::new([]);
    let mut person = Person::at(&stage.chat(), 40, 12);
    person.is_ready();
    person.press("/");
    person.sees("/compact  Summarise the conversation");
    person.sees("/diff     Show the changes in the re");
    person.press("d");
    person.until("/diff alone", |rows| {
        let offered = rows.iter().filter(|row| row.contains("  /"));
        offered.count() == 1
    });
}

/// A command of the user's is the first one, and those that are for developers are not among the first ones.
#[tokio::test(flavor = "multi_thread")]
async fn the_users_commands_come_first_with_the_real_claude() {
    let answer = Rule::new(Answer::message([Block::text("Hello.")]));
    let place = Place::new(Scenario::new("commands", [answer])).await;
    let folder = place.folder.path().join("home/.claude/commands");
    fs::create_dir_all(&folder).unwrap();
    let text = "---\ndescription: Cut a release\n---\nDo it.\n";
    fs::write(folder.join("zz-release.md"), text).unwrap();
    let mut command = place.claw(&["chat"]);
    command.env("TERM", "xterm");
    let mut person = Person::at(command.as_std(), 80, 24);
    person.is_ready();
    person.press("/");
    person.sees("/zz-release");
    let rows = person.rows();
    let typed = rows.iter().position(|row| row == "> /").unwrap();
    assert!(
        rows[typed + 1].contains("/zz-release") && rows[typed + 1].contains("  Cut a release"),
        "{rows:#?}"
    );
    assert!(
        rows.iter()
            .all(|row| !row.contains("/__") && !row.contains("/heapdump")),
        "{rows:#?}"
    );
}
