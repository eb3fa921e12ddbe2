//! Files that only their owner reads.

use std::fs::{File, OpenOptions, remove_file, symlink_metadata};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Creates an empty file that only its owner can read and write, where the system has such a thing:
/// recordings hold secrets, and so does what is made of them.
///
/// A file of that name is not written to but replaced: its mode, its other names and whoever has it
/// open do not count.
///
/// # Errors
///
/// [`AlreadyExists`](ErrorKind::AlreadyExists) if something else has that name: a symbolic link, which
/// is not followed, or a folder. Each error names the path.
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
    // What has got this name meanwhile is not followed, either.
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path).map_err(named)
}
