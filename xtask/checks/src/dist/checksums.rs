//! Computes the SHA-256 of files.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use xtask::run::Result;

/// The file with the checksums of a release, in the form that `sha256sum --check` reads.
pub(super) const LIST: &str = "SHA256SUMS";

/// Writes the checksums of all archives in a folder, and of the lists of their parts.
pub(super) fn write(folder: &Path) -> Result {
    let mut names: Vec<_> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().display().to_string()))
        .collect::<Result<_>>()?;
    names.retain(|name| name.ends_with(".tar.gz") || name.ends_with(super::sbom::ENDING));
    names.sort();
    let mut list = String::new();
    for name in names {
        let _ = writeln!(list, "{}  {name}", of(&folder.join(&name))?);
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
