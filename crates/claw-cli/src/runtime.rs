//! Starts the async runtime.

use std::io;
use std::sync::Mutex;
use std::thread;

use tokio::runtime::Runtime;

/// The number of threads that a session needs in addition to the runtime's workers. These threads start and watch the
/// CLI, and wait for files, the terminal, and the exit of stdout's reader.
const OTHERS: usize = 5;

/// Starts the runtime.
///
/// # Errors
///
/// Fails if this process may not start enough threads. Without this check, the runtime would panic and hang.
pub(crate) fn start() -> io::Result<Runtime> {
    let named = std::env::var("TOKIO_WORKER_THREADS").ok();
    let named = named.and_then(|number| number.parse().ok());
    let workers = named.or_else(|| thread::available_parallelism().ok().map(usize::from));
    let threads = workers.unwrap_or(1) + OTHERS;
    check(threads).map_err(|error| {
        let text = format!(
            "this process may not have the {threads} threads that claw needs (see `ulimit -u`, or the limit of the \
             container): {error}"
        );
        io::Error::new(error.kind(), text)
    })?;
    Runtime::new()
}

/// Checks that this many threads can run at the same time, by starting and ending them.
fn check(threads: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // Each thread waits for this lock, so that no thread ends before all have started.
        let _closed = gate.lock();
        (0..threads).try_for_each(|_| {
            let thread = thread::Builder::new().stack_size(64 << 10);
            thread.spawn_scoped(scope, || drop(gate.lock())).map(drop)
        })
    })
}
