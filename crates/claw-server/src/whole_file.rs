//! Small files that are written whole or not at all.

use std::path::Path;
use std::{fs, io};

/// Writes a file in place of the earlier one, and makes its folder if there is none. Who reads it meanwhile gets one of the
/// two. Blocks.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, path)
}
