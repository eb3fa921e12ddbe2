//! macOS and the BSDs: nothing tells of a parent's death, and a process's environment cannot be
//! read. What a process's group does not hold is not found.

use std::os::fd::OwnedFd;
use std::process::Command;

use rustix::process::{Pid, Signal};

#[path = "no_sweep.rs"]
mod no_sweep;

pub(in crate::supervisor) use no_sweep::Sweep;

pub(super) fn bind_to_host(_command: &mut Command) {}

pub(super) fn exit_descriptor(_pid: Pid) -> Option<OwnedFd> {
    None
}

/// There is no such descriptor here.
pub(super) fn signal(_descriptor: &OwnedFd, _signal: Signal) -> rustix::io::Result<()> {
    Err(rustix::io::Errno::NOSYS)
}
