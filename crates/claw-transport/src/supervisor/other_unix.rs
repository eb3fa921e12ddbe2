//! macOS and the BSDs: nothing tells of a parent's death, and a process's environment cannot be
//! read. What the process's group does not hold is not found.

use std::os::fd::OwnedFd;
use std::process::Command;
use std::time::Instant;

use rustix::process::Pid;

pub(super) fn bind_to_host(_command: &mut Command) {}

pub(super) fn exit_descriptor(_pid: Pid) -> Option<OwnedFd> {
    None
}

/// Nothing to look through.
#[derive(Default)]
pub(in crate::supervisor) struct Sweep;

impl Sweep {
    #[expect(
        clippy::unused_self,
        clippy::needless_pass_by_value,
        reason = "as on Linux"
    )]
    pub(in crate::supervisor) fn add(&mut self, _mark: String) {}

    #[expect(clippy::unused_self, reason = "as on Linux")]
    pub(in crate::supervisor) fn due(&self) -> Option<Instant> {
        None
    }

    #[expect(clippy::unused_self, reason = "as on Linux")]
    pub(in crate::supervisor) fn run(&mut self, _now: Instant) {}

    #[expect(clippy::unused_self, reason = "as on Linux")]
    pub(super) fn kill_descendants(&mut self, _root: Pid) {}
}
