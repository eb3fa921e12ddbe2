//! macOS, the BSDs and Android: by the standard library. These systems do not notify a process of its parent's death.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::process::{Pid, Resource, setrlimit, setsid};

use crate::{Spawned, open_files};

/// Starts a process in a new Unix session, with pipes as its standard streams. Program, arguments, environment and
/// working directory are those of `command`; nothing else of `command` is used.
///
/// # Errors
///
/// Fails with the system's error if the program cannot be run, if the working directory cannot be used, or if the
/// system lacks a resource.
pub fn spawn(command: &mut Command) -> io::Result<Spawned> {
    refuse_plain_file(command)?;
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let limit = open_files::of_children();
    // SAFETY: it makes two system calls, and neither allocates nor locks.
    unsafe {
        command.pre_exec(move || {
            if let Some(limit) = limit {
                // It is lower than the host's.
                let _ = setrlimit(Resource::Nofile, limit);
            }
            setsid().map(drop).map_err(io::Error::from)
        });
    }
    let mut process = command.spawn()?;
    let pid = Pid::from_child(&process);
    let pipes = (
        process.stdin.take(),
        process.stdout.take(),
        process.stderr.take(),
    );
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    Ok(Spawned {
        pid,
        pidfd: None,
        stdin,
        stdout,
        stderr,
    })
}

/// Refuses files that the system cannot run, because the C library would pass them to a shell, which then complains
/// about the first line.
fn refuse_plain_file(command: &Command) -> io::Result<()> {
    const PROGRAMS: [&[u8]; 7] = [
        b"#!",
        b"\x7fELF",
        b"MZ", // for hosts that run Windows programs
        b"\xcf\xfa\xed\xfe",
        b"\xce\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
        b"\xca\xfe\xba\xbf",
    ];
    let path = Path::new(command.get_program());
    if path.components().count() < 2 || !path.is_file() {
        return Ok(());
    }
    let mut start = Vec::new();
    // A file that may be run but not read is accepted.
    let Ok(file) = File::open(path) else {
        return Ok(());
    };
    file.take(4).read_to_end(&mut start)?;
    if PROGRAMS.iter().any(|magic| start.starts_with(magic)) {
        return Ok(());
    }
    Err(Errno::NOEXEC.into())
}
