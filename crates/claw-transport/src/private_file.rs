//! Files that only their owner can read.

use std::fs::{File, OpenOptions, remove_file, symlink_metadata};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Creates an empty file that only its owner can read and write, on systems that support this. Use it for recordings
/// and for files made from them, because they contain secrets.
///
/// An existing file with this name is replaced by a new file, not overwritten. So the mode of the old file, its other
/// names, and processes that have it open have no effect on the new file.
///
/// # Errors
///
/// Fails with [`AlreadyExists`](ErrorKind::AlreadyExists) if the path is a folder, a symbolic link or anything else
/// than a regular file. A symbolic link is not followed. Each error names the path.
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
    // If another file gets this name in the meantime, `create_new` fails and neither opens nor follows it.
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).map_err(named)
}
