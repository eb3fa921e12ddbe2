//! Writes small files so that they are never incomplete.

use std::path::Path;
use std::{fs, io};

/// Replaces a file. Creates its folder if it does not exist. A concurrent reader gets either the old or the new
/// contents. Blocks.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, path)
}
