//! Resolves symbolic links in paths. The paths need not exist.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// Returns the path without symbolic links. If the last part of the path does not exist, that part is not changed.
/// Returns `None` if the path leads upwards (`..`) from a part that does not exist, if it contains a link to a missing
/// target, or if a folder cannot be read. The call blocks while it reads folders.
pub fn real_or_missing(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(mut real) => {
                real.extend(missing.iter().rev());
                return Some(real);
            }
            // The path exists but cannot be read, or it is a link whose target is missing. In both cases, it cannot be
            // resolved.
            Err(error) if !is_missing(error.kind()) || existing.is_symlink() => return None,
            Err(_) => {}
        }
        let Some(Component::Normal(name)) = existing.components().next_back() else {
            return None;
        };
        missing.push(name);
        existing = existing.parent()?;
    }
}

/// Whether an error means that the path does not exist.
pub fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}
