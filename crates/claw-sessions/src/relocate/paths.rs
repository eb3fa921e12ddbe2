//! The old and the new path of a directory that was moved, and of the files below it.

use std::io;
use std::path::{Component, MAIN_SEPARATOR, MAIN_SEPARATOR_STR, Path, PathBuf};

use memchr::memmem;

use crate::members::quoted;
use crate::real_path;

/// The path of a directory before and after it was moved, both absolute and without symbolic links.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
}

impl Paths {
    /// Resolves both paths, which need not exist. If a link at one of the paths leads to the other path, the link is
    /// not followed.
    pub(super) fn resolve(from: &Path, to: &Path) -> io::Result<Self> {
        let followed = Self {
            from: resolved(from)?,
            to: resolved(to)?,
        };
        if followed.from != followed.to {
            return Ok(followed);
        }
        Ok(Self {
            from: unfollowed(from)?,
            to: unfollowed(to)?,
        })
    }

    /// Returns the new path of a path that is the old directory or below it. Returns `None` for any other path, and for
    /// a path that is the new directory or below it.
    pub(super) fn moved(&self, path: &str) -> Option<String> {
        replaced(path, &self.from, &self.to).filter(|_| !self.is_new(path))
    }

    /// Returns the old path of a path that is the new directory or below it.
    pub(super) fn original(&self, path: &str) -> Option<String> {
        replaced(path, &self.to, &self.from).filter(|_| self.is_new(path))
    }

    /// Whether a path is the new directory or below it. If the new directory contains the old one, the other paths in
    /// the new directory are such paths, too.
    pub(super) fn is_new(&self, path: &str) -> bool {
        let is_below = |directory: &Path| replaced(path, directory, directory).is_some();
        is_below(&self.to) && !(self.from.starts_with(&self.to) && is_below(&self.from))
    }

    /// Replaces the old path at the beginning of each string of a JSON text. Returns `None` if no string begins with
    /// it.
    pub(super) fn moved_in_json(&self, json: &[u8]) -> Option<Vec<u8>> {
        let from = inner(&self.from.to_string_lossy());
        let to = inner(&self.to.to_string_lossy());
        let new_below = self.to.strip_prefix(&self.from).ok();
        let is_nested = new_below.is_some_and(|below| !below.as_os_str().is_empty());
        let separator = inner(MAIN_SEPARATOR_STR);
        let ends_here = |rest: &[u8]| rest.starts_with(b"\"") || rest.starts_with(&separator);
        let mut moved = Vec::new();
        let mut copied = 0;
        for at in memmem::find_iter(json, &from) {
            let starts_string = json[..at].ends_with(b"\"") && !json[..at].ends_with(b"\\\"");
            let is_old = starts_string && ends_here(&json[at + from.len()..]);
            let is_new =
                is_nested && json[at..].starts_with(&to) && ends_here(&json[at + to.len()..]);
            if is_old && !is_new && at >= copied {
                moved.extend_from_slice(&json[copied..at]);
                moved.extend_from_slice(&to);
                copied = at + from.len();
            }
        }
        if moved.is_empty() {
            return None;
        }
        moved.extend_from_slice(&json[copied..]);
        Some(moved)
    }
}

/// Replaces a directory at the beginning of a path.
fn replaced(path: &str, from: &Path, to: &Path) -> Option<String> {
    let below = path.strip_prefix(&*from.to_string_lossy())?;
    let is_whole = below.is_empty() || below.starts_with(MAIN_SEPARATOR);
    is_whole.then(|| format!("{}{below}", to.to_string_lossy()))
}

/// Returns a text as in a JSON string, without its quotes.
fn inner(text: &str) -> Vec<u8> {
    let quoted = quoted(text);
    quoted[1..quoted.len() - 1].to_vec()
}

/// Returns the path without symbolic links in the part of it that exists.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    real_path(path).or_else(|_| unfollowed(path))
}

/// Returns the absolute path without symbolic links, except for the last component. Components that do not exist stay
/// unchanged.
fn unfollowed(path: &Path) -> io::Result<PathBuf> {
    let mut plain = PathBuf::new();
    for component in std::path::absolute(path)?.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            component => plain.push(component),
        }
    }
    for above in plain.ancestors().skip(1) {
        if let (Ok(real), Ok(rest)) = (real_path(above), plain.strip_prefix(above)) {
            return Ok(real.join(rest));
        }
    }
    Ok(plain)
}

#[cfg(test)]
#[cfg(not(windows))]
mod tests {
    use super::*;

    fn paths(from: &str, to: &str) -> Paths {
        Paths {
            from: from.into(),
            to: to.into(),
        }
    }

    #[test]
    fn a_path_moves_with_its_directory_and_back() {
        let moves = paths("/a/b", "/c");
        assert_eq!(moves.moved("/a/b").as_deref(), Some("/c"));
        assert_eq!(moves.moved("/a/b/d").as_deref(), Some("/c/d"));
        assert_eq!(moves.original("/c/d").as_deref(), Some("/a/b/d"));
        for other in ["/a", "/a/bc", "/c", "/c/d", "a/b"] {
            assert_eq!(moves.moved(other), None, "{other}");
        }
    }

    #[test]
    fn a_directory_that_moved_below_itself_moves_once() {
        let down = paths("/a", "/a/b");
        assert_eq!(down.moved("/a/x").as_deref(), Some("/a/b/x"));
        assert_eq!(down.moved("/a/b/x"), None);
        let json = br#"{"p":"/a","q":"/a/b/x","r":"/a/bc"}"#;
        let expected = br#"{"p":"/a/b","q":"/a/b/x","r":"/a/b/bc"}"#;
        assert_eq!(down.moved_in_json(json).as_deref(), Some(&expected[..]));
        let up = paths("/a/b", "/a");
        assert_eq!(up.moved("/a/b/x").as_deref(), Some("/a/x"));
        assert_eq!(up.moved("/a/x"), None);
        assert!(up.is_new("/a/x") && !up.is_new("/a/b/x"));
    }

    #[test]
    fn only_whole_paths_at_the_beginning_of_a_string_are_replaced() {
        let moves = paths("/a\"b", "/c");
        let json = br#"{"/a\"b":"/a\"b/d","x":"/a\"bc","y":" /a\"b","z":"\"/a\"b"}"#;
        let expected = br#"{"/c":"/c/d","x":"/a\"bc","y":" /a\"b","z":"\"/a\"b"}"#;
        assert_eq!(moves.moved_in_json(json).as_deref(), Some(&expected[..]));
        assert_eq!(moves.moved_in_json(br#"{"x":"/d"}"#), None);
    }
}
