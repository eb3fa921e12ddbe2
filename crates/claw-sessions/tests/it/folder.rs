//! A configuration folder with a project.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use claw_sessions::{Session, Sessions};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const ID: &str = "0a0a0a0a-0000-4000-8000-000000000001";

/// A uuid that ends in a number.
pub(crate) fn uuid(number: usize) -> String {
    format!("{number:08x}-1111-4000-8000-000000000000")
}

pub(crate) struct Folder {
    folder: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("projects/-work")).unwrap();
        Self { folder }
    }

    /// With one session of these lines.
    pub(crate) fn with(lines: &[String]) -> (Self, Session) {
        let folder = Self::new();
        let session = folder.add(ID, &(lines.join("\n") + "\n"));
        (folder, session)
    }

    pub(crate) fn add(&self, id: &str, text: &str) -> Session {
        fs::write(self.project().join(format!("{id}.jsonl")), text).unwrap();
        self.sessions().find(id).unwrap()
    }

    pub(crate) fn config(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.config().join("projects/-work")
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions::new(self.config())
    }

    /// All files below the project, and what is in them. None if the project's folder was moved.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        Self::files_below(&self.project())
    }

    /// All files below a folder, and what is in them. None if there is no such folder.
    pub(crate) fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        if folder.exists() {
            collect(folder, "", &mut files);
        }
        files
    }
}

fn collect(folder: &Path, at: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{at}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

pub(crate) fn read(session: &Session) -> String {
    fs::read_to_string(session.transcript()).unwrap()
}

pub(crate) fn values(session: &Session) -> Vec<Value> {
    let text = read(session);
    assert!(text.ends_with('\n'));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A conversation of this many lines, each an answer to the one before.
pub(crate) fn conversation(lines: usize) -> Vec<String> {
    let line = |number: usize| {
        let (kind, role) = if number.is_multiple_of(2) {
            ("user", "user")
        } else {
            ("assistant", "assistant")
        };
        let parent = number.checked_sub(1).map(uuid);
        json!({
            "type": kind, "uuid": uuid(number), "parentUuid": parent, "sessionId": ID,
            "timestamp": format!("2026-01-01T00:00:{:02}.000Z", number % 60), "isSidechain": false,
            "message": {"role": role, "content": format!("words {number}")},
        })
        .to_string()
    };
    (0..lines).map(line).collect()
}
