//! The recording of a connection with an editor.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use claw_acp::Direction;
use claw_client::transport::create_private_file;

/// The file with the lines between the editor and claw.
const EDITOR: &str = "editor.jsonl";

/// A recording. One file contains the lines between the editor and claw. For each session, a folder contains the lines
/// between claw and claude. Clones are cheap and share the recording.
#[derive(Debug, Clone)]
pub(crate) struct Record(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    editor: Mutex<File>,
    sessions: AtomicU64,
}

impl Record {
    /// Creates the folder, which only the user can read.
    pub(crate) fn create(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let editor = create_private_file(folder.join(EDITOR))?;
        Ok(Self(Arc::new(Shared {
            folder: folder.to_owned(),
            editor: Mutex::new(editor),
            sessions: AtomicU64::new(0),
        })))
    }

    /// Writes a line as `{"from": …, "line": …}`. The field `line` is a text, because the line may not be JSON.
    pub(crate) fn line(&self, direction: Direction, line: &str) {
        let from = match direction {
            Direction::Received => "editor",
            Direction::Sent => "claw",
        };
        let entry = serde_json::json!({"from": from, "line": line});
        let editor = self.0.editor.lock();
        let mut editor = editor.unwrap_or_else(PoisonError::into_inner);
        // A failure of the recording must not end the connection, so it is ignored.
        let _ = writeln!(editor, "{entry}");
    }

    /// Returns the folder for the next session.
    pub(crate) fn next_session(&self) -> PathBuf {
        let number = self.0.sessions.fetch_add(1, Ordering::Relaxed) + 1;
        self.0.folder.join(format!("session-{number}"))
    }
}
