//! Files that only their owner can read.

use std::fs::{File, OpenOptions, remove_file, symlink_metadata};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Creates an empty file that only its owner can read and write, on systems that support it. Recordings contain
/// secrets, and so do files made from them.
///
/// An existing file of that name is replaced, not overwritten. So it does not matter which mode and other names that
/// file has, and which processes have it open.
///
/// # Errors
///
/// [`AlreadyExists`](ErrorKind::AlreadyExists) if the name belongs to something that is not a regular file: a symbolic
/// link, which is not followed, or a folder. Each error names the path.
pub fn create_private_file(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    match symlink_metadata(path) {
        Ok(there) if there.is_file() => remove_file(path).map_err(named)?,
        Ok(there) => {
            let what = if there.is_symlink() {
                "a symbolic link is not followed"
            } else {
                "it is there, and no regular file"
            };
            return Err(named(io::Error::new(ErrorKind::AlreadyExists, what)));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(named(error)),
    }
    let mut options = OpenOptions::new();
    // Something that got this name in the meantime is not followed either.
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).map_err(named)
}
