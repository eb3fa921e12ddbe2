//! What the system, or a sandbox, refuses.

use std::fs::File;
use std::os::fd::AsFd as _;

use rustix::io::{FdFlags, fcntl_setfd};

use super::*;

/// Refuses calls of this number whose first argument holds one of these bits (or any, if there are
/// none), in this thread and what it starts from now on.
fn refuse(call: libc::c_long, bits: c_int, error: Errno) {
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let step = |code: u32, yes: u8, no: u8, value: u32| libc::sock_filter {
        code: u16::try_from(code).unwrap(),
        jt: yes,
        jf: no,
        k: value,
    };
    let any = if bits == 0 {
        libc::BPF_JGE
    } else {
        libc::BPF_JSET
    };
    let error = libc::SECCOMP_RET_ERRNO | error.raw_os_error().cast_unsigned();
    let mut steps = [
        step(LOAD, 0, 0, 0),
        step(
            libc::BPF_JMP | libc::BPF_JEQ,
            0,
            3,
            u32::try_from(call).unwrap(),
        ),
        // The lower half of the first argument.
        step(
            LOAD,
            0,
            0,
            if cfg!(target_endian = "big") { 20 } else { 16 },
        ),
        step(libc::BPF_JMP | any, 0, 1, bits.cast_unsigned()),
        step(libc::BPF_RET, 0, 0, error),
        step(libc::BPF_RET, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = libc::sock_fprog {
        len: 6,
        filter: steps.as_mut_ptr(),
    };
    // SAFETY: the filter is read during the call.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let filter = &raw const filter;
        assert_eq!(
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, filter),
            0
        );
    }
}

/// Runs this in a thread of its own, where such calls are refused.
fn refused<T: Send + 'static>(
    call: libc::c_long,
    bits: c_int,
    error: Errno,
    run: impl FnOnce() -> T + Send + 'static,
) -> T {
    let thread = std::thread::spawn(move || {
        refuse(call, bits, error);
        run()
    });
    thread.join().unwrap()
}

#[test]
fn a_sandbox_that_refuses_the_signal_at_the_hosts_death_is_no_obstacle() {
    // PR_SET_PDEATHSIG is 1, which is a bit of other requests too: none of them is made here.
    let (said, status) = refused(libc::SYS_prctl, libc::PR_SET_PDEATHSIG, Errno::PERM, || {
        run(shell("echo started"))
    })
    .unwrap();
    assert_eq!(said, "started\n");
    assert!(status.success());
}

#[test]
fn the_descriptor_of_a_process_comes_with_its_start() {
    let spawned = refused(libc::SYS_pidfd_open, 0, Errno::PERM, || {
        spawn(&mut shell("exit 0"))
    })
    .unwrap();
    assert!(spawned.pidfd.is_some());
    waitpid(Some(spawned.pid), WaitOptions::empty()).unwrap();
}

#[test]
fn a_system_without_descriptors_of_processes_starts_all_the_same() {
    let spawned = refused(libc::SYS_clone, libc::CLONE_PIDFD, Errno::INVAL, || {
        spawn(&mut shell("exit 0"))
    })
    .unwrap();
    assert!(spawned.pidfd.is_none());
    waitpid(Some(spawned.pid), WaitOptions::empty()).unwrap();
}

/// The standard streams, and the folder itself.
const STREAMS: &str = "0\n1\n2\n3\n";

/// What a program sees that is started while the host has a file open for all that it starts.
fn descriptors() -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join("of-the-host")).unwrap();
    fcntl_setfd(file.as_fd(), FdFlags::empty()).unwrap();
    run(shell("ls /proc/self/fd")).unwrap().0
}

#[test]
fn the_hosts_descriptors_do_not_leak() {
    const NAME: &str = "linux::tests::sandbox::the_hosts_descriptors_do_not_leak";
    if is_alone(NAME, &[]) {
        let seen = descriptors();
        assert_eq!(seen, STREAMS);
    }
}

#[test]
fn they_do_not_leak_where_the_system_cannot_close_many_at_once() {
    const NAME: &str =
        "linux::tests::sandbox::they_do_not_leak_where_the_system_cannot_close_many_at_once";
    if is_alone(NAME, &[]) {
        for error in [Errno::NOSYS, Errno::INVAL, Errno::PERM] {
            let seen = refused(libc::SYS_close_range, 0, error, descriptors);
            assert_eq!(seen, STREAMS);
        }
    }
}
