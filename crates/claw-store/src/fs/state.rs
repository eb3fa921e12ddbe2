//! The state of a transcript, which is stored in a separate file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use claw_types::{Json, Map};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{StoreError, WriterId};

/// The maximum number of bytes at the beginning of a transcript for which `head` contains a digest.
const HEAD: usize = 256;

/// The state of the first `length` bytes of a transcript.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// The length in bytes.
    pub(super) length: u64,
    pub(super) lines: u64,
    /// The number of lines that each writer has stored.
    pub(super) writers: BTreeMap<String, u64>,
    /// The summary of the session. Empty for all transcripts except the main one.
    #[serde(default)]
    pub(super) summary: Map<Json>,
    /// The length of the beginning of the transcript, and its digest. They show whether another program has changed the
    /// beginning.
    #[serde(default)]
    pub(super) head: Option<(u64, String)>,
}

/// The contents of a state file. An append writes the state file before the transcript.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// The ID of this transcript. A transcript that was deleted and created again has a new ID.
    pub(super) id: String,
    /// The state before the last append.
    pub(super) before: State,
    /// The offset at which the last append begins.
    pub(super) from: u64,
    /// The digest of the appended bytes.
    pub(super) digest: String,
    /// The state after the last append. Its length is the end of the append.
    pub(super) after: State,
}

impl State {
    pub(super) fn next(&self, writer: &WriterId) -> u64 {
        self.writers.get(writer.as_str()).copied().unwrap_or(0)
    }

    /// Records the beginning of the transcript if it is not recorded yet.
    pub(super) fn remember_head(&mut self, start: &[u8]) {
        if self.head.is_none() && !start.is_empty() {
            let start = &start[..start.len().min(HEAD)];
            self.head = Some((start.len() as u64, digest(start)));
        }
    }

    /// Whether the beginning of the transcript is unchanged.
    pub(super) fn has_head(&self, file: &mut File) -> io::Result<bool> {
        match &self.head {
            Some((length, known)) => Ok(digest_of(file, 0, *length)? == *known),
            None => Ok(true),
        }
    }
}

/// Returns the beginning of a file, with at most `HEAD` bytes.
pub(super) fn head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(HEAD as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Returns the digest of a part of a file.
pub(super) fn digest_of(file: &mut File, from: u64, to: u64) -> io::Result<String> {
    file.seek(SeekFrom::Start(from))?;
    let mut digest = crate::digest::Digest::default();
    let mut rest = file.take(to - from);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match rest.read(&mut buffer)? {
            0 => return Ok(digest.to_string()),
            read => digest.add(&buffer[..read]),
        }
    }
}

pub(super) fn digest(bytes: &[u8]) -> String {
    let mut digest = crate::digest::Digest::default();
    digest.add(bytes);
    digest.to_string()
}

/// Reads a JSON file. Returns `None` if the file does not exist.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(StoreError::unavailable)?,
    };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| StoreError::corrupt(format!("{}: {error}", path.display())))
}

/// Writes a JSON file atomically. Replaces the file if it already exists.
pub(super) fn write_json(path: &Path, value: &impl Serialize, is_synced: bool) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    // The session is locked, so no other call uses this temporary name.
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    if is_synced {
        file.sync_data()?;
    }
    drop(file);
    std::fs::rename(&new, path)?;
    if is_synced {
        sync_folder(folder)?;
    }
    Ok(())
}

/// Waits until the names in a folder are on the disk. Only Unix supports this.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
