//! A terminal.
#![cfg(unix)]

use std::fs::{File, OpenOptions};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// A new terminal: the end of the person, and that of the program.
pub(crate) fn open() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = OpenOptions::new()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap());
    (File::from(ours), theirs.unwrap())
}
