//! Renames the entries of a folder without overwriting others.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::sidecar::is_folder;

/// Returns the first existing path that would have to be overwritten if `from` were moved to `to`. Two folders do not
/// collide, but their entries may collide.
pub(super) fn collision(from: &Path, to: &Path) -> io::Result<Option<PathBuf>> {
    if to.symlink_metadata().is_err() {
        return Ok(None);
    }
    if !(is_folder(from) && is_folder(to)) {
        return Ok(Some(to.to_owned()));
    }
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if let Some(found) = collision(&from.join(&name), &to.join(&name))? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Moves a file or a folder to a path of the same file system. Each step is one rename. If a folder exists at both
/// paths, its entries are moved, except those that also exist at the new path.
///
/// # Errors
///
/// Fails with `AlreadyExists` if an entry exists at both paths. All other entries were moved.
pub(super) fn move_entry(from: &Path, to: &Path) -> io::Result<()> {
    if !is_folder(from) {
        let mut file = TempPath::try_from_path(from)?;
        // The file must stay at its path if it cannot be moved.
        file.disable_cleanup(true);
        return file.persist_noclobber(to).map_err(|error| error.error);
    }
    if to.symlink_metadata().is_err() {
        return fs::rename(from, to);
    }
    if !is_folder(to) {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let mut collided = Ok(());
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        match move_entry(&from.join(&name), &to.join(&name)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => collided = Err(error),
            moved => moved?,
        }
    }
    collided.and_then(|()| fs::remove_dir(from))
}
