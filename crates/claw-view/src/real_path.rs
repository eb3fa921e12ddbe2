//! Paths without symbolic links, also of what does not exist.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// Returns the path without symbolic links. The part at its end that does not exist stays as it is named. `None` if the
/// path leads upwards behind what exists, or through a link to nothing, or if a folder cannot be read. Reads folders, so
/// it blocks.
pub fn real_or_missing(path: &Path) -> Option<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        match existing.canonicalize() {
            Ok(mut real) => {
                real.extend(missing.iter().rev());
                return Some(real);
            }
            // A link that leads to nothing is not followed in thought.
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

/// Whether an error says that nothing is at a path.
pub fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}
