//! The IDs under which sessions continue. After `/clear`, a session's conversation has another ID.
//!
//! A move is a file that is named after the earlier ID and contains the later ID. So a caller that knows only the first
//! ID of a session, such as a caller of the hosting contract, still finds the session after a restart of the server.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

use claw_sessions::{Error, Sessions};
use claw_types::SessionId;

use crate::whole_file;

/// Maximum number of moves that are followed for one session. The limit ends the search if the files form a cycle.
const MOST: usize = 1000;
/// The time for which the file of a move is kept even if no session with the new ID exists. The session exists only after
/// its first message, which may arrive late.
const BEGINS: Duration = Duration::from_hours(24);

/// The moves in one configuration folder. A move records that a session has continued under another ID.
#[derive(Debug)]
pub(crate) struct Moves {
    folder: PathBuf,
}

impl Moves {
    /// Opens the moves of the sessions. Removes old moves whose new ID belongs to no session. Blocks.
    pub(crate) fn of(sessions: &Sessions) -> Self {
        let folder = sessions.projects().with_file_name("claw").join("moves");
        let moves = Self { folder };
        for entry in fs::read_dir(&moves.folder).into_iter().flatten().flatten() {
            let is_old = || {
                entry
                    .metadata()?
                    .modified()?
                    .elapsed()
                    .map_err(io::Error::other)
            };
            let is_old = is_old().is_ok_and(|age| age > BEGINS);
            let to = fs::read_to_string(entry.path()).unwrap_or_default();
            if is_old && is_gone(sessions, to.trim()) {
                let _ = fs::remove_file(entry.path());
            }
        }
        moves
    }

    /// Records that a session continues under another ID. Blocks.
    pub(crate) fn record(&self, from: &SessionId, to: &SessionId) -> io::Result<()> {
        let Some(path) = self.path(from) else {
            return Ok(());
        };
        whole_file::write(&path, to.as_str())
    }

    /// Removes the record that a session has continued under another ID. The session then continues under its own ID again.
    /// Blocks.
    pub(crate) fn forget(&self, from: &SessionId) {
        if let Some(path) = self.path(from) {
            let _ = fs::remove_file(path);
        }
    }

    /// Returns the ID under which a session continues. This is the session's own ID if it has not moved. Blocks.
    pub(crate) fn newest(&self, id: &SessionId) -> SessionId {
        let mut newest = id.clone();
        for _ in 0..MOST {
            let to = self.path(&newest).map(fs::read_to_string);
            match to {
                Some(Ok(to)) if is_id(to.trim()) => newest = SessionId::from(to.trim()),
                _ => return newest,
            }
        }
        id.clone()
    }

    /// Returns the path of the file that records the new ID of a session. Returns `None` if the ID cannot be a file name.
    fn path(&self, id: &SessionId) -> Option<PathBuf> {
        is_id(id.as_str()).then(|| self.folder.join(id.as_str()))
    }
}

/// Whether a text is the ID of no session. A session that several configuration folders have exists, and one may exist
/// in a folder that cannot be read now.
fn is_gone(sessions: &Sessions, id: &str) -> bool {
    match sessions.find(id) {
        Ok(_) | Err(Error::InSeveral { .. }) => false,
        // A configuration folder that does not exist has no sessions.
        Err(Error::Io { source, .. }) => source.kind() == ErrorKind::NotFound,
        Err(_) => true,
    }
}

/// Whether a text is a session ID. A session ID can be a file name.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 36 && uuid::Uuid::try_parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;

    const ONE: &str = "11111111-1111-4111-8111-111111111111";
    const TWO: &str = "22222222-2222-4222-8222-222222222222";

    #[test]
    fn an_old_move_stays_unless_its_session_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let homes = ["one", "two"].map(|name| folder.path().join(name));
        let of =
            |count: usize| Sessions::of_config_dirs(homes[..count].to_vec(), |_| None).unwrap();
        let write = |home: &PathBuf| {
            let project = home.join("projects/-shop");
            fs::create_dir_all(&project).unwrap();
            fs::write(project.join(format!("{TWO}.jsonl")), "{}\n").unwrap();
        };
        let from = SessionId::from(ONE);
        // Opens the moves after a long time.
        let newest = |sessions: &Sessions| {
            let moves = Moves::of(sessions);
            moves.record(&from, &SessionId::from(TWO)).unwrap();
            let path = moves.path(&from).unwrap();
            let long_ago = SystemTime::now().checked_sub(2 * BEGINS).unwrap();
            let file = File::options().write(true).open(path);
            file.unwrap().set_modified(long_ago).unwrap();
            Moves::of(sessions).newest(&from)
        };
        assert_eq!(newest(&of(1)), from);
        for home in &homes {
            write(home);
            assert_eq!(newest(&of(2)).as_str(), TWO);
        }
        // The folder of all projects cannot be read.
        let projects = homes[0].join("projects");
        fs::remove_dir_all(&projects).unwrap();
        fs::write(&projects, "").unwrap();
        assert_eq!(newest(&of(1)).as_str(), TWO);
    }
}
