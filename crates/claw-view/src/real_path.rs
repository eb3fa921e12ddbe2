//! Paths without symbolic links, including paths that do not exist.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// Returns the path without symbolic links. The part at its end that does not exist stays unchanged. Returns `None` if
/// the path leads upwards (`..`) from a part that does not exist, if it contains a link to a missing target, or if a
/// folder cannot be read. The call blocks while it reads folders.
pub fn real_or_missing(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(mut real) => {
                real.extend(missing.iter().rev());
                return Some(real);
            }
            // A link to a missing target is not resolved.
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
