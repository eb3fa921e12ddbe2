//! How many descriptors may be open: many for the host, and as many as ever for what it starts.

use std::io;
use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The limit before it was raised.
static BEFORE: OnceLock<Rlimit> = OnceLock::new();

/// What macOS lets a process have, whatever it says.
const FEWER: u64 = 10_240;

/// Raises this process's soft limit on open descriptors (`RLIMIT_NOFILE`) to the hard limit. One call per process is
/// enough.
///
/// Processes that [`spawn`](crate::spawn) starts still get the old limit, because programs that use `select` fail with
/// a descriptor over 1,023, and some programs take time or memory for each descriptor that they might have.
///
/// # Errors
///
/// Fails if the system refuses the change. Nothing is changed then.
pub fn raise_open_files() -> io::Result<()> {
    let before = getrlimit(Resource::Nofile);
    if before.current == before.maximum {
        return Ok(());
    }
    // First: what is started meanwhile has the limit from before in any case.
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

/// The limit that what is started gets. `None`: that of this process.
pub(crate) fn of_children() -> Option<Rlimit> {
    BEFORE.get().copied()
}
