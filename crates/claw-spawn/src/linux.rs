//! Starts a process without copying the host.
//!
//! Something has to be done in the new process before it is the program, and for that the standard
//! library forks: it copies the page tables of the host, which takes the longer the more memory that
//! has, and stops its other threads meanwhile. Here the new process borrows the host's memory until it
//! is the program, as with `posix_spawn` (which cannot ask for a signal when the parent dies).

use std::ffi::{CStr, CString, OsStr, OsString, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, WaitOptions, chdir, getpid, getppid, set_parent_process_death_signal, setpgid,
    waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::Spawned;

/// Where a bare name is looked for without a PATH, as by the C library.
const USUAL_PATH: &str = "/bin:/usr/bin";
/// Room for what runs before the program, in units of sixteen bytes.
const STACK: usize = 4096;

/// Starts a process in a group of its own, with pipes. It gets SIGTERM when this thread ends, that is,
/// when the host dies, however it dies.
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
    let pid = program.start(streams.each_ref().map(AsFd::as_fd))?;
    Ok(Spawned {
        pid,
        pidfd: rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok(),
        stdin: host_stdin.into(),
        stdout: host_stdout.into(),
        stderr: host_stderr.into(),
    })
}

/// In a host that has closed a standard stream, the number of a pipe is one of those to be taken.
fn above_streams(fd: OwnedFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() > 2 {
        return Ok(fd);
    }
    Ok(fcntl_dupfd_cloexec(fd, 3)?)
}

/// What is to be run, as the system takes it.
struct Program {
    /// What may be meant, tried in turn.
    paths: Vec<CString>,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    directory: Option<CString>,
}

impl Program {
    fn of(command: &Command) -> io::Result<Self> {
        let mut variables: std::collections::BTreeMap<OsString, OsString> =
            std::env::vars_os().collect();
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => variables.insert(name.to_owned(), value.to_owned()),
                None => variables.remove(name),
            };
        }
        let name = command.get_program();
        let arguments = std::iter::once(name).chain(command.get_args());
        let path = variables.get(OsStr::new("PATH"));
        Ok(Self {
            paths: candidates(name, path)?,
            arguments: arguments.map(c_string).collect::<io::Result<_>>()?,
            environment: variables
                .iter()
                .map(|(name, value)| {
                    c_string(&[name, value].map(OsString::as_os_str).join(OsStr::new("=")))
                })
                .collect::<io::Result<_>>()?,
            directory: command
                .get_current_dir()
                .map(|folder| c_string(folder.as_os_str()))
                .transpose()?,
        })
    }

    /// Starts it with these as its standard streams.
    fn start(&self, streams: [BorrowedFd<'_>; 3]) -> io::Result<Pid> {
        let [paths, arguments, environment] =
            [&self.paths, &self.arguments, &self.environment].map(|texts| pointers(texts));
        let plan = Plan {
            paths: &paths[..self.paths.len()],
            arguments: &arguments,
            environment: &environment,
            directory: self.directory.as_deref(),
            streams,
            host: getpid(),
            failed: AtomicI32::new(0),
        };
        let mut stack = Box::<[u128]>::new_uninit_slice(STACK);
        let top = stack.as_mut_ptr_range().end;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let plan_pointer = ptr::from_ref(&plan).cast_mut().cast::<c_void>();
        // SAFETY: the child runs on a stack of its own, and this thread (and with it `stack` and
        // `plan`) stands still until it is another program or has ended. No handler of the host runs
        // in it: signals are blocked from before it is made, until its handlers are taken out.
        let pid = unsafe {
            let mut every = MaybeUninit::uninit();
            libc::sigfillset(every.as_mut_ptr());
            let mut before = MaybeUninit::uninit();
            libc::pthread_sigmask(libc::SIG_SETMASK, every.as_ptr(), before.as_mut_ptr());
            let pid = libc::clone(child, top.cast(), flags, plan_pointer);
            let pid = if pid < 0 {
                Err(io::Error::last_os_error())
            } else {
                Ok(pid)
            };
            libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
            pid?
        };
        let pid = Pid::from_raw(pid).ok_or(Errno::SRCH)?;
        match plan.failed.load(Ordering::Acquire) {
            0 => Ok(pid),
            error => {
                while let Err(Errno::INTR) = waitpid(Some(pid), WaitOptions::empty()) {}
                Err(io::Error::from_raw_os_error(error))
            }
        }
    }
}

/// The files that a name may mean: itself, or those of this name in the folders of PATH.
fn candidates(name: &OsStr, path: Option<&OsString>) -> io::Result<Vec<CString>> {
    if name.is_empty() || name.as_bytes().contains(&b'/') {
        return Ok(vec![c_string(name)?]);
    }
    let usual = OsString::from(USUAL_PATH);
    std::env::split_paths(path.unwrap_or(&usual))
        // An empty folder is the current one.
        .map(|folder| c_string(Path::new(".").join(folder).join(name).as_os_str()))
        .collect()
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

/// The texts as a list that ends with nothing.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    let texts = texts.iter().map(|text| text.as_ptr());
    texts.chain([ptr::null()]).collect()
}

/// What the new process does, lent by the host.
struct Plan<'a> {
    paths: &'a [*const c_char],
    arguments: &'a [*const c_char],
    environment: &'a [*const c_char],
    directory: Option<&'a CStr>,
    streams: [BorrowedFd<'a>; 3],
    host: Pid,
    /// The error with which it ended before it was the program.
    failed: AtomicI32,
}

/// What runs in the new process, in the host's memory: nothing here allocates, locks or panics.
extern "C" fn child(plan: *mut c_void) -> c_int {
    // SAFETY: `Program::start` lends it until this process is another program or has ended.
    let plan = unsafe { &*plan.cast::<Plan<'_>>() };
    let Err(error) = plan.follow();
    plan.failed.store(error.raw_os_error(), Ordering::Release);
    127
}

impl Plan<'_> {
    fn follow(&self) -> Result<std::convert::Infallible, Errno> {
        set_parent_process_death_signal(Some(Signal::TERM))?;
        // The host may have died before that. (No parent: it is outside of our pid namespace.)
        if getppid().is_some_and(|parent| parent != self.host) {
            return Err(Errno::SRCH);
        }
        setpgid(None, None)?;
        if let Some(directory) = self.directory {
            chdir(directory)?;
        }
        let [stdin, stdout, stderr] = self.streams;
        dup2_stdin(stdin)?;
        dup2_stdout(stdout)?;
        dup2_stderr(stderr)?;
        take_out_handlers();
        Err(self.execute())
    }

    /// As the C library looks through PATH: what may not be run counts for more than what is not there.
    fn execute(&self) -> Errno {
        let mut error = Errno::NOENT;
        for path in self.paths {
            // SAFETY: lists of texts that live, each ended by a null.
            unsafe {
                libc::execve(*path, self.arguments.as_ptr(), self.environment.as_ptr());
            }
            let now = io::Error::last_os_error();
            match Errno::from_io_error(&now).unwrap_or(Errno::IO) {
                Errno::ACCESS => error = Errno::ACCESS,
                now @ (Errno::NOENT | Errno::NOTDIR) if error != Errno::ACCESS => error = now,
                Errno::NOENT | Errno::NOTDIR => {}
                now => return now,
            }
        }
        error
    }
}

/// Gives each signal its usual meaning where the host has a handler, and lets all in again. What the
/// host ignores stays ignored, but for the broken pipe: each Rust program ignores that.
fn take_out_handlers() {
    // SAFETY: plain data for which all zeros is a value (the usual meaning, no signal blocked), given
    // to calls that only read it or fill it in.
    unsafe {
        let usual: libc::sigaction = std::mem::zeroed();
        for signal in 1..=libc::SIGRTMAX() {
            let mut now: libc::sigaction = std::mem::zeroed();
            // Some numbers are the C library's own.
            if libc::sigaction(signal, ptr::null(), &raw mut now) != 0 {
                continue;
            }
            let kept = match now.sa_sigaction {
                libc::SIG_DFL => true,
                libc::SIG_IGN => signal != libc::SIGPIPE,
                _ => false,
            };
            if !kept {
                libc::sigaction(signal, &raw const usual, ptr::null_mut());
            }
        }
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
    }
}

#[cfg(test)]
mod tests;
