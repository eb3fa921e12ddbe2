//! What the operating system says: processes, descriptors, memory.

use std::process::Command;
use std::time::{Duration, Instant};

/// Processes that have this variable with this value in their environment. A process that is just being executed has
/// none yet: wait for one that was only started.
pub(crate) fn marked(mark: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_it = |pid: &u32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ
            .split(|byte| *byte == 0)
            .any(|variable| variable == mark.as_bytes())
    };
    pids.filter(has_it).collect()
}

/// Waits until the system's state is as wanted.
pub(crate) fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "{what}: it takes too long"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits likewise, and lets tasks go on meanwhile.
pub(crate) async fn come_true(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "{what}: it takes too long"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// How many descriptors this process has open.
pub(crate) fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// How many threads this process has.
pub(crate) fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// The children of this process, zombies included.
pub(crate) fn children() -> Vec<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists =
        tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    lists
        .collect::<String>()
        .split_whitespace()
        .map(|pid| pid.parse().unwrap())
        .collect()
}

/// A line of `/proc/self/status`, in KiB.
pub(crate) fn memory(name: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.unwrap().trim_start_matches(':').split_whitespace();
    number.clone().next().unwrap().parse().unwrap()
}

/// Ends a process with SIGKILL.
pub(crate) fn kill(pid: u32) {
    let killed = Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(killed.unwrap().success());
}
