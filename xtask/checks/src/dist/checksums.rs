//! Computes the SHA-256 of files.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use xtask::run::Result;

/// The file with the checksums of a release, in the form that `sha256sum --check` reads.
pub(super) const LIST: &str = "SHA256SUMS";

/// The extensions of the files of a release.
const ENDINGS: [&str; 5] = [".tar.gz", super::sbom::ENDING, ".tgz", ".whl", ".deb"];

/// Writes the checksums of all archives in a folder, of the lists of their parts, and of the packages in the subfolders
/// `packages`. The list contains only the file names, because a release has all files in one place.
pub(super) fn write(folder: &Path, packages: &[&str]) -> Result {
    let folders = packages.iter().map(|name| folder.join(name));
    let mut files = Vec::new();
    for folder in std::iter::once(folder.to_owned()).chain(folders) {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            files.push((entry.file_name().display().to_string(), entry.path()));
        }
    }
    files.retain(|(name, _)| ENDINGS.iter().any(|ending| name.ends_with(ending)));
    files.sort();
    let mut list = String::new();
    for (name, path) in files {
        writeln!(list, "{}  {name}", of(&path)?)?;
    }
    Ok(fs::write(folder.join(LIST), list)?)
}

/// Returns the SHA-256 of a file, in hexadecimal digits.
pub(crate) fn of(file: &Path) -> io::Result<String> {
    let mut digits = String::new();
    for byte in Sha256::digest(fs::read(file)?) {
        let _ = write!(digits, "{byte:02x}");
    }
    Ok(digits)
}
