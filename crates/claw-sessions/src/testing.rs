//! A configuration folder for the tests of this crate.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::Sessions;

pub(crate) const ONE: &str = "11111111-1111-4111-8111-111111111111";
pub(crate) const TWO: &str = "22222222-2222-4222-8222-222222222222";

/// A configuration folder that is removed when this value is dropped.
pub(crate) struct TestHome(pub(crate) tempfile::TempDir);

impl TestHome {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions::new(self.0.path())
    }

    /// Returns the path of a file of a project. The folder exists, but the file may not exist.
    pub(crate) fn path(&self, project: &str, name: &str) -> PathBuf {
        let path = self.0.path().join("projects").join(project).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    /// Returns the path of the transcript of a session of the project `p`.
    pub(crate) fn transcript(&self, id: &str) -> PathBuf {
        self.transcript_of("p", id)
    }

    pub(crate) fn transcript_of(&self, project: &str, id: &str) -> PathBuf {
        self.path(project, &format!("{id}.jsonl"))
    }

    pub(crate) fn write(&self, project: &str, name: &str, lines: &[Value]) {
        let lines: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.path(project, name), lines.concat()).unwrap();
    }
}
