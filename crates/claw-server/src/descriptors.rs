//! How many descriptors there are for connections.

use std::io;

/// How many connections there may be where a process may have so many open descriptors: three quarters of them. The rest is
/// for processes, which take four each, and for files.
#[cfg(unix)]
fn share(descriptors: u64) -> usize {
    usize::try_from(descriptors - descriptors / 4).unwrap_or(usize::MAX)
}

/// How many connections there are descriptors for. `None` if nothing bounds them.
#[cfg(unix)]
pub(crate) fn for_connections() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current.map(share)
}

/// How many connections there are descriptors for. `None` if nothing bounds them.
#[cfg(not(unix))]
pub(crate) fn for_connections() -> Option<usize> {
    None
}

/// Whether there are no descriptors left.
#[cfg(unix)]
pub(crate) fn are_used_up(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let used_up = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|error| used_up.contains(&error))
}

/// Whether there are no descriptors left.
#[cfg(not(unix))]
pub(crate) fn are_used_up(error: &io::Error) -> bool {
    // WSAEMFILE, WSAENOBUFS
    matches!(error.raw_os_error(), Some(10_024 | 10_055))
}
