//! The process that writes into a temporary folder.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};

/// The process that writes into a temporary folder, as the folder's lock file records it. This process can run longer
/// than the process that holds the lock, for example if the latter is killed.
///
/// Process IDs are reused. On Linux, the start time therefore identifies the process too. Other Unix systems record
/// only the process ID. On Windows, the CLI always ends together with the process that started it, because a job object
/// of the supervisor ends it. So no recorded process counts as running there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Writer {
    pid: u32,
    /// The start time, in clock ticks since the start of the system.
    start: Option<u64>,
}

impl Writer {
    /// Returns the process that currently has this process ID.
    pub(super) fn of(pid: u32) -> Self {
        let start = start_time(pid);
        Self { pid, start }
    }

    /// Records the process in a lock file. Blocks on the disk.
    pub(super) fn record(&self, mut file: &File) -> io::Result<()> {
        let start = self.start.map(|start| start.to_string());
        let text = format!("{} {}", self.pid, start.unwrap_or_default());
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(text.trim_end().as_bytes())
    }

    /// Reads the recorded process from a lock file. Returns `None` if the file records no process. Blocks on the disk.
    pub(super) fn recorded(file: &File) -> Option<Self> {
        let mut text = String::new();
        file.take(100).read_to_string(&mut text).ok()?;
        let mut parts = text.split(' ');
        Some(Self {
            pid: parts.next()?.parse().ok()?,
            start: parts.next().and_then(|start| start.parse().ok()),
        })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether the process has not ended yet.
    pub(super) fn is_running(&self) -> bool {
        is_running(self)
    }
}

#[cfg(target_os = "linux")]
fn is_running(writer: &Writer) -> bool {
    writer.start.is_some() && start_time(writer.pid) == writer.start
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_running(writer: &Writer) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let pid = i32::try_from(writer.pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_running(_: &Writer) -> bool {
    false
}

/// Returns the time at which a process started. Returns `None` if the process has ended, or if the system does not
/// report the time.
#[cfg(target_os = "linux")]
fn start_time(pid: u32) -> Option<u64> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The process name may contain any characters. It ends with the last parenthesis.
    let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
    // A zombie has ended and writes nothing any more, so it has no start time here.
    let state = fields.next()?;
    (!["Z", "X"].contains(&state)).then(|| fields.nth(18)?.parse().ok())?
}

#[cfg(not(target_os = "linux"))]
fn start_time(_: u32) -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_counts_until_it_ends_and_another_one_with_its_number_does_not() {
        let mut file = tempfile::tempfile().unwrap();
        assert_eq!(Writer::recorded(&file), None);
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let writer = Writer::of(child.id());
        writer.record(&file).unwrap();
        file.rewind().unwrap();
        assert_eq!(Writer::recorded(&file), Some(writer));
        assert!(writer.is_running());
        let start = writer.start.map(|start| start + 1);
        assert!(!Writer { start, ..writer }.is_running());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!writer.is_running());
    }
}
