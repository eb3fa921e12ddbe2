//! Starts a process on Unix: in a new Unix session (`setsid`), with pipes as its standard streams.
//!
//! This is the only crate of claw with unsafe code: some steps in the new process, before it runs the program, have no
//! safe interface. The crate claw-transport uses this crate to start processes, and itself supervises and ends them:
//! see `docs/processes.md`.
//!
//! ```
//! use std::io::Read;
//! use std::process::Command;
//!
//! # fn main() -> std::io::Result<()> {
//! let mut spawned = claw_spawn::spawn(Command::new("/bin/echo").arg("hello"))?;
//! let mut text = String::new();
//! spawned.stdout.read_to_string(&mut text)?;
//! assert_eq!(text, "hello\n");
//! rustix::process::waitpid(Some(spawned.pid), rustix::process::WaitOptions::empty())?;
//! # Ok(())
//! # }
//! ```
#![cfg(unix)]
#![expect(
    unsafe_code,
    reason = "what runs in a new process before it is the program is unsafe"
)]

/// Compiles the README's example with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

use std::os::fd::OwnedFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout};

use rustix::process::Pid;

#[cfg(target_os = "linux")]
mod linux;
mod memory;
mod open_files;
#[cfg(not(target_os = "linux"))]
mod other;

pub use memory::return_large_blocks;
pub use open_files::raise_open_files;

#[cfg(target_os = "linux")]
pub use linux::spawn;
#[cfg(not(target_os = "linux"))]
pub use other::spawn;

/// A process that has just been started. Dropping this value closes the pipes and leaves the process running.
#[derive(Debug)]
#[non_exhaustive]
pub struct Spawned {
    /// The process ID, which is also the ID of the process's Unix session and process group.
    pub pid: Pid,
    /// A file descriptor that becomes readable when the process ends, and through which claw sends signals to the
    /// process. `None` where the system has no such descriptors: outside of Linux, before Linux 5.2, and in some
    /// sandboxes.
    pub pidfd: Option<OwnedFd>,
    /// The writing end of the pipe to the process's standard input.
    pub stdin: ChildStdin,
    /// The reading end of the pipe from the process's standard output.
    pub stdout: ChildStdout,
    /// The reading end of the pipe from the process's standard error.
    pub stderr: ChildStderr,
}
