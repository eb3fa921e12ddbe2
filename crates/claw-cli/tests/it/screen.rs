//! The screen of `claw chat`, as a person sees it: a terminal is drawn of what the command writes. With the scripted
//! agent.
#![cfg(all(unix, feature = "terminal"))]

use std::fs::{self, File};
use std::io::Write as _;
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::mpsc::Receiver;

use claw_testkit::agent::{self, Script, Step};
use claw_testkit::{Block, Gates, terminal};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use vt100::Parser;

use super::claw::claw;
use super::real_cli::LIMIT;

/// A home, a working directory, and an agent that follows a script.
pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    pub(crate) gates: Gates,
}

impl Stage {
    pub(crate) fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work", "gates"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let script = serde_json::to_vec(&Script::new(steps)).unwrap();
        fs::write(folder.path().join("script.json"), script).unwrap();
        let gates = Gates::in_folder(folder.path().join("gates"));
        Self { folder, gates }
    }

    pub(crate) fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    fn environment(&self, command: &mut Command) {
        command
            .env("HOME", self.folder.path().join("home"))
            .env("CLAW_CLAUDE_PATH", agent::program().unwrap())
            .env("CLAW_AGENT_SCRIPT", self.folder.path().join("script.json"))
            .env("CLAW_AGENT_GATES", self.folder.path().join("gates"))
            .env("TERM", "xterm")
            .current_dir(self.work());
    }

    fn record(&self) -> String {
        self.folder.path().join("record").to_str().unwrap().into()
    }

    /// `claw chat`, recorded.
    pub(crate) fn chat(&self) -> Command {
        let mut command = claw(&["chat", "--record", &self.record()]);
        self.environment(&mut command);
        command
    }

    /// The lines that claude was sent.
    fn sent(&self) -> Vec<Value> {
        let lines = fs::read_to_string(Path::new(&self.record()).join("stdin.ndjson")).unwrap();
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The prompts that claude was sent.
    fn prompts(&self) -> Vec<Value> {
        let users = self
            .sent()
            .into_iter()
            .filter(|line| line["type"] == "user");
        users
            .map(|line| line["message"]["content"].clone())
            .collect()
    }
}

/// A person's terminal.
pub(crate) struct Person {
    keys: File,
    written: Receiver<Vec<u8>>,
    pub(crate) parser: Parser,
    /// All that was written.
    pub(crate) bytes: Vec<u8>,
    child: Child,
}

impl Person {
    pub(crate) fn at(command: &Command, columns: u16, rows: u16) -> Self {
        let (keys, theirs) = terminal::open(columns, rows).unwrap();
        let child = terminal::controlled(command)
            .stdin(theirs.try_clone().unwrap())
            .stdout(theirs.try_clone().unwrap())
            .stderr(theirs)
            .spawn()
            .unwrap();
        let written = terminal::output(&keys).unwrap();
        let [height, width] = [rows, columns].map(|size| NonZero::new(size).unwrap());
        Self {
            keys,
            written,
            parser: Parser::new(height, width, 0),
            bytes: Vec::new(),
            child,
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        let [height, width] = [rows, columns].map(|size| NonZero::new(size).unwrap());
        self.parser.screen_mut().set_size(height, width);
        terminal::resize(&self.keys, columns, rows).unwrap();
    }

    /// The rows of the screen.
    pub(crate) fn rows(&self) -> Vec<String> {
        let (_, columns) = self.parser.screen().size();
        let rows = self.parser.screen().rows(0, columns.get());
        rows.map(|row| row.trim_end().to_owned()).collect()
    }

    /// Waits until the screen is so.
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&[String]) -> bool) {
        while !is_so(&self.rows()) {
            let chunk = self.written.recv_timeout(LIMIT);
            let chunk = chunk.unwrap_or_else(|_| panic!("not {what}: {:#?}", self.rows()));
            self.parser.process(&chunk);
            self.bytes.extend_from_slice(&chunk);
        }
    }

    /// Waits until a row has this.
    pub(crate) fn sees(&mut self, part: &str) {
        self.until(part, |rows| rows.iter().any(|row| row.contains(part)));
    }

    /// Waits until the last row that is not empty is this one.
    pub(crate) fn ends_with(&mut self, last: &str) {
        self.until(last, |rows| {
            rows.iter()
                .rfind(|row| !row.is_empty())
                .is_some_and(|row| row == last)
        });
    }

    /// Waits for the empty line of a prompt.
    pub(crate) fn is_ready(&mut self) {
        self.ends_with(">");
    }

    /// Waits for the end, and gives the exit code.
    fn code(&mut self) -> Option<i32> {
        while let Ok(chunk) = self.written.recv_timeout(LIMIT) {
            self.parser.process(&chunk);
            self.bytes.extend_from_slice(&chunk);
        }
        self.child.wait().unwrap().code()
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn says(text: &str) -> Step {
    Step::message([Block::text(text)])
}

/// The place of the first row that has this.
pub(crate) fn place(rows: &[String], part: &str) -> usize {
    let found = rows.iter().position(|row| row.contains(part));
    found.unwrap_or_else(|| panic!("no {part:?} in {rows:#?}"))
}

#[test]
fn output_stands_above_the_line_that_is_typed() {
    let turn = vec![
        says("One line.\n\nAnd **half"),
        Step::gate("more"),
        says("A new message.\n"),
        Step::gate("end"),
    ];
    let stage = Stage::new([Step::Turn(turn)]);
    let mut person = Person::at(&stage.chat(), 60, 16);
    person.sees("claude 2.");
    person.press("Begin.\r");
    person.sees("half");
    person.press("a draft");
    person.ends_with("> a draft");
    stage.gates.open("more");
    person.sees("A new message.");
    person.press("s\u{7f}!");
    person.ends_with("> a draft!");
    stage.gates.open("end");
    person.sees("— done:");
    person.ends_with("> a draft!");
    let rows = person.rows();
    let order = [
        "claude 2.",
        "> Begin.",
        "One line.",
        "And **half",
        "A new message.",
        "— done:",
        "> a draft!",
    ];
    let places: Vec<_> = order.iter().map(|part| place(&rows, part)).collect();
    assert!(places.is_sorted(), "{rows:#?}");
    for part in order {
        let found = rows.iter().filter(|row| row.contains(part)).count();
        assert_eq!(found, 1, "{part}: {rows:#?}");
    }
    // Ctrl-C clears the line; Ctrl-D leaves.
    person.press("\u{3}");
    person.sees("Once more to leave, or Ctrl-D.");
    person.press("\u{4}");
    assert_eq!(person.code(), Some(0));
}

#[test]
fn prompts_have_several_lines_and_a_paste_is_one_prompt() {
    let stage = Stage::new([Step::Turns(vec![says("Heard.")])]);
    let mut person = Person::at(&stage.chat(), 40, 12);
    person.is_ready();
    person.press("one\ntwo\\\rthree\u{1b}\rfour\r");
    person.sees("Heard.");
    let pasted: Vec<_> = (1..=1000).map(|number| format!("line {number}")).collect();
    person.press(&format!("\u{1b}[200~{}\u{1b}[201~", pasted.join("\r")));
    person.ends_with("  line 1000");
    person.press("\r");
    person.sees("… 980 more lines");
    person.sees("— done: 1 turn");
    person.press("last\r");
    person.until("three turns", |rows| rows.iter().any(|row| row == "> last"));
    person.press("\u{4}");
    person.code();
    let expected = [json!("one\ntwo\nthree\nfour"), json!(pasted.join("\n"))];
    assert_eq!(stage.prompts()[..2], expected);
}

#[test]
fn lines_that_are_pasted_without_marks_and_typed_ahead_are_all_sent_in_order() {
    let turns = (0..40).map(|number| {
        let answer = if number == 39 { "Heard all." } else { "Heard." };
        Step::Turn(vec![says(answer)])
    });
    let stage = Stage::new(turns);
    let mut person = Person::at(&stage.chat(), 40, 12);
    // Before claude has started.
    let lines: Vec<_> = (1..=40).map(|number| format!("line {number}")).collect();
    person.press(&(lines.join("\r") + "\r"));
    person.sees("Heard all.");
    person.press("\u{4}");
    assert_eq!(person.code(), Some(0));
    assert_eq!(
        stage.prompts(),
        lines.into_iter().map(Value::from).collect::<Vec<_>>()
    );
}

/// A turn that asks for permission behind the gate `ask`, and is told the answer.
fn asks() -> Vec<Step> {
    let bash = Block::tool_use(
        "Bash",
        json!({"command": "touch it", "description": "Make it"}),
    );
    vec![
        Step::message([Block::text("I ask."), bash]),
        Step::gate("ask"),
        Step::permission([says("You allowed it.")], [says("You denied it.")]),
    ]
}

/// The answers to permission requests.
fn answers(stage: &Stage) -> Vec<Value> {
    let lines = stage.sent().into_iter();
    let responses = lines.filter(|line| line["type"] == "control_response");
    let answers = responses.map(|line| line["response"]["response"].clone());
    answers
        .filter(|answer| !answer["behavior"].is_null())
        .collect()
}

#[test]
fn what_is_typed_before_a_question_or_into_it_unread_allows_nothing() {
    let stage = Stage::new([Step::Turn(asks()), Step::Turn(vec![says("Thanks.")])]);
    let mut person = Person::at(&stage.chat(), 70, 20);
    person.is_ready();
    person.press("Do it.\r");
    person.sees("I ask.");
    person.press("happ");
    person.ends_with("> happ");
    stage.gates.open("ask");
    person.sees("A question waits.");
    // The rest of the word would be a yes.
    person.press("y\r");
    person.sees("/N]");
    assert!(answers(&stage).is_empty());
    person.press("n, use the other file\r");
    person.sees("You denied it.");
    person.sees("Thanks.");
    person.press("\u{4}");
    assert_eq!(person.code(), Some(0));
    let answers = answers(&stage);
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["behavior"], "deny");
    assert_eq!(
        answers[0]["message"],
        "The user said no: use the other file"
    );
    assert_eq!(stage.prompts(), [json!("Do it."), json!("happy")]);
}

#[test]
fn keys_that_arrive_together_with_a_question_do_not_answer_it() {
    let stage = Stage::new([Step::Turn(asks()), Step::Turns(vec![says("Thanks.")])]);
    let mut person = Person::at(&stage.chat(), 70, 20);
    person.is_ready();
    person.press("Do it.\r");
    person.sees("I ask.");
    // The question and the keys wait for the process until it continues.
    person.signal(Signal::STOP);
    person.press("y\ryes\r1\r");
    stage.gates.open("ask");
    person.signal(Signal::CONT);
    person.sees("/N]");
    assert!(answers(&stage).is_empty());
    person.press("n\r");
    person.sees("You denied it.");
    person.sees("Thanks.");
    person.press("\u{4}");
    assert_eq!(person.code(), Some(0));
    let answers = answers(&stage);
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["behavior"], "deny");
    assert_eq!(
        stage.prompts(),
        ["Do it.", "y", "yes", "1"].map(Value::from)
    );
}

#[test]
fn a_line_is_set_aside_for_a_question_and_comes_back() {
    let stage = Stage::new([Step::Turn(asks())]);
    let mut person = Person::at(&stage.chat(), 70, 20);
    person.is_ready();
    person.press("Do it.\r");
    person.sees("I ask.");
    person.press("a draft");
    person.ends_with("> a draft");
    stage.gates.open("ask");
    person.sees("A question waits.");
    person.press("\u{1b}");
    person.sees("/N]");
    person.press("y\r");
    person.sees("You allowed it.");
    person.ends_with("> a draft");
    assert_eq!(answers(&stage)[0]["behavior"], "allow");
}

#[test]
fn enter_and_escape_at_a_question_are_a_no() {
    for key in ["\r", "\u{1b}"] {
        let stage = Stage::new([Step::Turn(asks())]);
        stage.gates.open("ask");
        let mut person = Person::at(&stage.chat(), 70, 20);
        person.is_ready();
        person.press("Do it.\r");
        person.sees("/N]");
        person.press(key);
        person.sees("You denied it.");
        assert_eq!(answers(&stage)[0]["behavior"], "deny");
    }
}

/// How many rows say what is asked.
fn asked(rows: &[String]) -> usize {
    rows.iter()
        .filter(|row| row.contains("? May claude use Bash(touch it)?"))
        .count()
}

#[test]
fn a_question_is_named_above_the_answer_where_it_is_not_on_the_screen() {
    let stage = Stage::new([Step::Turn(asks())]);
    stage.gates.open("ask");
    let mut person = Person::at(&stage.chat(), 70, 24);
    person.is_ready();
    person.press("Do it.\r");
    person.sees("/N]");
    assert_eq!(asked(&person.rows()), 1, "{:#?}", person.rows());
    // Ctrl-L.
    person.press("\u{c}");
    person.until("the question alone", |rows| {
        rows[0].contains("? May claude use") && rows[1].contains("/N]")
    });
    // The terminal is too small for the question.
    person.resize(70, 6);
    person.until("the question above the answer", |rows| {
        asked(rows) == 1
            && rows
                .iter()
                .rfind(|row| !row.is_empty())
                .is_some_and(|row| row.contains("/N]"))
    });
    person.press("n\r");
    person.sees("You denied it.");
}

#[test]
fn a_long_answer_is_broken_between_words() {
    let stage = Stage::new([Step::Turn(asks())]);
    stage.gates.open("ask");
    let mut person = Person::at(&stage.chat(), 40, 30);
    person.is_ready();
    person.press("Do it.\r");
    person.sees("/N]");
    person.press("n, use the other file, whose name is in the first prompt\r");
    person.sees("You denied it.");
    let rows = person.rows();
    let first = place(&rows, "n, use");
    assert!(rows[first + 1].starts_with("      "), "{rows:#?}");
    let answer = [&*rows[first], rows[first + 1].trim_start()].join(" ");
    assert!(
        answer.contains("n, use the other file, whose name is in"),
        "{rows:#?}"
    );
}

#[test]
fn escape_sequences_of_the_model_are_text() {
    let hostile = "a\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}[?1049hb\u{9b}1m\n";
    let stage = Stage::new([Step::Turn(vec![says(hostile)])]);
    let mut person = Person::at(&stage.chat(), 78, 12);
    person.is_ready();
    person.press("Go.\r");
    person.sees("a\\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{1b}[?1049hb\\u{9b}1m");
    person.sees("claude 2.");
    assert!(!person.bytes.contains(&7));
}

#[test]
fn ten_thousand_lines_and_a_resize_leave_the_typed_line_below() {
    let lines: Vec<_> = (0..10_000)
        .map(|number| format!("- line {number}"))
        .collect();
    let text = lines.join("\n") + "\n";
    let turn = vec![says(&text), Step::gate("end")];
    let stage = Stage::new([Step::Turn(turn)]);
    let mut person = Person::at(&stage.chat(), 60, 12);
    person.is_ready();
    person.press("Go.\r");
    person.sees("line 1");
    person.press("wide 界界 and");
    person.ends_with("> wide 界界 and");
    person.resize(30, 10);
    person.press(" a long line that takes two rows here");
    person.sees("line 9999");
    person.ends_with("  hat takes two rows here");
    let rows = person.rows();
    let last = place(&rows, "line 9999");
    assert_eq!(rows[last - 1], "• line 9998", "{rows:#?}");
    assert_eq!(place(&rows, "> wide 界界"), last + 2, "{rows:#?}");
    person.resize(70, 14);
    person.ends_with("> wide 界界 and a long line that takes two rows here");
    stage.gates.open("end");
    person.sees("— done:");
}

#[test]
fn without_colours_there_are_none_and_a_dumb_terminal_gets_text_alone() {
    for (variable, value) in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let stage = Stage::new([Step::Turn(vec![says("# Head\n\n**bold**\n")])]);
        let mut command = stage.chat();
        command.env(variable, value);
        let mut person = Person::at(&command, 60, 12);
        person.is_ready();
        person.press("Go.\r");
        person.sees("— done:");
        // The signs stay, because nothing else shows what they mean.
        let rows = person.rows();
        assert!(place(&rows, "# Head") < place(&rows, "**bold**"));
        person.press("\u{4}");
        assert_eq!(person.code(), Some(0));
        let text = String::from_utf8_lossy(&person.bytes);
        let styles = text.split("\u{1b}[").skip(1).filter(|rest| {
            rest.find(|c: char| c.is_ascii_alphabetic())
                .is_some_and(|end| rest[end..].starts_with('m'))
        });
        assert_eq!(styles.count(), 0, "{variable}: {text:?}");
        if value == "dumb" {
            assert!(!text.contains('\u{1b}'), "{text:?}");
        }
    }
}

#[test]
fn words_that_are_no_choice_are_asked_back_and_allow_nothing() {
    let stage = Stage::new([Step::Turn(asks())]);
    stage.gates.open("ask");
    let mut person = Person::at(&stage.chat(), 70, 40);
    person.is_ready();
    person.press("Do it.\r");
    person.sees("/N]");
    let is_open = |rows: &[String]| {
        let last = rows.iter().rfind(|row| !row.is_empty());
        last.is_some_and(|row| row.trim() == "[y/1/2/N]")
    };
    person.until("the answer's line", is_open);
    person.press("ok\r");
    person.sees("“ok” is none of the choices: y or a number allows");
    person.until("the answer's line", is_open);
    assert!(answers(&stage).is_empty());
    assert_eq!(asked(&person.rows()), 2, "{:#?}", person.rows());
    person.press("y\r");
    person.sees("You allowed it.");
    let answers = answers(&stage);
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["behavior"], "allow");
}

#[test]
fn prompts_of_earlier_conversations_come_back_and_names_are_completed() {
    let stage = Stage::new([Step::Turns(vec![says("Heard.")])]);
    for name in ["main.rs", "notes.md", "secret.key"] {
        fs::write(stage.work().join(name), "").unwrap();
    }
    fs::write(stage.work().join(".gitignore"), "*.key\n").unwrap();
    let mut person = Person::at(&stage.chat(), 60, 14);
    person.is_ready();
    person.press("a prompt\r");
    person.sees("— done:");
    person.press("\u{4}");
    person.code();
    fs::remove_dir_all(stage.record()).unwrap();

    let mut person = Person::at(&stage.chat(), 60, 14);
    person.is_ready();
    person.press("\u{1b}[A");
    person.ends_with("> a prompt");
    person.press("\u{15}/com");
    person.ends_with("  /compact  Summarise the conversation so far");
    person.press("\t");
    person.ends_with("> /compact");
    person.press("\u{15}see @ma");
    person.ends_with("  @main.rs");
    person.press("\t");
    person.ends_with("> see @main.rs");
    person.press("and @key");
    person.ends_with("> see @main.rs and @key");
    person.press("\r");
    person.sees("— done:");
    person.press("\u{4}");
    person.code();
    assert_eq!(stage.prompts(), [json!("see @main.rs and @key")]);
}

#[test]
fn ctrl_c_and_escape_interrupt_and_ctrl_c_twice_leaves() {
    let turn = || Step::Turn(vec![says("Working."), Step::gate("never")]);
    let stage = Stage::new([turn(), turn(), turn()]);
    let mut person = Person::at(&stage.chat(), 60, 20);
    person.is_ready();
    for (key, count) in [("\u{1b}", 1), ("\u{3}", 2)] {
        person.press("Go.\r");
        person.until("it works", |rows| {
            rows.iter().filter(|row| row.contains("Working.")).count() == count
        });
        person.press(key);
        person.until("interrupted", |rows| {
            rows.iter()
                .filter(|row| row.contains("— interrupted"))
                .count()
                == count
        });
    }
    person.press("Go.\r");
    person.until("it works", |rows| {
        rows.iter().filter(|row| row.contains("Working.")).count() == 3
    });
    person.press("\u{3}\u{3}");
    assert_eq!(person.code(), Some(130));
}

#[test]
fn ctrl_z_gives_the_terminal_back_until_the_user_continues() {
    let stage = Stage::new([Step::Turns(vec![says("Heard.")])]);
    let program = env!("CARGO_BIN_EXE_claw");
    let mut shell = Command::new("bash");
    let script = format!(
        "set -m; '{program}' chat; echo stopped; stty -a | tr ' ' '\\n' | grep -x -e icanon; read; fg"
    );
    shell
        .args(["-c", &script])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap());
    stage.environment(&mut shell);
    let mut person = Person::at(&shell, 60, 20);
    person.sees("claude 2.");
    person.press("a draft");
    person.ends_with("> a draft");
    person.press("\u{1a}");
    person.sees("stopped");
    person.sees("icanon");
    person.press("\r");
    person.ends_with("> a draft");
    person.press("!\r");
    person.sees("Heard.");
    person.press("\u{4}");
    assert_eq!(person.code(), Some(0));
}

#[test]
fn a_small_terminal_shows_the_line_that_is_typed() {
    let turn = vec![says("Heard you."), Step::gate("end")];
    let stage = Stage::new([Step::Turn(turn)]);
    let mut person = Person::at(&stage.chat(), 12, 4);
    person.is_ready();
    person.press("a b c d e f g h i j");
    person.ends_with("  j");
    person.press("\r");
    person.sees("Heard you.");
    // The result takes more rows than there are.
    stage.gates.open("end");
    person.sees("$0.0003");
    person.is_ready();
}
