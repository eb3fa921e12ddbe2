//! The locations of a session's transcripts on disk and in the store.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use claw_store::{Checkout, LocalSession, SessionRef, StoreKey, Subpath, WriterId};
use tokio::task::spawn_blocking;

/// The locations of a session's transcripts on disk and in the store.
pub(super) struct Origin {
    /// The session with which the CLI starts, under its name in the store.
    pub(super) session: SessionRef,
    /// The folder into which the session was checked out of the store. `None` if the session is in the CLI's own
    /// configuration folder.
    pub(super) checkout: Option<Checkout>,
    /// A note on this host's disk that the session's transcripts are in the CLI's own configuration folder.
    note: Option<LocalSession>,
    /// The main transcript, if only this session writes to it. It is stored even if the CLI did not report it.
    pub(super) main: Option<PathBuf>,
    /// The lengths of the transcripts that were in the store before the start of the CLI.
    lengths: HashMap<PathBuf, u64>,
    /// The writer ID with which new lines are stored.
    writer: WriterId,
}

impl Origin {
    /// Creates the origin of a new session.
    pub(super) fn new(session: SessionRef) -> Self {
        Self {
            session,
            checkout: None,
            note: None,
            main: None,
            lengths: HashMap::new(),
            writer: WriterId::random(),
        }
    }

    /// Records that the existing lines of the session's transcripts are already stored.
    ///
    /// Blocks on the disk.
    pub(super) fn has(&mut self, session: &claw_sessions::Session) {
        let mut add = |path: PathBuf| {
            if let Ok(found) = path.metadata() {
                self.lengths.insert(path, found.len());
            }
        };
        add(session.transcript().to_owned());
        transcripts_below(&session.folder(), &mut add);
    }

    /// Sets the path of the main transcript. `folder` is the name of the project's folder, and `config` is the CLI's
    /// configuration folder if the session was not checked out.
    ///
    /// Blocks on the disk.
    pub(super) fn expect_main(&mut self, config: &Path, folder: &str) {
        let config = self.checkout.as_ref().map_or(config, Checkout::config);
        let name = format!("{}.jsonl", self.session.session());
        let main = config.join("projects").join(folder).join(name);
        if self.lengths.contains_key(&main) || !main.exists() {
            self.main = Some(main);
        }
    }

    /// Writes a note to this host's disk if the session's transcripts are in the CLI's own configuration folder. If
    /// this process is killed, the note lets a later process find the lines that are not stored.
    ///
    /// Blocks on the disk.
    pub(super) fn note(&mut self, config: &Path) {
        if self.checkout.is_some() {
            return;
        }
        match LocalSession::new(&std::env::temp_dir(), &self.session, config) {
            Ok(note) => self.note = Some(note),
            Err(error) => {
                tracing::warn!(%error, "lines that are not stored when this process is killed stay on this disk");
            }
        }
    }

    /// Records the process ID of the CLI that writes the session. If this process is killed, the next process waits
    /// until the CLI has ended before it touches the session's files.
    ///
    /// Blocks on the disk.
    pub(super) fn written_by(&self, pid: u32) {
        let recorded = match (&self.checkout, &self.note) {
            (Some(checkout), _) => checkout.written_by(pid),
            (None, Some(note)) => note.written_by(pid),
            (None, None) => Ok(()),
        };
        if let Err(error) = recorded {
            tracing::warn!(%error, "the CLI's process is not recorded: its last lines stay on this disk if this process is killed");
        }
    }

    /// Returns the key of a transcript, or the reason why its path has no key.
    pub(super) fn key(&self, path: &Path) -> Result<StoreKey, String> {
        let outside = || "it is not below a folder of projects".to_owned();
        let parts: Vec<_> = path.components().map(Component::as_os_str).collect();
        let projects = parts
            .iter()
            .rposition(|part| *part == OsStr::new("projects"));
        let below = projects.map(|at| &parts[at + 1..]).ok_or_else(outside)?;
        let below: Option<Vec<_>> = below.iter().map(|part| part.to_str()).collect();
        let below = below.ok_or("its path is not text")?;
        let session =
            |id| SessionRef::new(self.session.project(), id).map_err(|error| error.to_string());
        match &*below {
            [_, main] => {
                let id = main.strip_suffix(".jsonl").ok_or_else(outside)?;
                Ok(session(id)?.main())
            }
            [_, id, .., _] => {
                let subpath = below[2..].join("/");
                let subpath = subpath.strip_suffix(".jsonl").ok_or_else(outside)?;
                let subpath = Subpath::new(subpath).map_err(|error| error.to_string())?;
                Ok(session(*id)?.at(subpath))
            }
            _ => Err(outside()),
        }
    }

    /// Returns the writer of a transcript's lines, and the position of the writer's first line.
    pub(super) fn writer(&self, path: &Path) -> (WriterId, u64) {
        let start = self.lengths.get(path).copied();
        (self.writer.clone(), start.unwrap_or(0))
    }

    /// Removes the files that were needed only for this session. If not everything was stored, the files remain.
    /// Returns a message if files remain.
    pub(super) async fn clean_up(&mut self, is_whole: bool) -> Option<(StoreKey, String)> {
        let text = if is_whole {
            drop(self.note.take());
            let error = self.checkout.take()?.close().await.err()?;
            format!("the session's folder was not removed: {error}")
        } else {
            let (checkout, note) = (self.checkout.take(), self.note.take());
            if checkout.is_none() && note.is_none() {
                return None;
            }
            let _ = spawn_blocking(move || leave(checkout, note)).await;
            "lines are not stored yet; they are on this host's disk, which stores them when it can"
                .to_owned()
        };
        Some((self.session.main(), text))
    }

    /// Leaves the files that were needed only for this session on disk. The next session with a store on this host
    /// stores the lines that are not stored yet.
    ///
    /// Blocks on the disk.
    pub(super) fn leave(&mut self) {
        leave(self.checkout.take(), self.note.take());
    }
}

/// Leaves the checkout, and the note, on the disk. A later session on this host then stores the rest. Blocks on the
/// disk.
fn leave(checkout: Option<Checkout>, note: Option<LocalSession>) {
    if let Some(checkout) = checkout {
        checkout.leave();
    }
    if let Some(note) = note {
        note.leave();
    }
}

/// Reports each transcript below a folder, to a depth of eight.
pub(super) fn transcripts_below(folder: &Path, found: &mut dyn FnMut(PathBuf)) {
    fn below(folder: &Path, depth: usize, found: &mut dyn FnMut(PathBuf)) {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 0 => below(&path, depth - 1, found),
                Ok(kind)
                    if kind.is_file() && path.extension().is_some_and(|end| end == "jsonl") =>
                {
                    found(path);
                }
                _ => {}
            }
        }
    }
    below(folder, 8, found);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> Origin {
        Origin::new(SessionRef::new("shared", "s1").unwrap())
    }

    #[test]
    fn a_path_is_a_key() {
        let key = |path: &str| origin().key(Path::new(path)).map(|key| key.to_string());
        let id = "4f6e1c3a-8f0b-4b43-9c57-1f2d3e4a5b6c";
        assert_eq!(
            key(&format!("/h/.claude/projects/-work-p/{id}.jsonl")),
            Ok(format!("shared/{id}"))
        );
        assert_eq!(
            key(&format!(
                "/h/projects/.claude/projects/-work-p/{id}/subagents/w/agent-1.jsonl"
            )),
            Ok(format!("shared/{id}/subagents/w/agent-1"))
        );
        for wrong in [
            "/h/.claude/x.jsonl",
            "/h/projects/x.jsonl",
            "/h/projects/p/x.txt",
            "/h/projects/p/s/../../../etc/x.jsonl",
        ] {
            assert!(key(wrong).is_err(), "{wrong}");
        }
    }
}
