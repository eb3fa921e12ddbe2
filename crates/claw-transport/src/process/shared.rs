//! The state of a process that its handles and the supervisor share.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::watch;

use crate::Exit;
use crate::resume::Resumed;
use crate::stderr::Stderr;

/// The state that the handles share with the supervisor.
pub(crate) struct Shared {
    pub(crate) pid: Option<u32>,
    pub(crate) state: watch::Sender<State>,
    pub(crate) stderr: Mutex<Stderr>,
    /// The files that the process's arguments name. They may contain secrets. They are deleted when the process ends or
    /// when its last handle is dropped, whichever comes first. The host may end before the process does.
    files: Mutex<Vec<tempfile::TempPath>>,
    /// The session that the process was started to resume. Not set if the process resumes no session.
    pub(crate) resumed: OnceLock<Resumed>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum State {
    Running,
    /// The process did not end in time, even after SIGKILL. The system may still reap it later.
    Stuck,
    Exited(Exit),
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
