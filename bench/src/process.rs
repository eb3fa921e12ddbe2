//! The resources that this process uses.

use std::fs;

use crate::Result;

/// A figure of /proc/self/status, in KiB: `VmRSS`, `VmHWM`.
pub(crate) fn memory(name: &str) -> Result<u64> {
    memory_in("/proc/self/status", name)
}

/// A figure of another process, in KiB.
pub(crate) fn memory_of(process: u32, name: &str) -> Result<u64> {
    memory_in(&format!("/proc/{process}/status"), name)
}

fn memory_in(path: &str, name: &str) -> Result<u64> {
    let status = fs::read_to_string(path)?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .ok_or("no such figure")?;
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    Ok(digits.parse()?)
}

/// The number of open descriptors.
pub(crate) fn descriptors() -> Result<usize> {
    Ok(fs::read_dir("/proc/self/fd")?.count())
}

/// Seconds of processor time so far, without those of children.
pub(crate) fn cpu() -> Result<f64> {
    // The fields are the nanoseconds on the processor, the waiting time, and the number of time slices.
    let mut total = 0.0;
    for task in fs::read_dir("/proc/self/task")? {
        let text = fs::read_to_string(task?.path().join("schedstat"))?;
        let nanoseconds: f64 = text.split(' ').next().unwrap_or("0").parse()?;
        total += nanoseconds / 1e9;
    }
    Ok(total)
}

/// Seconds of processor time of the ended children.
pub(crate) fn cpu_of_children() -> Result<f64> {
    times("/proc/self/stat", 13)
}

/// Seconds of processor time of another process so far, without those of its children.
pub(crate) fn cpu_of(process: u32) -> Result<f64> {
    times(&format!("/proc/{process}/stat"), 11)
}

/// The sum of a user time and the following system time, in seconds. `at` is the index of the field after the name.
fn times(path: &str, at: usize) -> Result<f64> {
    let text = fs::read_to_string(path)?;
    // The second field, which is the name, may contain any characters.
    let (_, fields) = text.rsplit_once(')').ok_or("no name")?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .ok_or("no such figure")?
            .parse::<u32>()
            .map_err(Into::into)
    };
    let ticks: Result<u32> = ticks(at).and_then(|user| Ok(user + ticks(at + 1)?));
    #[expect(clippy::cast_precision_loss, reason = "a hundred or a thousand")]
    let a_second = rustix::param::clock_ticks_per_second() as f64;
    Ok(f64::from(ticks?) / a_second)
}
