//! A process that is killed while it writes, at every point where the folder has just changed.
//!
//! The process is stopped before and behind each of its system calls. What a kill leaves can be seen there.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::{env, fs};

use claw_sessions::Sessions;
use nix::sys::ptrace::{self, Options};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::folder::{Folder, ID, conversation, values};

const OTHER: &str = "0b0b0b0b-0000-4000-8000-000000000001";
/// What the process is to do, and where.
const ORDER: &str = "CLAW_SESSIONS_TEST_ORDER";
const CONFIG: &str = "CLAW_SESSIONS_TEST_CONFIG";
const ORDERS: [&str; 5] = ["fork", "rename", "archive", "unarchive", "delete"];

type Files = BTreeMap<String, Vec<u8>>;

fn two_sessions() -> Folder {
    // Several writes long.
    let (folder, session) = Folder::with(&conversation(200));
    fs::create_dir_all(session.folder().join("subagents/deep")).unwrap();
    for agent in [
        "subagents/agent-a.jsonl",
        "subagents/agent-b.jsonl",
        "subagents/deep/agent-c.jsonl",
    ] {
        fs::write(session.folder().join(agent), "{}\n").unwrap();
    }
    let other = conversation(2).join("\n").replace(ID, OTHER);
    folder.add(OTHER, &(other + "\n"));
    folder
}

fn write(order: &str, config: &Path) {
    let session = Sessions::new(config).find(ID).unwrap();
    match order {
        "fork" => drop(session.fork().run().unwrap()),
        "rename" => session.rename("Sums").unwrap(),
        "archive" => session.archive().unwrap(),
        "unarchive" => session.unarchive().unwrap(),
        "delete" => session.delete().unwrap(),
        _ => panic!("{order}"),
    }
}

/// The test below runs this one in a process of its own, with an order.
#[test]
fn a_write_that_is_not_cut_off_is_done() {
    if let Ok(order) = env::var(ORDER) {
        println!("\nready {}", nix::unistd::gettid());
        std::io::stdin().read_exact(&mut [0]).unwrap();
        write(&order, Path::new(&env::var_os(CONFIG).unwrap()));
        return;
    }
    for order in ORDERS {
        let folder = two_sessions();
        let before = folder.files();
        write(order, folder.config());
        assert_ne!(folder.files(), before, "{order}");
        check(order, &before, &folder, true);
    }
}

/// A process that does what is ordered.
struct Ordered {
    child: Child,
    /// Kept open: the process prints at its end.
    _output: Lines<BufReader<ChildStdout>>,
    /// The thread that writes.
    thread: Pid,
}

impl Ordered {
    /// Stopped before it begins.
    fn start(order: &str, folder: &Folder) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "kills::a_write_that_is_not_cut_off_is_done",
                "--nocapture",
            ])
            .env(ORDER, order)
            .env(CONFIG, folder.config())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let thread = output.find_map(|line| line.unwrap().strip_prefix("ready ")?.parse().ok());
        let thread = Pid::from_raw(thread.unwrap());
        ptrace::seize(
            thread,
            Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_EXITKILL,
        )
        .unwrap();
        ptrace::interrupt(thread).unwrap();
        wait(thread);
        child.stdin.take().unwrap().write_all(b"\n").unwrap();
        Self {
            child,
            _output: output,
            thread,
        }
    }

    /// Goes on to before or behind the next system call. `false` when the thread has ended.
    fn step(&self) -> bool {
        let mut signal = None;
        loop {
            ptrace::syscall(self.thread, signal).unwrap();
            match wait(self.thread) {
                WaitStatus::PtraceSyscall(_) => return true,
                WaitStatus::Exited(..) => return false,
                WaitStatus::Stopped(_, sent) => signal = Some(sent),
                WaitStatus::PtraceEvent(..) => signal = None,
                status => panic!("{status:?}"),
            }
        }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        while !matches!(wait(self.thread), WaitStatus::Signaled(..)) {}
        assert!(!self.child.wait().unwrap().success());
    }

    fn end(mut self) {
        assert!(self.child.wait().unwrap().success());
    }
}

fn wait(thread: Pid) -> WaitStatus {
    waitpid(thread, Some(WaitPidFlag::__WALL)).unwrap()
}

#[test]
fn a_process_that_is_killed_while_it_writes_spoils_nothing() {
    for order in ORDERS {
        // Once to the end, to see where the folder changes.
        let folder = two_sessions();
        let before = folder.files();
        let mut changes = Vec::new();
        let ordered = Ordered::start(order, &folder);
        let mut files = before.clone();
        let mut steps = 0;
        while ordered.step() {
            steps += 1;
            let now = folder.files();
            if now != files {
                changes.push(steps);
                files = now;
            }
        }
        ordered.end();
        check(order, &before, &folder, true);
        let least = match order {
            // Made, written, named.
            "fork" => 4,
            "rename" => 1,
            "archive" | "unarchive" => 3,
            // Both are moved, then removed one by one.
            _ => 6,
        };
        assert!(changes.len() >= least, "{order}: {changes:?}");

        for change in changes {
            // Before the system call that changes it, and behind.
            for kill_at in [change - 1, change] {
                let folder = two_sessions();
                let before = folder.files();
                let ordered = Ordered::start(order, &folder);
                for _ in 0..kill_at {
                    assert!(ordered.step());
                }
                ordered.kill();
                check(order, &before, &folder, false);
            }
        }
    }
}

/// What was there before is there, and what is new is whole; the next write removes what was left.
fn check(order: &str, before: &Files, folder: &Folder, is_done: bool) {
    let sessions = folder.sessions();
    let list = sessions.list().run().unwrap();
    assert!(list.problems.is_empty(), "{:?}", list.problems);
    let ids: Vec<_> = list
        .sessions
        .iter()
        .map(|info| info.session_id.as_str())
        .collect();
    let files = folder.files();
    let file = format!("{ID}.jsonl");
    let lives = ids.contains(&ID);
    assert_eq!(lives, files.contains_key(&file));
    for (name, text) in before {
        let is_touched = order == "rename" && *name == file;
        if lives && !is_touched || !name.starts_with(ID) {
            assert!(files.get(name) == Some(text), "{order}: {name}");
        }
    }
    match order {
        "fork" => {
            for id in ids.iter().filter(|id| ![ID, OTHER].contains(id)) {
                let entries = values(&sessions.find(id).unwrap());
                assert_eq!(entries.len(), 201);
                assert_eq!(entries[200]["type"], "custom-title");
                let copied = entries[..200].iter().zip(0..);
                assert!(
                    copied
                        .clone()
                        .all(|(line, at)| line["message"]["content"] == format!("words {at}"))
                );
                assert!(copied.clone().all(|(line, _)| line["sessionId"] == **id));
            }
            assert!(ids.len() == 3 || !is_done && ids.len() == 2);
        }
        "rename" => {
            let entries = values(&sessions.find(ID).unwrap());
            assert!(entries.len() == 201 || !is_done && entries.len() == 200);
            let title = entries.get(200).map(|line| line["customTitle"].as_str());
            assert!(title.is_none_or(|title| title == Some("Sums")));
            assert!(files[&file].starts_with(&before[&file]));
        }
        "archive" | "unarchive" => {
            let record = files.get(&format!("{ID}/archived.json"));
            assert!(record.is_some() || !is_done);
            if let Some(record) = record {
                let record: serde_json::Value = serde_json::from_slice(record).unwrap();
                assert_eq!(record["archived"], order == "archive");
            }
        }
        _ => assert!(!lives || !is_done),
    }
    assert!(ids.contains(&OTHER));

    // The same again, and nothing lies about.
    match order {
        "delete" if lives => sessions.find(ID).unwrap().delete().unwrap(),
        "delete" => sessions.find(OTHER).unwrap().delete().unwrap(),
        "fork" => drop(sessions.find(OTHER).unwrap().fork().run().unwrap()),
        _ => write(order, folder.config()),
    }
    let files = folder.files();
    let left: Vec<_> = files
        .keys()
        .filter(|name| name.contains(".claw-"))
        .collect();
    assert!(left.is_empty(), "{order}: {left:?}");
    if order == "delete" {
        assert!(!files.keys().any(|name| name.starts_with(ID)), "{files:?}");
        assert!(!folder.project().join(ID).exists());
    }
}
