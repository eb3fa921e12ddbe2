//! Writes small files so that they are never incomplete.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Replaces a file. Creates its folder if it does not exist. A concurrent reader gets either the old or the new
/// contents. A symbolic link that has the name of the file is replaced, and is not followed. Blocks.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = path.with_extension(format!("{}.new", uuid::Uuid::new_v4().simple()));
    // An existing file or link with this name is an error.
    let mut file = OpenOptions::new().write(true).create_new(true).open(&new)?;
    let written = file.write_all(text.as_ref());
    drop(file);
    let renamed = written.and_then(|()| fs::rename(&new, path));
    if renamed.is_err() {
        // The incomplete file is removed, because it takes space on the disk.
        let _ = fs::remove_file(&new);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed_and_nothing_is_left() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("profile"), "kept").unwrap();
        for link in ["claw.json", "claw.new"] {
            symlink(at("profile"), at(link)).unwrap();
        }
        for text in ["one", "two"] {
            write(&at("claw.json"), text).unwrap();
            assert_eq!(fs::read_to_string(at("claw.json")).unwrap(), text);
        }
        assert_eq!(fs::read_to_string(at("profile")).unwrap(), "kept");
        // A folder cannot be replaced.
        fs::create_dir(at("folder")).unwrap();
        assert!(write(&at("folder"), "three").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
