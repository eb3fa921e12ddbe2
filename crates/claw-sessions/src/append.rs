//! A line at the end of a transcript.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::{Error, Session, file};

impl Session {
    /// Appends a line. The transcript has to be there and to hold something: a file that the CLI or a person has
    /// deleted meanwhile is not made again.
    ///
    /// The line goes out in one write behind whatever stands at the end by then, so that a CLI that writes at the
    /// same time loses nothing. A transcript that was cut in the middle of a line is ended first: otherwise both
    /// lines were lost.
    pub(crate) fn append(&self, line: &str) -> Result<(), Error> {
        let path = self.transcript();
        let io = |error| Error::io("cannot write to", path, error);
        let mut file = match file::open_to_append(path) {
            Ok(file) => file,
            Err(error) if is_gone(&error) => return Err(self.not_found()),
            Err(error) => return Err(io(error)),
        };
        if file.metadata().map_err(io)?.len() == 0 {
            return Err(self.not_found());
        }
        let start = if ends_a_line(&mut file).map_err(io)? {
            ""
        } else {
            "\n"
        };
        file.write_all(format!("{start}{line}\n").as_bytes())
            .map_err(io)
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
    // Nothing is there where the file was cut meanwhile.
    Ok(file.read(&mut last)? == 0 || last == *b"\n")
}
