//! Processes on Windows. Each process has a job object that contains its descendants.

use std::io::{self, Read};
use std::os::windows::io::AsRawHandle as _;
use std::os::windows::process::CommandExt as _;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, CommandWrapper, JobObject};
use win32job::{ExtendedLimitInfo, Job};

use crate::Exit;
use crate::process::Shared;
use crate::stderr::Stderr;

#[path = "no_sweep.rs"]
mod no_sweep;

pub(super) use no_sweep::Sweep;

/// The interval at which processes are checked. Waiting for all of them together would require unsafe code.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// The maximum time for which the end of stderr is awaited after an exit.
const STDERR_END: Duration = Duration::from_millis(200);

/// The time that a process has to end by itself after its handles were dropped, before its job is terminated. On
/// Windows, only the end of its stdin asks the process to end, and the process must still write the last messages to
/// its transcript.
pub(super) const DROPPED_GRACE: Duration = Duration::from_secs(5);

/// Wakes the supervisor from another thread.
#[derive(Clone)]
pub(super) struct Notifier(SyncSender<()>);

/// The receiver of wake-ups. The supervisor sleeps until it receives one.
pub(super) struct Poller(Receiver<()>);

#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
pub(super) fn notifier() -> io::Result<(Notifier, Poller)> {
    let (notifier, poller) = sync_channel(1);
    Ok((Notifier(notifier), Poller(poller)))
}

impl Notifier {
    pub(super) fn notify(&self) {
        // A full channel means that a wake-up is already pending.
        let _ = self.0.try_send(());
    }
}

impl Poller {
    /// Sleeps until a wake-up arrives or the timeout has passed. While children exist, sleeps only for a short time.
    /// Returns the children that may need attention.
    pub(super) fn wait<'a>(
        &mut self,
        children: impl Iterator<Item = (u64, &'a Child)>,
        timeout: Option<Duration>,
    ) -> Vec<u64> {
        // A process that has ended needs no checks. Its session only waits until its handles are dropped.
        let running = children.filter(|(_, child)| !(child.reaped && child.stderr_ended()));
        let ids: Vec<u64> = running.map(|(id, _)| id).collect();
        let check = (!ids.is_empty()).then_some(CHECK_INTERVAL);
        match timeout.into_iter().chain(check).min() {
            Some(timeout) => drop(self.0.recv_timeout(timeout)),
            None => drop(self.0.recv()),
        }
        ids
    }
}

/// A process with its job, from its start until its end is known.
pub(super) struct Child {
    process: Box<dyn ChildWrapper>,
    /// The job that ends the process and its descendants when the host ends for any reason. `None` if they may outlive
    /// the host.
    ends_with_host: Option<Job>,
    leave_orphans: bool,
    ended: Option<(Option<ExitStatus>, Instant)>,
    reaped: bool,
    stderr_ended: Arc<AtomicBool>,
}

/// Prevents the process from opening a console window.
#[derive(Debug)]
struct NoWindow;

impl CommandWrapper for NoWindow {
    fn pre_spawn(&mut self, command: &mut Command, _: &CommandWrap) -> io::Result<()> {
        const CREATE_SUSPENDED: u32 = 0x0000_0004;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        // These flags replace the flags that the job object has set. The job object requires that the process is
        // suspended until it is in the job, so that flag is set here again.
        command.creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW);
        Ok(())
    }
}

/// Puts the process into a job that ends when its last handle is closed. Only the host has a handle of this job. (The
/// job of process-wrap is inside this job. [`Child::terminate`] terminates that inner job.)
#[derive(Debug, Clone, Default)]
struct EndWithHost(Arc<Mutex<Option<Job>>>);

impl CommandWrapper for EndWithHost {
    /// This is called while the process is suspended, so that the job contains all processes that the process starts.
    fn post_spawn(
        &mut self,
        _: &mut Command,
        child: &mut std::process::Child,
        _: &CommandWrap,
    ) -> io::Result<()> {
        let assign = |child: &std::process::Child| {
            let job = Job::create()?;
            job.set_extended_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close())?;
            job.assign_process(child.as_raw_handle() as isize)?;
            Ok(job)
        };
        match assign(child) {
            Ok(job) => {
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
                Ok(())
            }
            Err(error) => {
                // If the process were not killed, it would stay suspended.
                let _ = child.kill();
                Err(io::Error::other::<win32job::JobError>(error))
            }
        }
    }
}

impl Child {
    pub(super) fn spawn(
        mut command: Command,
        leave_orphans: bool,
        notifier: &Notifier,
        stderr: Stderr,
    ) -> io::Result<(Self, Arc<Shared>, ChildStdin, ChildStdout)> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let ends_with_host = EndWithHost::default();
        let mut command = CommandWrap::from(command);
        command.wrap(JobObject).wrap(NoWindow);
        if !leave_orphans {
            command.wrap(ends_with_host.clone());
        }
        let mut child = command.spawn()?;
        let mut job = ends_with_host
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let ends_with_host = job.take();
        drop(job);
        let shared = Shared::new(Some(child.id()), stderr);
        let pipes = (
            child.stdin().take(),
            child.stdout().take(),
            child.stderr().take(),
        );
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            let _ = child.start_kill();
            return Err(io::Error::other("the new process has no pipes"));
        };
        let stderr_ended = Arc::new(AtomicBool::new(false));
        let child = Self {
            process: child,
            ends_with_host,
            leave_orphans,
            ended: None,
            reaped: false,
            stderr_ended: stderr_ended.clone(),
        };
        let (drained, notifier) = (shared.clone(), notifier.clone());
        let drain = move || {
            drain(stderr, &drained);
            stderr_ended.store(true, Ordering::Release);
            notifier.notify();
        };
        std::thread::Builder::new()
            .name("claw-drain".into())
            .spawn(drain)?;
        Ok((child, shared, stdin, stdout))
    }

    pub(super) fn is_reaped(&self) -> bool {
        self.reaped
    }

    pub(super) fn stderr_ended(&self) -> bool {
        self.stderr_ended.load(Ordering::Acquire)
    }

    /// Terminates the whole job, because Windows has no SIGTERM. If `leave_orphans` is set, terminates only the
    /// process.
    pub(super) fn terminate(&mut self) {
        if self.ended.is_some() {
            return;
        }
        let _ = if self.leave_orphans {
            self.process.inner_mut().start_kill()
        } else {
            self.process.start_kill()
        };
    }

    /// Does the same as `terminate`.
    pub(super) fn kill(&mut self, _leave_orphans: bool, _sweep: &mut Sweep) {
        self.terminate();
    }

    /// Returns the exit of the process. Later calls return `None`.
    pub(super) fn reap(
        &mut self,
        forced: bool,
        _leave_orphans: bool,
        _sweep: &mut Sweep,
    ) -> Option<Exit> {
        if self.reaped {
            return None;
        }
        if self.ended.is_none() {
            let status = match self.process.try_wait() {
                Ok(None) => return None,
                Ok(Some(status)) => Some(status),
                Err(_) => None,
            };
            self.ended = Some((status, Instant::now()));
        }
        let (status, at) = self.ended?;
        if !self.stderr_ended() && at.elapsed() < STDERR_END {
            return None;
        }
        let exit = Exit::new(status, forced);
        // If a process ended by itself, its descendants are left running.
        if let Some(job) = self.ends_with_host.take_if(|_| exit.is_clean()) {
            let _ = job.set_extended_limit_info(&ExtendedLimitInfo::new());
        }
        self.reaped = true;
        Some(exit)
    }

    /// Ends the descendants that the process left behind in its job.
    pub(super) fn end_left(&mut self) {
        if !self.leave_orphans {
            let _ = self.process.start_kill();
        }
    }

    /// Whether this `Child` is needed to end remaining descendants: [`end_left`](Self::end_left) may still be called.
    pub(super) fn is_needed_for_descendants(&self) -> bool {
        !self.leave_orphans
    }

    /// Does nothing, because a thread reads stderr on Windows.
    #[expect(clippy::unused_self, reason = "as on Unix")]
    pub(super) fn drain_stderr(&mut self, _shared: &Shared) {}
}

fn drain(mut pipe: ChildStderr, shared: &Shared) {
    let mut buffer = [0; 16 * 1024];
    loop {
        match pipe.read(&mut buffer) {
            Ok(length @ 1..) => shared.with_stderr(|stderr| stderr.push(&buffer[..length])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
        }
    }
    shared.with_stderr(Stderr::end);
}
