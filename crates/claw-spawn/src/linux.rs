//! Starts a process without copying the host.
//!
//! The standard library would fork, which copies the page tables of the host. That takes longer the more memory the
//! host has, and stops its other threads meanwhile. Here the new process borrows the host's memory until it runs the
//! program, as with `posix_spawn` (which cannot request a signal for the parent's death).

use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::io::{Errno, fcntl_dupfd_cloexec, read};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, getpid, waitpid};

use crate::{Spawned, open_files};
use child::{Plan, UNSEEN, child};
use program::{Program, pointers};

mod child;
mod program;
mod signals;

/// The size of the stack before the program runs, in units of sixteen bytes.
const STACK: usize = 4096;

/// Starts a process in a new Unix session, with pipes as its standard streams. Program, arguments, environment and
/// working directory are those of `command`; nothing else of `command` is used. The program inherits no file
/// descriptors from the calling process except these pipes, and starts with no signals blocked. It ignores the signals
/// that the calling process ignores (except SIGPIPE).
///
/// The new process gets SIGTERM when the calling *thread* ends, so call this function on a thread that lives as long as
/// the calling process. The thread is suspended until the new process runs the program. That can take long if the file
/// system of the program or of the working directory is slow.
///
/// # Errors
///
/// Fails with the system's error if the program cannot be run, if the working directory cannot be used, or if the
/// system lacks a resource. After an error, no process remains.
pub fn spawn(command: &mut Command) -> io::Result<Spawned> {
    let program = Program::of(command)?;
    let (stdin, host_stdin) = pipe_with(PipeFlags::CLOEXEC)?;
    let (host_stdout, stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (host_stderr, stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let streams = [
        above_streams(stdin)?,
        above_streams(stdout)?,
        above_streams(stderr)?,
    ];
    let (pid, pidfd) = start(&program, streams.each_ref().map(AsFd::as_fd))?;
    Ok(Spawned {
        pid,
        pidfd,
        stdin: host_stdin.into(),
        stdout: host_stdout.into(),
        stderr: host_stderr.into(),
    })
}

/// Moves a descriptor above the standard streams, whose numbers are free in a host that has closed one of them.
fn above_streams(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > 2 {
        return Ok(fd);
    }
    Ok(fcntl_dupfd_cloexec(fd, 3)?)
}

/// Starts the program with these as its standard streams.
fn start(program: &Program, streams: [BorrowedFd<'_>; 3]) -> io::Result<(Pid, Option<OwnedFd>)> {
    let [paths, arguments, environment] =
        [&program.paths, &program.arguments, &program.environment].map(|texts| pointers(texts));
    let (failed, failure) = pipe_with(PipeFlags::CLOEXEC)?;
    let failure = above_streams(failure)?;
    let plan = Plan {
        paths: &paths[..program.paths.len()],
        arguments: &arguments,
        environment: &environment,
        directory: program.directory.as_deref(),
        streams,
        failure_is_at: AtomicI32::new(failure.as_raw_fd()),
        host: getpid(),
        open_files: open_files::of_children(),
        reached: AtomicI32::new(UNSEEN),
    };
    // No handler of the host runs in the new process: signals are blocked from before it is made until its handlers are
    // removed.
    let before = signals::block(&signals::ALL);
    let cloned = match clone(&plan, libc::CLONE_PIDFD) {
        // Some sandboxes and emulators have no process descriptors.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => clone(&plan, 0),
        cloned => cloned,
    };
    signals::block(&before);
    let (pid, pidfd) = cloned?;
    let reached = plan.reached.load(Ordering::Acquire);
    drop(failure);
    let error = match reached {
        // The new process got a copy of the memory, as under Valgrind and user-mode QEMU, and may still be on its way.
        // Otherwise the new process has already set `reached`, and this thread does not read the pipe: another thread
        // may have forked meanwhile, and its child process would hold the pipe open.
        UNSEEN => read_error(&failed)?,
        reached => reached,
    };
    if error == 0 {
        return Ok((pid, pidfd));
    }
    while let Err(Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
    Err(io::Error::from_raw_os_error(error))
}

/// Makes the new process, which follows the plan.
fn clone(plan: &Plan<'_>, pidfd: c_int) -> io::Result<(Pid, Option<OwnedFd>)> {
    let mut stack = Box::<[u128]>::new_uninit_slice(STACK);
    let top = stack.as_mut_ptr_range().end;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD | pidfd;
    let plan = ptr::from_ref(plan).cast_mut().cast::<c_void>();
    let mut descriptor: c_int = -1;
    // SAFETY: the new process runs on a separate stack, and this thread (and with it `stack` and `plan`) is suspended
    // until it runs another program or has ended. The kernel writes a new, unowned descriptor to `descriptor`, if it
    // supports that.
    unsafe {
        let pid = libc::clone(child, top.cast(), flags, plan, &raw mut descriptor);
        if pid < 0 {
            return Err(io::Error::last_os_error());
        }
        let descriptor = (descriptor >= 0).then(|| OwnedFd::from_raw_fd(descriptor));
        Ok((Pid::from_raw(pid).ok_or(Errno::SRCH)?, descriptor))
    }
}

/// The error that the new process reports. None if it runs the program (or is killed).
fn read_error(failed: &OwnedFd) -> io::Result<i32> {
    let mut error = [0; 4];
    loop {
        match read(failed, &mut error) {
            Ok(_) => return Ok(i32::from_ne_bytes(error)),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests;
