//! The cases: the options that both sides receive.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::record::FOLDER;
use xtask::run::Result;

/// The options for both sides, and the expected result.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The option that the case tests, by the official SDK's name.
    pub(super) option: String,
    /// The tested form of the option.
    #[serde(rename = "as", default)]
    form: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
    /// Values that JSON cannot express, such as callbacks.
    #[serde(default)]
    objects: Vec<String>,
    /// Options for the official SDK only, if the two have no common name.
    #[serde(default)]
    pub(super) there: Map<String, Value>,
    /// Options for claw only.
    #[serde(default)]
    pub(super) here: Map<String, Value>,
    /// The host's environment, in addition to `HOME` and `PATH`.
    #[serde(default)]
    pub(super) host: BTreeMap<String, String>,
    /// Whether both sides refuse the options, so that nothing is compared.
    #[serde(default)]
    pub(super) refused: bool,
    /// Each difference, with the row that explains it.
    #[serde(default)]
    pub(super) differs: BTreeMap<String, String>,
}

/// A case as one side runs it.
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

    /// Sets up a folder for one side: the recorder, and a working directory.
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
