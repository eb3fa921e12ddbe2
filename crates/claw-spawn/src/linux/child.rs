//! The code that runs in the new process until it runs the program, in the host's memory. It neither allocates, locks
//! nor panics, and calls the kernel directly, past interposers of the C library.

use std::convert::Infallible;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};
use rustix::io::{Errno, close, write};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, chdir, getppid, set_parent_process_death_signal, setrlimit,
    setsid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::signals;

/// The number of the pipe for an error, after the standard streams.
const FAILURE: c_int = 3;

/// The plan for the new process, lent by the host.
pub(super) struct Plan<'a> {
    pub(super) paths: &'a [*const c_char],
    pub(super) arguments: &'a [*const c_char],
    pub(super) environment: &'a [*const c_char],
    pub(super) directory: Option<&'a CStr>,
    pub(super) streams: [BorrowedFd<'a>; 3],
    /// The pipe that is closed when the program runs. An error is written to it.
    pub(super) failure_is_at: AtomicI32,
    pub(super) host: Pid,
    /// The limit of open descriptors for the program, if it differs from the host's.
    pub(super) open_files: Option<Rlimit>,
    /// The progress of the new process, if it shares the host's memory.
    pub(super) reached: AtomicI32,
}

/// The new process has not been seen in this memory.
pub(super) const UNSEEN: i32 = -1;
/// The new process has been seen and has not failed. Any other number is the error with which it ended.
const SEEN: i32 = 0;

pub(super) extern "C" fn child(plan: *mut c_void) -> c_int {
    // SAFETY: the host lends it until this process runs another program or has ended.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    plan.reached.store(SEEN, Ordering::Release);
    let Err(error) = plan.follow();
    let error = error.raw_os_error();
    plan.reached.store(error, Ordering::Release);
    let number = plan.failure_is_at.load(Ordering::Relaxed);
    // SAFETY: the pipe is at this number.
    let failure = unsafe { BorrowedFd::borrow_raw(number) };
    let _ = write(failure, &error.to_ne_bytes());
    127
}

impl Plan<'_> {
    fn follow(&self) -> Result<Infallible, Errno> {
        // If a sandbox refuses that, the host's death is noticed by its pipes alone.
        let _ = set_parent_process_death_signal(Some(Signal::TERM));
        // The host may have died before that. (No parent: it is outside of our pid namespace.)
        if getppid().is_some_and(|parent| parent != self.host) {
            return Err(Errno::SRCH);
        }
        setsid()?;
        if let Some(limit) = self.open_files {
            // It is lower than the host's.
            let _ = setrlimit(Resource::Nofile, limit);
        }
        let [stdin, stdout, stderr] = self.streams;
        dup2_stdin(stdin)?;
        dup2_stdout(stdout)?;
        dup2_stderr(stderr)?;
        // Before anything that may hang: descriptors that the host closes must not be held open here.
        self.close_others()?;
        if let Some(directory) = self.directory {
            chdir(directory)?;
        }
        signals::take_out_handlers();
        signals::block(&signals::NONE);
        Err(search(self.paths, |path| self.execute(path)))
    }

    /// Closes everything but the standard streams and the pipe for an error.
    fn close_others(&self) -> Result<(), Errno> {
        let number = self.failure_is_at.load(Ordering::Relaxed);
        if number != FAILURE {
            // SAFETY: the pipe is at this number, and the descriptor at the other is not used here.
            let copied = unsafe { libc::syscall(libc::SYS_dup3, number, FAILURE, libc::O_CLOEXEC) };
            if copied < 0 {
                return Err(last_error());
            }
            self.failure_is_at.store(FAILURE, Ordering::Relaxed);
        }
        close_from(FAILURE + 1);
        Ok(())
    }

    /// Runs the program, or returns the reason why not.
    fn execute(&self, path: *const c_char) -> Errno {
        // SAFETY: lists of living strings, each ended by a null.
        unsafe {
            let arguments = self.arguments.as_ptr();
            libc::syscall(libc::SYS_execve, path, arguments, self.environment.as_ptr());
        }
        last_error()
    }
}

fn last_error() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// Searches as the C library searches `PATH`: a folder without the file, or out of reach, is skipped, and a file that
/// may not be run takes precedence over a missing one.
pub(super) fn search<T: Copy>(paths: &[T], mut execute: impl FnMut(T) -> Errno) -> Errno {
    let mut error = Errno::NOENT;
    let mut forbidden = false;
    for path in paths {
        error = execute(*path);
        match error {
            Errno::ACCESS => forbidden = true,
            Errno::NOENT | Errno::NOTDIR | Errno::STALE | Errno::NODEV | Errno::TIMEDOUT => {}
            _ => return error,
        }
    }
    if forbidden { Errno::ACCESS } else { error }
}

/// Closes all descriptors of the host from this number on. Before Linux 5.9, and where a sandbox refuses the single
/// call, each is closed separately. Without `/proc` too, the program gets what the host did not mark as close-on-exec.
fn close_from(first: c_int) {
    // SAFETY: nothing in this process, whose table of descriptors is its own, uses them any more.
    let all = unsafe { libc::syscall(libc::SYS_close_range, first, c_int::MAX, 0) == 0 };
    if all {
        return;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(folder) = openat(CWD, c"/proc/self/fd", flags, Mode::empty()) else {
        return;
    };
    let mut room = [MaybeUninit::uninit(); 1024];
    let mut entries = RawDir::new(&folder, &mut room);
    while let Some(Ok(entry)) = entries.next() {
        if let Some(number) = number(entry.file_name())
            && number >= first
            && number != folder.as_raw_fd()
        {
            // SAFETY: as above.
            unsafe { close(number) };
        }
    }
}

fn number(name: &CStr) -> Option<c_int> {
    name.to_bytes().iter().try_fold(0_i32, |number, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        number.checked_mul(10)?.checked_add(digit.cast_signed())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcome of a search in which each folder gives this error.
    fn found(errors: &[Errno]) -> (Errno, usize) {
        let mut tried = 0;
        let error = search(errors, |error| {
            tried += 1;
            error
        });
        (error, tried)
    }

    #[test]
    fn a_search_goes_on_past_a_folder_that_is_out_of_reach() {
        for gone in [
            Errno::STALE,
            Errno::NODEV,
            Errno::TIMEDOUT,
            Errno::NOENT,
            Errno::NOTDIR,
        ] {
            assert_eq!(
                found(&[gone, Errno::NOEXEC, Errno::NOENT]),
                (Errno::NOEXEC, 2)
            );
            assert_eq!(found(&[Errno::ACCESS, gone]), (Errno::ACCESS, 2));
            assert_eq!(found(&[Errno::NOENT, gone]), (gone, 2));
        }
        assert_eq!(found(&[]), (Errno::NOENT, 0));
        assert_eq!(
            found(&[Errno::ACCESS, Errno::TOOBIG, Errno::NOENT]),
            (Errno::TOOBIG, 2)
        );
    }

    #[test]
    fn the_number_of_a_descriptor_is_read() {
        assert_eq!(
            [c"0", c"17", c"2147483647"].map(number),
            [Some(0), Some(17), Some(c_int::MAX)]
        );
        assert_eq!([c".", c"..", c"2147483648"].map(number), [None; 3]);
    }
}
