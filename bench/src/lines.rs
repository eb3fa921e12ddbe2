//! Recorded lines.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;

/// The folder of the recordings.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

/// All distinct lines of standard output in the recordings, in a fixed order.
pub(crate) fn all() -> Result<Vec<String>> {
    let mut lines: Vec<String> = sessions()?.into_iter().flatten().collect();
    let mut seen = std::collections::HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    Ok(lines)
}

/// The lines of each recording, in a fixed order.
pub(crate) fn sessions() -> Result<Vec<Vec<String>>> {
    let mut files = Vec::new();
    collect(&folder(), &mut files)?;
    files.sort();
    let mut sessions = Vec::new();
    for file in files {
        let text = fs::read_to_string(file)?;
        let lines = text.lines().filter(|line| !line.is_empty());
        sessions.push(lines.map(str::to_owned).collect());
    }
    Ok(sessions)
}

/// The lines of a type.
pub(crate) fn of_type(kind: &str) -> Result<Vec<String>> {
    let start = format!("{{\"type\":\"{kind}\"");
    let mut lines = all()?;
    lines.retain(|line| line.starts_with(&start));
    if lines.is_empty() {
        return Err(format!("no recorded line begins with {start}").into());
    }
    Ok(lines)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.file_name().is_some_and(|name| name == "stdout.ndjson") {
            files.push(path);
        }
    }
    Ok(())
}
