//! Appends lines to a transcript.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::{Error, Session, file};

impl Session {
    /// Appends a line, or several in one piece. The transcript must exist and must not be empty: a file that the CLI or
    /// a person has deleted meanwhile is not created again.
    ///
    /// The line is written with one write call at the current end of the file, so that a CLI that writes at the same
    /// time loses nothing. If the last line of the transcript is incomplete, a line end is written first. Otherwise,
    /// both lines would be lost.
    pub(crate) fn append(&self, line: &str) -> Result<(), Error> {
        let io = |error| Error::io("cannot write to", self.transcript(), error);
        let mut file = self.open_to_append()?;
        let start = if ends_a_line(&mut file).map_err(io)? {
            ""
        } else {
            "\n"
        };
        file.write_all(format!("{start}{line}\n").as_bytes())
            .map_err(io)
    }

    /// Whether the transcript exists and can be written to.
    pub(crate) fn can_append(&self) -> Result<(), Error> {
        self.open_to_append().map(drop)
    }

    fn open_to_append(&self) -> Result<File, Error> {
        let path = self.transcript();
        let io = |error| Error::io("cannot write to", path, error);
        let file = match file::open_to_append(path) {
            Ok(file) => file,
            Err(error) if is_gone(&error) => return Err(self.not_found()),
            Err(error) => return Err(io(error)),
        };
        if file.metadata().map_err(io)?.len() == 0 {
            return Err(self.not_found());
        }
        Ok(file)
    }
}

pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn ends_a_line(file: &mut File) -> io::Result<bool> {
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    // The read returns nothing if the file was truncated meanwhile.
    Ok(file.read(&mut last)? == 0 || last == *b"\n")
}
