//! Reads every line of a transcript in order.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use claw_types::transcript::Entry;
use claw_types::{DecodeError, from_line};

use crate::lines::{LONGEST, Lines};
use crate::{Error, file};

/// An iterator over every line of a transcript, in order, including broken lines, blank lines, and lines over 256
/// MiB.
///
/// A line that is not a single record, for example a record that is followed by the beginning of another one, becomes
/// several items: each of its [`records`](crate::records), and each other part. NUL and byte order marks around a
/// record are left out.
///
/// Each step reads one line and holds only that line in memory. The iterator ends at the length that the file had when
/// it was opened. An item is an error only if the file cannot be read. After an error, the iterator ends.
pub struct Entries {
    lines: Lines<Take<File>>,
    path: PathBuf,
    is_done: bool,
}

impl Entries {
    /// Opens a transcript by its path, for example one beside a session's main transcript. A symbolic link is not
    /// followed.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_at(path, 0, 0)
    }

    /// Opens a transcript and starts at byte `offset`, the first byte after line `number`. Use it to read only the
    /// lines that were written after an earlier reading.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`open`](Self::open).
    pub fn open_at(path: &Path, offset: u64, number: u64) -> Result<Self, Error> {
        let opened = file::open(path).and_then(|file| Self::of(file, path, offset, number));
        opened.map_err(|error| Error::io("cannot read", path, error))
    }

    /// Reads from an open file. `path` is used in errors.
    pub(crate) fn of(mut file: File, path: &Path, offset: u64, number: u64) -> io::Result<Self> {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(offset))?;
        let rest = file.take(length.saturating_sub(offset));
        Ok(Self {
            lines: Lines::from(rest, LONGEST, offset, number),
            path: path.to_owned(),
            is_done: false,
        })
    }
}

impl Iterator for Entries {
    type Item = Result<EntryLine, Error>;

    fn next(&mut self) -> Option<Result<EntryLine, Error>> {
        if self.is_done {
            return None;
        }
        let next = match self.lines.next_record() {
            Ok(line) => line.map(|line| {
                Ok(EntryLine {
                    number: line.number,
                    offset: line.offset,
                    length: line.length,
                    raw: line.text.map(<[u8]>::to_vec),
                    is_ended: line.is_ended,
                    next: line.next,
                })
            }),
            Err(error) => Some(Err(Error::io("cannot read", &self.path, error))),
        };
        self.is_done = !matches!(next, Some(Ok(_)));
        next
    }
}

impl std::iter::FusedIterator for Entries {}

impl fmt::Debug for Entries {
    /// Does not show the contents that were read, because they may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// A line of a transcript, and its place in the file. [`Entries`] returns one for each line.
#[derive(Clone)]
pub struct EntryLine {
    number: u64,
    offset: u64,
    length: u64,
    raw: Option<Vec<u8>>,
    is_ended: bool,
    next: u64,
}

impl EntryLine {
    /// Returns the line's number, counted from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the byte offset at which the line begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the line's length in bytes, without the `\n`.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the byte offset at which the next line begins, or the next part of a line that is not one record.
    pub fn next_offset(&self) -> u64 {
        self.next
    }

    /// Returns the line's bytes as they are in the file, without the `\n`. Returns `None` if the line is longer than
    /// 256 MiB: such a line is not held in memory. It can be read from the file, from [`offset`](Self::offset) on.
    pub fn raw(&self) -> Option<&[u8]> {
        self.raw.as_deref()
    }

    /// Whether a `\n` follows the line. A last line without a `\n` is still being written, or was cut off.
    pub fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Whether the line consists of white space only.
    pub fn is_blank(&self) -> bool {
        let raw = self.raw.as_deref();
        raw.is_some_and(|raw| raw.trim_ascii().is_empty())
    }

    /// Decodes the line. An entry of an unknown kind is [`Entry::Unknown`], not an error.
    ///
    /// # Errors
    ///
    /// Fails with [`LineError`] if the line is too long, is not a JSON object, or does not have the form of its kind.
    pub fn entry(&self) -> Result<Entry, LineError> {
        let raw = self.raw.as_deref().ok_or(LineError::TooLong {
            length: self.length,
        })?;
        from_line(raw).map_err(LineError::Decode)
    }
}

impl fmt::Debug for EntryLine {
    /// Does not show the line, because it may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntryLine")
            .field("number", &self.number)
            .field("offset", &self.offset)
            .field("length", &self.length)
            .field("is_ended", &self.is_ended)
            .finish_non_exhaustive()
    }
}

/// The reason why a line of a transcript could not be read. Returned by [`EntryLine::entry`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// The line is longer than 256 MiB, so it was not loaded into memory.
    #[error("the line has {length} bytes, which is over the limit of 256 MiB")]
    TooLong {
        /// The line's length in bytes.
        length: u64,
    },
    /// The line is not an entry: it is not a JSON object, or does not have the form of its kind.
    #[error(transparent)]
    Decode(DecodeError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_an_item_and_has_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let title = r#"{"type":"custom-title","customTitle":"Sums","sessionId":"s"}"#;
        std::fs::write(&path, format!("{title}\n\n{{broken\r\n{title}")).unwrap();
        let lines: Vec<_> = Entries::open(&path).unwrap().map(Result::unwrap).collect();
        let whole: Vec<_> = lines.iter().map(|line| line.entry().is_ok()).collect();
        assert_eq!(whole, [true, false, false, true]);
        assert!(lines[1].is_blank());
        assert_eq!(lines[2].raw(), Some(&b"{broken\r"[..]));
        assert_eq!(lines[3].offset(), title.len() as u64 + 2 + 9);
        assert!(lines[2].is_ended() && !lines[3].is_ended());
        let rest: Vec<_> = Entries::open_at(&path, lines[2].offset(), 2)
            .unwrap()
            .map(|line| line.unwrap().number())
            .collect();
        assert_eq!(rest, [3, 4]);
    }
}
