//! Supervision on Linux, with process descriptors and `/proc`.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, pidfd_send_signal,
    waitpid,
};

use crate::supervisor::SESSION_VARIABLE;

/// The maximum number of repetitions of a search. The second constant is the pause between two sweeps.
const ROUNDS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// Sends a signal to the process to which the process descriptor refers.
pub(super) fn signal(descriptor: &OwnedFd, signal: Signal) -> rustix::io::Result<()> {
    pidfd_send_signal(descriptor, signal)
}

/// A process, identified by its number and its start time. The start time is needed because the system reuses numbers.
#[derive(Debug, Clone, Copy)]
struct Entry {
    pid: Pid,
    parent: i32,
    group: i32,
    start: u64,
    zombie: bool,
}

impl Entry {
    fn read(pid: Pid) -> Option<Self> {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        Self::parse(pid, &String::from_utf8_lossy(&stat))
    }

    /// Parses the content of `/proc/<pid>/stat`. The name of a process may contain any characters, so the fields are
    /// counted from the last parenthesis.
    fn parse(pid: Pid, stat: &str) -> Option<Self> {
        let fields: Vec<&str> = stat
            .get(stat.rfind(')')? + 1..)?
            .split_ascii_whitespace()
            .collect();
        Some(Self {
            pid,
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            start: fields.get(19)?.parse().ok()?,
            zombie: matches!(fields.first(), Some(&("Z" | "X"))),
        })
    }

    /// Reads the current state of this process. Returns `None` if the process no longer exists.
    fn reread(&self) -> Option<Self> {
        Self::read(self.pid).filter(|now| now.start == self.start)
    }

    /// Sends a signal to this process, and never to a later process with the same number.
    fn signal(&self, signal: Signal) {
        let pinned = match pidfd_open(self.pid, PidfdFlags::empty()) {
            Ok(fd) => Some(fd),
            Err(Errno::SRCH) => return,
            Err(_) => None,
        };
        if self.reread().is_none() || self.pid == getpid() || self.pid == Pid::INIT {
            return;
        }
        let _ = match pinned {
            Some(fd) => pidfd_send_signal(fd, signal),
            None => kill_process(self.pid, signal),
        };
    }

    /// Whether the environment of the process contains one of the marks.
    fn has_mark(&self, marks: &[String]) -> bool {
        let environ = std::fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
        has_mark(&environ, marks)
    }
}

fn has_mark(environ: &[u8], marks: &[String]) -> bool {
    environ
        .split(|b| *b == 0)
        .filter_map(|pair| {
            pair.strip_prefix(SESSION_VARIABLE.as_bytes())?
                .strip_prefix(b"=")
        })
        .flat_map(|value| value.split(|b| *b == b':'))
        .any(|id| marks.iter().any(|mark| mark.as_bytes() == id))
}

fn processes() -> Vec<Entry> {
    let Ok(folder) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    folder
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(Pid::from_raw)
        .filter_map(Entry::read)
        .collect()
}

/// Returns the process tree of `root`, without `root` itself: the members of its group, its children, and all their
/// descendants.
fn process_tree(all: &[Entry], root: Pid) -> Vec<Entry> {
    let root = root.as_raw_pid();
    let mut children: BTreeMap<i32, Vec<Entry>> = BTreeMap::new();
    for entry in all.iter().filter(|entry| entry.pid.as_raw_pid() != root) {
        let parent = if entry.group == root {
            root
        } else {
            entry.parent
        };
        children.entry(parent).or_default().push(*entry);
    }
    let mut found = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        // The entries are removed so that the loop ends even if an inconsistent snapshot contains a cycle.
        for child in children.remove(&parent).unwrap_or_default() {
            parents.push(child.pid.as_raw_pid());
            found.push(child);
        }
    }
    found
}

/// A process that the supervisor started, identified by its number and start time. `None` without `/proc`.
pub(super) struct Root(Option<Entry>);

impl Root {
    pub(super) fn of(pid: Pid) -> Self {
        Self(Entry::read(pid))
    }
}

/// Ends the descendants that killed or crashed CLIs left behind.
#[derive(Default)]
pub(in crate::supervisor) struct Sweep {
    marks: Vec<String>,
    /// Processes that were killed but still exist.
    killed: Vec<Entry>,
    due: Option<Instant>,
    rounds: u32,
    /// Whether the last search found nothing.
    quiet: bool,
}

impl Sweep {
    /// Requests the end of all processes with this mark.
    pub(in crate::supervisor) fn add(&mut self, mark: String) {
        self.marks.push(mark);
        self.due = Some(Instant::now());
        self.rounds = 0;
        self.quiet = false;
    }

    pub(in crate::supervisor) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Searches all processes once, for all marks, if a search is due. The processes of sessions are not reaped here,
    /// because their sessions reap them.
    pub(in crate::supervisor) fn run(&mut self, now: Instant, of_sessions: &[u32]) {
        if self.due.is_none_or(|due| due > now) {
            return;
        }
        let found: Vec<Entry> = processes()
            .into_iter()
            .filter(|entry| entry.has_mark(&self.marks))
            .collect();
        for entry in &found {
            entry.signal(Signal::KILL);
        }
        let quiet = found.is_empty();
        self.killed.extend(found);
        self.killed.retain(|entry| !is_gone(entry, of_sessions));
        self.rounds += 1;
        // Two consecutive searches must find nothing. A process may fork during a search, and a process that starts
        // another program has no environment for a short time.
        let done = quiet && self.quiet && self.killed.is_empty();
        self.quiet = quiet;
        if !done && self.rounds < ROUNDS {
            self.due = Some(now + PAUSE);
            return;
        }
        if !done {
            tracing::warn!("processes of an ended session resist being killed");
        }
        *self = Self::default();
    }

    /// Kills a process that the supervisor started, together with its group and its descendants. The search for
    /// descendants is repeated until it finds no other process, because a process may fork during the search. Detached
    /// processes are not found here. A later sweep finds them by their mark.
    ///
    /// No process is stopped before it is killed. If this program ended during the search, a stopped process would
    /// remain forever.
    ///
    /// Descendants are found by the number of the process. No other process has this number as long as the process
    /// exists, even as a zombie. If other code of the host reaps children, the process may disappear at any time. So
    /// the result of a search is used only if the process still exists after the search.
    pub(super) fn kill_tree(&mut self, root: &Root) {
        let Some(root) = root.0 else {
            return;
        };
        let mut found = BTreeSet::new();
        for _ in 0..ROUNDS {
            let mut new = process_tree(&processes(), root.pid);
            new.retain(|entry| !found.contains(&entry.pid.as_raw_pid()));
            if root.reread().is_none() {
                break;
            }
            // The process itself is killed after the first search, because its children get another parent as soon as
            // it has ended.
            root.signal(Signal::KILL);
            if new.is_empty() {
                break;
            }
            for entry in new {
                entry.signal(Signal::KILL);
                found.insert(entry.pid.as_raw_pid());
                self.killed.push(entry);
            }
        }
    }
}

/// Whether a killed process has ended. If the host adopts orphans, as the first process of a container does, this
/// function also reaps the process.
fn is_gone(entry: &Entry, of_sessions: &[u32]) -> bool {
    let Some(now) = entry.reread() else {
        return true;
    };
    let ours = of_sessions.contains(&entry.pid.as_raw_pid().cast_unsigned());
    if now.zombie && now.parent == getpid().as_raw_pid() && !ours {
        return waitpid(Some(now.pid), WaitOptions::NOHANG).is_ok();
    }
    now.zombie
}

#[cfg(test)]
#[path = "linux_tests.rs"]
mod tests;
