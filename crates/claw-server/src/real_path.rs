//! Paths without symbolic links, also of what does not exist.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The path without symbolic links. What does not exist at its end stays as it is named. `None` if it cannot be known,
/// or leads upwards behind what exists.
pub(crate) fn real_or_missing(path: &Path) -> Option<PathBuf> {
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
pub(crate) fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}
