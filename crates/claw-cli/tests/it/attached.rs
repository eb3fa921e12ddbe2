//! `claw chat` with a session of `claw serve`: the same one at the terminal and for others, with the real CLI.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};

use claw_testkit::Block;
use claw_testkit::agent::{self, Script, Step};
use claw_testkit::api::{Answer, Rule, Scenario, scenarios};
use serde_json::{Value, json};

use crate::chat::{Terminal, asks_late, chat, says, soon};
use crate::claw::claw;
use crate::real_cli::{LIMIT, Place};
use crate::serve::Served;
use crate::serve_page::{opened, prompt, shows};

/// A server of the place's folder.
fn serve(place: &Place) -> Served {
    serve_with(place, &claw_testkit::claude().unwrap())
}

/// A server of the place's folder whose sessions run this program. A scripted agent takes the script of the folder.
fn serve_with(place: &Place, program: &Path) -> Served {
    let at = |name: &str| place.folder.path().join(name);
    let mut command = claw(&["serve", "--listen", "127.0.0.1:0"]);
    command
        .arg("--project")
        .arg(at("work"))
        .envs(place.api.env())
        .env("HOME", at("home"))
        .env("CLAW_CLAUDE_PATH", program)
        .env("CLAW_AGENT_SCRIPT", at("script.json"))
        .current_dir(at("home"));
    Served::of(command)
}

/// A chat whose session the server runs, before anything else is shown.
fn joined(place: &Place, args: &[&str]) -> Terminal {
    let mut terminal = Terminal::run(place, &[&["chat"], args].concat());
    terminal.until("`claw serve` runs this conversation");
    terminal
}

/// A chat whose new session the server runs.
fn attached(place: &Place, args: &[&str]) -> Terminal {
    let mut terminal = joined(place, args);
    terminal.until("> ");
    terminal
}

/// The ID of the only session.
fn only_session(served: &Served) -> String {
    let live = served.ask("GET /api/live", &Value::Null);
    let sessions = live["sessions"].as_array().or(live.as_array()).unwrap();
    assert_eq!(sessions.len(), 1, "{live}");
    sessions[0]["id"].as_str().unwrap().to_owned()
}

fn send(served: &Served, id: &str, text: &str) {
    served.ask(
        &format!("POST /api/sessions/{id}/prompts"),
        &json!({"text": text}),
    );
}

/// The requests that wait for an answer.
fn waiting(served: &Served, id: &str) -> Vec<Value> {
    let view = served.ask(&format!("GET /api/sessions/{id}"), &Value::Null);
    view["requests"].as_array().unwrap().clone()
}

/// The events of a session, as a program gets them.
fn events(served: &Served, id: &str) -> Receiver<String> {
    let mut lines = served.events(id);
    let (sender, events) = channel();
    std::thread::spawn(move || lines.all(|line| sender.send(line).is_ok()));
    events
}

/// Waits for an event that has this text.
fn heard(events: &Receiver<String>, text: &str) {
    loop {
        let line = events.recv_timeout(LIMIT);
        if line.unwrap_or_else(|_| panic!("no {text}")).contains(text) {
            return;
        }
    }
}

/// The prompts that the model has got, by their texts.
fn asked(place: &Place, text: &str) -> usize {
    let requests = place.api.requests();
    let last = requests.last().unwrap().body["messages"].to_string();
    last.matches(text).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_of_either_side_is_seen_on_the_other_and_typed_text_stays_apart() {
    let rules = [
        says("Hello terminal.").on_prompt("From the terminal"),
        says("Hello phone.").on_prompt("From the phone"),
        says("Whole.").on_prompt("half a line"),
    ];
    let place = Place::new(Scenario::new("both sides", rules)).await;
    let served = serve(&place);
    // Nothing says that it has to join.
    let mut terminal = attached(&place, &[]);
    let id = only_session(&served);
    let events = events(&served, &id);
    terminal.press("From the terminal\r");
    heard(&events, "From the terminal");
    heard(&events, "Hello terminal.");
    terminal.until("Hello terminal.");
    terminal.until("done: ");
    terminal.press("half a ");
    terminal.until("half a ");
    send(&served, &id, "From the phone\u{1b}[2J");
    let seen = terminal.until("Hello phone.");
    assert!(seen.contains("From the phone\\u{1b}[2J"), "{seen}");
    assert!(seen.contains("Sent elsewhere."), "{seen}");
    terminal.until("done: ");
    terminal.press("line\r");
    terminal.until("Whole.");
    assert_eq!(asked(&place, "half a line"), 1);
    terminal.until("done: ");

    terminal.press("\u{4}");
    terminal.until("The conversation goes on at the server.");
    terminal.until(&format!("claw chat --resume {id}"));
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
    assert_eq!(only_session(&served), id);
    // And it is the last conversation of the folder.
    let mut again = joined(&place, &["--continue", "--permission-mode", "plan"]);
    again.until("half a line");
    assert_eq!(only_session(&served), id);
    // The session was live, and gets the mode all the same.
    let view = served.ask(&format!("GET /api/sessions/{id}"), &Value::Null);
    assert_eq!(view["state"]["mode"], "plan");
    again.child.kill().await.unwrap();
}

/// Writes to one session at a terminal and on a page, and answers its requests on both.
async fn use_on_both(place: &Place, served: &Served) {
    const IDLE: &str = "document.getElementById('phase').dataset.phase === 'idle'";
    const ASKS: &str = "document.querySelector('#requests form:not([data-settling])') != null";
    let mut terminal = attached(place, &["--attach"]);
    let mut page = opened(served, &only_session(served));
    terminal.press("From the terminal\r");
    terminal.until("Hello terminal.");
    terminal.until("done: ");
    shows(&mut page, "From the terminal");
    shows(&mut page, "Hello terminal.");
    page.until(IDLE);

    // Each side keeps what is half typed there.
    terminal.press("half a ");
    terminal.until("half a ");
    prompt(&mut page, "From the page");
    let seen = terminal.until("Hello page.");
    assert!(seen.contains("From the page"), "{seen}");
    assert!(seen.contains("Sent elsewhere."), "{seen}");
    terminal.until("done: ");
    shows(&mut page, "Hello page.");
    page.until(IDLE);
    page.value(
        "{ const it = document.getElementById('prompt'); it.value = 'half a page';
           it.dispatchEvent(new Event('input', { bubbles: true })); }",
    );
    terminal.press("line\r");
    terminal.until("Whole.");
    terminal.until("done: ");
    shows(&mut page, "Whole.");
    page.until(IDLE);
    let prompts = page.value(
        "[...document.querySelectorAll('#log > .userInput .text')].map(it => it.textContent)",
    );
    assert_eq!(
        prompts,
        json!(["From the terminal", "From the page", "half a line"])
    );

    // A request that is answered on the page is withdrawn at the terminal, and the other way.
    terminal.press("Make it.\r");
    terminal.until("May claude use Bash");
    terminal.until("/N] ");
    page.until(ASKS);
    page.click("#requests button[value=allow]");
    terminal.until("Answered by a ");
    terminal.until("allowed.");
    terminal.until("taken back");
    terminal.until("It is made.");
    terminal.until("done: ");
    page.until(IDLE);
    terminal.press("Make it again.\r");
    terminal.until("/N] ");
    page.until(ASKS);
    terminal.press("y\r");
    page.until(
        "document.querySelector('#requests .note')?.textContent.endsWith('— allowed by claw chat')",
    );
    page.until("document.querySelector('#requests form') == null");
    terminal.until("It is made.");
    terminal.until("done: ");
    page.until(IDLE);
    assert_eq!(
        page.value("document.getElementById('prompt').value"),
        "half a page"
    );
    terminal.press("\u{4}");
    terminal.until("goes on at the server");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_and_a_terminal_have_one_session() {
    let bash = Block::tool_use("Bash", json!({"command": "echo made >> made"}));
    let rules = [
        says("Hello terminal.").on_prompt("From the terminal"),
        says("Hello page.").on_prompt("From the page"),
        says("Whole.").on_prompt("half a line"),
        says("It is made.").on_prompt("Make it").on_tool_result(""),
        Rule::new(Answer::message([bash])).on_prompt("Make it"),
        says("A title."),
    ];
    let place = Place::new(Scenario::new("page and terminal", rules)).await;
    let served = serve(&place);
    use_on_both(&place, &served).await;
    let made = place.folder.path().join("work/made");
    assert_eq!(fs::read_to_string(made).unwrap(), "made\nmade\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_and_a_terminal_have_one_session_of_the_scripted_agent() {
    let text = |text: &str| Step::message([Block::text(text)]);
    let make = || {
        let bash = Block::tool_use("Bash", json!({"command": "echo made >> made"}));
        let made = [Step::tool_result("made"), text("It is made.")];
        Step::Turn(vec![
            Step::message([bash]),
            Step::permission(made, [text("It is not made.")]),
        ])
    };
    let script = Script::new([
        Step::Turn(vec![text("Hello terminal.")]),
        Step::Turn(vec![text("Hello page.")]),
        Step::Turn(vec![text("Whole.")]),
        make(),
        make(),
    ]);
    let place = Place::new(scenarios::text()).await;
    let file = place.folder.path().join("script.json");
    fs::write(file, serde_json::to_vec(&script).unwrap()).unwrap();
    let served = serve_with(&place, &agent::program().unwrap());
    use_on_both(&place, &served).await;
    assert!(place.api.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_permission_request_is_answered_on_either_side() {
    let place = Place::new(scenarios::bash()).await;
    let work = place.folder.path().join("work");
    let served = serve(&place);
    let mut terminal = attached(&place, &["--attach"]);
    let id = only_session(&served);
    let events = events(&served, &id);

    terminal.press("Write a greeting.\r");
    terminal.until("May claude use Bash");
    terminal.until("/N] ");
    let request = waiting(&served, &id)[0]["id"].as_str().unwrap().to_owned();
    let answer = format!("POST /api/sessions/{id}/requests/{request}");
    served.ask(&answer, &json!({"decision": "deny"}));
    terminal.until("Answered by another viewer: denied.");
    terminal.until("taken back");
    terminal.until("I could not write the file.");
    terminal.until("> ");
    assert_eq!(fs::read_dir(&work).unwrap().count(), 0);

    terminal.press("And again.\r");
    terminal.until("/N] ");
    terminal.press("y\r");
    let seen = terminal.until("The file is written.");
    assert!(!seen.contains("Answered by"), "{seen}");
    heard(&events, r#""decision":"allow","by":"claw chat""#);
    assert_eq!(fs::read_dir(&work).unwrap().count(), 1);
    assert_eq!(waiting(&served, &id).len(), 0);

    // Ctrl-C at a question is a no, and the turn's end.
    terminal.until("> ");
    terminal.press("Once more.\r");
    terminal.until("/N] ");
    terminal.press("\u{3}");
    terminal.until("interrupted:");
    terminal.child.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_that_was_typed_before_the_question_allows_nothing() {
    let place = Place::new(asks_late()).await;
    let served = serve(&place);
    let mut terminal = attached(&place, &[]);
    let id = only_session(&served);
    terminal.press("Do it.\r");
    soon(place.api.gates().reached("half")).await;
    terminal.press("y");
    place.api.gates().open("half");
    terminal.until("A question waits.");
    assert_eq!(waiting(&served, &id).len(), 1);
    // The line is set aside, and only what is typed then is the answer.
    terminal.press("\u{1b}");
    terminal.until("/N] ");
    terminal.press("n\r");
    terminal.until("I could not.");
    assert!(!place.folder.path().join("work/it").exists());
    terminal.child.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_hangs_up_answers_no_question() {
    let place = Place::new(asks_late()).await;
    let served = serve(&place);
    let mut terminal = attached(&place, &[]);
    let id = only_session(&served);
    terminal.press("Do it.\r");
    soon(place.api.gates().reached("half")).await;
    terminal.press("y");
    place.api.gates().open("half");
    // Once before the question is opened, and once while it is.
    for shown in ["A question waits.", "/N] "] {
        terminal.until(shown);
        let pid = terminal.child.id().unwrap().to_string();
        let hung_up = std::process::Command::new("kill")
            .args(["-HUP", &pid])
            .status();
        assert!(hung_up.unwrap().success());
        soon(terminal.child.wait()).await.unwrap();
        assert_eq!(waiting(&served, &id).len(), 1, "{shown}");
        terminal = joined(&place, &["--resume", &id]);
    }
    terminal.until("/N] ");
    terminal.press("n\r");
    terminal.until("I could not.");
    terminal.child.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_is_left_is_found_again_in_its_middle() {
    let held = |gate: &str| {
        let text = Block::text("Once upon a time there was a gate.").hold(4, gate);
        Rule::new(Answer::message([text]))
    };
    let rules = [
        held("half").on_prompt("a story"),
        held("never").on_prompt("Another one"),
    ];
    let place = Place::new(Scenario::new("stories", rules)).await;
    let served = serve(&place);
    let mut terminal = attached(&place, &[]);
    let id = only_session(&served);
    terminal.press("Tell me a story.\r");
    soon(place.api.gates().reached("half")).await;
    terminal.until("Once");
    terminal.press("\u{4}");
    terminal.until("goes on at the server");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));

    let mut again = joined(&place, &["--resume", &id]);
    again.until("Tell me a story.");
    again.until("Once");
    place.api.gates().open("half");
    again.until("gate.");
    again.until("done: ");
    // And now the turn is interrupted from here.
    again.press("Another one.\r");
    soon(place.api.gates().reached("never")).await;
    again.until("Once");
    again.press("\u{3}");
    again.until("Interrupting.");
    again.until("interrupted:");
    again.child.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_in_a_turn_is_waited_for_and_nothing_typed_is_lost() {
    let text = Block::text("Once upon a time there was a gate.").hold(4, "half");
    let rules = [
        says("Gladly.").on_prompt("Something else"),
        Rule::new(Answer::message([text])),
    ];
    let place = Place::new(Scenario::new("killed", rules)).await;
    let served = serve(&place);
    let mut terminal = attached(&place, &[]);
    let id = only_session(&served);
    terminal.press("Tell me a story.\r");
    soon(place.api.gates().reached("half")).await;
    terminal.until("Once");
    served.kill();
    terminal.until("the server cannot be reached");
    // It would otherwise interrupt what runs when the server can be reached again.
    terminal.press("\u{3}");
    terminal.until("may not be interrupted");
    terminal.press("Something else.\r");
    let served = serve(&place);
    terminal.until("The server can be reached again.");
    terminal.until("Gladly.");
    terminal.until("done: ");
    assert_eq!(only_session(&served), id);
    assert_eq!(asked(&place, "Something else."), 1);
    terminal.press("\u{4}");
    terminal.until("goes on at the server");
    terminal.child.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_no_server_takes_is_reported_at_the_end() {
    let place = Place::new(scenarios::text()).await;
    let served = serve(&place);
    let mut terminal = attached(&place, &[]);
    served.kill();
    terminal.until("the server cannot be reached");
    terminal.press("Are you there?\r\u{4}");
    terminal.until("1 prompt was not sent.");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_or_against_its_will_a_conversation_has_its_own_process() {
    let place = Place::new(scenarios::text()).await;
    let ran = place.run(&["chat", "--attach"]).await;
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    let mut terminal = Terminal::run(&place, &["chat", "--attach"]);
    terminal.until("--attach: no `claw serve` of this user runs");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(2));

    let served = serve(&place);
    let live = |served: &Served| served.ask("GET /api/live", &Value::Null).to_string();
    let none = live(&served);
    for args in [
        &["chat", "--attach=never"][..],
        // The server decides what is allowed.
        &["chat", "--allowed-tools", "Bash"],
        // Its folder is not that of a project.
        &["chat", "--cwd", "../home"],
    ] {
        let mut terminal = Terminal::run(&place, args);
        terminal.until("claude 2.");
        terminal.until("> ");
        terminal.press("\u{4}");
        assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
    }
    // Through a pipe, lines are prompts of an own process.
    let ran = chat(&place, &[], "Hello.\n").await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(live(&served), none);
    let refused = Terminal::run(&place, &["chat", "--attach", "--allowed-tools", "Bash"])
        .until("the server does not take --allowed-tools");
    assert!(refused.contains("--attach:"), "{refused}");
}
