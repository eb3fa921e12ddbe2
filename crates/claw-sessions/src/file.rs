//! Files of sessions, opened so that nothing hangs and nothing is followed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// How large a file beside a transcript may be.
const SMALL: u64 = 4 << 10;

/// Opens a regular file for reading. A FIFO does not hold it up, and a link is not followed.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    regular(options, path)
}

/// Opens a regular file that is there, to write behind its end.
pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    // Read as well, to see how it ends.
    options.read(true).append(true);
    regular(options, path)
}

/// Windows: opens a link itself, and not the file that it leads to.
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
    // Asked of what was opened, and not of its name, which may be another file's by now.
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// The text of a small file; `None` where there is none that is small and readable.
pub(crate) fn small(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = open(path).ok()?;
    file.take(SMALL + 1).read_to_string(&mut text).ok()?;
    (text.len() as u64 <= SMALL).then_some(text)
}
