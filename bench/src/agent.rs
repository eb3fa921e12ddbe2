//! Starts the program at the other end of the pipe.

use std::fs;
use std::path::PathBuf;

use claw_client::types::{Map, QueryOptions};

use crate::{Result, lines};

/// A flood of lines: a file of lines, and the number of lines to write.
pub(crate) struct Flood {
    folder: tempfile::TempDir,
    pub(crate) count: usize,
}

impl Flood {
    /// A flood of recorded lines of a type, repeated as often as needed.
    pub(crate) fn of(kind: &str, count: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        fs::write(
            folder.path().join("lines"),
            lines::of_type(kind)?.join("\n"),
        )?;
        Ok(Self { folder, count })
    }

    /// The environment variables of the program.
    pub(crate) fn env(&self) -> [(&'static str, String); 2] {
        let lines = self.folder.path().join("lines");
        [
            ("FLOOD_LINES", lines.display().to_string()),
            ("FLOOD_COUNT", self.count.to_string()),
        ]
    }

    pub(crate) fn options(&self) -> Result<QueryOptions> {
        let mut env = Map::default();
        for (name, value) in self.env() {
            env.insert(name, Some(value));
        }
        Ok(options(program()?).env(env))
    }
}

/// Options that start this executable.
pub(crate) fn options(executable: PathBuf) -> QueryOptions {
    QueryOptions::default()
        .path_to_claude_code_executable(executable.display().to_string())
        .include_partial_messages(true)
}

/// The program, built beside this one.
pub(crate) fn program() -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("flood");
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("no {}: build all binaries", path.display()).into())
    }
}
