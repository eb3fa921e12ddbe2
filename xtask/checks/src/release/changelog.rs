//! Checks whether the changelog describes the changes.

use std::fs;
use std::path::Path;

use xtask::run::Result;

/// # Errors
/// Fails if neither the version's section nor `Unreleased` has an entry.
pub(super) fn check(root: &Path, version: &str) -> Result {
    let text = fs::read_to_string(root.join("CHANGELOG.md"))?;
    let (name, entries) = section(&text, version)?;
    println!("CHANGELOG.md, [{name}]: {entries} entries");
    if name != version {
        println!("before publishing, name that section after the version: {version}");
    }
    Ok(())
}

/// Returns the name of the changelog's section about a version, and the number of its entries. The section is called
/// `Unreleased` until it is renamed to the version.
pub(super) fn section<'a>(text: &str, version: &'a str) -> Result<(&'a str, usize)> {
    for name in [version, "Unreleased"] {
        let heading = format!("## [{name}]");
        let mut lines = text.lines().skip_while(|line| !line.starts_with(&heading));
        if lines.next().is_some() {
            let entries = lines
                .take_while(|line| !line.starts_with("## "))
                .filter(|line| line.starts_with("- "))
                .count();
            if entries > 0 {
                return Ok((name, entries));
            }
        }
    }
    Err(format!("CHANGELOG.md has no entry under [{version}] or [Unreleased]").into())
}
