//! Deletes sessions.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::append::is_gone;
use crate::home::{is_session_id, names};
use crate::list::stat;
use crate::{Error, Session, sidecar};

/// The prefix of the name of a transcript that is being deleted. The session does not exist any more. As long as this
/// file exists, the session's other files must be removed, so this file is removed last.
const DELETED: &str = ".claw-deleted-";

impl Session {
    /// Removes the session: its transcript, and its folder with the transcripts of its sub-agents.
    ///
    /// The session disappears in one step. If the process ends before all files are removed, the next `delete` in that
    /// project removes the rest. A running `claude` that uses the session is not stopped, and may create the
    /// transcript again.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NotFound`] if the session was deleted meanwhile. Fails with [`Error::Io`] if the session
    /// cannot be deleted, or if some of its files could not be removed.
    pub fn delete(&self) -> Result<(), Error> {
        let transcript = self.transcript();
        let io = |error| Error::io("cannot delete", transcript, error);
        let project = transcript.parent().unwrap_or(Path::new(""));
        // A failure to remove the rest of another session does not prevent this deletion.
        for id in interrupted(project) {
            let _ = finish(project, &id);
        }
        let id = self.id().as_str();
        if let Err(error) = stat(transcript) {
            return Err(error.unwrap_or_else(|| self.not_found()));
        }
        match fs::rename(transcript, project.join(format!("{DELETED}{id}"))) {
            Err(error) if is_gone(&error) => Err(self.not_found()),
            renamed => renamed.and_then(|()| finish(project, id)).map_err(io),
        }
    }
}

/// Returns the sessions whose deletion was interrupted.
fn interrupted(project: &Path) -> Vec<String> {
    let names = names(project).unwrap_or_default();
    let ids = names.iter().filter_map(|name| name.strip_prefix(DELETED));
    ids.filter(|id| is_session_id(id))
        .map(ToOwned::to_owned)
        .collect()
}

/// Removes the remaining files of a deleted session. Another process may do the same at the same time.
fn finish(project: &Path, id: &str) -> io::Result<()> {
    let record = project.join(format!("{DELETED}{id}"));
    let moved = project.join(format!("{DELETED}{id}.d"));
    let folder = project.join(id);
    // An earlier deletion may have moved a folder here. It is removed first, to free the name.
    unless_gone(remove_folder(&moved))?;
    // If the session was created again meanwhile, it keeps its folder.
    if stat(&folder.with_extension("jsonl")).is_err() {
        // The folder is renamed before it is removed. No program knows the new name, so none adds
        // files to the folder.
        unless_gone(fs::rename(&folder, &moved))?;
        unless_gone(remove_folder(&moved))?;
    }
    unless_gone(fs::remove_file(record))
}

/// Removes a folder with its contents. Of a symbolic link, only the link is removed.
fn remove_folder(path: &Path) -> io::Result<()> {
    if sidecar::is_folder(path) {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

fn unless_gone(done: io::Result<()>) -> io::Result<()> {
    done.or_else(|error| {
        if error.kind() == ErrorKind::NotFound {
            Ok(())
        } else {
            Err(error)
        }
    })
}
