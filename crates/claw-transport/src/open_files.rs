//! Raises the limit of open file descriptors.

use std::io;

/// Allows this process as many open file descriptors as the system permits. On Unix, this raises the soft limit
/// (`RLIMIT_NOFILE`) of the whole process to the hard limit; on other systems it does nothing. Call it once, at the
/// start of a program with many connections.
///
/// Every CLI that claw starts, and every process that the CLI starts, still gets the limit that this process had before
/// the call.
///
/// # Errors
///
/// Fails if the system refuses the change. In this case, the limit stays the same.
pub fn raise_open_files() -> io::Result<()> {
    #[cfg(unix)]
    claw_spawn::raise_open_files()?;
    Ok(())
}
