//! How many descriptors may be open.

use std::io;

/// Allows this process as many open descriptors as the system lets it have: on Unix, raises its soft limit
/// (`RLIMIT_NOFILE`) to the hard one. Call it once, at the start of a program with many connections. It changes the
/// limit of the whole process. On other systems it does nothing.
///
/// Every CLI that claw starts, and whatever that CLI starts, still gets the limit from before.
///
/// # Errors
///
/// Fails if the system refuses the change. Nothing is changed then.
pub fn raise_open_files() -> io::Result<()> {
    #[cfg(unix)]
    claw_spawn::raise_open_files()?;
    Ok(())
}
