//! Reads the lines of a file or of stdin, for commands that check each line.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::Path;

use claw_client::codec::{Line, LineItem, Lines};

use crate::utf16::as_utf8;

/// A line with its number. As in every reader of claw, blank lines are counted but not returned.
pub(crate) struct FileLine {
    /// The number of the line, counted from 1.
    pub(crate) number: u64,
    /// The text. Bytes that are not UTF-8 are replaced. Empty if the line exceeds the limit.
    pub(crate) text: String,
    /// The reason why claw cannot read the line. `None` if it can.
    pub(crate) unreadable: Option<String>,
}

/// Returns the lines of a file. Reads stdin if the file is `-`. Waits for the data of a pipe. Errors name the file.
pub(crate) fn file_lines(
    file: &Path,
) -> io::Result<impl Iterator<Item = io::Result<FileLine>> + use<'_>> {
    let reader: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(opened(file)?.0))
    };
    let lines = Lines::new(as_utf8(reader).map_err(named(file))?);
    Ok(lines.map(|item| item.map(FileLine::from).map_err(named(file))))
}

impl From<LineItem> for FileLine {
    fn from(item: LineItem) -> Self {
        let number = item.number();
        let unread = |why: String| Self {
            number,
            text: String::new(),
            unreadable: Some(why),
        };
        match item {
            LineItem::Line(line) => Self::of(&line),
            LineItem::TooLong(long) => unread(format!(
                "the line is {} bytes long, the limit is {}",
                long.length, long.limit
            )),
            // A later version of the enum may have further variants, which get this text.
            _ => unread("the line cannot be read".to_owned()),
        }
    }
}

impl FileLine {
    fn of(line: &Line) -> Self {
        let (text, unreadable) = match str::from_utf8(&line.raw) {
            Ok(text) => (text.to_owned(), None),
            Err(error) => {
                let column = error.valid_up_to() + 1;
                let why = format!("the line is not UTF-8 (column {column})");
                let text = String::from_utf8_lossy(&line.raw).into_owned();
                (text, Some(why))
            }
        };
        Self {
            number: line.number,
            text,
            unreadable,
        }
    }
}

/// Opens a file. Errors name the file.
pub(crate) fn opened(file: &Path) -> io::Result<(File, Metadata)> {
    let opened = File::open(file).map_err(named(file))?;
    let metadata = opened.metadata().map_err(named(file))?;
    // On some systems, opening a folder succeeds, and only reading it fails.
    if metadata.is_dir() {
        return Err(named(file)(ErrorKind::IsADirectory.into()));
    }
    Ok((opened, metadata))
}

/// Adds the name of the file to an error.
pub(crate) fn named(file: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", file.display()))
}
