//! Opens files below a folder without following symbolic links. Another process can replace a part of a path with a link
//! at any time, so a path that was checked must not be opened by its name afterwards.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Component, Path};

#[cfg(unix)]
use {
    rustix::fd::OwnedFd,
    rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat},
    rustix::io::Errno,
};

#[cfg(unix)]
const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// Opens a folder by its name. Symbolic links are followed.
#[cfg(unix)]
pub(crate) fn root(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path, FOLDER, Mode::empty())?)
}

/// Opens a folder in a folder. Fails with `Errno::LOOP` for a symbolic link.
#[cfg(unix)]
pub(crate) fn folder(within: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    openat(within, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()).map_err(|error| {
        // Linux reports a link as something that is not a folder.
        let is_link = || {
            let found = statat(within, name, AtFlags::SYMLINK_NOFOLLOW);
            found.is_ok_and(|it| FileType::from_raw_mode(it.st_mode) == FileType::Symlink)
        };
        match error {
            Errno::NOTDIR if is_link() => Errno::LOOP,
            error => error,
        }
    })
}

/// Opens a regular file for reading. `path` is relative to the folder `within`, and has only names. Does not block on a
/// pipe.
///
/// # Errors
///
/// Fails if a part of `path` is a symbolic link, and if the file is not a regular file.
#[cfg(unix)]
pub(crate) fn open(within: &Path, path: &Path) -> io::Result<File> {
    let mut parts = names(path)?.into_iter();
    let last = parts.next_back().ok_or(io::ErrorKind::InvalidInput)?;
    let mut above = root(within)?;
    for name in parts {
        above = folder(&above, name)?;
    }
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(&above, last, flags, Mode::empty())?);
    // The check uses the opened file. Another process may have given the name to another file in the meantime.
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// Opens a regular file for reading. `path` is relative to the folder `within`, and has only names. On this system, only
/// the last part of the path is checked.
///
/// # Errors
///
/// Fails if the file is a symbolic link, or not a regular file.
#[cfg(not(unix))]
pub(crate) fn open(within: &Path, path: &Path) -> io::Result<File> {
    names(path)?;
    let path = within.join(path);
    if std::fs::symlink_metadata(&path)?.is_file() {
        File::open(path)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// Returns the parts of a relative path that has only names.
///
/// # Errors
///
/// Fails if the path is absolute, or has a part such as `..`.
pub(crate) fn names(path: &Path) -> io::Result<Vec<&OsStr>> {
    let parts = path.components().map(|part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    });
    parts.collect()
}
