//! Where the transcripts of a session are, and what they are in the store.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use claw_store::{Checkout, SessionRef, StoreKey, Subpath, WriterId, writer_of};

/// Where a session's transcripts are.
pub(super) struct Origin {
    /// The session in the store, as it was when the CLI was started.
    pub(super) session: SessionRef,
    /// The folder into which the session was taken out of the store. `None`: the CLI's own configuration folder.
    pub(super) taken: Option<Taken>,
}

/// A session that was taken out of its store.
pub(super) struct Taken {
    checkout: Checkout,
    /// Who writes the lines that come.
    writer: WriterId,
    /// How long the transcripts are that came from the store.
    lengths: HashMap<PathBuf, u64>,
}

impl Taken {
    /// Of a checkout that nothing has written to yet.
    ///
    /// Blocks.
    pub(super) fn new(checkout: Checkout) -> Self {
        let mut lengths = HashMap::new();
        transcripts_below(&checkout.config().join("projects"), &mut |path| {
            if let Ok(found) = path.metadata() {
                lengths.insert(path, found.len());
            }
        });
        Self {
            checkout,
            writer: WriterId::random(),
            lengths,
        }
    }

    /// The configuration folder.
    pub(super) fn config(&self) -> &Path {
        self.checkout.config()
    }
}

impl Origin {
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
        match &self.taken {
            Some(taken) => {
                let start = taken.lengths.get(path).copied();
                (taken.writer.clone(), start.unwrap_or(0))
            }
            None => (writer_of(path), 0),
        }
    }

    /// Removes what was only for this session. Says what is left if not everything was stored.
    ///
    /// Blocks.
    pub(super) fn clean_up(self, is_whole: bool) -> Option<(StoreKey, String)> {
        let checkout = self.taken?.checkout;
        let text = if is_whole {
            let error = checkout.remove().err()?;
            format!("the session's folder was not removed: {error}")
        } else {
            let kept = checkout.keep_transcripts();
            format!("lines are not stored; they are kept in {}", kept.display())
        };
        Some((self.session.main(), text))
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
        Origin {
            session: SessionRef::new("shared", "s1").unwrap(),
            taken: None,
        }
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
