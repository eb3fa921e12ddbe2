//! The threads that start processes.
//!
//! During a start, the kernel enters the working directory and opens the program. Both can take long on an unresponsive
//! file system. Therefore, separate threads start the processes. Usually there is one such thread. Linux binds the
//! setting "signal me when my parent dies" to the thread that started a process, so these threads do not end while the
//! supervisor runs.

use std::ffi::OsString;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ChildStdin, ChildStdout};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::{Command, SESSION_VARIABLE, Session, Spawned, Supervisor, sys};
use crate::command::is_in_use;
use crate::error::LaunchHookTooLate;
use crate::mask::Mask;
use crate::stderr::Stderr;
use crate::{CommandSpec, TransportError};

/// The time for which launches wait for a busy thread before another thread is added.
const PATIENCE: Duration = Duration::from_millis(200);
/// The maximum number of launch threads. If all are busy, further launches wait.
const MOST_THREADS: usize = 32;
/// The number of retries if the executable is still being written, and the first pause between retries. Each pause is
/// twice as long as the previous one.
const BUSY_RETRIES: u32 = 8;
const BUSY_PAUSE: Duration = Duration::from_millis(10);

type Hook = Box<dyn Fn() -> io::Result<()> + Send + Sync>;

/// The hook. It is set once, either by [`set_launch_hook`] or, without a hook, by the first launch.
static HOOK: OnceLock<Option<Hook>> = OnceLock::new();

/// Sets a hook for claw's launch threads, which start all processes. The hook runs in each of these threads before the
/// thread starts its first process. Call this function before any other function of claw.
/// claw starts processes in separate threads, so the processes inherit nothing from the thread that calls claw. On
/// Linux, this applies to its `PR_SET_NO_NEW_PRIVS`, Landlock rules, seccomp filters (without TSYNC), CPU affinity,
/// nice value, namespaces and capabilities. The processes do inherit what the hook sets in the launch thread.
///
/// claw usually has one launch thread. Only while the start of a process hangs, it has more threads, at most 32. The
/// launch threads live as long as your program. If the hook returns an error or panics, no process is started and the
/// launch fails with [`TransportError::LaunchHook`]. The hook then runs again before the next launch. A hook that
/// blocks delays only launches.
///
/// # Errors
///
/// Fails with [`LaunchHookTooLate`] if a process was launched before, or if a hook is already set. In this case, the
/// call has no effect.
pub fn set_launch_hook(
    hook: impl Fn() -> io::Result<()> + Send + Sync + 'static,
) -> Result<(), LaunchHookTooLate> {
    HOOK.set(Some(Box::new(hook)))
        .map_err(|_| LaunchHookTooLate)
}

/// A process to start, and the sender of the reply.
pub(super) struct Launch {
    spec: CommandSpec,
    reply: oneshot::Sender<Result<Spawned, TransportError>>,
    tries: u32,
    /// The time of the next retry.
    pub(super) at: Option<Instant>,
}

/// The outcome of a launch.
pub(super) enum Launched {
    Started(Box<Started>),
    /// The executable was still being written, so the launch is retried.
    Busy(Box<Launch>),
    /// The launch has failed and its caller was notified, or the caller was dropped before the launch.
    Failed,
}

/// A new process that the supervisor does not watch yet. If a `Started` is dropped, the process is killed.
pub(super) struct Started {
    pub(super) session: Session,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) reply: oneshot::Sender<Result<Spawned, TransportError>>,
}

/// The supervisor's view of the launch threads.
pub(super) struct LaunchThreads {
    supervisor: Arc<Supervisor>,
    sender: Sender<Box<Launch>>,
    queue: Arc<Mutex<Receiver<Box<Launch>>>>,
    threads: usize,
    /// The number of launches that were sent to the threads and are not complete.
    open: usize,
    /// The time at which a launch was last completed or a thread was last requested.
    moved: Instant,
}

impl LaunchThreads {
    pub(super) fn new(supervisor: Arc<Supervisor>) -> Self {
        let (sender, queue) = mpsc::channel();
        Self {
            supervisor,
            sender,
            queue: Arc::new(Mutex::new(queue)),
            threads: 0,
            open: 0,
            moved: Instant::now(),
        }
    }

    pub(super) fn start(&mut self, launch: Box<Launch>) {
        if self.threads == 0
            && let Err(error) = self.add()
        {
            let _ = launch.reply.send(Err(error.into()));
            return;
        }
        if self.open == self.threads {
            self.moved = Instant::now();
        }
        self.open += 1;
        // Sending cannot fail, because `self` also owns the receiver.
        let _ = self.sender.send(launch);
    }

    /// Records that a launch is complete.
    pub(super) fn done(&mut self) {
        self.open -= 1;
        self.moved = Instant::now();
    }

    /// Returns the number of launches that are not complete.
    pub(super) fn open(&self) -> usize {
        self.open
    }

    /// Returns the time at which another thread is needed.
    pub(super) fn due(&self) -> Option<Instant> {
        let is_needed = self.open > self.threads && self.threads < MOST_THREADS;
        is_needed.then(|| self.moved + PATIENCE)
    }

    /// Adds a thread if one is needed.
    pub(super) fn grow(&mut self, now: Instant) {
        if self.due().is_some_and(|due| due <= now) {
            // If the system refuses another thread, the next attempt follows later.
            let _ = self.add();
            self.moved = now;
        }
    }

    fn add(&mut self) -> io::Result<()> {
        HOOK.get_or_init(|| None);
        let (supervisor, queue) = (self.supervisor.clone(), self.queue.clone());
        std::thread::Builder::new()
            .name("claw-launch".into())
            .spawn(move || work(&supervisor, &queue))?;
        self.threads += 1;
        Ok(())
    }
}

/// The loop of a launch thread. It ends when the supervisor has ended.
fn work(supervisor: &Supervisor, queue: &Mutex<Receiver<Box<Launch>>>) {
    let mut ready = false;
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(launch) = next else { return };
        let launched = if launch.reply.is_closed() {
            Launched::Failed
        } else if let Err(error) = make_ready(&mut ready) {
            let _ = launch.reply.send(Err(TransportError::LaunchHook(error)));
            Launched::Failed
        } else {
            launch.run(&supervisor.notifier)
        };
        supervisor.send(Command::Launched(launched));
    }
}

/// Runs the hook, unless it has already run in this thread.
fn make_ready(ready: &mut bool) -> io::Result<()> {
    if !*ready && let Some(Some(hook)) = HOOK.get() {
        let panicked = |_| Err(io::Error::other("it panicked"));
        catch_unwind(AssertUnwindSafe(hook)).unwrap_or_else(panicked)?;
    }
    *ready = true;
    Ok(())
}

impl Launch {
    pub(super) fn new(
        spec: CommandSpec,
        reply: oneshot::Sender<Result<Spawned, TransportError>>,
    ) -> Self {
        Self {
            spec,
            reply,
            tries: 0,
            at: None,
        }
    }

    fn run(mut self: Box<Self>, notifier: &sys::Notifier) -> Launched {
        let error = match self.spawn(notifier) {
            Ok((session, stdin, stdout)) => {
                return Launched::Started(Box::new(Started {
                    session,
                    stdin,
                    stdout,
                    reply: self.reply,
                }));
            }
            Err(TransportError::NotLaunchable { source, .. })
                if is_in_use(&source) && self.tries < BUSY_RETRIES =>
            {
                self.at = Some(Instant::now() + BUSY_PAUSE * 2_u32.pow(self.tries));
                self.tries += 1;
                return Launched::Busy(self);
            }
            Err(error) => error,
        };
        let _ = self.reply.send(Err(error));
        Launched::Failed
    }

    fn spawn(
        &self,
        notifier: &sys::Notifier,
    ) -> Result<(Session, ChildStdin, ChildStdout), TransportError> {
        // The standard library's `Command` would lose an argument with a NUL, instead of refusing it.
        let has_nul = |argument: &OsString| argument.as_encoded_bytes().contains(&0);
        if self.spec.args.iter().any(has_nul) {
            return Err(self.spec.launch_error(io::ErrorKind::InvalidInput.into()));
        }
        let mark = uuid::Uuid::new_v4().simple().to_string();
        let mut marks = self.spec.variable(SESSION_VARIABLE).unwrap_or_default();
        if !marks.is_empty() {
            marks.push(":");
        }
        marks.push(&mark);
        let mut command = self.spec.to_std();
        command.env(SESSION_VARIABLE, marks);
        let mut files = Vec::new();
        for file in &self.spec.files {
            let (argument, file) = file.write()?;
            command.arg(argument);
            files.push(file);
        }
        let secrets = Mask::of_environment(&self.spec.env);
        let stderr = Stderr::new(secrets, self.spec.on_stderr.clone());
        let (child, shared, stdin, stdout) =
            sys::Child::spawn(command, self.spec.leave_orphans, notifier, stderr)
                .map_err(|error| self.spec.launch_error(error))?;
        shared.keep_files(files);
        let session = Session {
            child,
            shared,
            mark,
            leave_orphans: self.spec.leave_orphans,
            forced: false,
            cut_short: false,
            dropped: false,
            steps: None,
        };
        Ok((session, stdin, stdout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_added_one_by_one_while_launches_wait_and_up_to_a_bound() {
        let mut threads = LaunchThreads::new(Supervisor::get().unwrap());
        let start = threads.moved;
        // Simulates one launch that hangs, and another one that waits.
        (threads.threads, threads.open) = (1, 1);
        assert_eq!(threads.due(), None);
        threads.open = 2;
        assert_eq!(threads.due(), Some(start + PATIENCE));
        threads.grow(start);
        assert_eq!(threads.threads, 1);
        threads.open = 100;
        let mut now = start;
        while let Some(due) = threads.due() {
            assert!(due > now);
            now = due;
            threads.grow(now);
        }
        assert_eq!(threads.threads, MOST_THREADS);
        // A completed launch restarts the waiting time.
        (threads.threads, threads.open) = (1, 3);
        threads.done();
        assert!(threads.due() > Some(start + PATIENCE));
    }
}
