//! What sysinfo does not do on Windows.

use std::io;

use winsafe::co::{ERROR, PROCESS, TH32CS};
use winsafe::{HPROCESS, HPROCESSLIST};

/// The exit code of a process that has not ended.
const STILL_ACTIVE: u32 = 259;

/// Ends a process at once, with exit code 1. (The program `taskkill` of wine ends it with 0, which is no crash.)
///
/// # Errors
/// Fails if there is no such process, or if it may not be ended.
pub fn kill(pid: u32) -> io::Result<()> {
    let process = HPROCESS::OpenProcess(PROCESS::TERMINATE, false, pid);
    let ended = process.and_then(|process| process.TerminateProcess(1));
    ended.map_err(error)
}

/// Whether a process has not ended. Those that have ended are listed for as long as somebody has a handle of them.
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
