//! What is known of a transcript beyond its lines.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use claw_types::{Json, Map};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{StoreError, WriterId};

/// How much of the beginning of a transcript is remembered.
const HEAD: usize = 256;

/// A transcript up to a length.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct State {
    /// In bytes.
    pub(super) length: u64,
    pub(super) lines: u64,
    /// How many lines of each writer there are.
    pub(super) writers: BTreeMap<String, u64>,
    /// Of a main transcript.
    #[serde(default)]
    pub(super) summary: Map<Json>,
    /// The digest of so many bytes at the beginning, by which one knows that they are still there.
    #[serde(default)]
    pub(super) head: Option<(u64, String)>,
}

/// What a state file says: an append is in it before it is in the transcript.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// Which transcript of this name it is: one that was deleted and begun again is another.
    pub(super) id: String,
    /// Before the last append.
    pub(super) before: State,
    /// Where the append begins in the transcript.
    pub(super) from: u64,
    /// The digest of what it appends.
    pub(super) digest: String,
    /// With the append, whose end is the length.
    pub(super) after: State,
}

impl State {
    pub(super) fn next(&self, writer: &WriterId) -> u64 {
        self.writers.get(writer.as_str()).copied().unwrap_or(0)
    }

    /// Takes note of how the transcript begins, once.
    pub(super) fn remember_head(&mut self, start: &[u8]) {
        if self.head.is_none() && !start.is_empty() {
            let start = &start[..start.len().min(HEAD)];
            self.head = Some((start.len() as u64, digest(start)));
        }
    }

    /// Whether the transcript begins as it did.
    pub(super) fn has_head(&self, file: &mut File) -> io::Result<bool> {
        match &self.head {
            Some((length, known)) => Ok(digest_of(file, 0, *length)? == *known),
            None => Ok(true),
        }
    }
}

/// The beginning of a file, as much as is remembered.
pub(super) fn head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(HEAD as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// The digest of a part of a file.
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

/// `None` where there is no such file.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(StoreError::unavailable)?,
    };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| StoreError::corrupt(format!("{}: {error}", path.display())))
}

/// Puts a file in the place of one that may be there, at once and whole.
pub(super) fn write_json(path: &Path, value: &impl Serialize, is_synced: bool) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    // The session is locked: nobody else uses this name.
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

/// Makes names in a folder last. Only Unix can.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
