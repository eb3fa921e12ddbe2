//! The licences of all parts of an executable.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::parts::parts;
use xtask::run::{Result, read};
use xtask::workspace::Workspace;

/// The name of the file with the licences of all crates.
const CRATES: &str = "THIRD-PARTY.txt";
/// The name of the file with the licences of Rust's standard library.
const STANDARD_LIBRARY: &str = "RUST-LIBRARY.html";
/// The licence of the C library. Rust's targets include this library without its licence.
const MUSL: &str = include_str!("musl.txt");

/// A crate that is part of the executable.
pub(super) struct Notice {
    /// The name and the version.
    pub(super) name: String,
    /// The names of its licences.
    pub(super) license: String,
    /// The texts of its licences, from the crate.
    pub(super) texts: Vec<String>,
}

/// Writes the licences of the dependencies of a crate on a target.
///
/// # Errors
/// Fails if cargo cannot list the dependencies, or if the toolchain lacks the notices of the standard library.
pub(super) fn write(workspace: &Workspace, of: &str, target: &str, folder: &Path) -> Result {
    let notices = collect(workspace, of, target)?;
    fs::write(folder.join(CRATES), text(&notices))?;
    let sysroot = read(Command::new("rustc").args(["--print=sysroot"]))?;
    let of_rust = Path::new(sysroot.trim()).join("share/doc/rust/COPYRIGHT-library.html");
    fs::copy(&of_rust, folder.join(STANDARD_LIBRARY))
        .map_err(|error| format!("{}: {error}", of_rust.display()))?;
    Ok(())
}

pub(super) fn collect(workspace: &Workspace, of: &str, target: &str) -> Result<Vec<Notice>> {
    let mut notices = Vec::new();
    for part in parts(workspace, of, target)? {
        if part.source.is_some() {
            notices.push(Notice {
                name: part.title(),
                texts: texts(part.manifest_path.parent().unwrap_or(Path::new("")))?,
                license: part.license.unwrap_or_default(),
            });
        }
    }
    if target.ends_with("-musl") {
        notices.push(Notice {
            name: "musl (C library)".to_owned(),
            license: "MIT".to_owned(),
            texts: vec![MUSL.to_owned()],
        });
    }
    notices.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(notices)
}

/// Returns the texts of the licences in a package, ordered by file name.
pub(super) fn texts(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_uppercase();
        let is_notice = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "COPYRIGHT",
            "NOTICE",
            "UNLICENSE",
        ]
        .iter()
        .any(|word| name.starts_with(word));
        if is_notice && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let texts = files.iter().map(|file| Ok(fs::read_to_string(file)?));
    texts.collect()
}

/// Returns a text that lists the crates. After the list, it contains each licence text once, with the crates to which
/// the text belongs.
pub(super) fn text(notices: &[Notice]) -> String {
    let mut text = String::from(
        "This executable contains these libraries. Where a licence is offered by choice (OR), any of them may be taken.\n\n",
    );
    let mut by_text = BTreeMap::<&str, Vec<&str>>::new();
    for notice in notices {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}: {}", notice.name, notice.license);
        for licence in &notice.texts {
            by_text
                .entry(licence.trim())
                .or_default()
                .push(&notice.name);
        }
    }
    for (licence, names) in by_text {
        let line = "=".repeat(80);
        let _ = write!(text, "\n{line}\n{}:\n\n{licence}\n", names.join(", "));
    }
    text
}
