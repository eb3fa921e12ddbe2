//! The number of file descriptors that are available for connections.

use std::io;

/// Returns the number of connections that are possible with this limit of open descriptors. It is three quarters of the
/// limit. The other descriptors are for files and for processes. A process uses four descriptors.
#[cfg(unix)]
fn share(descriptors: u64) -> usize {
    usize::try_from(descriptors - descriptors / 4).unwrap_or(usize::MAX)
}

/// Returns the maximum number of connections for which there are descriptors. Returns `None` if descriptors have no
/// limit.
#[cfg(unix)]
pub(crate) fn for_connections() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current.map(share)
}

/// Returns `None`, because this operating system has no such limit.
#[cfg(not(unix))]
pub(crate) fn for_connections() -> Option<usize> {
    None
}

/// Returns the number of open descriptors of this process. Returns `None` if it is not known.
pub(crate) fn open() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return Some(std::fs::read_dir("/proc/self/fd").ok()?.count() as u64);
    #[cfg(not(target_os = "linux"))]
    None
}

/// Returns the limit of open descriptors. Returns `None` if there is no limit, or if it is not known.
pub(crate) fn limit() -> Option<u64> {
    #[cfg(unix)]
    return rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    #[cfg(not(unix))]
    None
}

/// Whether an error means that no descriptors are left.
#[cfg(unix)]
pub(crate) fn are_used_up(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let used_up = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|error| used_up.contains(&error))
}

/// Whether an error means that no descriptors are left.
#[cfg(not(unix))]
pub(crate) fn are_used_up(error: &io::Error) -> bool {
    // These are the error codes WSAEMFILE and WSAENOBUFS of Windows.
    matches!(error.raw_os_error(), Some(10_024 | 10_055))
}
