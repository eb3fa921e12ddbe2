//! `claw chat` with the real CLI: through pipes, and at a terminal.
#![cfg(unix)]

use std::fs::File;
use std::io::Write as _;
use std::process::Stdio;
use std::sync::mpsc::Receiver;

use claw_testkit::api::{Answer, Rule, Scenario, scenarios};
use claw_testkit::{Block, terminal};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use super::claw::Ran;
use super::real_cli::{LIMIT, Place, wait};

pub(crate) fn says(text: &str) -> Rule {
    Rule::new(Answer::message([Block::text(text)]))
}

/// An answer that stops in the middle, at the gate `half`.
fn endless(prompt: &str) -> Rule {
    let text = Block::text("Once upon a time there was a gate.").hold(4, "half");
    Rule::new(Answer::message([text])).on_prompt(prompt)
}

pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, future).await.expect("it comes")
}

/// Runs `claw chat`, types these lines, and returns what it printed and how it ended.
pub(crate) async fn chat(place: &Place, args: &[&str], typed: &str) -> Ran {
    let mut command = place.claw(&[&["chat"], args].concat());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(typed.as_bytes()).await.unwrap();
    drop(stdin);
    wait(child.wait_with_output()).await
}

pub(crate) fn in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part);
        let at = at.unwrap_or_else(|| panic!("no {part:?} where it should be in {text}"));
        rest = &rest[at + part.len()..];
    }
}

#[tokio::test]
async fn lines_of_a_pipe_are_prompts_and_a_conversation_is_gone_on_with() {
    let rules = [
        says("Hello \u{1b}[31mAda.").on_prompt("I am Ada"),
        says("You are Ada.").on_prompt("Who am I?"),
        says("Hm."),
    ];
    let place = Place::new(Scenario::new("names", rules)).await;
    let first = chat(&place, &[], "I am Ada.\n\n/cost\nWho am I?\n").await;
    assert_eq!((first.code, &*first.stderr), (Some(0), ""));
    let parts = [
        "claude 2.",
        "Hello \\u{1b}[31mAda.",
        "— done: 1 turn",
        "cost",
        "— done",
        "You are Ada.",
        "— done: 1 turn",
        "claw chat --resume ",
    ];
    in_order(&first.stdout, &parts);
    assert!(!first.stdout.contains('\u{1b}'), "{:?}", first.stdout);

    let id = first.stdout.trim_end().rsplit(' ').next().unwrap();
    for args in [&["--resume", id][..], &["--continue"]] {
        let next = chat(&place, args, "Who am I?\n").await;
        assert_eq!(next.code, Some(0), "{}", next.stderr);
        in_order(&next.stdout, &["You are Ada.", id]);
        let last = place.api.requests().pop().unwrap();
        assert!(last.body.to_string().contains("I am Ada."), "{args:?}");
    }
}

#[tokio::test]
async fn a_tool_is_denied_where_nobody_can_be_asked() {
    let place = Place::new(scenarios::bash()).await;
    let ran = chat(&place, &[], "Write a greeting.\n").await;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    in_order(
        &ran.stdout,
        &["● Bash(", "no terminal", "✗ ", "could not write"],
    );
}

/// Sends a process the signal of Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    let pid = child.id().unwrap();
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
}

/// A chat through pipes that is under way.
pub(crate) struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn start(place: &Place) -> Self {
        Self::of(place.claw(&["chat"]))
    }

    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    pub(crate) async fn say(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    pub(crate) fn interrupt(&self) {
        interrupt(&self.child);
    }

    /// Reads up to a line that holds this.
    pub(crate) async fn until(&mut self, part: &str) {
        loop {
            let line = soon(self.lines.next_line()).await.unwrap();
            if line.unwrap_or_else(|| panic!("no {part}")).contains(part) {
                return;
            }
        }
    }

    pub(crate) async fn code(mut self) -> Option<i32> {
        drop(self.child.stdin.take());
        soon(self.child.wait()).await.unwrap().code()
    }
}

#[tokio::test]
async fn ctrl_c_interrupts_a_turn_and_the_conversation_goes_on() {
    let rules = [endless("a story"), says("Gladly.")];
    let place = Place::new(Scenario::new("stories", rules)).await;
    let mut chat = Running::start(&place);
    chat.say("Tell me a story.").await;
    soon(place.api.gates().reached("half")).await;
    chat.interrupt();
    chat.until("— interrupted:").await;
    chat.say("Something else.").await;
    chat.until("Gladly.").await;
    chat.until("— done:").await;
    // Where nothing runs, twice is good-bye. (The first may come before the prompt is back.)
    let mut pressed = 0;
    loop {
        chat.interrupt();
        pressed += 1;
        let mut line = soon(chat.lines.next_line()).await.unwrap();
        if line.as_deref() == Some("■ Interrupted") {
            line = soon(chat.lines.next_line()).await.unwrap();
        }
        match line {
            Some(line) if line.contains("nce more") => assert!(pressed < 4),
            Some(line) if line.contains("--resume") => break,
            line => panic!("{line:?}"),
        }
    }
    assert!(pressed > 1);
    assert_eq!(chat.code().await, Some(130));
}

#[tokio::test]
async fn a_conversation_that_breaks_off_says_why() {
    let place = Place::new(scenarios::text()).await;
    let claude = place.folder.path().join("claude");
    super::claw::script(
        &claude,
        "#!/bin/sh\nread line\necho 'out of luck' >&2\nexit 7\n",
    );
    let mut command = place.claw(&["chat"]);
    command
        .env("CLAW_CLAUDE_PATH", &claude)
        .stdin(Stdio::null());
    let ran = wait(command.output()).await;
    assert_eq!(ran.code, Some(3), "{}", ran.stdout);
    assert!(ran.stderr.contains("out of luck"), "{}", ran.stderr);
}

/// A terminal with a chat at its other end.
pub(crate) struct Terminal {
    keys: File,
    shown: Receiver<Vec<u8>>,
    seen: String,
    pub(crate) child: Child,
}

impl Terminal {
    fn start(place: &Place) -> Self {
        Self::run(place, &["chat"])
    }

    /// `claw` with these arguments.
    pub(crate) fn run(place: &Place, args: &[&str]) -> Self {
        Self::of(&place.claw(args), 0)
    }

    /// `claw` on a terminal with this many columns; 0 if the terminal does not say how many it has.
    pub(crate) fn of(command: &Command, columns: u16) -> Self {
        Self::named(command, columns, "xterm")
    }

    /// A terminal of this kind.
    pub(crate) fn named(command: &Command, columns: u16, kind: &str) -> Self {
        let (keys, theirs) = terminal::open(columns, 24).unwrap();
        let child = Command::from(terminal::controlled(command.as_std()))
            .env("TERM", kind)
            .kill_on_drop(true)
            .stdin(theirs.try_clone().unwrap())
            .stdout(theirs.try_clone().unwrap())
            .stderr(theirs)
            .spawn()
            .unwrap();
        let shown = terminal::output(&keys).unwrap();
        Self {
            keys,
            shown,
            seen: String::new(),
            child,
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this is shown, behind what was waited for before. Gives what was shown up to it.
    pub(crate) fn until(&mut self, part: &str) -> String {
        while !self.seen.contains(part) {
            let chunk = self.shown.recv_timeout(LIMIT);
            let chunk = chunk.unwrap_or_else(|_| panic!("no {part:?} in {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&chunk));
        }
        let behind = self.seen.find(part).unwrap() + part.len();
        self.seen.drain(..behind).collect()
    }
}

/// With the line editor: it completes names, and reads Ctrl-C as a key.
#[cfg(feature = "terminal")]
#[tokio::test(flavor = "multi_thread")]
async fn at_a_terminal_a_person_is_asked() {
    let place = Place::new(scenarios::bash()).await;
    let work = place.folder.path().join("work");
    let mut terminal = Terminal::start(&place);
    terminal.until("Ctrl-D leaves.");
    terminal.until("> ");
    terminal.press("Write a greetung\u{7f}\u{7f}\u{7f}ing.\r");
    terminal.until("/N] ");
    terminal.press("n\r");
    terminal.until("I could not write the file.");
    terminal.until("> ");
    let asked = place.api.requests();
    assert!(
        asked
            .iter()
            .any(|asked| asked.body.to_string().contains("Write a greeting."))
    );
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 0);

    terminal.press("And again.\r");
    terminal.until("/N] ");
    terminal.press("y\r");
    terminal.until("The file is written.");
    terminal.until("> ");
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 1);
    // The name of a command is completed.
    terminal.press("/conte\t\r");
    terminal.until("Context Usage");
    terminal.until("done: ");
    terminal.until("> ");

    // Ctrl-C at a question is a no, and the turn's end.
    terminal.press("Once more.\r");
    terminal.until("/N] ");
    terminal.press("\u{3}");
    let seen = terminal.until("interrupted:");
    assert!(!seen.contains("error:"), "{seen}");
    let seen = terminal.until("> ");
    assert!(!seen.contains("ede_diagnostic"), "{seen}");

    terminal.press("\u{4}");
    terminal.until("claw chat --resume");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
}

/// A turn that asks for permission when the gate `half` is open.
pub(crate) fn asks_late() -> Scenario {
    let bash = Block::tool_use("Bash", json!({"command": "touch it"}));
    let held = Block::text("Wait a moment, please.").hold(2, "half");
    let rules = [
        says("I could not.").on_tool_error(true),
        Rule::new(Answer::message([held, bash])),
    ];
    Scenario::new("typed before", rules)
}

/// Keys that were pressed before a question stands there are no answer to it.
#[tokio::test(flavor = "multi_thread")]
async fn a_yes_that_was_typed_before_the_question_allows_nothing() {
    let place = Place::new(asks_late()).await;
    let mut terminal = Terminal::start(&place);
    terminal.until("> ");
    // Both at once: the second line waits in claw.
    terminal.press("Do it.\ry\r");
    soon(place.api.gates().reached("half")).await;
    // And this one in the terminal's.
    terminal.press("y\r");
    place.api.gates().open("half");
    terminal.until("/N] ");
    terminal.press("n\r");
    terminal.until("I could not.");
    assert_eq!(
        std::fs::read_dir(place.folder.path().join("work"))
            .unwrap()
            .count(),
        0
    );
    terminal.child.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_the_model_is_answered() {
    let options = [("Red", "A warm one"), ("Blue", "A cold one")];
    let options = options.map(|(label, about)| json!({"label": label, "description": about}));
    let question = json!({"question": "Which colour?", "header": "Colour",
        "options": options, "multiSelect": false});
    let asked = Block::tool_use("AskUserQuestion", json!({"questions": [question]}));
    let rules = [
        says("Blue it is.").on_tool_result("Blue"),
        Rule::new(Answer::message([asked])),
    ];
    let place = Place::new(Scenario::new("colours", rules)).await;
    let mut terminal = Terminal::start(&place);
    terminal.until("> ");
    terminal.press("Paint it.\r");
    terminal.until("? [Colour] Which colour?");
    terminal.until("2. Blue: A cold one");
    terminal.until("words of your own: ");
    terminal.press("2\r");
    terminal.until("Blue it is.");
    terminal.until("> ");
    terminal.press("\u{4}");
    assert_eq!(soon(terminal.child.wait()).await.unwrap().code(), Some(0));
}
