//! Asks the operating system about processes, on every platform: which processes are alive, and how much memory, how
//! many threads and how many descriptors this process uses.
//!
//! Tests use this module to find processes that were left running. The functions ask the system itself, so their
//! results do not depend on claw's process handles.
//!
//! ```
//! use claw_testkit::processes;
//!
//! assert!(processes::is_alive(std::process::id()));
//! assert!(processes::children().is_empty());
//! ```

use std::io;
use std::path::PathBuf;

#[cfg_attr(target_os = "linux", path = "processes/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "processes/other.rs")]
mod sys;
#[cfg(windows)]
mod windows;

/// Builds the program `scripted-process` and returns its path. The program executes its arguments as steps, such as
/// `say=ready` and `wait`. The comment at the start of its source lists all steps. Use the program in place of a shell
/// script, which would run only on Unix.
///
/// # Errors
/// Fails with the same errors as [`agent::program`](crate::agent::program()). The documentation of that function also
/// describes where the program comes from.
pub fn program() -> io::Result<PathBuf> {
    crate::program::program("scripted-process")
}

/// Returns the IDs of the processes whose environment contains this variable with this value (`NAME=value`). A process
/// inherits the variable from its parent. Therefore, the function finds all descendants of a process, even if the
/// processes between them have ended.
///
/// A process that is being started has no environment for a short time. If a process was started just before the call,
/// repeat the call until it finds the process.
pub fn with_variable(variable: &str) -> Vec<u32> {
    sys::with_variable(variable)
}

/// Returns the value of a variable in the environment of a process. `None` if the process or the variable does not
/// exist.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let environment = sys::environment(pid).into_iter();
    let mut values = environment.filter_map(|pair| {
        let (found, value) = pair.split_once('=')?;
        (found == name).then(|| value.to_owned())
    });
    values.next()
}

/// Returns the arguments of a process, with the program's own name first. Empty if the process does not exist.
pub fn arguments(pid: u32) -> Vec<String> {
    sys::arguments(pid)
}

/// Returns the session ID that the command line of a CLI's process contains after `--session-id` or `--resume`. `None`
/// if it contains no session ID. A process that the CLI starts has the CLI's command line until it executes its own
/// program. On Linux, the function returns `None` for such a process.
pub fn session(pid: u32) -> Option<String> {
    // This check comes first. If the process has executed its own program, its command line no longer changes.
    if !sys::has_executed(pid) {
        return None;
    }
    let arguments = arguments(pid);
    let of = arguments.iter().find_map(|argument| {
        let of = argument.strip_prefix("--resume=");
        of.or_else(|| argument.strip_prefix("--session-id="))
    });
    let next = arguments
        .windows(2)
        .find(|two| ["--resume", "--session-id"].contains(&&*two[0]));
    of.or_else(|| next.map(|two| &*two[1])).map(str::to_owned)
}

/// Whether a process is running. A process that has ended but was not reaped yet (a zombie) is not running.
pub fn is_alive(pid: u32) -> bool {
    sys::is_alive(pid)
}

/// Returns the IDs of the children of this process. On Unix, these include children that have ended but were not reaped
/// yet (zombies).
pub fn children() -> Vec<u32> {
    sys::children()
}

/// Returns how much RAM this process uses, in KiB.
pub fn memory() -> usize {
    sys::memory()
}

/// Returns the maximum amount of RAM that this process has used so far, in KiB. Some systems do not record this amount.
/// On these systems, the first call starts a thread that reads the current amount every few milliseconds, and the
/// function returns the maximum of these amounts. So call the function once before the work begins.
pub fn peak_memory() -> usize {
    sys::peak_memory()
}

/// Returns the number of file descriptors (on Windows: handles) that this process has open.
pub fn descriptors() -> usize {
    sys::descriptors()
}

/// Returns the number of threads of this process. `None` if the system does not report it, as on macOS.
pub fn threads() -> Option<usize> {
    sys::threads()
}

/// Ends a process immediately: with SIGKILL, or on Windows with `TerminateProcess` and exit code 1.
///
/// # Errors
/// On Unix, fails if the program `kill` cannot be run or reports a failure. On Windows, fails if the process does not
/// exist or may not be ended.
#[cfg(not(windows))]
pub fn kill(pid: u32) -> io::Result<()> {
    let pid = pid.to_string();
    let mut kill = std::process::Command::new("kill");
    let status = kill.args(["-9", &pid]).status()?;
    if status.success() {
        Ok(())
    } else {
        Err(io::Error::other(format!("ending process {pid}: {status}")))
    }
}

#[cfg(windows)]
pub use windows::kill;
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
        let before = threads();
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let another = std::thread::spawn(move || receiver.recv());
        assert!(threads() > before || before.is_none(), "{before:?}");
        drop(sender);
        another.join().unwrap().unwrap_err();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_copy_of_a_process_has_no_session() {
        use std::io::{BufRead as _, BufReader, Write as _};
        use std::process::{Command, Stdio};

        let script = "(echo begun; read line; :); :";
        let mut shell = Command::new("sh")
            .args(["-c", script, "--session-id", "a"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut lines = BufReader::new(shell.stdout.take().unwrap());
        lines.read_line(&mut line).unwrap();
        let own = shell.id();
        let copy = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap();
        let copy = copy.trim().parse().unwrap();
        assert_eq!(arguments(own), arguments(copy));
        assert_eq!(session(own).as_deref(), Some("a"));
        assert_eq!(session(copy), None);
        shell.stdin.take().unwrap().write_all(b"\n").unwrap();
        assert!(shell.wait().unwrap().success());
        assert_eq!(session(own), None);
        assert_eq!(session(std::process::id()), None);
    }

    #[test]
    fn who_is_ended_is_not_alive() {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "processes::tests::waits", "--nocapture"])
            .env("CLAW_TEST_WAITS", "1")
            .spawn()
            .unwrap();
        assert!(is_alive(child.id()));
        kill(child.id()).unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), cfg!(windows).then_some(1));
        assert!(!is_alive(child.id()));
    }

    /// This test waits in a process that the test above kills.
    #[test]
    fn waits() {
        while std::env::var_os("CLAW_TEST_WAITS").is_some() {
            std::thread::park();
        }
    }
}
