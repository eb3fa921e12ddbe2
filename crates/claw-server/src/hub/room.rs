//! Checks whether this host can write the files of its sessions to disk.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claw_sessions::on_pool;
use tokio::sync::Mutex;

/// The size of the file that is written for the check, in bytes.
const PROBE: usize = 64 << 10;

/// The time for which a result is reused. Anyone can call the route that shows the result, as often as they like, because it
/// needs no token.
const FRESH: Duration = Duration::from_secs(1);

/// The reasons why this host cannot write to its disk, as they are shown to people.
pub(super) const NO_INODES: &str = "the disk of this host has no inodes left";
pub(super) const FULL: &str = "the disk of this host is full";
const UNWRITABLE: &str = "the disk of this host cannot be written to";

/// The result of the last check, and the time of that check.
#[derive(Debug, Default)]
pub(super) struct Room(Mutex<Option<(Instant, Option<&'static str>)>>);

impl Room {
    /// Checks that this host can write to each of these folders.
    ///
    /// # Errors
    ///
    /// Fails with the reason why this host cannot write to one of the folders.
    pub(super) async fn is_in(&self, folders: Vec<PathBuf>) -> Result<(), &'static str> {
        let mut last = self.0.lock().await;
        let fresh = last.filter(|(at, _)| at.elapsed() < FRESH);
        let fault = if let Some((_, fault)) = fresh {
            fault
        } else {
            let fault = on_pool::run(move || folders.iter().find_map(|folder| fault(folder))).await;
            *last = Some((Instant::now(), fault));
            fault
        };
        fault.map_or(Ok(()), Err)
    }
}

/// Returns the reason why this host cannot write to a folder. Returns `None` if this host can write to it.
fn fault(folder: &Path) -> Option<&'static str> {
    let error = probe(folder).err()?;
    tracing::error!(folder = %folder.display(), %error, "this host cannot write to its disk");
    Some(reason(&error, inodes_left(folder)))
}

/// Returns the reason for an error, as it is shown to people. `inodes` is the number of free inodes of the file system,
/// if the file system limits them.
fn reason(error: &io::Error, inodes: Option<u64>) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull if inodes == Some(0) => NO_INODES,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FULL,
        _ => UNWRITABLE,
    }
}

/// Returns the number of inodes that are left for this user. Returns `None` if the number is unknown or not limited.
fn inodes_left(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        // If the folder could not be created, the file system of its nearest existing parent is used.
        let mut known = folder
            .ancestors()
            .filter_map(|it| rustix::fs::statvfs(it).ok());
        let stat = known.next()?;
        (stat.f_files > 0).then_some(stat.f_favail)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Writes a file and removes it. Blocks.
fn probe(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("claw-ready-{}", uuid::Uuid::new_v4()));
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)?;
    let written = file
        .write_all(&vec![0; PROBE])
        .and_then(|()| file.sync_data());
    let removed = fs::remove_file(&path);
    written.and(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_takes_a_file_has_room_and_nothing_stays_there() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("claw");
        assert_eq!(fault(&new), None);
        assert_eq!(fs::read_dir(&new).unwrap().count(), 0);
        let none = folder.path().join("file");
        fs::write(&none, "").unwrap();
        assert_eq!(fault(&none), Some(UNWRITABLE));
    }

    #[test]
    fn a_full_disk_differs_from_one_without_inodes() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(reason(&full, Some(0)), NO_INODES);
        assert_eq!(reason(&full, Some(1)), FULL);
        assert_eq!(reason(&full, None), FULL);
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert_eq!(reason(&denied, Some(0)), UNWRITABLE);
    }
}
