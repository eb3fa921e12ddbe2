//! `claw run` and `claw chat` at a usage limit: with the real CLI, which reports a limit only if its reset is to come, and
//! with the scripted agent, whose limits are reset already.
#![cfg(unix)]

use std::process::Stdio;
use std::time::SystemTime;

use claw_testkit::Block;
use claw_testkit::agent::{self, Script, Step};
use claw_testkit::api::{Answer, ApiError, ApiRequest, Rule, Scenario};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

#[cfg(feature = "terminal")]
use super::chat::Terminal;
use super::chat::{Running, in_order, interrupt, says, soon};
use super::claw::claw;
use super::real_cli::{Place, wait};

const LIMIT: &str = "You've hit your limit";
const WAITS: &str = "for the reset of the usage limit, and then sends the prompt again";
const HOUR: i64 = 3600;
const RUN: [&str; 4] = ["run", "--wait-for-limit", "5", "2 + 2?"];
const CHAT: [&str; 3] = ["chat", "--wait-for-limit", "5"];

/// Seconds since 1970, in so many seconds.
fn reset(reset_in: i64) -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap().as_secs().saturating_add_signed(reset_in)
}

/// A limit of the account, which is reset in so many seconds.
fn limit(reset_in: i64) -> Rule {
    let error = ApiError::new(429, "rate_limit_error", "This exceeds the limit.")
        .header("anthropic-ratelimit-unified-status", "rejected")
        .header(
            "anthropic-ratelimit-unified-reset",
            reset(reset_in).to_string(),
        )
        .header(
            "anthropic-ratelimit-unified-representative-claim",
            "five_hour",
        )
        .header("anthropic-ratelimit-unified-overage-status", "rejected")
        .header("retry-after", "3600");
    Rule::new(Answer::Error(error))
}

/// A place whose first request meets this limit, and the next one an answer.
async fn place(reset_in: i64) -> Place {
    let rules = [limit(reset_in).times(1), says("It is 4.")];
    Place::new(Scenario::new("limits", rules)).await
}

/// `claw` with a login, whose limits the CLI reports.
fn logged_in(place: &Place, args: &[&str]) -> Command {
    let mut command = place.claw(args);
    command
        .env("ANTHROPIC_API_KEY", "")
        .env("CLAUDE_CODE_OAUTH_TOKEN", "made-up");
    command
}

/// How many requests to the API had a prompt with this text.
fn asked(place: &Place, prompt: &str) -> usize {
    let requests = place.api.requests().into_iter();
    let messages = requests.filter(ApiRequest::is_message);
    let has = |body: &Value| body["messages"].to_string().contains(prompt);
    messages.filter(|request| has(&request.body)).count()
}

/// The turn of a scripted agent that ends at a limit.
fn limited(reset_in: i64) -> Step {
    let info =
        json!({"status": "rejected", "resetsAt": reset(reset_in), "rateLimitType": "five_hour"});
    Step::Turn(vec![
        Step::Line(json!({
            "type": "rate_limit_event", "rate_limit_info": info, "uuid": "$uuid", "session_id": "$session_id",
        })),
        Step::api_failure(429, "rate_limit", LIMIT),
    ])
}

fn answers(text: &str) -> Step {
    Step::Turn(vec![Step::message([Block::text(text)])])
}

/// `claw` with a scripted agent.
fn scripted(steps: impl IntoIterator<Item = Step>, args: &[&str]) -> (Command, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.json");
    std::fs::write(&file, serde_json::to_vec(&Script::new(steps)).unwrap()).unwrap();
    let mut command = Command::from(claw(args));
    command
        .env("HOME", folder.path())
        .env("CLAW_CLAUDE_PATH", agent::program().unwrap())
        .env("CLAW_AGENT_SCRIPT", file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    (command, folder)
}

/// The whole way, in real time: the reset is late enough for a CLI that starts slowly.
#[tokio::test]
async fn the_cli_gets_the_prompt_again_after_the_reset() {
    let at = place(20).await;
    let run = wait(logged_in(&at, &RUN).output()).await;
    assert_eq!(
        (run.code, &*run.stdout),
        (Some(0), "It is 4.\n"),
        "{}",
        run.stderr
    );
    in_order(&run.stderr, &[LIMIT, WAITS, "done: 1 turn"]);
    assert_eq!(asked(&at, "2 + 2?"), 2);
    // The conversation has the prompt twice.
    let last = at.api.requests().pop().unwrap().body["messages"].to_string();
    assert_eq!(last.matches("2 + 2?").count(), 2, "{last}");
}

#[tokio::test]
async fn only_the_second_result_is_printed() {
    for (more, lines) in [
        (&["--output", "json"][..], 1),
        (&["--output", "json", "--quiet"], 1),
        (&["--output", "ndjson"], 2),
    ] {
        let args = [&RUN[..], more].concat();
        let (mut command, _folder) = scripted([limited(-5), answers("It is 4.")], &args);
        let run = wait(command.output()).await;
        assert_eq!(run.code, Some(0), "{more:?}: {}", run.stderr);
        assert!(run.stderr.contains(WAITS), "{more:?}: {}", run.stderr);
        let lines_of = run.stdout.lines();
        let lines_of = lines_of.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let results: Vec<_> = lines_of.filter(|line| line["type"] == "result").collect();
        assert_eq!(results.len(), lines, "{}", run.stdout);
        assert_eq!(results[lines - 1]["result"], "It is 4.");
    }
}

#[tokio::test]
async fn a_turn_fails_at_a_limit_that_nobody_waits_for() {
    for (steps, args, waits) in [
        // The option is not set.
        (vec![limited(-5)], &["run", "2 + 2?"][..], false),
        // The reset is too far away.
        (vec![limited(6 * HOUR)], &RUN, false),
        // The second turn ends at a limit, too.
        (vec![limited(-5), limited(-5)], &RUN, true),
        // The CLI reports no reset.
        (
            vec![Step::Turn(vec![Step::api_failure(
                429,
                "rate_limit",
                LIMIT,
            )])],
            &RUN,
            false,
        ),
    ] {
        let (mut command, _folder) = scripted(steps.into_iter().chain([answers("4")]), args);
        let run = wait(command.output()).await;
        assert_eq!(
            (run.code, &*run.stdout),
            (Some(6), ""),
            "{args:?}: {}",
            run.stderr
        );
        assert_eq!(run.stderr.contains(WAITS), waits, "{}", run.stderr);
    }
}

#[tokio::test]
async fn ctrl_c_ends_the_wait() {
    let at = place(HOUR).await;
    let mut child = logged_in(&at, &RUN).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said = String::new();
    while !said.contains("Ctrl-C ends the wait.") {
        let line = soon(lines.next_line()).await.unwrap();
        said += &line.unwrap_or_else(|| panic!("{said}"));
    }
    assert!(
        said.contains("(59 min ") || said.contains("(1 h 0 min)"),
        "{said}"
    );
    interrupt(&child);
    assert_eq!(soon(child.wait()).await.unwrap().code(), Some(130));
    assert_eq!(asked(&at, "2 + 2?"), 1);
}

#[tokio::test]
async fn a_chat_waits_and_can_go_on_without() {
    let (command, _folder) = scripted([limited(-5), answers("It is 4."), answers("Yes.")], &CHAT);
    let mut chat = Running::of(command);
    chat.say("2 + 2?").await;
    for part in [LIMIT, WAITS, "It is 4.", "done: 1 turn"] {
        chat.until(part).await;
    }
    chat.say("Sure?").await;
    chat.until("Yes.").await;
    assert_eq!(chat.code().await, Some(0));

    let at = place(HOUR).await;
    let mut chat = Running::of(logged_in(&at, &CHAT));
    chat.say("2 + 2?").await;
    chat.until(WAITS).await;
    chat.interrupt();
    chat.until("The prompt is not sent again.").await;
    chat.say("Something else?").await;
    chat.until("It is 4.").await;
    assert_eq!(
        (chat.code().await, asked(&at, "Something else?")),
        (Some(0), 1)
    );
}

/// One prompt waits and is answered. Another one waits for an hour, and a third one is answered meanwhile.
#[cfg(feature = "terminal")]
#[tokio::test(flavor = "multi_thread")]
async fn a_chat_at_a_terminal_waits_and_can_go_on_without() {
    let steps = [
        limited(-5),
        answers("First."),
        limited(HOUR),
        answers("Third."),
    ];
    let (command, _folder) = scripted(steps, &CHAT);
    let mut terminal = Terminal::of(&command, 200);
    terminal.until("> ");
    terminal.press("One?\r");
    for part in [LIMIT, "Waits until", "First.", "done: 1 turn", "> "] {
        terminal.until(part);
    }
    terminal.press("Two?\r");
    for part in [
        LIMIT,
        "Waits until",
        "⋯ waits for the reset of the usage limit, until",
        "> ",
    ] {
        terminal.until(part);
    }
    terminal.press("Three?\r");
    for part in [
        "Third.",
        "⋯ waits for the reset of the usage limit, until",
        "> ",
    ] {
        terminal.until(part);
    }
    terminal.press("\u{3}");
    terminal.until("The prompt is not sent again.");
    terminal.press("\u{4}");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
}
