//! The files of the index. Each session has one file.
//!
//! Each write replaces a file as a whole. So several processes may use the index at the same time.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::entry::{self, Entry, Part};
use crate::adapter::names;
use crate::stored::StoredError;
use crate::stored::private::make_folders;
use crate::{SessionRef, StoredSession};

/// The maximum size of all files of the index together, in bytes. If they are larger, the oldest files are removed.
const MOST: u64 = 4 << 30;

/// The number of bytes that are read first. Nearly every head fits in them.
const START: usize = 4 << 10;

/// The maximum size of a head. It contains escaped names of up to 1 KB each, and numbers.
const HEAD: usize = 64 << 10;

/// The beginning of the name of a file while it is being written.
const NEW: &str = ".new-";

/// The age from which on a file that is being written is regarded as left behind by a killed process.
const LEFT: Duration = Duration::from_hours(1);

#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    most: u64,
}

impl Files {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, most: MOST }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of a session's file. Returns `None` if the name would be too long. Such a session is read from
    /// the store each time.
    fn path(&self, session: &SessionRef) -> Option<PathBuf> {
        let project = names::escaped(session.project())?;
        let name = names::escaped(session.session())?;
        Some(self.folder.join(&*project).join(&*name))
    }

    /// Reads the entry of a session, with one of its parts. Returns `None` if the file does not exist, is damaged, or
    /// cannot be read.
    pub(super) fn read(&self, listed: &StoredSession, part: Part) -> Option<Entry> {
        let mut file = File::open(self.path(&listed.session)?).ok()?;
        let length = file.metadata().ok()?.len();
        if length > (entry::MOST + HEAD) as u64 {
            return None;
        }
        let mut start = Vec::with_capacity(START);
        (&file).take(START as u64).read_to_end(&mut start).ok()?;
        let known = start.len() as u64;
        if known < length && !start.get(30..).unwrap_or_default().contains(&b'\n') {
            let rest = (HEAD - START) as u64;
            (&file).take(rest).read_to_end(&mut start).ok()?;
        }
        Entry::read(&start, part, |from, size| {
            let end = from.checked_add(size as u64)?;
            if end > length {
                return None;
            }
            // The part of a small entry is already among the bytes that were read first.
            let range = usize::try_from(from).ok()?..usize::try_from(end).ok()?;
            if let Some(bytes) = start.get(range) {
                return Some(bytes.to_vec());
            }
            file.seek(SeekFrom::Start(from)).ok()?;
            let mut bytes = vec![0; size];
            file.read_exact(&mut bytes).ok()?;
            Some(bytes)
        })
    }

    /// Writes the entry of a session.
    pub(super) fn write(&self, session: &SessionRef, entry: &Entry) -> io::Result<()> {
        let Some((path, pieces)) = self.path(session).zip(entry.pieces()) else {
            return Ok(());
        };
        match write(&path, &pieces) {
            // Another process has removed the folder while it was empty, so the folder is created
            // again.
            Err(error) if error.kind() == ErrorKind::NotFound => write(&path, &pieces),
            written => written,
        }
    }

    /// Removes the file of a session, if there is one.
    pub(super) fn remove(&self, session: &SessionRef) -> Result<(), StoredError> {
        let Some(path) = self.path(session) else {
            return Ok(());
        };
        remove(&path).map_err(|error| StoredError::io("cannot remove", path, error))
    }

    /// Removes the files of sessions that are not in the list. Then removes the oldest files until all files together
    /// do not exceed the maximum size. `project` is the project of the list. It is `None` if the list contains all
    /// projects.
    pub(super) fn prune(
        &self,
        project: Option<&str>,
        listed: &HashSet<SessionRef>,
    ) -> io::Result<()> {
        let listed: HashSet<_> = listed
            .iter()
            .filter_map(|session| self.path(session))
            .collect();
        let project = project.and_then(names::escaped);
        let mut kept = Vec::new();
        for folder in entries(&self.folder)? {
            let is_listed = project
                .as_ref()
                .is_none_or(|name| folder.file_name().to_str() == Some(name));
            for file in entries(&folder.path())? {
                let path = file.path();
                // Another process may have removed the file, so an error is ignored.
                let Ok(metadata) = file.metadata() else {
                    continue;
                };
                let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                let is_new = file.file_name().to_string_lossy().starts_with(NEW);
                let is_left = written.elapsed().is_ok_and(|age| age > LEFT);
                let is_gone = !is_new && is_listed && !listed.contains(&path);
                if is_gone || (is_new && is_left) {
                    remove(&path)?;
                } else if !is_new {
                    kept.push((written, metadata.len(), path));
                }
            }
            // This call removes the folder only if it is empty.
            let _ = fs::remove_dir(folder.path());
        }
        let mut size: u64 = kept.iter().map(|(_, length, _)| *length).sum();
        if size > self.most {
            kept.sort();
        }
        for (_, length, path) in kept {
            if size <= self.most {
                break;
            }
            remove(&path)?;
            size -= length;
        }
        Ok(())
    }
}

fn write(path: &Path, pieces: &[Vec<u8>]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    make_folders(folder)?;
    // The crate tempfile creates a file that only the current user can access.
    let mut file = tempfile::Builder::new().prefix(NEW).tempfile_in(folder)?;
    for piece in pieces {
        file.write_all(piece)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the entries of a folder. The result is empty if the folder does not exist.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect);
    entries.or_else(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(Vec::new()),
        _ => Err(error),
    })
}

#[cfg(test)]
mod tests {
    use super::super::entry::Building;
    use super::*;

    fn listed(id: &str) -> StoredSession {
        StoredSession {
            session: SessionRef::new("p", id).unwrap(),
            modified: 1,
            info: None,
            is_deferred: false,
            revision: Some("r".to_owned()),
            size: None,
        }
    }

    #[test]
    fn files_that_exceed_the_maximum_size_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Files::new(folder.path().join("index"));
        let all: HashSet<_> = ["a", "b", "c"].map(|id| listed(id).session).into();
        for session in &all {
            let entry = Building::new(&listed(session.session()), 0).finish();
            files.write(session, &entry).unwrap();
        }
        let there = |files: &Files| {
            let known = |session: &&SessionRef| {
                files.read(&listed(session.session()), Part::Text).is_some()
            };
            all.iter().filter(known).count()
        };
        files.prune(None, &all).unwrap();
        assert_eq!(there(&files), 3);
        files.most = fs::metadata(files.path(&listed("a").session).unwrap())
            .unwrap()
            .len();
        files.prune(None, &all).unwrap();
        assert_eq!(there(&files), 1);
    }
}
