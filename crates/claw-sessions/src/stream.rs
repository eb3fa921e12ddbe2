//! The lines of a file that are looked at and not kept, in memory that has a bound.

use std::fs::File;
use std::io::{Read as _, Take};
use std::path::{Path, PathBuf};

use crate::lines::{Line, Lines};
use crate::{Error, file};

/// How long a line may be that is looked at. The API takes no request of 32 MiB, so that nothing that was said in
/// one is longer.
pub(crate) const MOST: usize = 32 << 20;

/// The lines of a file as long as it was when it was opened: one that grows faster than it is read has an end.
/// Counts those that could not be looked at.
pub(crate) struct Stream {
    lines: Lines<Take<File>>,
    path: PathBuf,
    unread: u64,
    first_unread: u64,
}

impl Stream {
    /// `None` where there is no file any more.
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

    /// Gives every line to `look`, until that says `false`. A line that it cannot read is its error.
    pub(crate) fn each(
        &mut self,
        mut look: impl FnMut(Line<'_>, &[u8]) -> Result<bool, Malformed>,
    ) -> Result<(), Error> {
        loop {
            let line = match self.lines.next_record() {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(()),
                Err(error) => return Err(Error::io("cannot read", &self.path, error)),
            };
            let read = match line.text {
                Some(text) => look(line, text),
                None => Err(Malformed),
            };
            // A line counts whether or not anybody needs what it says.
            let read = match read {
                Ok(true) if !line.is_record => Err(Malformed),
                read => read,
            };
            match read {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                // The last line without an end is still being written.
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

    /// What could not be looked at.
    pub(crate) fn problem(self) -> Option<Error> {
        (self.unread > 0).then_some(Error::Broken {
            path: self.path,
            count: self.unread,
            first: self.first_unread,
        })
    }
}

/// A line that is no JSON of the form that it seems to have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Malformed;
