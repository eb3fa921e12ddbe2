//! A pseudo-terminal, for tests of programs that people use in a terminal. It exists only on Unix.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustix::fs::OFlags;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Opens a pseudo-terminal with this number of columns and rows. Returns its two ends. The first is the end of the
/// person, who reads the screen and presses keys. The second is the end of the program, and becomes the program's
/// stdin, stdout and stderr.
///
/// # Errors
/// Fails if the system cannot provide a pseudo-terminal.
pub fn open(columns: u16, rows: u16) -> io::Result<(File, File)> {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    // If a program of another test inherited this end, the terminal would stay open.
    fcntl_setfd(&person, FdFlags::CLOEXEC)?;
    grantpt(&person)?;
    unlockpt(&person)?;
    let name = ptsname(&person, Vec::new())?;
    let program = OpenOptions::new()
        .read(true)
        .write(true)
        // The calling process does not get this terminal as its controlling terminal.
        .custom_flags(OFlags::NOCTTY.bits().cast_signed())
        .open(Path::new(OsStr::from_bytes(name.as_bytes())))?;
    let person = File::from(person);
    resize(&person, columns, rows)?;
    Ok((person, program))
}

/// Changes the size of a terminal. `person` is the person's end of the terminal.
///
/// # Errors
/// Fails if the file is not a terminal.
pub fn resize(person: &File, columns: u16, rows: u16) -> io::Result<()> {
    let size = Winsize {
        ws_col: columns,
        ws_row: rows,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    Ok(tcsetwinsize(person, size)?)
}

/// Returns the output of the program in chunks, until no process has the program's end open. A thread reads the output.
///
/// # Errors
/// Fails if the file cannot be cloned.
pub fn output(person: &File) -> io::Result<Receiver<Vec<u8>>> {
    let mut screen = person.try_clone()?;
    let (sender, written) = channel();
    thread::spawn(move || {
        let mut chunk = [0; 4096];
        // An error means that no process has the program's end open.
        while let Ok(length @ 1..) = screen.read(&mut chunk) {
            if sender.send(chunk[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    Ok(written)
}

/// Returns a command that has the terminal at its stdin as its controlling terminal. Then Ctrl-C sends a signal to the
/// program, as it does for a person. Only the program, the arguments, the environment and the working directory of
/// `command` are used. The started process has the process ID of the program itself. Needs the program `setsid` of
/// util-linux.
pub fn controlled(command: &Command) -> Command {
    let mut controlled = Command::new("setsid");
    controlled
        .arg("--ctty")
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            controlled.env(name, value);
        }
    }
    if let Some(folder) = command.get_current_dir() {
        controlled.current_dir(folder);
    }
    controlled
}
