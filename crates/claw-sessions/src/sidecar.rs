//! Temporary files beside their final path. Lists do not treat them as sessions.

use std::fs::{self, DirBuilder, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

use crate::home::names;

const START: &str = ".claw-";
const END: &str = ".tmp";

/// Creates a new file in a folder. Only the current user can access it. The file is locked while it is open. A file
/// without a lock was left by a killed process.
///
/// Files without a lock are removed from the folder first.
pub(crate) fn create(folder: &Path) -> io::Result<NamedTempFile> {
    sweep(folder);
    loop {
        let file = Builder::new()
            .prefix(START)
            .suffix(END)
            .tempfile_in(folder)?;
        // If the file system has no locks, `sweep` removes no file either.
        let _ = file.as_file().lock();
        // Another process may have removed the file before it was locked.
        if fs::symlink_metadata(file.path()).is_ok() {
            return Ok(file);
        }
    }
}

/// Removes the files that killed processes have left. A file that cannot be removed is harmless.
fn sweep(folder: &Path) {
    let names = names(folder).unwrap_or_default();
    let ours = names
        .iter()
        .filter(|name| name.starts_with(START) && name.ends_with(END));
    for path in ours.map(|name| folder.join(name)) {
        let mut options = OpenOptions::new();
        options.write(true);
        let Ok(file) = crate::file::regular(options, &path) else {
            continue;
        };
        match file.try_lock() {
            Ok(()) => {
                let _ = fs::remove_file(&path);
            }
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

/// Replaces a file atomically. The result also survives a loss of power.
pub(crate) fn replace(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Gives a file its final name atomically. The result also survives a loss of power.
///
/// # Errors
///
/// Fails with `AlreadyExists` instead of overwriting a file.
pub(crate) fn publish(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    // Only Unix can open a folder to sync it, and only Unix needs this.
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Creates a folder that only the current user can access, unless it exists.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "it has no mode there"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_folder(path) => Ok(()),
        done => done,
    }
}

/// Whether the path is a folder and not a link to one.
pub(crate) fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_swept_and_what_is_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let held = create(folder.path()).unwrap();
        let left = folder.path().join(".claw-left.tmp");
        fs::write(&left, "half").unwrap();
        fs::write(folder.path().join("other.tmp"), "").unwrap();
        let second = create(folder.path()).unwrap();
        assert!(!left.exists());
        assert!(held.path().exists() && second.path().exists());
        assert!(folder.path().join("other.tmp").exists());
    }

    #[test]
    fn nothing_is_overwritten_by_a_new_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("there");
        fs::write(&path, "old").unwrap();
        let file = create(folder.path()).unwrap();
        let error = publish(file, &path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()).unwrap(), ["there"]);
    }
}
