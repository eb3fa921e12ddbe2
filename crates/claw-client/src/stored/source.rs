//! A transcript on disk, and the position up to which its lines are stored.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use claw_store::{Line, LineError, StoreKey, WriterId, is_mirrored};

/// Maximum number of lines in a batch.
const LINES: usize = 500;

/// Maximum number of bytes in a batch, unless a single line is longer.
const BYTES: usize = 1 << 20;

/// Maximum length of a line in bytes, longer than any request to the API.
const LONGEST: u64 = 256 << 20;

/// A transcript, and the position up to which it is stored.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) key: StoreKey,
    pub(super) path: PathBuf,
    pub(super) writer: WriterId,
    /// The number of the next line that the writer stores, counted from the writer's first line.
    pub(super) number: u64,
    /// The position from which the next batch is read. This is the position of the next line that the writer stores, or
    /// of lines before it that are skipped.
    offset: u64,
    /// The position of the writer's first line. All lines before it came from the store.
    start: u64,
}

/// Lines that are to be stored, and the position of the source after them.
#[derive(Debug)]
pub(super) struct Unsent {
    pub(super) lines: Vec<Line>,
    /// The position at which the next batch begins.
    after: u64,
    /// The position of the first line that no store can accept, and the error of that line.
    pub(super) broken: Option<(u64, LineError)>,
}

impl Source {
    /// Creates a source for a transcript in which this writer's lines begin at `start`.
    pub(super) fn new(key: StoreKey, path: PathBuf, writer: WriterId, start: u64) -> Self {
        Self {
            key,
            path,
            writer,
            number: 0,
            offset: start,
            start,
        }
    }

    /// Reads the lines of the next batch. Returns `None` if no complete line is left.
    ///
    /// Blocks on the disk.
    pub(super) fn read(&mut self) -> io::Result<Option<Unsent>> {
        let file = open(&self.path)?;
        if file.metadata()?.len() < self.offset {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the transcript has become shorter",
            ));
        }
        let (mut lines, mut bytes, mut broken) = (Vec::new(), 0, None);
        let mut after = self.offset;
        let mut reader = Lines::at(file, self.offset)?;
        while lines.len() < LINES && bytes < BYTES {
            let Some((at, text)) = reader.next()? else {
                break;
            };
            after = at + text.len() as u64 + 1;
            match Line::from_bytes(text) {
                Ok(line) if is_mirrored(&line) => {
                    bytes += text.len();
                    lines.push(line);
                }
                Ok(_) => {}
                Err(_) if text.is_empty() => {}
                Err(error) => broken = broken.or(Some((at, error))),
            }
        }
        if lines.is_empty() {
            // The batch contains no line that can be stored. Its lines are skipped from now on.
            self.offset = after;
            return Ok(broken.map(|broken| Unsent {
                lines,
                after,
                broken: Some(broken),
            }));
        }
        Ok(Some(Unsent {
            lines,
            after,
            broken,
        }))
    }

    /// Returns the position up to which the transcript is stored.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Advances the position after lines were stored.
    pub(super) fn stored(&mut self, unsent: &Unsent) {
        self.number += unsent.lines.len() as u64;
        self.offset = unsent.after;
    }

    /// Moves to the line with this number, counted from the writer's first line. Returns `false` if the transcript has
    /// fewer lines.
    ///
    /// Blocks on the disk.
    pub(super) fn go_to(&mut self, number: u64) -> io::Result<bool> {
        let mut reader = Lines::at(open(&self.path)?, self.start)?;
        (self.number, self.offset) = (0, self.start);
        while self.number < number {
            let Some((at, text)) = reader.next()? else {
                return Ok(false);
            };
            self.offset = at + text.len() as u64 + 1;
            if Line::from_bytes(text).is_ok_and(|line| is_mirrored(&line)) {
                self.number += 1;
            }
        }
        Ok(true)
    }
}

/// Opens a regular file. A link is an error.
fn open(path: &Path) -> io::Result<File> {
    if !path.symlink_metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    File::open(path)
}

/// The complete lines of a file, each with its position.
struct Lines {
    reader: BufReader<io::Take<File>>,
    text: Vec<u8>,
    at: u64,
}

impl Lines {
    fn at(mut file: File, offset: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset))?;
        // Reads only up to the length that the file has now. Otherwise, reading would not end while the file grows.
        let length = file.metadata()?.len().saturating_sub(offset);
        Ok(Self {
            reader: BufReader::with_capacity(64 << 10, file.take(length)),
            text: Vec::new(),
            at: offset,
        })
    }

    fn next(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        self.at += self.text.len() as u64;
        self.text.clear();
        let read = (&mut self.reader)
            .take(LONGEST)
            .read_until(b'\n', &mut self.text)?;
        if self.text.last() != Some(&b'\n') {
            if read as u64 == LONGEST {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a line is over the limit of 256 MiB",
                ));
            }
            // The last line has no line end yet, because it is still being written. It is not returned.
            return Ok(None);
        }
        Ok(Some((self.at, &self.text[..read - 1])))
    }
}

#[cfg(test)]
mod tests;
