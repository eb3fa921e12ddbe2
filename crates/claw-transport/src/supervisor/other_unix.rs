//! macOS and the BSDs: nothing tells of a parent's death, and a process's environment cannot be
//! read. What a process's group does not hold is not found.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::Started;

#[path = "no_sweep.rs"]
mod no_sweep;

pub(in crate::supervisor) use no_sweep::Sweep;

/// A process of ours, by its number.
pub(super) struct Root(Pid);

impl Root {
    pub(super) fn of(pid: Pid) -> Self {
        Self(pid)
    }
}

impl Sweep {
    /// Ends the group of a process of ours, itself included, unless it is reaped: then its number may
    /// be another's.
    #[expect(clippy::unused_self, reason = "as on Linux")]
    pub(super) fn kill_family(&mut self, root: &Root) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if waitid(WaitId::Pid(root.0), look).is_ok() {
            let _ = kill_process_group(root.0, Signal::KILL);
        }
    }
}

/// Starts a process in a group of its own, with pipes.
pub(super) fn start(command: &mut Command) -> io::Result<Started> {
    refuse_plain_file(command)?;
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let pid = Pid::from_child(&process);
    let pipes = (
        process.stdin.take(),
        process.stdout.take(),
        process.stderr.take(),
    );
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    Ok(Started {
        pid,
        stdin,
        stdout,
        stderr,
    })
}

/// Refuses what the system cannot run, because the C library would have a shell try it, which then
/// complains about its first line.
fn refuse_plain_file(command: &Command) -> io::Result<()> {
    const PROGRAMS: [&[u8]; 7] = [
        b"#!",
        b"\x7fELF",
        b"MZ", // for hosts that run Windows programs
        b"\xcf\xfa\xed\xfe",
        b"\xce\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
        b"\xca\xfe\xba\xbf",
    ];
    let path = Path::new(command.get_program());
    if path.components().count() < 2 || !path.is_file() {
        return Ok(());
    }
    let mut start = Vec::new();
    // One that may be run but not read is none of our business.
    let Ok(file) = File::open(path) else {
        return Ok(());
    };
    file.take(4).read_to_end(&mut start)?;
    if PROGRAMS.iter().any(|magic| start.starts_with(magic)) {
        return Ok(());
    }
    Err(rustix::io::Errno::NOEXEC.into())
}

pub(super) fn exit_descriptor(_pid: Pid) -> Option<OwnedFd> {
    None
}

/// There is no such descriptor here.
pub(super) fn signal(_descriptor: &OwnedFd, _signal: Signal) -> rustix::io::Result<()> {
    Err(rustix::io::Errno::NOSYS)
}
