//! The single runtime of all blocking sessions, on claw's own thread.

use std::future::{Future, pending};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::runtime::{Builder, Handle};

/// A handle to the thread.
#[derive(Clone)]
pub(super) struct Runtime {
    handle: Handle,
    /// The ID of the process that owns the thread. A fork of that process does not have the thread.
    host: u32,
}

/// The runtime of this process. After a fork, the runtime of the parent process.
static STARTED: Mutex<Option<Runtime>> = Mutex::new(None);

impl Runtime {
    /// Returns the runtime of this process and starts it if necessary.
    pub(super) fn get() -> io::Result<Self> {
        let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        match &*started {
            Some(runtime) if runtime.is_of(std::process::id()) => Ok(runtime.clone()),
            _ => Ok(started.insert(Self::start()?).clone()),
        }
    }

    /// Starts the runtime. A single thread is sufficient, because it passes lines on without
    /// decoding them.
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

    /// Waits on the calling thread. tokio panics if that thread runs async code, because the wait
    /// would block tasks on which the future may depend.
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
mod tests {
    use std::future::ready;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// Returns the runtime as a forked process sees it: with the parent's handle, and without its thread.
    fn forked() -> Runtime {
        let runtime = Runtime::get().unwrap();
        Runtime {
            host: runtime.host ^ 1,
            ..runtime
        }
    }

    #[test]
    fn what_is_of_the_parent_panics_in_a_fork_instead_of_waiting_for_ever() {
        let waited = catch_unwind(AssertUnwindSafe(|| forked().wait(pending::<()>())));
        let panic = waited.unwrap_err();
        let text = panic.downcast_ref::<&str>().unwrap();
        assert!(text.contains("forked"), "{text}");
    }

    #[test]
    fn a_fork_starts_a_thread_of_its_own() {
        *STARTED.lock().unwrap() = Some(forked());
        let runtime = Runtime::get().unwrap();
        assert!(runtime.is_of(std::process::id()));
        assert_eq!(runtime.wait(ready(4)), 4);
    }
}
