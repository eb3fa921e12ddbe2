//! Functions on Windows that sysinfo lacks.

use std::io;

use winsafe::co::{ERROR, PROCESS, TH32CS};
use winsafe::{HPROCESS, HPROCESSLIST};

/// The exit code of a process that has not ended.
const STILL_ACTIVE: u32 = 259;

/// Ends a process at once, with exit code 1. (Wine's program `taskkill` ends it with exit code 0, which does not look
/// like a crash.)
///
/// # Errors
/// Fails if the process does not exist or may not be ended.
pub fn kill(pid: u32) -> io::Result<()> {
    let process = HPROCESS::OpenProcess(PROCESS::TERMINATE, false, pid);
    let ended = process.and_then(|process| process.TerminateProcess(1));
    ended.map_err(error)
}

/// Whether a process is still running. The system also lists a process that has ended as long as a handle to it exists.
pub(super) fn is_running(pid: u32) -> bool {
    let process = HPROCESS::OpenProcess(PROCESS::QUERY_LIMITED_INFORMATION, false, pid);
    let code = process.and_then(|process| process.GetExitCodeProcess());
    code.is_ok_and(|code| code == STILL_ACTIVE)
}

pub(super) fn threads() -> Option<usize> {
    let mut all = HPROCESSLIST::CreateToolhelp32Snapshot(TH32CS::SNAPTHREAD, None).ok()?;
    let own = std::process::id();
    let mut count = 0;
    for thread in all.iter_threads() {
        count += usize::from(thread.ok()?.th32OwnerProcessID == own);
    }
    Some(count)
}

fn error(error: ERROR) -> io::Error {
    io::Error::from_raw_os_error(error.raw().cast_signed())
}
