//! A process that is killed while it writes, at every point where the folder has just changed.
//!
//! The process is stopped before and behind each of its system calls. What a kill leaves can be seen there.

use std::env;
use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use nix::sys::ptrace::{self, Options};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::folder::Folder;
use crate::writes::{ORDERS, check, sessions_for, write};

/// What the process is to do, and where.
const ORDER: &str = "CLAW_SESSIONS_TEST_ORDER";
const CONFIG: &str = "CLAW_SESSIONS_TEST_CONFIG";

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
                "kills::a_process_that_is_killed_while_it_writes_spoils_nothing",
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

/// Runs itself once more in a process of its own, with an order.
#[test]
fn a_process_that_is_killed_while_it_writes_spoils_nothing() {
    if let Ok(order) = env::var(ORDER) {
        println!("\nready {}", nix::unistd::gettid());
        std::io::stdin().read_exact(&mut [0]).unwrap();
        write(&order, Path::new(&env::var_os(CONFIG).unwrap()));
        return;
    }
    for &order in ORDERS {
        // Once to the end, to see where the folder changes.
        let folder = sessions_for(order);
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
            // Of each transcript a copy is made, written and named, and each file is moved.
            // A repair makes the claim, and writes the transcript, folders and files of the copy. There are two kills
            // at each change.
            "relocate" | "repair" => 10,
            // Both are moved, then removed one by one.
            _ => 6,
        };
        assert!(changes.len() >= least, "{order}: {changes:?}");

        for change in changes {
            // Before the system call that changes it, and behind.
            for kill_at in [change - 1, change] {
                let folder = sessions_for(order);
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
