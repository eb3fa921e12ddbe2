//! What there is in the folder.

use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::locked::{Inner, length};
use super::paths::{Paths, projects};
use super::state::{Record, read_json};
use crate::{ListedSession, SessionRef, StoreError, Subpath, Summary, names};

impl Inner {
    /// The sessions that have a main transcript.
    pub(super) fn transcripts(&self, project: Option<&str>) -> Result<Vec<SessionRef>, StoreError> {
        let mut found = Vec::new();
        for entry in entries(&projects(&self.root))? {
            let name = entry.file_name();
            let name = name.to_str().and_then(names::unescaped);
            let Some(name) = name.filter(|name| project.is_none_or(|project| project == name))
            else {
                continue;
            };
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            for transcript in entries(&entry.path())? {
                let file = transcript.file_name();
                let id = file.to_str().and_then(|file| file.strip_suffix(".jsonl"));
                let id = id.and_then(names::unescaped);
                let session = id.map(|id| SessionRef::new(&*name, id));
                found.extend(session.and_then(Result::ok));
            }
        }
        Ok(found)
    }

    /// A session in a list. `None` where it is gone.
    pub(super) fn listed(&self, session: SessionRef) -> Result<Option<ListedSession>, StoreError> {
        let paths = Paths::of(&self.root, &session)?;
        let Ok(stat) = paths.main.symlink_metadata() else {
            return Ok(None);
        };
        if !stat.is_file() || stat.len() == 0 || paths.deleting().exists() {
            return Ok(None);
        }
        let modified = stat.modified().map_err(StoreError::unavailable)?;
        let since = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let modified = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        // Of one that others have written since, it does not say everything.
        let record: Option<Record> = read_json(&paths.state.join("main.json"))?;
        let after = record.map(|record| record.after);
        let whole = after.filter(|state| state.length == stat.len());
        Ok(Some(ListedSession {
            summary: whole.map(|state| Summary::from_data(state.summary)),
            ..ListedSession::new(session, modified)
        }))
    }

    /// The transcripts beside the main one.
    pub(super) fn subpaths(&self, session: &SessionRef) -> Result<Vec<Subpath>, StoreError> {
        let paths = Paths::of(&self.root, session)?;
        let mut found = Vec::new();
        if paths.deleting().exists() {
            return Ok(found);
        }
        // A list and no recursion, for they may be deep.
        let mut folders = vec![(paths.beside, String::new())];
        while let Some((folder, above)) = folders.pop() {
            for entry in entries(&folder)? {
                let name = entry.file_name();
                let Some(name) = name.to_str() else { continue };
                let kind = entry.file_type().map_err(StoreError::unavailable)?;
                if kind.is_dir() {
                    if let Some(part) = names::unescaped(name) {
                        folders.push((entry.path(), format!("{above}{part}/")));
                    }
                    continue;
                }
                let part = name.strip_suffix(".jsonl").and_then(names::unescaped);
                let subpath = part.map(|part| Subpath::new(&format!("{above}{part}")));
                let Some(Ok(subpath)) = subpath else { continue };
                if kind.is_file() && length(&entry.path())?.is_some_and(|length| length > 0) {
                    found.push(subpath);
                }
            }
        }
        Ok(found)
    }
}

/// What is in a folder. Nothing where there is none.
fn entries(folder: &Path) -> Result<Vec<DirEntry>, StoreError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect);
    entries.or_else(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(Vec::new()),
        _ => Err(StoreError::unavailable(error)),
    })
}
