//! A session of the store whose files are in the CLI's own configuration folder.

use std::io;
use std::path::Path;

use super::contents::Contents;
use super::temporary::Temporary;
use crate::SessionRef;

/// A note on this disk that a session of a store is being written in the CLI's own configuration folder. This is the
/// case, for example, for a session that begins on this host. If the process is killed,
/// [`StoredSessions::recover`](crate::StoredSessions::recover) finds the note and stores the missing lines.
///
/// # Drop
///
/// Dropping the note removes it. The session itself is not touched.
#[derive(Debug)]
#[must_use = "the note is removed when it is dropped"]
pub struct LocalSession(Temporary);

impl LocalSession {
    /// Makes a note in the folder `within`, which must exist. `config` is the CLI's configuration folder. This call
    /// blocks.
    ///
    /// # Errors
    ///
    /// Fails with the error of the file system if the note cannot be written.
    pub fn new(within: &Path, session: &SessionRef, config: &Path) -> io::Result<Self> {
        let folder = Temporary::create(within)?;
        Contents::write_own(folder.path(), session, config)?;
        Ok(Self(folder))
    }

    /// Records the process ID of the CLI that writes the session. If this process is killed,
    /// [`StoredSessions::recover`] does not change the session before the CLI has ended. This call blocks.
    ///
    /// # Errors
    ///
    /// Fails with the error of the file system if the record cannot be written.
    ///
    /// [`StoredSessions::recover`]: crate::StoredSessions::recover
    pub fn written_by(&self, pid: u32) -> io::Result<()> {
        self.0.written_by(pid)
    }

    /// Leaves the note on the disk, because some lines were not stored.
    /// [`StoredSessions::recover`](crate::StoredSessions::recover) then stores them later.
    pub fn leave(self) {
        self.0.leave();
    }
}
