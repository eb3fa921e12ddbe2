//! The one runtime of all blocking sessions, on a thread of claw's own.

use std::future::{Future, pending};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::runtime::{Builder, Handle};

/// The way to the thread.
#[derive(Clone)]
pub(super) struct Runtime {
    handle: Handle,
    /// The process that has the thread: a fork of it has not.
    host: u32,
}

/// The runtime of this process, or of the process that it was forked from.
static STARTED: Mutex<Option<Runtime>> = Mutex::new(None);

impl Runtime {
    /// The runtime of this process, started if it is not there yet.
    pub(super) fn get() -> io::Result<Self> {
        let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        match &*started {
            Some(runtime) if runtime.is_of(std::process::id()) => Ok(runtime.clone()),
            _ => Ok(started.insert(Self::start()?).clone()),
        }
    }

    /// One thread is enough: it moves lines, and decodes none.
    fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        thread::Builder::new()
            .name("claw-blocking".into())
            .spawn(move || runtime.block_on(pending::<()>()))?;
        let host = std::process::id();
        Ok(Self { handle, host })
    }

    fn is_of(&self, process: u32) -> bool {
        self.host == process
    }

    /// Waits on the calling thread. tokio panics where that thread runs async code: to wait there would
    /// stop what may have to go on first.
    #[track_caller]
    pub(super) fn wait<F: Future>(&self, future: F) -> F::Output {
        assert!(
            self.is_of(std::process::id()),
            "this process was forked from the one that began the session: it has no thread that works on it"
        );
        self.handle.block_on(future)
    }
}

#[cfg(test)]
mod tests;
