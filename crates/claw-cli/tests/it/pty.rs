//! A terminal.
#![cfg(unix)]

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A new terminal: the end of the person, and that of the program.
pub(crate) fn open() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    // A program of another test that had it would keep the terminal open.
    fcntl_setfd(&ours, FdFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap());
    (File::from(ours), theirs.unwrap())
}

/// What the program writes to the terminal of this end, in chunks, until nobody has the other end any more.
pub(crate) fn output(terminal: &File) -> Receiver<Vec<u8>> {
    let mut screen = terminal.try_clone().unwrap();
    let (sender, written) = channel();
    thread::spawn(move || {
        let mut chunk = [0; 4096];
        // An error is the end.
        while let Ok(length @ 1..) = screen.read(&mut chunk) {
            if sender.send(chunk[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    written
}

/// The command, with the terminal at its stdin as its controlling terminal: Ctrl-C is a signal there, as it is for a
/// person. Only program, arguments, environment and folder of `command` count. The process is that of `command` itself.
pub(crate) fn controlled(command: &Command) -> Command {
    // Of util-linux.
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
