//! Raises the limit on open descriptors for the host. The processes that it starts keep the old limit.

use std::io;
use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The limit before it was raised.
static BEFORE: OnceLock<Rlimit> = OnceLock::new();

/// The maximum number of open files that macOS really allows a process, even if the reported limit is higher.
const FEWER: u64 = 10_240;

/// Raises this process's soft limit on open file descriptors (`RLIMIT_NOFILE`) to the hard limit. One call per process
/// is enough.
///
/// Processes that [`spawn`](crate::spawn) starts still get the old limit, because a higher limit harms some programs. A
/// program that uses `select` fails with a descriptor over 1,023, and some programs spend time or memory on every
/// descriptor that the limit permits.
///
/// # Errors
///
/// Fails if the system refuses the change. In this case, the limit stays the same.
pub fn raise_open_files() -> io::Result<()> {
    let before = getrlimit(Resource::Nofile);
    if before.current == before.maximum {
        return Ok(());
    }
    // This is set first, so that processes that are started in the meantime get the earlier limit in any case.
    let _ = BEFORE.set(before);
    let raise = |current| {
        let maximum = before.maximum;
        setrlimit(Resource::Nofile, Rlimit { current, maximum })
    };
    let is_more = before.current.is_some_and(|current| current < FEWER);
    match raise(before.maximum) {
        Err(_) if is_more => raise(Some(FEWER))?,
        raised => raised?,
    }
    Ok(())
}

/// The limit for started processes. `None`: that of this process.
pub(crate) fn of_children() -> Option<Rlimit> {
    BEFORE.get().copied()
}
