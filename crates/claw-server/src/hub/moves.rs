//! Where sessions went on: `/clear` gives a session's conversation another ID.
//!
//! A move is a file that is named after the earlier ID and has the later one in it. So a caller that knows a
//! session by its first ID, such as one of the hosting contract, finds it also after a restart of the server.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use claw_sessions::Sessions;
use claw_types::SessionId;

use crate::whole_file;

/// How many moves are followed, so that a circle of files is left again.
const MOST: usize = 1000;
/// A session may begin late. For so long its move is kept without it.
const BEGINS: Duration = Duration::from_hours(24);

/// The moves of one configuration folder.
#[derive(Debug)]
pub(crate) struct Moves {
    folder: PathBuf,
}

impl Moves {
    /// Lets go of those that lead to a session which is gone. Blocks.
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
            if is_old && sessions.find(to.trim()).is_err() {
                let _ = fs::remove_file(entry.path());
            }
        }
        moves
    }

    /// Notes that a session goes on under another ID. Blocks.
    pub(crate) fn record(&self, from: &SessionId, to: &SessionId) -> io::Result<()> {
        let Some(path) = self.path(from) else {
            return Ok(());
        };
        whole_file::write(&path, to.as_str())
    }

    /// The session is one of its own again. Blocks.
    pub(crate) fn forget(&self, from: &SessionId) {
        if let Some(path) = self.path(from) {
            let _ = fs::remove_file(path);
        }
    }

    /// The ID under which a session goes on: its own, if it has not moved. Blocks.
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

    /// The file of a session. `None` if its ID cannot be the name of one.
    fn path(&self, id: &SessionId) -> Option<PathBuf> {
        is_id(id.as_str()).then(|| self.folder.join(id.as_str()))
    }
}

/// Whether a text is a session's ID, which the name of a file can be.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 36 && uuid::Uuid::try_parse(text).is_ok()
}
