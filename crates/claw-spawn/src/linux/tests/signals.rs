//! Signals of the host while a process is started.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::sync::atomic::AtomicUsize;
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

use super::*;

/// How often something else than the host has called `sigaction`.
static CALLED: AtomicUsize = AtomicUsize::new(0);

static HOST: OnceLock<Pid> = OnceLock::new();

unsafe extern "C" {
    fn __sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int;
}

/// Stands before the C library's, as those of Java and of sanitizers do, which write what they are told
/// into tables of the host's.
#[unsafe(no_mangle)]
extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    if HOST.get().is_some_and(|host| *host != getpid()) {
        CALLED.fetch_add(1, Ordering::Relaxed);
    }
    // SAFETY: as for the caller.
    unsafe { __sigaction(signal, new, old) }
}

#[test]
fn the_hosts_table_of_signals_is_not_touched() {
    HOST.get_or_init(getpid);
    let (said, _) = run(shell("echo started")).unwrap();
    assert_eq!(said, "started\n");
    assert_eq!(CALLED.load(Ordering::Relaxed), 0);
}

#[test]
fn no_handler_of_the_host_runs_in_what_is_being_started() {
    const NAME: &str =
        "linux::tests::signals::no_handler_of_the_host_runs_in_what_is_being_started";
    if !is_alone(NAME, &[]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("program");
    fs::write(&path, "#!/bin/sh\necho started\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    // Whoever opens a leased file waits until the lease is given back.
    let file = File::open(&path).unwrap();
    let lease = |kind: c_int| {
        // SAFETY: numbers alone.
        assert_eq!(
            unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, kind) },
            0
        );
    };
    // SAFETY: as above. SIGIO, by which the lease's end is asked for, is of no interest.
    unsafe { libc::signal(libc::SIGIO, libc::SIG_IGN) };
    lease(libc::F_WRLCK);
    let (sender, thread) = mpsc::channel();
    let starting = std::thread::spawn(move || {
        // SAFETY: it has no conditions.
        sender.send(unsafe { libc::gettid() }).unwrap();
        run(Command::new(path))
    });
    let thread = thread.recv().unwrap();
    let start = Instant::now();
    // SAFETY: numbers alone.
    while unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETLEASE) } == libc::F_WRLCK {
        assert!(start.elapsed() < Duration::from_mins(1), "nothing opens it");
        std::thread::yield_now();
    }
    // The thread stands still until the new process is another program.
    let status = fs::read_to_string(format!("/proc/self/task/{thread}/status")).unwrap();
    lease(libc::F_UNLCK);
    let (said, _) = starting.join().unwrap().unwrap();
    assert_eq!(said, "started\n");
    let blocked = status
        .lines()
        .find_map(|line| line.strip_prefix("SigBlk:\t"));
    // All but SIGKILL and SIGSTOP: 32 and 33 too, which the C library keeps for itself.
    assert_eq!(blocked, Some("fffffffffffbfeff"));
}
