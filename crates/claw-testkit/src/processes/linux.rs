//! Processes in `/proc`.

use std::fs;

/// The flag of a process that was forked from its parent and has not executed its own program yet.
const NOT_EXECUTED: u64 = 0x40;

pub(super) fn environment(pid: u32) -> Vec<String> {
    texts(&format!("/proc/{pid}/environ"))
}

pub(super) fn arguments(pid: u32) -> Vec<String> {
    texts(&format!("/proc/{pid}/cmdline"))
}

/// Returns the texts in a file. Each text ends with a NUL. The list is empty if the file no longer exists. A text
/// without a NUL is left out, because the file was cut off when the process ended.
fn texts(path: &str) -> Vec<String> {
    whole_texts(&fs::read(path).unwrap_or_default())
}

fn whole_texts(bytes: &[u8]) -> Vec<String> {
    let texts = bytes.split_inclusive(|byte| *byte == 0);
    let whole = texts.filter_map(|text| text.strip_suffix(b"\0"));
    whole
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect()
}

#[test]
fn a_text_that_was_cut_off_is_left_out() {
    assert_eq!(whole_texts(b"a\0\0--resume=1"), ["a", ""]);
    assert_eq!(whole_texts(b"a\0--resume=12\0"), ["a", "--resume=12"]);
    assert!(whole_texts(b"").is_empty());
}

pub(super) fn with_variable(variable: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_it = |pid: &u32| environment(*pid).iter().any(|pair| pair == variable);
    pids.filter(has_it).collect()
}

pub(super) fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next();
    state.is_some_and(|state| !state.is_empty() && !state.starts_with(" Z"))
}

pub(super) fn has_executed(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the program is in parentheses, and may contain any characters.
    let rest = stat.rsplit_once(") ").map(|(_, rest)| rest);
    let flags = rest.and_then(|rest| rest.split(' ').nth(6)?.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & NOT_EXECUTED == 0)
}

pub(super) fn children() -> Vec<u32> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten();
    let lists = tasks
        .flatten()
        .map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    let lists: String = lists.collect();
    let pids = lists.split_whitespace();
    pids.filter_map(|pid| pid.parse().ok()).collect()
}

pub(super) fn memory() -> usize {
    status("VmRSS:")
}

pub(super) fn peak_memory() -> usize {
    status("VmHWM:")
}

/// Returns a number from `/proc/self/status`.
fn status(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    let number = value.and_then(|value| value.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

pub(super) fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

pub(super) fn threads() -> Option<usize> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    Some(threads.count())
}
