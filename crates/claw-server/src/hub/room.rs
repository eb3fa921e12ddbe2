//! Checks whether this host can write to disk what its sessions need.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claw_sessions::on_pool;
use tokio::sync::Mutex;

/// The size of the file that is written for the check, in bytes.
const PROBE: usize = 64 << 10;

/// The time for which a result is reused. The route needs no token, so it may be called often.
const FRESH: Duration = Duration::from_secs(1);

/// The last result, and its time.
#[derive(Debug, Default)]
pub(super) struct Room(Mutex<Option<(Instant, bool)>>);

impl Room {
    /// Whether this host can write to each of these folders.
    pub(super) async fn is_in(&self, folders: Vec<PathBuf>) -> bool {
        let mut last = self.0.lock().await;
        let fresh = last.filter(|(at, _)| at.elapsed() < FRESH);
        if let Some((_, has_room)) = fresh {
            return has_room;
        }
        let has_room = on_pool::run(move || folders.iter().all(|folder| can_write(folder))).await;
        *last = Some((Instant::now(), has_room));
        has_room
    }
}

fn can_write(folder: &Path) -> bool {
    let written = probe(folder);
    if let Err(error) = &written {
        tracing::error!(folder = %folder.display(), %error, "this host cannot write to its disk");
    }
    written.is_ok()
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
        assert!(can_write(&new));
        assert_eq!(fs::read_dir(&new).unwrap().count(), 0);
        let none = folder.path().join("file");
        fs::write(&none, "").unwrap();
        assert!(!can_write(&none));
    }
}
