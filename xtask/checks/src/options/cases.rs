//! The cases: options that both sides are given.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::record::FOLDER;
use xtask::run::Result;

/// What both sides are given, and what comes of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The option that it is about, by the official SDK's name.
    pub(super) option: String,
    /// Which form of it.
    #[serde(rename = "as", default)]
    form: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
    /// What no JSON can say: callbacks and the like.
    #[serde(default)]
    objects: Vec<String>,
    /// Options that the official SDK alone is given, where the two have no common word.
    #[serde(default)]
    pub(super) there: Map<String, Value>,
    /// Options that claw alone is given.
    #[serde(default)]
    pub(super) here: Map<String, Value>,
    /// The host's environment, beyond `HOME` and `PATH`.
    #[serde(default)]
    pub(super) host: BTreeMap<String, String>,
    /// Neither side takes it: there is nothing to compare.
    #[serde(default)]
    pub(super) refused: bool,
    /// Each difference, and the row that explains it.
    #[serde(default)]
    pub(super) differs: BTreeMap<String, String>,
}

/// A case as one side plays it.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(super) struct Role {
    pub(super) folder: PathBuf,
    pub(super) options: Map<String, Value>,
    pub(super) objects: Vec<String>,
}

impl Case {
    pub(super) fn name(&self) -> String {
        match &self.form {
            Some(form) => format!("{}: {form}", self.option),
            None => self.option.clone(),
        }
    }

    /// Sets a folder up for one side: the recorder in it, and a directory to work in.
    pub(super) fn role(
        &self,
        recorder: &str,
        folder: &Path,
        more: &Map<String, Value>,
    ) -> Result<Role> {
        fs::create_dir_all(folder.join("work"))?;
        let claude = folder.join("claude");
        fs::write(&claude, recorder)?;
        executable(&claude)?;
        let mut options = self.options.clone();
        options.extend(more.clone());
        let text = Value::Object(options).to_string();
        let text = text.replace(FOLDER, &folder.display().to_string());
        let mut options: Map<String, Value> = serde_json::from_str(&text)?;
        let path = claude.display().to_string();
        options.insert("pathToClaudeCodeExecutable".to_owned(), path.into());
        Ok(Role {
            folder: folder.to_owned(),
            options,
            objects: self.objects.clone(),
        })
    }
}

#[cfg(unix)]
fn executable(path: &Path) -> Result {
    use std::os::unix::fs::PermissionsExt as _;

    Ok(fs::set_permissions(
        path,
        fs::Permissions::from_mode(0o755),
    )?)
}

#[cfg(not(unix))]
fn executable(_: &Path) -> Result {
    Err("a script is no program here: the comparison needs Unix".into())
}
