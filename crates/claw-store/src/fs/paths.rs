//! The paths of the files and folders of a session.

use std::path::{Path, PathBuf};

use crate::adapter::names;
use crate::{KeyError, SessionRef, StoreError, StoreKey};

/// The folder that contains all data about the transcripts except their lines.
const STATE: &str = ".claw-store";

/// The paths of a session.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    /// The file of the main transcript.
    pub(super) main: PathBuf,
    /// The folder of the session's other transcripts.
    pub(super) beside: PathBuf,
    /// The folder of the session's state files, claim and lock.
    pub(super) state: PathBuf,
}

impl Paths {
    pub(super) fn of(root: &Path, session: &SessionRef) -> Result<Self, StoreError> {
        let project = name("project", session.project())?;
        let id = name("session", session.session())?;
        let beside = projects(root).join(&project).join(&id);
        let mut main = beside.clone();
        main.as_mut_os_string().push(".jsonl");
        let state = root.join(STATE).join(project).join(id);
        Ok(Self {
            main,
            beside,
            state,
        })
    }

    /// Returns the path of a transcript's file.
    pub(super) fn transcript(&self, key: &StoreKey) -> Result<PathBuf, StoreError> {
        let Some(subpath) = key.subpath() else {
            return Ok(self.main.clone());
        };
        let mut path = self.beside.clone();
        for segment in subpath.as_str().split('/') {
            path.push(name("subpath", segment)?);
        }
        path.as_mut_os_string().push(".jsonl");
        Ok(path)
    }

    /// Returns the path of a transcript's state file.
    pub(super) fn state_of(&self, key: &StoreKey) -> Result<PathBuf, StoreError> {
        let Some(subpath) = key.subpath() else {
            return Ok(self.state.join("main.json"));
        };
        let name = name("subpath", subpath.as_str())?;
        Ok(self.state.join(format!("at-{name}.json")))
    }

    /// Returns the path of the file for the operating system's lock.
    pub(super) fn lock(&self) -> PathBuf {
        self.state.join("lock")
    }

    /// Returns the path of the file that contains the newest claim.
    pub(super) fn claim(&self) -> PathBuf {
        self.state.join("claim")
    }

    /// Returns the path of the session's tombstone, which is an empty file.
    pub(super) fn tombstone(&self) -> PathBuf {
        self.state.join("deleted")
    }

    /// Whether the session has a tombstone.
    pub(super) fn is_deleted(&self) -> Result<bool, StoreError> {
        let found = self.tombstone().try_exists();
        found.map_err(StoreError::unavailable)
    }

    /// Returns the path of the file that exists while the session is being deleted.
    pub(super) fn deleting(&self) -> PathBuf {
        self.state.join("deleting")
    }
}

/// Returns the path of the folder that contains all projects.
pub(super) fn projects(root: &Path) -> PathBuf {
    root.join("projects")
}

fn name(part: &'static str, text: &str) -> Result<String, StoreError> {
    let name = names::escaped(text).map(std::borrow::Cow::into_owned);
    name.ok_or_else(|| KeyError::new(part, text, "is too long for the name of a file").into())
}
