//! Where the transcripts of a session are, and what they are in the store.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use claw_store::{Checkout, SessionRef, StoreKey, Subpath, WriterId};
use tokio::task::spawn_blocking;

/// Where a session's transcripts are.
pub(super) struct Origin {
    /// The session in the store, as it was when the CLI was started.
    pub(super) session: SessionRef,
    /// The folder into which the session was taken out of the store. `None`: the CLI's own configuration folder.
    pub(super) checkout: Option<Checkout>,
    /// The main transcript, where it is this session's alone. It is stored also if the CLI could not tell of it.
    pub(super) main: Option<PathBuf>,
    /// How long the transcripts were that the store had before the CLI was started.
    lengths: HashMap<PathBuf, u64>,
    /// Who writes the lines that come.
    writer: WriterId,
}

impl Origin {
    /// Of a session that begins.
    pub(super) fn new(session: SessionRef) -> Self {
        Self {
            session,
            checkout: None,
            main: None,
            lengths: HashMap::new(),
            writer: WriterId::random(),
        }
    }

    /// Takes what is there of a session for stored.
    ///
    /// Blocks.
    pub(super) fn has(&mut self, session: &claw_sessions::Session) {
        let mut add = |path: PathBuf| {
            if let Ok(found) = path.metadata() {
                self.lengths.insert(path, found.len());
            }
        };
        add(session.transcript().to_owned());
        transcripts_below(&session.folder(), &mut add);
    }

    /// The CLI's project is in this folder. `config` is its configuration folder, unless there is a checkout.
    ///
    /// Blocks.
    pub(super) fn expect_main(&mut self, config: &Path, folder: &str) {
        let config = self.checkout.as_ref().map_or(config, Checkout::config);
        let name = format!("{}.jsonl", self.session.session());
        let main = config.join("projects").join(folder).join(name);
        if self.lengths.contains_key(&main) || !main.exists() {
            self.main = Some(main);
        }
    }

    /// The key of a transcript, or what is wrong with its path.
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

    /// Who writes the lines of a transcript, and where the first of them begins.
    pub(super) fn writer(&self, path: &Path) -> (WriterId, u64) {
        let start = self.lengths.get(path).copied();
        (self.writer.clone(), start.unwrap_or(0))
    }

    /// Removes what was only for this session. Says what is left if not everything was stored.
    pub(super) async fn clean_up(&mut self, is_whole: bool) -> Option<(StoreKey, String)> {
        let checkout = self.checkout.take()?;
        let text = if is_whole {
            let error = checkout.close().await.err()?;
            format!("the session's folder was not removed: {error}")
        } else {
            let folder = checkout.config().display().to_string();
            let _ = spawn_blocking(move || checkout.leave()).await;
            format!(
                "lines are not stored; they are kept in {folder}, and the next session with a store on this host stores them"
            )
        };
        Some((self.session.main(), text))
    }

    /// Leaves what was only for this session to the next one with a store on this host.
    ///
    /// Blocks.
    pub(super) fn leave(&mut self) {
        if let Some(checkout) = self.checkout.take() {
            checkout.leave();
        }
    }
}

/// Gives every transcript below a folder, to a depth of eight.
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
