//! Processes on Unix. Each process has a separate process session and a non-blocking stderr. A single `poll` waits for
//! all of them.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid,
};

use crate::Exit;
use crate::process::Shared;
use crate::stderr::Stderr;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "other_unix.rs")]
mod platform;

pub(super) use platform::Sweep;

/// The number of bytes of stderr that are read before other processes are handled. By default, no pipe contains more
/// bytes, so a single read of this size after the exit reads everything.
const STDERR_TURN: usize = 1024 * 1024;

/// The time that a process has to end by itself after its handles were dropped, before it is terminated. It is zero
/// because SIGTERM already asks the process to end.
pub(super) const DROPPED_GRACE: Duration = Duration::ZERO;

/// Wakes the supervisor from another thread.
#[derive(Clone)]
pub(super) struct Notifier(Arc<UnixStream>);

/// The receiver of wake-ups. The supervisor sleeps until it receives one.
pub(super) struct Poller(UnixStream);

pub(super) fn notifier() -> io::Result<(Notifier, Poller)> {
    let (notifier, poller) = UnixStream::pair()?;
    notifier.set_nonblocking(true)?;
    poller.set_nonblocking(true)?;
    Ok((Notifier(Arc::new(notifier)), Poller(poller)))
}

impl Notifier {
    pub(super) fn notify(&self) {
        // A full buffer means that a wake-up is already pending.
        let _ = (&*self.0).write(&[0]);
    }
}

impl Poller {
    /// Sleeps until a wake-up arrives, a child has ended or written to stderr, or the timeout has passed. Returns the
    /// children that may need attention.
    pub(super) fn wait<'a>(
        &mut self,
        children: impl Iterator<Item = (u64, &'a Child)>,
        timeout: Option<Duration>,
    ) -> Vec<u64> {
        let children: Vec<_> = children.collect();
        let mut fds = vec![PollFd::new(&self.0, PollFlags::IN)];
        let mut ids = Vec::new();
        for (id, child) in &children {
            if let Watch::Descriptor(fd) = &child.watch {
                fds.push(PollFd::new(fd, PollFlags::IN));
                ids.push(*id);
            }
            if let Some(stderr) = &child.stderr {
                fds.push(PollFd::new(stderr, PollFlags::IN));
                ids.push(*id);
            }
        }
        let timeout = timeout.and_then(|time| Timespec::try_from(time).ok());
        let polled = poll(&mut fds, timeout.as_ref());
        let rang = !fds[0].revents().is_empty();
        let mut ready: Vec<u64> = fds[1..]
            .iter()
            .zip(ids)
            .filter_map(|(fd, id)| (!fd.revents().is_empty()).then_some(id))
            .collect();
        drop(fds);
        if rang {
            while matches!(self.0.read(&mut [0; 64]), Ok(1..)) {}
        }
        ready.extend(
            children
                .iter()
                .filter_map(|(id, child)| match &child.watch {
                    Watch::Thread(ended) if ended.load(Ordering::Acquire) => Some(*id),
                    _ => None,
                }),
        );
        match polled {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => {
                // The most likely cause is a lack of memory. After a pause, all children are checked.
                std::thread::sleep(Duration::from_millis(20));
                ready = children.iter().map(|(id, _)| *id).collect();
            }
        }
        ready.dedup();
        ready
    }
}

/// A process, from its start until it is reaped.
pub(super) struct Child {
    pid: Pid,
    root: platform::Root,
    watch: Watch,
    stderr: Option<ChildStderr>,
}

/// The way in which the end of the process is detected.
enum Watch {
    /// A descriptor becomes readable when the process ends.
    Descriptor(OwnedFd),
    /// A thread waits for the process, sets this flag when the process ends, and wakes the supervisor.
    Thread(Arc<AtomicBool>),
    /// The process was reaped. Its process ID may belong to another process now.
    Reaped,
}

impl Child {
    pub(super) fn spawn(
        mut command: Command,
        _leave_orphans: bool,
        notifier: &Notifier,
        stderr: Stderr,
    ) -> io::Result<(Self, Arc<Shared>, ChildStdin, ChildStdout)> {
        let spawned = claw_spawn::spawn(&mut command)?;
        let pid = spawned.pid;
        let shared = Shared::new(Some(pid.as_raw_pid().cast_unsigned()), stderr);
        let watch = match spawned.pidfd {
            Some(fd) => Watch::Descriptor(fd),
            None => Watch::Thread(watch_by_thread(pid, notifier.clone())),
        };
        let blocking = rustix::io::ioctl_fionbio(&spawned.stderr, true);
        let child = Self {
            pid,
            root: platform::Root::of(pid),
            watch,
            stderr: Some(spawned.stderr),
        };
        if let Err(error) = blocking {
            child.signal(Signal::KILL);
            let _ = waitpid(Some(pid), WaitOptions::empty());
            return Err(error.into());
        }
        Ok((child, shared, spawned.stdin, spawned.stdout))
    }

    /// Does nothing, because remaining descendants are found by the mark in their environment.
    #[expect(clippy::unused_self, reason = "as on Windows")]
    pub(super) fn end_left(&mut self) {}

    /// Whether this `Child` is needed to find remaining descendants. Always `false`, because they are found by their
    /// mark.
    #[expect(clippy::unused_self, reason = "as on Windows")]
    pub(super) fn is_needed_for_descendants(&self) -> bool {
        false
    }

    pub(super) fn is_reaped(&self) -> bool {
        matches!(self.watch, Watch::Reaped)
    }

    pub(super) fn stderr_ended(&self) -> bool {
        self.stderr.is_none()
    }

    /// Sends SIGTERM only to the process itself. The process then ends its own children.
    pub(super) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends a signal to the process. A process descriptor is used if the system has one. If other code of the host
    /// reaps children, another process may already have the number of this process.
    fn signal(&self, signal: Signal) {
        let _ = match &self.watch {
            Watch::Descriptor(fd) => platform::signal(fd, signal),
            Watch::Thread(_) => kill_process(self.pid, signal),
            Watch::Reaped => Ok(()),
        };
    }

    /// Ends the process. Also ends all its descendants, unless `leave_orphans` is set.
    pub(super) fn kill(&self, leave_orphans: bool, sweep: &mut Sweep) {
        if self.is_reaped() {
            return;
        }
        if !leave_orphans {
            sweep.kill_tree(&self.root);
        }
        self.signal(Signal::KILL);
    }

    /// Reaps the process if it has ended.
    pub(super) fn reap(
        &mut self,
        forced: bool,
        leave_orphans: bool,
        sweep: &mut Sweep,
    ) -> Option<Exit> {
        if self.is_reaped() {
            return None;
        }
        // The process is not reaped yet. Until it is reaped, no other process group can have the same number.
        let flags = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.pid), flags) {
            Ok(None) | Err(rustix::io::Errno::INTR) => return None,
            Ok(Some(status)) => {
                let clean = !forced && status.exit_status().is_some_and(|code| code < 128);
                if !clean && !leave_orphans {
                    sweep.kill_tree(&self.root);
                }
            }
            // The status is lost if the host ignores SIGCHLD or waits for any child.
            Err(_) => {}
        }
        let reaped = waitpid(Some(self.pid), WaitOptions::NOHANG).ok().flatten();
        let status = reaped.map(|(_, status)| ExitStatus::from_raw(status.as_raw()));
        self.watch = Watch::Reaped;
        Some(Exit::new(status, forced))
    }

    /// Reads the bytes that are available in the stderr pipe.
    pub(super) fn drain_stderr(&mut self, shared: &Shared) {
        let Some(pipe) = &mut self.stderr else { return };
        let mut buffer = [0; 16 * 1024];
        let mut left = STDERR_TURN;
        while left > 0 {
            match pipe.read(&mut buffer) {
                Ok(length @ 1..) => {
                    shared.with_stderr(|stderr| stderr.push(&buffer[..length]));
                    left = left.saturating_sub(length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Ok(0) | Err(_) => {
                    shared.with_stderr(Stderr::end);
                    self.stderr = None;
                    return;
                }
            }
        }
    }
}

/// Starts a thread that waits for the end of the process without reaping it. Used on systems without process
/// descriptors.
fn watch_by_thread(pid: Pid, notifier: Notifier) -> Arc<AtomicBool> {
    let ended = Arc::new(AtomicBool::new(false));
    let flag = ended.clone();
    let wait = move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(pid), options) {}
        flag.store(true, Ordering::Release);
        notifier.notify();
    };
    let thread = std::thread::Builder::new()
        .name("claw-wait".into())
        .spawn(wait);
    if thread.is_err() {
        // If the thread cannot be started, the process is checked at each wake-up.
        ended.store(true, Ordering::Release);
    }
    ended
}

#[cfg(test)]
#[path = "unix_tests.rs"]
mod tests;
