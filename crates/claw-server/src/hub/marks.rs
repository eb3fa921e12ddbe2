//! Marks of running turns. What a server that was killed leaves behind says which turns were cut.
//!
//! A mark is an empty file, named after the session, that its server keeps locked. The system releases the lock with the
//! server's end, however it ends, and the file stays.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use claw_sessions::Sessions;
use claw_types::SessionId;

/// The marks of one configuration folder.
#[derive(Debug)]
pub(crate) struct Marks {
    folder: PathBuf,
    /// The sessions whose last turn was cut.
    cut: Mutex<HashSet<SessionId>>,
}

/// The mark of a running turn. Its file stays when this is dropped: then the turn was cut.
#[derive(Debug)]
pub(crate) struct Mark {
    path: PathBuf,
    _locked: File,
}

impl Marks {
    /// Reads what earlier servers have left behind. Marks of servers that run are theirs.
    pub(crate) fn of(sessions: &Sessions) -> io::Result<Self> {
        let folder = sessions.projects().with_file_name("claw").join("running");
        let mut cut = HashSet::new();
        match fs::read_dir(&folder) {
            Ok(entries) => {
                for entry in entries {
                    let entry = entry?;
                    let id = entry.file_name().into_string().ok().filter(|id| is_id(id));
                    if let Some(id) = id
                        && entry.file_type()?.is_file()
                        && File::open(entry.path())?.try_lock().is_ok()
                    {
                        cut.insert(SessionId::from(id.as_str()));
                    }
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(Self {
            folder,
            cut: Mutex::new(cut),
        })
    }

    /// Whether the last turn of a session was cut.
    pub(crate) fn is_cut(&self, id: &SessionId) -> bool {
        self.cut().contains(id)
    }

    /// A turn begins. `None` if it cannot be marked, or another server has marked one of the same session.
    pub(crate) fn begin(&self, id: &SessionId) -> Option<Mark> {
        self.cut().remove(id);
        if !is_id(id.as_str()) {
            return None;
        }
        let mark = self.try_begin(id);
        mark.inspect_err(|error| tracing::warn!(%error, "a running turn cannot be marked"))
            .ok()
    }

    fn try_begin(&self, id: &SessionId) -> io::Result<Mark> {
        fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(id.as_str());
        let mut open = File::options();
        let file = open.write(true).create(true).truncate(false).open(&path)?;
        file.try_lock()?;
        Ok(Mark {
            path,
            _locked: file,
        })
    }

    fn cut(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        self.cut.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Mark {
    /// The turn has ended.
    pub(crate) fn end(self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, "the mark of a turn that has ended stays");
        }
    }
}

/// Whether a text can be an ID of a session and the name of a file.
fn is_id(text: &str) -> bool {
    uuid::Uuid::try_parse(text).is_ok()
}
