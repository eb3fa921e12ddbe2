//! Opens files of sessions, without blocking on a FIFO and without following links.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The maximum size of a file beside a transcript, in bytes.
const SMALL: u64 = 4 << 10;

/// Opens a regular file for reading. Does not block on a FIFO, and does not follow a link.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    regular(options, path)
}

/// Opens an existing regular file to append to it.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // The file is also read, to check how it ends.
    options.read(true).append(true);
    regular(options, path)
}

/// On Windows, this flag opens a link itself, and not the file to which the link leads.
#[cfg(windows)]
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;

/// Opens a file with these options, if it is a regular file and not a link to one.
#[cfg_attr(
    not(any(unix, windows)),
    expect(unused_mut, reason = "there are no flags to set")
)]
pub(crate) fn regular(mut options: OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC);
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    }
    let file = options.open(path)?;
    // Checks the opened file instead of its name, because the name may belong to another file in the meantime.
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// Returns the text of a small file. Returns `None` if the file does not exist, is not small or is not readable.
pub(crate) fn small(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = open(path).ok()?;
    file.take(SMALL + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= SMALL).then_some(text)
}
