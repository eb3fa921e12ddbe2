//! Supervision on macOS, the BSDs and Android. The environment of a process cannot be read there, so descendants
//! outside of the process group are not found.

use std::os::fd::OwnedFd;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

#[path = "no_sweep.rs"]
mod no_sweep;

pub(in crate::supervisor) use no_sweep::Sweep;

/// A process that the supervisor started, identified by its number.
pub(super) struct Root(Pid);

impl Root {
    pub(super) fn of(pid: Pid) -> Self {
        Self(pid)
    }
}

impl Sweep {
    /// Ends the group of a process that the supervisor started, including the process itself. Does nothing if the
    /// process was reaped, because another process may then have its number.
    #[expect(clippy::unused_self, reason = "as on Linux")]
    pub(super) fn kill_tree(&mut self, root: &Root) {
        let flags = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if waitid(WaitId::Pid(root.0), flags).is_ok() {
            let _ = kill_process_group(root.0, Signal::KILL);
        }
    }
}

/// Always fails, because these systems have no process descriptors.
pub(super) fn signal(_descriptor: &OwnedFd, _signal: Signal) -> rustix::io::Result<()> {
    Err(rustix::io::Errno::NOSYS)
}
