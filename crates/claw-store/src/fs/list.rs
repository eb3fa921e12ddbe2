//! Lists of the sessions and transcripts in the folder.

use std::fs::{self, DirEntry, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::locked::{Inner, length};
use super::paths::{Paths, projects};
use super::state::{Record, read_json};
use crate::adapter::names;
use crate::digest::Digest;
use crate::{ListedSession, SessionRef, StoreError, Subpath, Summary};

impl Inner {
    /// Returns the sessions that have a main transcript.
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

    /// Returns the list entry of a session, or `None` if the session does not exist any more.
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
        // If another program has written to the transcript, the summary in the state file is incomplete. So the summary
        // is used only if the recorded length equals the length of the transcript.
        let record: Option<Record> = read_json(&paths.state.join("main.json"))?;
        let id = record.as_ref().map(|record| record.id.clone());
        let after = record.map(|record| record.after);
        let whole = after.filter(|state| state.length == stat.len());
        let summary = whole.map(|state| Summary::from_data(state.summary));
        let revision = revision(&stat, id.as_deref(), &paths.beside)?;
        let listed = ListedSession::new(session, modified).summary(summary);
        Ok(Some(listed.revision(Some(revision)).size(Some(stat.len()))))
    }

    /// Returns the subpaths of all transcripts except the main one.
    pub(super) fn subpaths(&self, session: &SessionRef) -> Result<Vec<Subpath>, StoreError> {
        let paths = Paths::of(&self.root, session)?;
        let mut found = Vec::new();
        if paths.deleting().exists() {
            return Ok(found);
        }
        // Uses a loop instead of recursion, because the folders may be deeply nested.
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

/// Returns a digest of the names, lengths and modification times of a session's transcripts. `id` is the ID of the main
/// transcript.
fn revision(main: &Metadata, id: Option<&str>, beside: &Path) -> Result<String, StoreError> {
    let mut files = vec![(PathBuf::new(), length_and_time(main))];
    // Uses a loop instead of recursion, because the folders may be deeply nested.
    let mut folders = vec![beside.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in entries(&folder)? {
            match entry.metadata() {
                Ok(found) if found.is_dir() => folders.push(entry.path()),
                Ok(found) => {
                    let path = entry.path();
                    let name = path.strip_prefix(beside).unwrap_or(&path);
                    files.push((name.to_owned(), length_and_time(&found)));
                }
                // The file was removed in the meantime.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(StoreError::unavailable(error)),
            }
        }
    }
    files.sort();
    let mut digest = Digest::default();
    digest.add(id.unwrap_or_default().as_bytes());
    for (path, (length, time)) in files {
        digest.add(path.as_os_str().as_encoded_bytes());
        digest.add(&[0]);
        digest.add(&length.to_be_bytes());
        digest.add(&time.to_be_bytes());
    }
    Ok(digest.to_string())
}

/// Returns the length of a file in bytes, and its last modification in nanoseconds since 1970.
fn length_and_time(found: &Metadata) -> (u64, u128) {
    let modified = found.modified().ok();
    let since = modified.and_then(|modified| modified.duration_since(UNIX_EPOCH).ok());
    (found.len(), since.unwrap_or_default().as_nanos())
}

/// Returns the entries of a folder. The result is empty if the folder does not exist.
fn entries(folder: &Path) -> Result<Vec<DirEntry>, StoreError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect);
    entries.or_else(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(Vec::new()),
        _ => Err(StoreError::unavailable(error)),
    })
}
