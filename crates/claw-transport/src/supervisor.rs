//! The supervisor is the only thread of a host process that watches, ends and reaps the CLIs of that process. It
//! requests the start of each CLI from other threads.
//!
//! The thread starts with the first process and never ends. It is a thread and not a task, because sessions can be
//! dropped outside of runtimes.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::process::{Shared, State};
use crate::shutdown_steps::{ShutdownSteps, Step};
use crate::{CommandSpec, Exit, Process, Shutdown, TransportError};
use lateness::Lateness;
use launch::{Launch, LaunchThreads, Launched, Started};

pub use launch::set_launch_hook;

mod lateness;
mod launch;
#[cfg_attr(unix, path = "supervisor/unix.rs")]
#[cfg_attr(windows, path = "supervisor/windows.rs")]
mod sys;

/// The environment variable that marks a CLI and its descendants. It contains the IDs of launches, beginning with the
/// outermost one.
pub(crate) const SESSION_VARIABLE: &str = "CLAW_SESSION";

/// The channel to the thread.
pub(crate) struct Supervisor {
    commands: Sender<Command>,
    notifier: sys::Notifier,
    host: u32,
}

/// A process with its two pipes. If a `Spawned` is dropped, the process is ended.
pub(crate) struct Spawned {
    pub(crate) process: Process,
    pub(crate) stdin: std::process::ChildStdin,
    pub(crate) stdout: std::process::ChildStdout,
}

/// Controls that the handles of a process send.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Control {
    Terminate,
    Kill,
    End(Shutdown),
    /// The last handle was dropped.
    Dropped,
}

enum Command {
    Spawn(Box<Launch>),
    Launched(Launched),
    Control(u64, Control),
    /// Ends the descendants of the process with this ID. The descendants have this mark in their environment.
    Sweep(u64, String, oneshot::Sender<()>),
    /// Replies when all processes whose handles were dropped have ended.
    WaitForDropped(oneshot::Sender<()>),
}

/// The supervisor of this host process and its thread. Set when the first process is started.
static SUPERVISOR: Mutex<Option<(Arc<Supervisor>, JoinHandle<()>)>> = Mutex::new(None);

/// Waits until all processes whose handles were dropped have ended. It also waits for processes whose launch was
/// cancelled because its future was dropped. On systems where claw ends the descendants of a process, these have then
/// ended too.
///
/// When the last handle of a process is dropped, the process gets SIGTERM at once. If it ignores the signal, a thread
/// of this program kills it some seconds later. Windows has no SIGTERM. There, the process has 5 s to end after its
/// stdin was closed, and is then terminated. If the program exits earlier, the process keeps running. To prevent this,
/// drop the handles, call this function, and then exit.
///
/// For a process that still runs after SIGKILL, for example because it waits for a broken disk, the function waits only
/// a limited time. For a launch that hangs, it has no time limit. Set a time limit yourself if the working directory or
/// the CLI may be on an unresponsive file system.
///
/// # Cancel safety
///
/// Cancel safe.
pub async fn wait_for_dropped() {
    let supervisor = {
        let slot = SUPERVISOR.lock().unwrap_or_else(PoisonError::into_inner);
        let running = slot.as_ref().map(|(running, _)| running.clone());
        // A process that was forked from the host has started no processes itself.
        running.filter(|running| running.host == std::process::id())
    };
    if let Some(supervisor) = supervisor {
        let (done, ended) = oneshot::channel();
        supervisor.send(Command::WaitForDropped(done));
        // If the thread has panicked, all processes were killed.
        let _ = ended.await;
    }
}

impl Supervisor {
    /// Returns the supervisor of this host process. Starts it if necessary.
    fn get() -> io::Result<Arc<Self>> {
        let mut slot = SUPERVISOR.lock().unwrap_or_else(PoisonError::into_inner);
        // A process that was forked from the host has a copy of this `Supervisor`, but not its thread. A thread that
        // has panicked, for example in a tracing subscriber, can no longer start processes.
        if let Some((running, thread)) = &*slot
            && running.host == std::process::id()
            && !thread.is_finished()
        {
            return Ok(running.clone());
        }
        let (commands, receiver) = mpsc::channel();
        let (notifier, poller) = sys::notifier()?;
        let started = Arc::new(Self {
            commands,
            notifier,
            host: std::process::id(),
        });
        let weak = started.clone();
        let thread = std::thread::Builder::new()
            .name("claw-supervisor".into())
            .spawn(move || Thread::new(weak, receiver, poller).run())?;
        *slot = Some((started.clone(), thread));
        Ok(started)
    }

    /// Starts a process.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the process is ended, even if it is still being started.
    pub(crate) async fn spawn(spec: CommandSpec) -> Result<Spawned, TransportError> {
        let supervisor = Self::get()?;
        let (reply, answer) = oneshot::channel();
        supervisor.send(Command::Spawn(Box::new(Launch::new(spec, reply))));
        answer
            .await
            .unwrap_or_else(|_| Err(io::Error::other("the supervisor is gone").into()))
    }

    pub(crate) fn control(&self, id: u64, control: Control) {
        // A process that was forked from the host owns no CLI processes.
        if self.host == std::process::id() {
            self.send(Command::Control(id, control));
        }
    }

    /// Ends the descendants that a process left behind. The returned receiver is ready after one search for them.
    pub(crate) fn sweep(&self, id: u64, mark: String) -> Option<oneshot::Receiver<()>> {
        // A process that was forked from the host owns no CLI processes.
        (self.host == std::process::id()).then(|| {
            let (done, swept) = oneshot::channel();
            self.send(Command::Sweep(id, mark, done));
            swept
        })
    }

    fn send(&self, command: Command) {
        if self.commands.send(command).is_ok() {
            self.notifier.notify();
        }
    }
}

/// The state of the supervisor's thread.
struct Thread {
    supervisor: Arc<Supervisor>,
    receiver: Receiver<Command>,
    poller: sys::Poller,
    sessions: BTreeMap<u64, Session>,
    last_id: u64,
    launches: LaunchThreads,
    /// Launches that are retried later, because the executable is still being written.
    busy: Vec<Launch>,
    sweep: sys::Sweep,
    /// Tasks that wait for the next sweep.
    swept: Vec<oneshot::Sender<()>>,
    /// Tasks that wait for the end of dropped processes, and the highest ID of those processes.
    waiting: Vec<(u64, oneshot::Sender<()>)>,
    lateness: Lateness,
}

/// A process that the supervisor watches.
struct Session {
    child: sys::Child,
    shared: Arc<Shared>,
    mark: String,
    leave_orphans: bool,
    /// Whether claw has sent a signal to the process, or all its handles were dropped.
    forced: bool,
    /// Whether the descendants are ended when the process ends, regardless of its exit status.
    cut_short: bool,
    /// Whether the handles of the process were dropped.
    dropped: bool,
    steps: Option<ShutdownSteps>,
}

impl Thread {
    fn new(supervisor: Arc<Supervisor>, receiver: Receiver<Command>, poller: sys::Poller) -> Self {
        Self {
            launches: LaunchThreads::new(supervisor.clone()),
            supervisor,
            receiver,
            poller,
            sessions: BTreeMap::new(),
            last_id: 0,
            busy: Vec::new(),
            sweep: sys::Sweep::default(),
            swept: Vec::new(),
            waiting: Vec::new(),
            lateness: Lateness::default(),
        }
    }

    fn run(mut self) {
        loop {
            let due = self.deadline();
            let wake = self.lateness.wake_time(due, Instant::now());
            let timeout = wake.map(|at| at.saturating_duration_since(Instant::now()));
            let children = self
                .sessions
                .iter()
                .map(|(id, session)| (*id, &session.child));
            let ready = self.poller.wait(children, timeout);
            // This happens before commands are handled, because the steps of new controls must not be postponed.
            let late = self.lateness.record_wake(Instant::now());
            let begun = self.sessions.values_mut();
            for steps in begun.filter_map(|session| session.steps.as_mut()) {
                steps.postpone(late);
            }
            // Controls are handled before exits. If a dropped handle closed the stdin of a process and the process
            // ended because of that, it must not count as ended by itself.
            while let Ok(command) = self.receiver.try_recv() {
                match command {
                    Command::Spawn(launch) => self.launches.start(launch),
                    Command::Launched(launched) => self.launched(launched),
                    Command::Control(id, control) => self.control(id, control),
                    Command::Sweep(id, mark, done) => match self.sessions.get_mut(&id) {
                        Some(session) if !session.child.is_reaped() => session.cut_short = true,
                        ended => {
                            if let Some(session) = ended {
                                session.child.end_left();
                            }
                            self.sweep.add(mark);
                            self.swept.push(done);
                        }
                    },
                    Command::WaitForDropped(done) => {
                        // The processes of launches that are not complete will get the next IDs.
                        let open = self.launches.open() + self.busy.len();
                        self.waiting.push((self.last_id + open as u64, done));
                    }
                }
            }
            let now = Instant::now();
            let (due, later) = std::mem::take(&mut self.busy)
                .into_iter()
                .partition(|launch| launch.at.is_none_or(|at| at <= now));
            self.busy = later;
            Vec::into_iter(due).for_each(|launch| self.launches.start(Box::new(launch)));
            self.launches.grow(now);
            for session in self.sessions.values_mut() {
                session.take_steps(now, &mut self.sweep);
            }
            self.read_ready(&ready);
            let waiting = std::mem::take(&mut self.waiting);
            let (later, finished) = waiting
                .into_iter()
                .partition(|(last, _)| self.has_dropped(*last));
            self.waiting = later;
            for (_, done) in Vec::into_iter(finished) {
                // Sending fails if the caller was dropped.
                let _ = done.send(());
            }
        }
    }

    /// Whether a process up to this ID is still being ended after its handles were dropped. Also returns `true` if such
    /// a process may still be launched, or if descendants of an ended process may remain.
    fn has_dropped(&self, last: u64) -> bool {
        let launching = self.launches.open() > 0 || !self.busy.is_empty();
        let mut known = self.sessions.range(..=last);
        (launching && self.last_id < last)
            || known.any(|(_, session)| session.is_ending_unseen())
            || self.sweep.due().is_some()
    }

    fn deadline(&self) -> Option<Instant> {
        let steps = self
            .sessions
            .values()
            .filter_map(|session| Some(session.steps.as_ref()?.at()));
        let launches = self.busy.iter().filter_map(|launch| launch.at);
        let others = [self.launches.due(), self.sweep.due()];
        let others = others.into_iter().flatten();
        steps.chain(launches).chain(others).min()
    }

    fn launched(&mut self, launched: Launched) {
        self.launches.done();
        let Started {
            session,
            stdin,
            stdout,
            reply,
        } = match launched {
            Launched::Started(started) => *started,
            Launched::Busy(launch) => return self.busy.push(*launch),
            Launched::Failed => return,
        };
        self.last_id += 1;
        let id = self.last_id;
        let left = (!session.leave_orphans).then(|| session.mark.clone());
        let process =
            Process::supervised(session.shared.clone(), self.supervisor.clone(), id, left);
        self.sessions.insert(id, session);
        // If the caller was dropped, `send` fails and the reply is dropped together with its handle. This ends the
        // process.
        let _ = reply.send(Ok(Spawned {
            process,
            stdin,
            stdout,
        }));
    }

    fn control(&mut self, id: u64, control: Control) {
        let Some(session) = self.sessions.get_mut(&id) else {
            return;
        };
        match control {
            Control::Terminate => session.terminate(),
            Control::Kill => session.begin(Step::Kill, Shutdown::now(), Duration::ZERO),
            Control::End(times) => session.begin(Step::Terminate, times, times.grace),
            Control::Dropped => {
                session.dropped = true;
                // If the process is still running, its later exit does not count as an end by itself.
                session.forced |= !session.child.is_reaped();
                session.begin(Step::Terminate, Shutdown::now(), sys::DROPPED_GRACE);
            }
        }
        if session.is_finished() {
            self.sessions.remove(&id);
        }
    }

    /// Reads the stderr of the processes that are ready, and detects which of them have ended.
    fn read_ready(&mut self, ready: &[u64]) {
        let mut ended = Vec::new();
        for id in ready {
            let Some(session) = self.sessions.get_mut(id) else {
                continue;
            };
            if let Some(exit) =
                session
                    .child
                    .reap(session.forced, session.leave_orphans, &mut self.sweep)
            {
                if (!exit.is_clean() || session.cut_short) && !session.leave_orphans {
                    session.child.end_left();
                    self.sweep.add(session.mark.clone());
                }
                // The files are removed before the end of the process is reported.
                session.shared.remove_files();
                ended.push((*id, exit));
            }
            // stderr is read after the exit was detected, so that the tail contains all output of the process.
            session.child.drain_stderr(&session.shared);
        }
        // One sweep serves all processes that have ended since the last one. It runs before their ends are reported.
        // Later sweeps find descendants that are started during this sweep.
        let sessions = self
            .sessions
            .values()
            .filter(|session| !session.child.is_reaped());
        let pids: Vec<u32> = sessions.filter_map(|session| session.shared.pid).collect();
        self.sweep.run(Instant::now(), &pids);
        for done in self.swept.drain(..) {
            // Sending fails if the caller was dropped.
            let _ = done.send(());
        }
        for (id, exit) in ended {
            if let Some(session) = self.sessions.get_mut(&id) {
                session.steps = None;
                session.shared.state.send_replace(State::Exited(exit));
            }
        }
        self.sessions.retain(|_, session| !session.is_finished());
    }
}

impl Session {
    /// Begins a shutdown.
    fn begin(&mut self, next: Step, times: Shutdown, wait: Duration) {
        if !self.child.is_reaped() {
            ShutdownSteps::begin(&mut self.steps, next, times, Instant::now(), wait);
        }
    }

    /// Takes all steps of the shutdown that are due.
    fn take_steps(&mut self, now: Instant, sweep: &mut sys::Sweep) {
        while let Some(step) = ShutdownSteps::step(&mut self.steps, now) {
            match step {
                Step::Terminate => self.terminate(),
                Step::Kill => {
                    self.forced = true;
                    self.child.kill(self.leave_orphans, sweep);
                }
                Step::ReportStuck => {
                    self.shared.state.send_replace(State::Stuck);
                }
            }
        }
    }

    fn terminate(&mut self) {
        if !self.child.is_reaped() {
            self.forced = true;
            self.child.terminate();
        }
    }

    /// Whether all handles of the process were dropped, and a step of the shutdown is still pending.
    fn is_ending_unseen(&self) -> bool {
        self.dropped && self.steps.is_some() && !self.child.is_reaped()
    }

    /// Whether the session can be removed: the process was reaped, and its stderr has ended or can no longer be read by
    /// a handle. (A daemon may keep stderr open. It is then read as long as a handle exists.)
    fn is_finished(&self) -> bool {
        let is_read = self.child.stderr_ended() && !self.child.is_needed_for_descendants();
        self.child.is_reaped() && (self.dropped || is_read)
    }
}

impl Drop for Session {
    /// If the supervisor panics, for example in a tracing subscriber, reports that the processes have ended, so that no
    /// task waits forever.
    fn drop(&mut self) {
        if !self.child.is_reaped() {
            self.child
                .kill(self.leave_orphans, &mut sys::Sweep::default());
            let unknown = Exit::new(None, true);
            self.shared.state.send_replace(State::Exited(unknown));
        }
    }
}

#[cfg(test)]
mod tests;
