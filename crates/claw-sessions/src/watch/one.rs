//! Watches the transcript of a session for new lines.

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::signal::ChangeSignal;
use crate::entries::Entries;
use crate::{EntryLine, Error, Session, file};

/// The length of `Place::mark`, in bytes.
const MARK: usize = 64;

/// A change to a session's transcript, which [`WatchOne::next`] returns.
#[derive(Debug)]
#[non_exhaustive]
pub enum Growth {
    /// A complete line of the transcript.
    Line(EntryLine),
    /// The file was truncated, or replaced by another file. Its lines are reported again, from the first line on.
    Restarted,
    /// The file was removed. If a file with this name is created later, the next item is
    /// [`Restarted`](Self::Restarted).
    Removed,
    /// The file cannot be read. This is reported once, until the file can be read again.
    Problem(Error),
}

impl Session {
    /// Watches the session's transcript: reports the existing lines, then each new line.
    pub fn watch(&self) -> WatchOne {
        let path = self.transcript().to_owned();
        let folder = path.parent().map(|folder| (folder.to_owned(), false));
        WatchOne {
            wake: ChangeSignal::new(folder),
            path,
            place: Place::default(),
            lines: None,
            is_gone: false,
            is_unread: false,
        }
    }
}

/// A running watch of one transcript, which reports each new line. Made by [`Session::watch`].
///
/// A line is reported once its line ending is written. The file is read when the next item is requested, so lines do
/// not accumulate. If the system does not report a change, the watch finds it two seconds later. The watch holds one
/// line, and has the file open while it reads lines.
pub struct WatchOne {
    path: PathBuf,
    wake: ChangeSignal,
    place: Place,
    /// The lines that can be read without waiting.
    lines: Option<Entries>,
    is_gone: bool,
    is_unread: bool,
}

/// The read position in the file.
#[derive(Debug, Default)]
struct Place {
    file: Option<Identity>,
    /// The offset after the last returned line.
    offset: u64,
    line: u64,
    /// The offset up to which the file contains no further line end.
    searched: u64,
    /// The bytes before `offset`. If the file was rewritten, it contains other bytes there.
    mark: Vec<u8>,
}

impl std::fmt::Debug for WatchOne {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut watch = f.debug_struct("WatchOne");
        watch.field("path", &self.path).finish_non_exhaustive()
    }
}

impl WatchOne {
    /// Waits for the next change, but no longer than `most`. Returns `None` if there was no change.
    pub fn next(&mut self, most: Duration) -> Option<Growth> {
        let deadline = Instant::now() + most;
        loop {
            if let Some(growth) = self.line() {
                return Some(growth);
            }
            if self.wake.wait(deadline) {
                let growth = self.reopen();
                self.wake.done();
                if growth.is_some() {
                    return growth;
                }
            }
            if self.lines.is_none() && Instant::now() >= deadline {
                return None;
            }
        }
    }

    /// Returns the next of the available lines.
    fn line(&mut self) -> Option<Growth> {
        match self.lines.as_mut()?.next() {
            Some(Ok(line)) if line.is_ended() => {
                self.place.pass(&line);
                Some(Growth::Line(line))
            }
            Some(Err(error)) => {
                self.lines = None;
                self.problem(error)
            }
            // There is no further complete line. The last line may still be being written.
            _ => {
                self.lines = None;
                None
            }
        }
    }

    fn reopen(&mut self) -> Option<Growth> {
        let opened = file::open(&self.path).and_then(|file| {
            let metadata = file.metadata()?;
            Ok((file, metadata))
        });
        let (mut file, metadata) = match opened {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.place = Place::default();
                let was_there = !std::mem::replace(&mut self.is_gone, true);
                return was_there.then_some(Growth::Removed);
            }
            Err(error) => return self.problem(Error::io("cannot read", &self.path, error)),
        };
        let was_gone = std::mem::take(&mut self.is_gone);
        match self.grown(&mut file, &metadata, was_gone) {
            Ok(growth) => {
                self.is_unread = false;
                growth
            }
            Err(error) => self.problem(Error::io("cannot read", &self.path, error)),
        }
    }

    fn grown(
        &mut self,
        file: &mut File,
        metadata: &Metadata,
        was_gone: bool,
    ) -> io::Result<Option<Growth>> {
        let identity = Identity::of(metadata);
        let length = metadata.len();
        let place = &mut self.place;
        let is_another = place.file.is_some_and(|before| before != identity)
            || length < place.searched
            || !place.is_marked(file)?;
        if is_another {
            *place = Place::default();
        }
        place.file = Some(identity);
        if length > place.searched {
            // A long line that is written in many pieces is searched and read only once.
            file.seek(SeekFrom::Start(place.searched))?;
            if has_line_end(file, length - place.searched)? {
                let (offset, line) = (place.offset, place.line);
                self.lines = Some(Entries::of(file.try_clone()?, &self.path, offset, line)?);
            }
            self.place.searched = length;
        }
        Ok((is_another || was_gone).then_some(Growth::Restarted))
    }

    fn problem(&mut self, error: Error) -> Option<Growth> {
        let is_new = !std::mem::replace(&mut self.is_unread, true);
        is_new.then_some(Growth::Problem(error))
    }
}

impl Place {
    fn pass(&mut self, line: &EntryLine) {
        self.offset = line.next_offset();
        self.line = line.number();
        // For a line that was too long to be held in memory, only the line end is known.
        let raw = line.raw().unwrap_or_default();
        self.mark = raw[raw.len().saturating_sub(MARK - 1)..].to_vec();
        // If other bytes follow the record, such as NUL, the mark is only the line end.
        if self.offset != line.offset() + line.length() + 1 {
            self.mark.clear();
        }
        self.mark.push(b'\n');
    }

    /// Whether the file still contains the bytes that were read.
    fn is_marked(&self, file: &mut File) -> io::Result<bool> {
        let Some(start) = self.offset.checked_sub(self.mark.len() as u64) else {
            return Ok(false);
        };
        file.seek(SeekFrom::Start(start))?;
        let mut there = Vec::with_capacity(self.mark.len());
        file.take(self.mark.len() as u64).read_to_end(&mut there)?;
        Ok(there == self.mark)
    }
}

fn has_line_end(file: &mut File, most: u64) -> io::Result<bool> {
    let mut rest = file.take(most);
    let mut buffer = vec![0; 64 << 10];
    loop {
        match rest.read(&mut buffer) {
            Ok(0) => return Ok(false),
            Ok(read) if memchr::memchr(b'\n', &buffer[..read]).is_some() => return Ok(true),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The identity of a file. On systems without such an identity, all files have the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            Self(metadata.dev(), metadata.ino())
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            Self(0, 0)
        }
    }
}
