//! The CLI in a home of its own.

use std::path::{Path, PathBuf};

use claw_client::types::{Map, QueryOptions};
use claw_testkit::api::Api;
use tempfile::TempDir;

/// A home and a working directory for one CLI.
pub(super) struct Cli {
    path: PathBuf,
    /// Goes when the test does.
    _folder: Option<TempDir>,
    env: Vec<(String, String)>,
}

impl Cli {
    pub(super) fn new(api: &Api) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cli = Self::in_folder(api, folder.path());
        Self {
            _folder: Some(folder),
            ..cli
        }
    }

    /// In a folder that somebody else looks after.
    pub(super) fn in_folder(api: &Api, folder: &Path) -> Self {
        let env = api.env().into_iter();
        Self::with_env(
            env.map(|(name, value)| (name.to_owned(), value)).collect(),
            folder,
        )
    }

    /// Likewise, with an API of another process.
    pub(super) fn with_env(env: Vec<(String, String)>, folder: &Path) -> Self {
        std::fs::create_dir_all(folder.join("home")).unwrap();
        std::fs::create_dir_all(folder.join("work")).unwrap();
        Self {
            path: folder.to_owned(),
            _folder: None,
            env,
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.path
    }

    pub(super) fn home(&self) -> PathBuf {
        self.path.join("home")
    }

    /// Options that run it there, and have it talk to the scripted API alone.
    pub(super) fn options(&self) -> QueryOptions {
        let mut env = Map::default();
        for (name, value) in &self.env {
            env.insert(name.as_str(), Some(value.clone()));
        }
        for name in ["HOME", "USERPROFILE"] {
            env.insert(name, Some(self.home().display().to_string()));
        }
        QueryOptions::default()
            .env(env)
            .cwd(self.path.join("work"))
            .path_to_claude_code_executable(claw_testkit::claude().unwrap())
            .include_partial_messages(true)
    }
}
