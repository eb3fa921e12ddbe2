//! `claw sessions` at a terminal, and with sessions of the real CLI.
#![cfg(unix)]

use std::fs;

use claw_sessions::{Sessions, Tokens, Usd};
use claw_testkit::api::scenarios;

use crate::chat::{Terminal, soon};
use crate::real_cli::Place;
use crate::sessions::{HOSTILE, Home, ONE, TWO, user};

fn at_terminal(home: &Home, args: &[&str]) -> Terminal {
    Terminal::of(&home.command(args).into(), 80)
}

const UUID: &str = "aaaaaaaa-0000-4000-8000-000000000001";

#[tokio::test(flavor = "multi_thread")]
async fn a_list_fits_into_80_columns_and_steers_nothing() {
    let home = Home::new();
    let long = format!("{HOSTILE} {}", "日本語 ".repeat(40));
    home.write(&format!("{ONE}.jsonl"), &[user(UUID, None, &long)]);
    let mut terminal = at_terminal(&home, &["list"]);
    let shown = terminal.until("…");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
    let row = shown.lines().last().unwrap();
    let width = unicode_width::UnicodeWidthStr::width(row);
    assert!((78..=80).contains(&width), "{width} in {row:?}");
    assert!(
        row.contains("Red \\u{1b}[31mand \\u{202e}back and wide"),
        "{row:?}"
    );
    assert!(
        !shown.contains('\u{1b}') && !shown.contains('\u{202e}'),
        "{shown:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_found_stands_in_the_line_and_is_bold() {
    let home = Home::new();
    let long = format!("{} {HOSTILE} {}", "before ".repeat(20), "after ".repeat(20));
    home.write(&format!("{ONE}.jsonl"), &[user(UUID, None, &long)]);
    let mut terminal = at_terminal(&home, &["search", "Red \u{1b}[31mand"]);
    let shown = terminal.until("…\r\n") + &terminal.until("…\r\n");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
    assert!(
        shown.contains("\u{1b}[1mRed \\u{1b}[31mand\u{1b}[0m"),
        "{shown:?}"
    );
    let plain = shown.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    for line in plain.lines() {
        assert!(
            unicode_width::UnicodeWidthStr::width(line) <= 80,
            "{line:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_deleted_after_a_yes_and_not_before() {
    let home = Home::new();
    home.write(&format!("{ONE}.jsonl"), &[user(UUID, None, HOSTILE)]);
    let path = home.file(&format!("{ONE}.jsonl"));
    for (answer, code) in [("\r", 2), ("n\r", 2), ("y\r", 0)] {
        assert!(path.exists());
        let mut terminal = at_terminal(&home, &["delete", "11"]);
        let asked = terminal.until("[y/N] ");
        assert!(asked.contains("Red \\u{1b}[31mand"), "{asked:?}");
        terminal.press(answer);
        assert_eq!(
            soon(terminal.child.wait()).await.unwrap().code(),
            Some(code)
        );
    }
    assert!(!path.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_goes_on_with_the_session_that_is_chosen() {
    let place = Place::new(scenarios::text()).await;
    let first = place.run(&["run", "Say hello to Wilma."]).await;
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let second = place.run(&["run", "Say hello to Yvonne."]).await;
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    // Where the terminal knows no escape sequences, a number is asked for.
    let dumb = place.claw(&["chat", "--resume"]);
    let mut dumb = Terminal::named(&dumb, 80, "dumb");
    let offered = dumb.until("Which one?");
    assert!(
        offered.contains("  1 ") && offered.contains("  2 "),
        "{offered}"
    );
    dumb.press("7\r");
    dumb.until("7 is none of them.");
    dumb.press("\r");
    assert_eq!(soon(dumb.child.wait()).await.unwrap().code(), Some(130));

    // Elsewhere, typing leaves those with the words. No ID has them: not all of their letters are hexadecimal digits.
    let mut terminal = Terminal::of(&place.claw(&["chat", "--resume"]), 80);
    terminal.until("Yvonne");
    terminal.until("Search:");
    terminal.press("wilma");
    terminal.until("Search: wilma");
    terminal.press("\r");
    terminal.until("Ctrl-D leaves.");
    terminal.until("> ");
    terminal.press("And again.\r");
    terminal.until("done: 1 turn");
    let requests = place.api.requests();
    let last = requests.iter().rfind(|request| request.is_message());
    let last = last.unwrap().body.to_string();
    assert!(last.contains("Wilma") && !last.contains("Yvonne"), "{last}");
    terminal.until("> ");
    terminal.press("\u{4}");
    terminal.until("claw chat --resume");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
}

/// The sessions of the place's home, and how many answers the API has given.
fn sessions(place: &Place) -> (Sessions, u64) {
    let answers = place
        .api
        .requests()
        .iter()
        .filter(|request| request.is_message())
        .count();
    (
        Sessions::new(place.folder.path().join("home/.claude")),
        answers as u64,
    )
}

#[tokio::test]
async fn usage_of_a_real_session_is_what_the_api_said() {
    for (scenario, with_agent) in [
        (scenarios::parallel_tools(), false),
        (scenarios::subagent(), true),
    ] {
        let place = Place::new(scenario.input_tokens(7)).await;
        let run = place
            .run(&["run", "Do it.", "--allowed-tools", "Bash,Agent,Read,Glob"])
            .await;
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let (sessions, answers) = sessions(&place);
        assert!(answers > 1, "{answers}");
        let list = sessions.list().run().unwrap();
        let [info] = &list.sessions[..] else {
            panic!("{list:?}")
        };
        let session = sessions.find(info.session_id.as_str()).unwrap();
        let usage = session.usage().unwrap();
        assert!(usage.problems.is_empty(), "{:?}", usage.problems);
        assert_eq!(usage.total.all.answers, answers);
        let Tokens { input, output, .. } = usage.total.all.tokens;
        assert_eq!((input, output), (7 * answers, 12 * answers));
        assert_eq!(usage.total.subagents.answers > 0, with_agent);
        assert_eq!(usage.by_subagent.len(), usize::from(with_agent));
        assert_eq!(usage.by_day.len(), 1);
        // What the CLI wrote down itself, of both.
        let cost = session.cost().unwrap().unwrap();
        assert!(cost.usd > Usd::ZERO && cost.is_whole, "{cost:?}");
        assert_eq!(usage.total.cost, Some(cost));
        let transcript = fs::read_to_string(session.transcript()).unwrap();
        let state = transcript
            .lines()
            .rfind(|line| line.contains("\"cost-state\""))
            .unwrap();
        let state: serde_json::Value = serde_json::from_str(state).unwrap();
        let models = state["modelUsage"].as_object().unwrap().values();
        let counted: u64 = models
            .map(|model| model["inputTokens"].as_u64().unwrap())
            .sum();
        assert_eq!(counted, input);
    }
}

#[tokio::test]
async fn answers_that_a_fork_of_the_cli_has_copied_count_once() {
    let place = Place::new(scenarios::text()).await;
    let run = place.run(&["run", "Say hello."]).await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (home, _) = sessions(&place);
    let first = home.list().run().unwrap().sessions.remove(0).session_id;
    let options = place.folder.path().join("options.json");
    let fork = serde_json::json!({"resume": first, "forkSession": true, "sessionId": TWO});
    fs::write(&options, fork.to_string()).unwrap();
    let run = place
        .run(&["run", "And again.", "--options", options.to_str().unwrap()])
        .await;
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (home, answers) = sessions(&place);
    assert_eq!(
        home.find(TWO).unwrap().usage().unwrap().total.all.answers,
        2
    );
    let report = home.usage().run().unwrap();
    assert_eq!(
        (report.sessions, report.total.all.answers, answers),
        (2, 2, 2)
    );
}
