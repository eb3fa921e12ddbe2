//! How many descriptors may be open.

use std::io;

/// Allows this process as many open descriptors as the system lets it have: on Unix, raises its soft limit
/// (`RLIMIT_NOFILE`) to the hard one. For a program with many connections, at its start; it concerns the whole process.
/// Elsewhere it does nothing.
///
/// Every CLI that is started, and whatever it starts, has the limit from before.
///
/// # Errors
///
/// If the system refuses it. Nothing is changed then.
pub fn raise_open_files() -> io::Result<()> {
    #[cfg(unix)]
    claw_spawn::raise_open_files()?;
    Ok(())
}
