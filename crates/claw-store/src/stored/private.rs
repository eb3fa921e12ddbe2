//! Files and folders that only the current user can access.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a folder that only the current user can access.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    builder().create(path)
}

/// Creates a folder and its missing parents, which only the current user can access.
pub(super) fn make_folders(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "it has no mode there"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Creates a file that only the current user can access. Fails if the file already exists.
pub(super) fn make_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
