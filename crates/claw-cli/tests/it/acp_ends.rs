//! `claw acp`, whose editor or whose Claude Code is gone: nothing is left behind.
#![cfg(all(target_os = "linux", feature = "terminal"))]

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use claw_testkit::Block;
use claw_testkit::agent::{self, Script, Step};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::claw::claw;

/// No wait of these tests is longer.
const LONGEST: Duration = Duration::from_mins(1);

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// An editor with its `claw acp`, whose Claude Code plays a script.
struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    /// The lines of claw. While nobody takes them, nobody reads claw's stdout. It is closed when this is dropped.
    lines: Option<Receiver<Value>>,
    folder: TempDir,
    next: u64,
}

impl Editor {
    fn start(script: &Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("script.json");
        fs::write(&path, serde_json::to_string(script).unwrap()).unwrap();
        let mut child = claw(&["acp"])
            .env("CLAW_CLAUDE_PATH", agent::program().unwrap())
            .env("CLAW_AGENT_SCRIPT", path)
            .env("CLAW_AGENT_GATES", folder.path())
            // Shows which processes belong to this editor.
            .env("HOME", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = sync_channel(1);
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).expect("a line of claw is JSON");
                // The pipe closes with this thread.
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut editor = Self {
            stdin: child.stdin.take(),
            child,
            lines: Some(lines),
            folder,
            next: 0,
        };
        let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
        let id = editor.send("initialize", &params);
        editor.answer(id).unwrap();
        editor
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
        self.next
    }

    /// Waits for a line that fits.
    fn wait(&self, fits: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + LONGEST;
        loop {
            let rest = until.saturating_duration_since(Instant::now());
            let line = self.lines.as_ref().unwrap().recv_timeout(rest).unwrap();
            if fits(&line) {
                return line;
            }
        }
    }

    fn answer(&self, id: u64) -> Result<Value, Value> {
        let line = self.wait(|line| line["id"] == id && line.get("method").is_none());
        match line.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(line["result"].clone()),
        }
    }

    fn begin(&mut self) -> String {
        let params = json!({"cwd": self.folder.path(), "mcpServers": []});
        let id = self.send("session/new", &params);
        let session = self.answer(id).unwrap();
        session["sessionId"].as_str().unwrap().to_owned()
    }

    fn prompt(&mut self, session: &str) -> u64 {
        let content = json!([{"type": "text", "text": "Go on."}]);
        self.send(
            "session/prompt",
            &json!({"sessionId": session, "prompt": content}),
        )
    }

    fn load(&mut self) -> u64 {
        let params = json!({"sessionId": ID, "cwd": self.folder.path(), "mcpServers": []});
        self.send("session/load", &params)
    }

    /// Waits until the scripted process has come to a gate.
    fn reached(&self, gate: &str) {
        let file = self.folder.path().join(format!("{gate}.reached"));
        come_true(gate, || file.exists());
    }

    /// The processes of this editor, apart from claw itself.
    fn processes(&self) -> Vec<u32> {
        let mark = format!("HOME={}", self.folder.path().display());
        let mut found = marked(&mark);
        found.retain(|pid| *pid != self.child.id());
        found
    }

    /// Waits for the end of claw, and for that of all that it has started.
    fn nothing_is_left(&mut self) -> ExitStatus {
        let mut status = None;
        come_true("the end of claw", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        come_true("the end of its processes", || self.processes().is_empty());
        status.unwrap()
    }

    /// Writes a stored session of this many messages, each of which has so many bytes of text.
    fn store(&self, messages: usize, bytes: usize) {
        let folder = self.folder.path().join(".claude/projects/some");
        fs::create_dir_all(&folder).unwrap();
        let file = fs::File::create(folder.join(format!("{ID}.jsonl"))).unwrap();
        let mut file = std::io::BufWriter::new(file);
        let text = "x".repeat(bytes);
        let mut parent = Value::Null;
        for at in 0..messages {
            let uuid = format!("00000000-0000-4000-8000-{at:012}");
            let line = json!({"type": "user", "uuid": uuid, "parentUuid": parent,
                "message": {"role": "user", "content": text}, "sessionId": ID,
                "timestamp": "2026-11-24T12:00:00.000Z", "cwd": self.folder.path(),
                "isSidechain": false, "userType": "external", "version": "2.1.330"});
            writeln!(file, "{line}").unwrap();
            parent = json!(uuid);
        }
        file.flush().unwrap();
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // A test that fails leaves nothing either.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The processes that have this in their environment.
fn marked(variable: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_it = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|it| it == variable.as_bytes())
    };
    pids.filter(has_it).collect()
}

/// Waits until the system is as wanted.
fn come_true(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < LONGEST, "{what}: it takes too long");
        thread::sleep(Duration::from_millis(5));
    }
}

/// How far a session has come.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Starting,
    Idle,
    Turn,
    Permission,
}

const PHASES: [Phase; 4] = [Phase::Starting, Phase::Idle, Phase::Turn, Phase::Permission];

impl Phase {
    fn script(self) -> Script {
        match self {
            Self::Starting => Script::new([Step::expect_initialize(), Step::gate("starting")]),
            Self::Idle => Script::reply("Yes."),
            Self::Turn => {
                let text = Block::text("Never said.").hold(0, "held");
                Script::new([Step::Turn(vec![Step::message([text])])])
            }
            Self::Permission => Script::new([Step::Turn(vec![
                Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
                Step::permission([], []),
            ])]),
        }
    }

    /// The script, and the same one whose process ignores that it is told to end.
    fn scripts(self) -> [Script; 2] {
        let stubborn = self.script().ignore_sigterm().ignore_eof();
        [self.script(), stubborn]
    }

    /// An editor whose session has come so far.
    fn begun(self, script: &Script) -> Editor {
        let mut editor = Editor::start(script);
        if self == Self::Starting {
            let params = json!({"cwd": editor.folder.path(), "mcpServers": []});
            editor.send("session/new", &params);
            editor.reached("starting");
            return editor;
        }
        let session = editor.begin();
        match self {
            Self::Turn => {
                editor.prompt(&session);
                editor.reached("held");
            }
            Self::Permission => {
                editor.prompt(&session);
                editor.wait(|line| line["method"] == "session/request_permission");
            }
            Self::Starting | Self::Idle => {}
        }
        assert!(!editor.processes().is_empty());
        editor
    }
}

#[test]
fn an_editor_that_closes_stdin_leaves_no_process() {
    for phase in PHASES {
        for script in phase.scripts() {
            let mut editor = phase.begun(&script);
            editor.stdin = None;
            let status = editor.nothing_is_left();
            assert!(status.success(), "{phase:?}: {status}");
        }
    }
}

#[test]
fn an_editor_that_is_killed_leaves_no_process() {
    for phase in PHASES {
        for script in phase.scripts() {
            let mut editor = phase.begun(&script);
            // All that claw notices of it: both pipes are closed.
            editor.lines = None;
            editor.stdin = None;
            editor.nothing_is_left();
        }
    }
}

#[test]
fn a_claw_that_gets_sigterm_leaves_no_process() {
    for phase in PHASES {
        for script in phase.scripts() {
            let mut editor = phase.begun(&script);
            kill_process(Pid::from_child(&editor.child), Signal::TERM).unwrap();
            let status = editor.nothing_is_left();
            assert_eq!(status.code(), Some(130), "{phase:?}: {status}");
        }
    }
}

#[test]
fn a_claw_that_is_killed_leaves_no_process() {
    for phase in PHASES {
        let mut editor = phase.begun(&phase.script());
        editor.child.kill().unwrap();
        editor.nothing_is_left();
    }
}

#[test]
fn an_editor_that_never_reads_and_closes_stdin_leaves_no_process() {
    let text = Block::text("x".repeat(16 << 20));
    let end = Step::gate("said");
    let script = Script::new([Step::Turn(vec![Step::message([text]), end])]);
    let mut editor = Editor::start(&script);
    let session = editor.begin();
    editor.prompt(&session);
    let line = editor.wait(|line| line["method"] == "session/update");
    assert_eq!(line["params"]["sessionId"], session);
    // Its stdout stays open, and nobody reads.
    editor.stdin = None;
    editor.nothing_is_left();
}

#[test]
fn two_hundred_loads_of_one_session_have_one_process() {
    let mut editor = Editor::start(&Script::reply("Yes."));
    editor.store(4, 100);
    let ids: Vec<u64> = (0..200).map(|_| editor.load()).collect();
    let mut open: HashSet<u64> = ids.into_iter().collect();
    while !open.is_empty() {
        let line = editor.wait(|line| line.get("id").is_some() && line.get("method").is_none());
        assert!(line.get("error").is_none(), "{line}");
        open.remove(&line["id"].as_u64().unwrap());
    }
    assert_eq!(editor.processes().len(), 1);
    editor.stdin = None;
    assert!(editor.nothing_is_left().success());
}

/// By how much the resident memory of claw may grow while an editor loads a session, in MiB.
const MOST: u64 = 30;

/// A figure of a process's memory, in KiB.
fn memory(process: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let figure = status.lines().find_map(|line| line.strip_prefix(name));
    let figure = figure.unwrap().trim_start_matches(':').trim();
    figure.trim_end_matches(" kB").parse().unwrap()
}

#[test]
fn a_session_of_50_mb_is_loaded_in_little_memory() {
    let mut editor = Editor::start(&Script::reply("Yes."));
    let messages = 10_000;
    editor.store(messages, 5_000);
    let before = memory(editor.child.id(), "VmRSS");
    let id = editor.load();
    let mut updates = 0;
    let answer = loop {
        let line = editor.wait(|_| true);
        if line["id"] == id {
            break line;
        }
        updates += usize::from(line["params"]["update"]["sessionUpdate"] == "user_message_chunk");
    };
    assert!(answer.get("error").is_none(), "{answer}");
    assert_eq!(updates, messages);
    let most = memory(editor.child.id(), "VmHWM") - before;
    println!("claw grew by {most} KiB at most, from {before}");
    assert!(most < MOST << 10, "{most} KiB");
    editor.stdin = None;
    assert!(editor.nothing_is_left().success());
}
