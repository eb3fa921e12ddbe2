//! What this process takes.

use std::fs;

use crate::Result;

/// A figure of /proc/self/status, in KiB: `VmRSS`, `VmHWM`.
pub(crate) fn memory(name: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .ok_or("no such figure")?;
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    Ok(digits.parse()?)
}

/// How many descriptors are open.
pub(crate) fn descriptors() -> Result<usize> {
    Ok(fs::read_dir("/proc/self/fd")?.count())
}

/// Seconds of processor time so far, without those of children.
pub(crate) fn cpu() -> Result<f64> {
    // Nanoseconds on the processor, time waited, time slices.
    let mut total = 0.0;
    for task in fs::read_dir("/proc/self/task")? {
        let text = fs::read_to_string(task?.path().join("schedstat"))?;
        let nanoseconds: f64 = text.split(' ').next().unwrap_or("0").parse()?;
        total += nanoseconds / 1e9;
    }
    Ok(total)
}
