//! Reads the lines of a file one by one, in bounded memory.

use std::fs::File;
use std::io::{Read as _, Take};
use std::path::{Path, PathBuf};

use crate::lines::{Line, Lines};
use crate::{Error, file};

/// The maximum length of a line that is examined. The API accepts no request of 32 MiB, so no message is longer.
pub(crate) const MOST: usize = 32 << 20;

/// The lines of a file, up to the length that the file had when it was opened, so that the stream ends even if the file
/// grows faster than it is read. The stream counts the lines that could not be examined.
pub(crate) struct Stream {
    lines: Lines<Take<File>>,
    path: PathBuf,
    unread: u64,
    first_unread: u64,
}

impl Stream {
    /// Opens a file. Returns `None` if the file does not exist any more.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, Error> {
        let opened = file::open(path).and_then(|file| {
            let length = file.metadata()?.len();
            Ok(file.take(length))
        });
        match opened {
            Ok(file) => Ok(Some(Self {
                lines: Lines::new(file, MOST),
                path: path.to_owned(),
                unread: 0,
                first_unread: 0,
            })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("cannot read", path, error)),
        }
    }

    /// Calls `visit` with each line, until `visit` returns `false`. `visit` returns an error for a line that it cannot
    /// parse.
    pub(crate) fn each(
        &mut self,
        mut visit: impl FnMut(Line<'_>, &[u8]) -> Result<bool, Malformed>,
    ) -> Result<(), Error> {
        loop {
            let line = match self.lines.next_record() {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(()),
                Err(error) => return Err(Error::io("cannot read", &self.path, error)),
            };
            let read = match line.text {
                Some(text) => visit(line, text),
                None => Err(Malformed),
            };
            // A line is checked even if its contents are not needed.
            let read = match read {
                Ok(true) if !line.is_record => Err(Malformed),
                read => read,
            };
            match read {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                // A last line without a line end is still being written, so it does not count as
                // unread.
                Err(Malformed) if !line.is_ended && line.text.is_some() => {}
                Err(Malformed) => {
                    if self.unread == 0 {
                        self.first_unread = line.number;
                    }
                    self.unread += 1;
                }
            }
        }
    }

    /// Returns the error for the lines that could not be examined.
    pub(crate) fn problem(self) -> Option<Error> {
        (self.unread > 0).then_some(Error::Broken {
            path: self.path,
            count: self.unread,
            first: self.first_unread,
        })
    }
}

/// The error for a line that is not JSON of the expected form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Malformed;
