//! The CLI in a home of its own.

use std::path::{Path, PathBuf};

use claw_client::types::{Map, QueryOptions};
use claw_testkit::api::Api;
use tempfile::TempDir;

/// A home and a working directory for one CLI, which go when the test does.
pub(super) struct Cli {
    folder: TempDir,
    env: Vec<(&'static str, String)>,
}

impl Cli {
    pub(super) fn new(api: &Api) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self {
            folder,
            env: api.env(),
        }
    }

    pub(super) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Options that run it there, and have it talk to the scripted API alone.
    pub(super) fn options(&self) -> QueryOptions {
        let mut env = Map::default();
        for (name, value) in &self.env {
            env.insert(*name, Some(value.clone()));
        }
        let home = self.folder.path().join("home").display().to_string();
        env.insert("HOME", Some(home));
        QueryOptions::default()
            .env(env)
            .cwd(self.work())
            .path_to_claude_code_executable(executable())
            .include_partial_messages(true)
    }
}

/// The CLI that `cargo xtask claude` installs, or the one that is named.
fn executable() -> PathBuf {
    if let Some(named) = std::env::var_os("CLAW_TEST_CLAUDE") {
        return named.into();
    }
    let packages = target().join("ci/npm/node_modules/@anthropic-ai");
    let entries = std::fs::read_dir(&packages).into_iter().flatten().flatten();
    let name = format!("claude{}", std::env::consts::EXE_SUFFIX);
    let platform = entries.filter(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with("claude-code-")
    });
    let found = platform
        .map(|entry| entry.path().join(&name))
        .find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!(
            "no claude in {}: run `cargo xtask claude`, or name one in CLAW_TEST_CLAUDE",
            packages.display()
        )
    })
}

/// The target directory: that of the test's own executable.
fn target() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors()
        .find(|path| path.join("ci").is_dir())
        .map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
            Path::to_owned,
        )
}
