//! The handle of a running CLI.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::{mpsc, watch};

use crate::resume::Resumed;
use crate::stderr::Stderr;
use crate::supervisor::{Order, Supervisor};
use crate::{Exit, Exited, Shutdown, TransportError};

/// A running process, or the place where one would be.
///
/// Cheap to clone. A transport that has no process on this machine ([`Io`](crate::Io)) gives a
/// handle too: it ends when it is told to, with an unknown status.
///
/// # Drop
///
/// The process belongs to the handles. When the last one is dropped, the process is ended as by
/// `shutdown(Shutdown::now())`, by a thread that needs no runtime: dropping is safe anywhere. A
/// future from [`exited`](Self::exited) is no handle.
#[derive(Clone)]
pub struct Process {
    owner: Arc<Owner>,
}

/// What the handles share with the supervisor.
pub(crate) struct Shared {
    pub(crate) pid: Option<u32>,
    pub(crate) state: watch::Sender<State>,
    pub(crate) stderr: Mutex<Stderr>,
    /// Those that its arguments name. They may hold secrets, and go with the process or with its last
    /// handle, whichever is first: the host may end before the process does.
    files: Mutex<Vec<tempfile::TempPath>>,
    /// The session that it was told to resume, where that was found.
    resumed: OnceLock<Resumed>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum State {
    Running,
    /// Not even SIGKILL ended it in time. It may still be reaped.
    Stuck,
    Exited(Exit),
}

/// Drops with the last handle.
struct Owner {
    shared: Arc<Shared>,
    run_by: RunBy,
}

/// Who does what a process is told.
enum RunBy {
    Supervisor(Supervised),
    /// Another part of the program.
    Host(mpsc::UnboundedSender<Order>),
    /// There is no process: it has ended when it is told to.
    Nobody,
}

struct Supervised {
    supervisor: Arc<Supervisor>,
    id: u64,
    /// What all that it started carries. `None` if that is to be left alone.
    mark: Option<String>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("state", &*self.state.borrow())
            .finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn new(pid: Option<u32>, stderr: Stderr) -> Arc<Self> {
        let (state, _) = watch::channel(State::Running);
        Arc::new(Self {
            pid,
            state,
            stderr: Mutex::new(stderr),
            files: Mutex::default(),
            resumed: OnceLock::new(),
        })
    }

    pub(crate) fn keep_files(&self, files: Vec<tempfile::TempPath>) {
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = files;
    }

    pub(crate) fn remove_files(&self) {
        self.keep_files(Vec::new());
    }

    pub(crate) fn with_stderr<T>(&self, use_it: impl FnOnce(&mut Stderr) -> T) -> T {
        use_it(&mut self.stderr.lock().unwrap_or_else(PoisonError::into_inner))
    }
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
                run_by: RunBy::Supervisor(supervised),
            }),
        }
    }

    /// A handle without a process on this machine, for transports over something else. It "ends"
    /// when it is told to.
    pub fn detached() -> Self {
        let shared = Shared::new(None, Stderr::default());
        Self {
            owner: Arc::new(Owner {
                shared,
                run_by: RunBy::Nobody,
            }),
        }
    }

    pub(crate) fn run_by(shared: Arc<Shared>, host: mpsc::UnboundedSender<Order>) -> Self {
        Self {
            owner: Arc::new(Owner {
                shared,
                run_by: RunBy::Host(host),
            }),
        }
    }

    /// Whether there is nobody who knows how the process ends: [`detached`](Self::detached).
    pub fn is_detached(&self) -> bool {
        matches!(self.owner.run_by, RunBy::Nobody)
    }

    /// The process id. `None` where there is no process on this machine.
    pub fn pid(&self) -> Option<u32> {
        self.owner.shared.pid
    }

    /// How the process ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        match *self.owner.shared.state.borrow() {
            State::Exited(exit) => Some(exit),
            _ => None,
        }
    }

    /// Waits until the process has ended and was reaped. Any number may wait. The future borrows
    /// nothing and keeps no process alive.
    ///
    /// The end of the process says nothing about its pipes: what the process wrote may still stand in them, and
    /// what it started may hold them open.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub fn exited(&self) -> impl Future<Output = Exit> + Send + 'static + use<> {
        let shared = self.owner.shared.clone();
        async move {
            match wait(&shared, |state| matches!(state, State::Exited(_))).await {
                State::Exited(exit) => exit,
                _ => Exit::new(None, false),
            }
        }
    }

    /// Asks the process to end (SIGTERM), and does not wait. On Windows this is
    /// [`kill`](Self::kill).
    pub fn terminate(&self) {
        self.owner.order(Order::Terminate);
    }

    /// Ends the process and all that it started (SIGKILL), and does not wait.
    pub fn kill(&self) {
        self.owner.order(Order::Kill);
    }

    /// Waits for the process to end by itself, and makes it end by the steps of `ladder` if it
    /// does not. The caller has already asked it to (with `end_session`, or by closing its stdin).
    ///
    /// Keep reading the incoming lines meanwhile: a CLI that is told to end waits some seconds for
    /// somebody to take its last ones. If several shut down at once, the earliest next step counts.
    ///
    /// # Errors
    ///
    /// [`TransportError::Stuck`] if not even SIGKILL ended it in time.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe. Once polled, the steps are taken even if nobody waits any more.
    pub fn shutdown(
        &self,
        ladder: Shutdown,
    ) -> impl Future<Output = Result<Exit, TransportError>> + Send + 'static + use<> {
        let process = self.clone();
        async move {
            process.owner.order(Order::End(ladder));
            let shared = &process.owner.shared;
            match wait(shared, |state| !matches!(state, State::Running)).await {
                State::Exited(exit) => Ok(exit),
                _ => Err(TransportError::Stuck {
                    pid: process.pid().unwrap_or_default(),
                }),
            }
        }
    }

    /// Ends what the process has left, as after a crash. For one that has ended by itself in the middle
    /// of its work, which the exit status does not say: to be called once it has
    /// [`exited`](Self::exited). Where it has not, its end will count as a crash.
    ///
    /// Ready when what was there is killed. Does nothing where
    /// [`leave_orphans`](crate::CommandSpec::leave_orphans()) was set, where there is no process on this
    /// machine, and on systems other than Linux.
    ///
    /// # Cancel safety
    ///
    /// Done all the same if the future is dropped, or never polled.
    pub fn sweep(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let swept = match &self.owner.run_by {
            RunBy::Supervisor(Supervised {
                supervisor,
                id,
                mark: Some(mark),
            }) => supervisor.sweep(*id, mark.clone()),
            _ => None,
        };
        async move {
            if let Some(swept) = swept {
                // An error would mean that there is nothing to wait for.
                let _ = swept.await;
            }
        }
    }

    /// The last 64 KiB of what the process wrote to stderr, from a line's start on, secrets
    /// masked. All that the process itself wrote is in it once the process has ended.
    pub fn stderr_tail(&self) -> String {
        self.owner.shared.with_stderr(|stderr| stderr.tail())
    }

    /// The error that says that the process ended in this way, and quotes its stderr:
    /// [`TransportError::SessionNotFound`] where it did not find the session that it was to resume, else
    /// [`TransportError::Exited`].
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

    /// The session that it was told to resume.
    pub(crate) fn set_resumed(&self, session: Resumed) {
        // It is told once, by its start.
        let _ = self.owner.shared.resumed.set(session);
    }
}

async fn wait(shared: &Shared, done: impl FnMut(&State) -> bool) -> State {
    let mut receiver = shared.state.subscribe();
    // An error would mean that the sender is gone; `shared` holds it.
    let state = receiver.wait_for(done).await.map(|state| *state);
    state.unwrap_or(State::Stuck)
}

impl Owner {
    fn order(&self, order: Order) {
        match &self.run_by {
            RunBy::Supervisor(supervised) => supervised.supervisor.order(supervised.id, order),
            // Where the host is gone, the process has ended.
            RunBy::Host(host) => drop(host.send(order)),
            RunBy::Nobody => {
                let unknown = State::Exited(Exit::new(None, false));
                self.shared.state.send_replace(unknown);
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.order(Order::Dropped);
        // Here, and not by the supervisor: `main` may be over before that gets to it.
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
