//! The handle of a running CLI.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use tokio::sync::mpsc;

use crate::resume::Resumed;
use crate::stderr::Stderr;
use crate::supervisor::{Control, Supervisor};
use crate::{Exit, Exited, Shutdown, TransportError};

mod shared;

pub(crate) use shared::{Shared, State};

/// A handle to a running process, or to a substitute for one.
///
/// Clones of a handle refer to the same process. A transport without a process on this machine, such as
/// [`Io`](crate::Io), has a handle to a substitute. The substitute ends, with an unknown status, as soon as it is
/// ordered to end.
///
/// # Drop
///
/// The handles own the process. When the last handle is dropped, a thread that needs no runtime ends the process in the
/// same way as `shutdown(Shutdown::now())`. Windows has no SIGTERM. There, the process has 5 s to end after its stdin
/// was closed, and is then terminated. Handles can be dropped in any context. A future from [`exited`](Self::exited) is
/// not a handle.
#[derive(Clone)]
pub struct Process {
    owner: Arc<Owner>,
}

/// Ends the process when the last handle is dropped.
struct Owner {
    shared: Arc<Shared>,
    run_by: Supervision,
}

/// Can end a process, but does not keep the process alive. Returned by [`Process::killer`]. Use it in code that may
/// outlive the handles of the process but must still be able to end the process.
#[derive(Clone)]
pub struct Killer {
    shared: Arc<Shared>,
    run_by: Supervision,
}

/// The recipient of the controls of a process.
#[derive(Clone)]
enum Supervision {
    Supervisor(Supervised),
    /// Another part of the program carries out the controls.
    Host(mpsc::UnboundedSender<Control>),
    /// There is no process. When the handle is asked to end the process, it reports that the process has ended.
    Nobody,
}

#[derive(Clone)]
struct Supervised {
    supervisor: Arc<Supervisor>,
    id: u64,
    /// The mark in the environment of all descendants. `None` if the descendants are left running.
    mark: Option<String>,
}

impl Process {
    pub(crate) fn supervised(
        shared: Arc<Shared>,
        supervisor: Arc<Supervisor>,
        id: u64,
        mark: Option<String>,
    ) -> Self {
        let supervised = Supervised {
            supervisor,
            id,
            mark,
        };
        Self {
            owner: Arc::new(Owner {
                shared,
                run_by: Supervision::Supervisor(supervised),
            }),
        }
    }

    /// Creates a handle without a process on this machine, for transports that do not start one. The handle reports
    /// that the process has ended as soon as it is asked to end the process.
    pub fn detached() -> Self {
        let shared = Shared::new(None, Stderr::default());
        Self {
            owner: Arc::new(Owner {
                shared,
                run_by: Supervision::Nobody,
            }),
        }
    }

    pub(crate) fn run_by(shared: Arc<Shared>, host: mpsc::UnboundedSender<Control>) -> Self {
        Self {
            owner: Arc::new(Owner {
                shared,
                run_by: Supervision::Host(host),
            }),
        }
    }

    /// Whether the handle is [`detached`](Self::detached). How the CLI ends is then unknown.
    pub fn is_detached(&self) -> bool {
        matches!(self.owner.run_by, Supervision::Nobody)
    }

    /// Returns the process ID. `None` if the process is not on this machine.
    pub fn pid(&self) -> Option<u32> {
        self.owner.shared.pid
    }

    /// Returns how the process ended, or `None` while it runs.
    pub fn exit(&self) -> Option<Exit> {
        match *self.owner.shared.state.borrow() {
            State::Exited(exit) => Some(exit),
            _ => None,
        }
    }

    /// Waits until the process has ended and the system has reaped it. Any number of tasks may wait. The future borrows
    /// nothing, and does not keep the process alive.
    ///
    /// The end of the process does not mean the end of its pipes: the pipes may still contain output of the process,
    /// and its descendants may hold them open.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub fn exited(&self) -> impl Future<Output = Exit> + Send + 'static + use<> {
        let shared = self.owner.shared.clone();
        async move {
            match wait(&shared, |state| matches!(state, State::Exited(_))).await {
                State::Exited(exit) => exit,
                _ => Exit::new(None, false),
            }
        }
    }

    /// Asks the process to end (SIGTERM), and returns at once. On Windows this does the same as [`kill`](Self::kill).
    pub fn terminate(&self) {
        self.owner.control(Control::Terminate);
    }

    /// Ends the process and all its descendants (SIGKILL), and returns without waiting for their end.
    pub fn kill(&self) {
        self.owner.control(Control::Kill);
    }

    /// Returns a [`Killer`], which can end the process but does not keep it alive.
    pub fn killer(&self) -> Killer {
        Killer {
            shared: self.owner.shared.clone(),
            run_by: self.owner.run_by.clone(),
        }
    }

    /// Waits for the process to end by itself. If it does not end in time, claw ends it with the signals and time
    /// limits of `steps`. Before you call this method, ask the process to end (with `end_session`, or by closing its
    /// stdin).
    ///
    /// Keep reading the incoming lines in the meantime: a CLI that was asked to end waits some seconds until its last
    /// lines are read. If several shutdowns of one process run at the same time, claw follows the one that has
    /// progressed furthest. Among shutdowns at the same step, claw follows the one whose next step is due first.
    ///
    /// # Errors
    ///
    /// Fails with [`TransportError::Stuck`] if the process did not end in time even after SIGKILL.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe. Once the future has been polled, claw performs the shutdown even if the future is
    /// then dropped.
    pub fn shutdown(
        &self,
        steps: Shutdown,
    ) -> impl Future<Output = Result<Exit, TransportError>> + Send + 'static + use<> {
        let process = self.clone();
        async move {
            process.owner.control(Control::End(steps));
            let shared = &process.owner.shared;
            match wait(shared, |state| !matches!(state, State::Running)).await {
                State::Exited(exit) => Ok(exit),
                _ => Err(TransportError::Stuck {
                    pid: process.pid().unwrap_or_default(),
                }),
            }
        }
    }

    /// Ends the descendants that the process left behind. After a crash, claw does this by itself. Use this method if
    /// the process ended in the middle of its work although its exit status looks like a normal end. Call this method
    /// after the process has [`exited`](Self::exited). If you call it earlier, claw later treats the end of the process
    /// as a crash.
    ///
    /// The future is ready when the descendants have been killed. The call does nothing if
    /// [`leave_orphans`](crate::CommandSpec::leave_orphans()) was set, if the process is not on this machine, or on
    /// systems other than Linux and Windows.
    ///
    /// # Cancel safety
    ///
    /// The descendants are killed even if the future is dropped or never polled.
    pub fn sweep(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let swept = match &self.owner.run_by {
            Supervision::Supervisor(Supervised {
                supervisor,
                id,
                mark: Some(mark),
            }) => supervisor.sweep(*id, mark.clone()),
            _ => None,
        };
        async move {
            if let Some(swept) = swept {
                // An error means that no sweep is necessary.
                let _ = swept.await;
            }
        }
    }

    /// Returns the last 64 KiB of the process's stderr, from the start of a line, with secrets masked. The text is
    /// complete once the process has ended.
    pub fn stderr_tail(&self) -> String {
        self.owner.shared.with_stderr(|stderr| stderr.tail())
    }

    /// Returns the error for a process that ended with this exit. It is [`TransportError::SessionNotFound`] if the
    /// process did not find the session to resume, and otherwise [`TransportError::Exited`]. The error quotes the
    /// process's stderr.
    pub fn exit_error(&self, exit: Exit) -> TransportError {
        let exited = Exited {
            pid: self.pid(),
            exit,
            stderr: self.stderr_tail(),
            cut: None,
        };
        match self.owner.shared.resumed.get() {
            Some(session) => session.exit_error(exited),
            None => TransportError::Exited(Box::new(exited)),
        }
    }

    /// Sets the session that the process was started to resume.
    pub(crate) fn set_resumed(&self, session: Resumed) {
        // The value is set only once, at the start.
        let _ = self.owner.shared.resumed.set(session);
    }
}

async fn wait(shared: &Shared, done: impl FnMut(&State) -> bool) -> State {
    let mut receiver = shared.state.subscribe();
    // `wait_for` fails only if the sender was dropped, but `shared` holds the sender.
    let state = receiver.wait_for(done).await.map(|state| *state);
    state.unwrap_or(State::Stuck)
}

impl Owner {
    fn control(&self, control: Control) {
        self.run_by.control(&self.shared, control);
    }
}

impl Killer {
    /// Does the same as [`Process::terminate`]. Does nothing if the process has ended.
    pub fn terminate(&self) {
        self.run_by.control(&self.shared, Control::Terminate);
    }

    /// Does the same as [`Process::kill`]. Does nothing if the process has ended.
    pub fn kill(&self) {
        self.run_by.control(&self.shared, Control::Kill);
    }
}

impl Supervision {
    fn control(&self, shared: &Shared, control: Control) {
        match self {
            Self::Supervisor(supervised) => {
                supervised.supervisor.control(supervised.id, control);
            }
            // If the host was dropped, the process has ended.
            Self::Host(host) => drop(host.send(control)),
            Self::Nobody => {
                let unknown = State::Exited(Exit::new(None, false));
                shared.state.send_replace(unknown);
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.control(Control::Dropped);
        // The files are removed here and not by the supervisor, because the program may end before the supervisor
        // handles the control.
        self.shared.remove_files();
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("pid", &self.pid())
            .field("exit", &self.exit())
            .finish()
    }
}

impl fmt::Debug for Killer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Killer")
            .field("pid", &self.shared.pid)
            .finish_non_exhaustive()
    }
}
