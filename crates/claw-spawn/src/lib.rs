//! Starts a process on Unix: in a session of its own, with pipes as its standard streams.
//!
//! This is the one crate of claw with unsafe code in it: something has to be done in the new process
//! before it is the program, for which nothing safe exists. It is used by claw-transport, which also watches and
//! ends what it starts; `docs/processes.md` says how.
#![cfg(unix)]
#![expect(
    unsafe_code,
    reason = "what runs in a new process before it is the program is unsafe"
)]

/// The README's example is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

use std::os::fd::OwnedFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout};

use rustix::process::Pid;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub use linux::spawn;
#[cfg(not(target_os = "linux"))]
pub use other::spawn;

/// A process that has just been started. Dropping this closes the pipes and leaves the process alone.
#[derive(Debug)]
#[non_exhaustive]
pub struct Spawned {
    /// Its number. It is also that of its session and of its process group.
    pub pid: Pid,
    /// A descriptor that becomes readable when the process ends, and by which it is signalled. `None`
    /// where the system has none: outside of Linux, before Linux 5.2, in some sandboxes.
    pub pidfd: Option<OwnedFd>,
    /// The writing end of the pipe that is its standard input.
    pub stdin: ChildStdin,
    /// The reading end of the pipe that is its standard output.
    pub stdout: ChildStdout,
    /// The reading end of the pipe that is its standard error.
    pub stderr: ChildStderr,
}
