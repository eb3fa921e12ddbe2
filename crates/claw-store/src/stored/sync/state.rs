//! The recorded state of a session of this disk that is synchronised with a store.
//!
//! A mark is the record of the position up to which a transcript is stored.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use claw_sessions::Session;
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::stored::private::make_folders;
use crate::{SessionRef, StoreError, WriterId};

/// The number of bytes that are checked at two positions of a file: at its beginning, and before the position up to
/// which the file is stored. If these bytes have changed, the file is compared with the store.
const ENDS: u64 = 4 << 10;

/// The maximum number of files and folders of a session that has a stamp.
const FILES: usize = 100_000;

/// The state of a session of this disk. If it is missing, the session is compared with the store.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// The project and the ID in the store.
    pub(super) project: String,
    pub(super) session: String,
    /// The digest of the session's files, with their lengths and times, when they were stored. If it is unchanged, the
    /// session has not changed. Empty if the session has too many files for a stamp.
    pub(super) stamp: String,
    /// The number of lines of the main transcript in the store.
    pub(super) total: u64,
    /// The time at which the store's session was last changed, as the last pull found it. `None` if there was no pull.
    pub(super) pulled: Option<i64>,
    /// Whether the session is an unchanged copy of another session of the store.
    pub(super) is_copy: bool,
    /// The mark of each transcript: the record of the position up to which it is stored. The keys are the subpaths, and
    /// the main transcript has the empty key. If the main transcript has no mark, the session is compared with the
    /// store.
    pub(super) transcripts: BTreeMap<String, Mark>,
}

/// A mark: the record of the position up to which a transcript is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) offset: u64,
    /// The number of lines before the offset.
    pub(super) lines: u64,
    /// The writer ID of the lines that were stored after this mark was created. `number` is the number of lines that
    /// were stored with this ID.
    pub(super) writer: String,
    pub(super) number: u64,
    /// The digests of the first and of the last bytes before the offset.
    ends: [String; 2],
    /// The digest of a sub-agent's metadata file.
    pub(super) metadata: Option<String>,
}

impl State {
    pub(super) fn new(to: &SessionRef) -> Self {
        Self {
            project: to.project().to_owned(),
            session: to.session().to_owned(),
            ..Self::default()
        }
    }

    /// Returns the session in the store.
    pub(super) fn to(&self) -> Result<SessionRef, StoreError> {
        Ok(SessionRef::new(&*self.project, &*self.session)?)
    }

    /// Returns the path of the file that contains the state of a session.
    pub(super) fn path(folder: &Path, session: &Session) -> PathBuf {
        let project = session.transcript().parent().and_then(Path::file_name);
        let folder = folder.join(project.unwrap_or_default());
        folder.join(format!("{}.json", session.id().as_str()))
    }

    /// Reads the state of a session. A state that cannot be read counts as missing. Blocks on the disk.
    pub(super) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }

    /// Replaces the state of a session atomically. Blocks on the disk.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        make_folders(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.persist(path)?;
        Ok(())
    }
}

impl Mark {
    /// Creates a mark for this position of a transcript. The lines that follow get a new writer ID. Blocks on the disk.
    pub(super) fn new(path: &Path, offset: u64, lines: u64) -> io::Result<Self> {
        Ok(Self {
            offset,
            lines,
            writer: WriterId::random().as_str().to_owned(),
            number: 0,
            ends: ends(path, offset)?,
            metadata: None,
        })
    }

    /// Moves the recorded position forward, to the end of the lines that were stored. Blocks on the disk.
    pub(super) fn advance(
        &mut self,
        path: &Path,
        (offset, lines): (u64, u64),
        stored: u64,
    ) -> io::Result<()> {
        self.number += stored;
        if offset != self.offset {
            self.ends = ends(path, offset)?;
            (self.offset, self.lines) = (offset, lines);
        }
        Ok(())
    }

    /// Whether the file still contains the bytes that precede the mark. Checks only the digests of the first and last
    /// of these bytes. Blocks on the disk.
    pub(super) fn is_valid(&self, path: &Path) -> bool {
        ends(path, self.offset).is_ok_and(|ends| ends == self.ends)
    }
}

/// Returns the digests of the first and of the last bytes before an offset.
fn ends(path: &Path, offset: u64) -> io::Result<[String; 2]> {
    if offset == 0 {
        return Ok(Default::default());
    }
    let mut file = File::open(path)?;
    let mut part = |from: u64, to: u64| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        (&file).take(to - from).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != to - from {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        Ok(digest(&bytes))
    };
    Ok([
        part(0, offset.min(ENDS))?,
        part(offset.saturating_sub(ENDS), offset)?,
    ])
}

pub(super) fn digest(bytes: &[u8]) -> String {
    let mut digest = Digest::default();
    digest.add(bytes);
    digest.to_string()
}

/// Returns the digest of the lengths and times of a session's files. Returns `None` if the session has too many files. Such
/// a session always counts as changed. Blocks on the disk.
pub(super) fn stamp(session: &Session) -> io::Result<Option<String>> {
    stamp_within(session, FILES)
}

fn stamp_within(session: &Session, most: usize) -> io::Result<Option<String>> {
    let mut digest = Digest::default();
    let mut add = |path: &Path, found: &fs::Metadata| {
        let modified = found.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        digest.add(path.as_os_str().as_encoded_bytes());
        digest.add(&found.len().to_le_bytes());
        digest.add(&modified.unwrap_or_default().as_nanos().to_le_bytes());
        #[cfg(unix)]
        digest.add(&std::os::unix::fs::MetadataExt::ino(found).to_le_bytes());
    };
    let path = session.transcript();
    add(path, &path.symlink_metadata()?);
    let mut folders = vec![session.folder()];
    let (mut files, mut count) = (Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            count += 1;
            if count > most {
                return Ok(None);
            }
            let kind = entry.file_type()?;
            let is_ours = |path: &Path| {
                let end = path.extension();
                end.is_some_and(|end| end == "jsonl" || end == "json")
            };
            let path = entry.path();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && is_ours(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    for path in files {
        add(&path, &path.symlink_metadata()?);
    }
    Ok(Some(digest.to_string()))
}

#[cfg(test)]
mod tests {
    use claw_sessions::Sessions;

    use super::*;

    /// A stamp that did not contain all files would stay the same when one of the others changes.
    #[test]
    fn a_session_with_too_many_files_has_no_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let id = "00000000-0000-4000-8000-000000000001";
        let project = folder.path().join("projects/-work-project");
        let agents = project.join(id).join("subagents");
        fs::create_dir_all(&agents).unwrap();
        fs::write(project.join(format!("{id}.jsonl")), "{}\n").unwrap();
        let sessions = Sessions::new(folder.path()).all().unwrap().sessions;
        let session = &sessions[0];
        let mut stamps = Vec::new();
        for number in 0..3 {
            fs::write(agents.join(format!("agent-{number}.jsonl")), "{}\n").unwrap();
            // The folder of the sub-agents counts too.
            stamps.push(stamp_within(session, 3).unwrap());
        }
        assert!(stamps[0].is_some() && stamps[1].is_some() && stamps[0] != stamps[1]);
        assert_eq!(stamps[2], None);
        assert!(stamp(session).unwrap().is_some());
    }
}
