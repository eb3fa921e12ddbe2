//! The archived sessions that are only in the store.
//!
//! On disk, each archived session has an archive file beside its transcript. A store cannot contain such a file. So
//! each archived session of the store has a file in this folder, named after the session. The file contains a time. If
//! the session was written after this time, it is no longer archived.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

use claw_sessions::Sessions;
use claw_types::SessionId;

use super::moves::is_id;
use crate::whole_file;

/// The archived sessions of one configuration folder.
#[derive(Debug)]
pub(crate) struct Shelf {
    folder: PathBuf,
    /// The times in the files, in milliseconds since 1970. They are read from disk once.
    kept: Mutex<HashMap<SessionId, i64>>,
}

impl Shelf {
    /// Reads the archived sessions from disk. Blocks.
    pub(super) fn of(sessions: &Sessions) -> Self {
        let folder = sessions.projects().with_file_name("claw").join("archived");
        let mut kept = HashMap::new();
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let time = fs::read_to_string(entry.path());
            let time = time.ok().and_then(|text| text.trim().parse().ok());
            if let (Some(id), Some(time)) = (name.to_str().filter(|name| is_id(name)), time) {
                kept.insert(SessionId::from(id), time);
            }
        }
        let kept = Mutex::new(kept);
        Self { folder, kept }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, i64>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a session that was last written at this time is archived.
    pub(super) fn has(&self, id: &SessionId, modified: i64) -> bool {
        self.lock().get(id).is_some_and(|until| modified <= *until)
    }

    /// Archives a session until it is written after this time. `None` removes the session from the archive. Blocks.
    pub(super) fn set(&self, id: &SessionId, until: Option<i64>) -> io::Result<()> {
        if !is_id(id.as_str()) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let path = self.folder.join(id.as_str());
        let mut kept = self.lock();
        let Some(until) = until else {
            kept.remove(id);
            return match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        whole_file::write(&path, until.to_string())?;
        kept.insert(id.clone(), until);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_archived_stays_so_in_the_next_server_until_it_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(folder.path());
        let [one, other] = ["1", "2"].map(|digit| {
            let id = "00000000-0000-4000-8000-00000000000";
            SessionId::from(format!("{id}{digit}").as_str())
        });
        let shelf = Shelf::of(&sessions);
        shelf.set(&one, Some(7)).unwrap();
        shelf.set(&other, Some(7)).unwrap();
        shelf.set(&other, None).unwrap();
        shelf.set(&other, None).unwrap();
        for shelf in [shelf, Shelf::of(&sessions)] {
            assert!(shelf.has(&one, 7) && !shelf.has(&one, 8) && !shelf.has(&other, 7));
        }
        let outside = SessionId::from("../../outside");
        assert!(Shelf::of(&sessions).set(&outside, Some(7)).is_err());
        assert!(!folder.path().join("outside").exists());
    }
}
