//! What the operating system says of processes, on every platform: which ones are alive, and what this one takes.
//!
//! Tests use it to look for what is left behind. It asks the system, and no handle of claw's.
//!
//! ```
//! use claw_testkit::processes;
//!
//! assert!(processes::is_alive(std::process::id()));
//! assert!(processes::children().is_empty());
//! ```

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[cfg_attr(target_os = "linux", path = "processes/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "processes/other.rs")]
mod sys;

/// Builds the program `scripted-process` and returns its path. It does what its arguments say, such as `say=ready` and
/// `wait`; the head of its source lists them all. Use it where a shell script would run on Unix alone.
///
/// # Errors
/// As [`agent::program`](crate::agent::program()), which says where the program comes from.
pub fn program() -> io::Result<PathBuf> {
    crate::program::program("scripted-process")
}

/// The IDs of the processes that have this variable with this value (`NAME=value`) in their environment. A process
/// inherits it from the one that started it, so this finds all descendants, whatever became of those between.
///
/// A process that is just being started has no environment for a moment: wait for one that was only started.
pub fn with_variable(variable: &str) -> Vec<u32> {
    sys::with_variable(variable)
}

/// The value of a variable in the environment of a process. `None` if there is no such process or variable.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = sys::environment(pid).into_iter();
    let mut values = environment.filter_map(|pair| {
        let (found, value) = pair.split_once('=')?;
        (found == name).then(|| value.to_owned())
    });
    values.next()
}

/// The arguments of a process, its own name included. Empty if there is no such process.
pub fn arguments(pid: u32) -> Vec<String> {
    sys::arguments(pid)
}

/// Whether a process runs. One that has ended and was not waited for does not.
pub fn is_alive(pid: u32) -> bool {
    sys::is_alive(pid)
}

/// The IDs of the children of this process. On Unix they include those that have ended and were not waited for.
pub fn children() -> Vec<u32> {
    sys::children()
}

/// The memory of this process that is in RAM, in KiB.
pub fn memory() -> usize {
    sys::memory()
}

/// The most memory of this process that was in RAM, in KiB. Where the system does not keep it, it is the highest of the
/// values that a thread reads every few milliseconds from the first call on, so call it before the work begins.
pub fn peak_memory() -> usize {
    sys::peak_memory()
}

/// The number of descriptors (on Windows: handles) that this process has open.
pub fn descriptors() -> usize {
    sys::descriptors()
}

/// Ends a process at once: with SIGKILL, or what is closest to it.
///
/// # Errors
/// Fails if the program that does it (`kill`, on Windows `taskkill`) cannot be run, or does not succeed.
pub fn kill(pid: u32) -> io::Result<()> {
    let pid = pid.to_string();
    let mut kill = if cfg!(windows) {
        let mut kill = Command::new("taskkill");
        kill.args(["/F", "/PID", &pid]);
        kill
    } else {
        let mut kill = Command::new("kill");
        kill.args(["-9", &pid]);
        kill
    };
    let status = kill.stdout(Stdio::null()).status()?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other(format!("ending process {pid}: {status}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sees_itself() {
        let own = std::process::id();
        assert!(is_alive(own));
        let name = std::env::current_exe().unwrap();
        let name = name.file_stem().unwrap().to_string_lossy();
        assert!(arguments(own)[0].contains(&*name), "{:?}", arguments(own));
        let path = variable(own, if cfg!(windows) { "Path" } else { "PATH" });
        assert!(path.is_some() || variable(own, "PATH").is_some());
        let before = peak_memory();
        let mib = std::hint::black_box(vec![1_u8; 64 << 20]);
        assert!(memory() > 48 << 10 && memory() >= mib.len() >> 11);
        std::thread::sleep(std::time::Duration::from_millis(50));
        drop(mib);
        assert!(peak_memory() >= before + (48 << 10));
        assert!(descriptors() > 2);
    }
}
