//! Real paths in the form in which the CLI writes them.

use std::io;
use std::path::{Path, PathBuf};

/// Returns the absolute path of an existing file or directory, without symbolic links. It has the form in which the CLI
/// writes paths into transcripts and from which the CLI makes a [`slug`](crate::slug). On Windows this is `C:\work` and
/// `\\server\share`, without the prefix `\\?\` that [`Path::canonicalize`] adds there.
///
/// # Errors
///
/// Fails with the same errors as [`Path::canonicalize`].
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    let real = path.canonicalize()?;
    if !cfg!(windows) {
        return Ok(real);
    }
    let plain = real.to_str().and_then(without_prefix);
    Ok(plain.map_or(real, PathBuf::from))
}

/// Returns the usual form of an extended path of Windows, or `None` if there is no such form.
fn without_prefix(path: &str) -> Option<String> {
    let rest = path.strip_prefix(r"\\?\")?;
    if let Some(share) = rest.strip_prefix(r"UNC\") {
        return Some(format!(r"\\{share}"));
    }
    let is_drive = rest.as_bytes().get(1) == Some(&b':');
    is_drive.then(|| rest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slug;

    #[test]
    fn extended_paths_of_windows_have_a_usual_form() {
        for (extended, usual) in [
            (r"\\?\C:\Users\me\my project", r"C:\Users\me\my project"),
            (r"\\?\UNC\server\share\work", r"\\server\share\work"),
        ] {
            assert_eq!(without_prefix(extended).as_deref(), Some(usual));
        }
        for other in [r"C:\work", r"\\server\share", r"\\?\Volume{1}\x", "/work"] {
            assert_eq!(without_prefix(other), None);
        }
        // Node's `realpath` and the CLI return the same results.
        assert_eq!(slug(Path::new(r"C:\Users\me")), "C--Users-me");
        assert_eq!(slug(Path::new(r"\\server\share\x")), "--server-share-x");
    }

    #[test]
    fn a_real_path_is_absolute_and_has_no_prefix() {
        let real = real_path(Path::new(".")).unwrap();
        assert!(real.is_absolute() && real.is_dir());
        assert!(!real.to_string_lossy().starts_with(r"\\?\"));
        assert!(real_path(Path::new("no-such-folder")).is_err());
    }
}
