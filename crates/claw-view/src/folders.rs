//! The folders of a session, and the path for which a tool use needs permission.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use claw_types::Message;
use claw_types::control::{CanUseTool, PermissionResult, PermissionUpdate};

use crate::real_path::real_or_missing;

/// The folders of a session: the working directory and the additional directories. They are collected from the
/// session's messages and from the answers to its permission requests. Clones share the same folders.
///
/// ```
/// use claw_types::control::CanUseTool;
/// use claw_types::{Json, Message};
/// use claw_view::SessionFolders;
///
/// let line = r#"{"type":"system","subtype":"init","apiKeySource":"none","claude_code_version":"2.1.330",
///     "cwd":"/work/project","additional_directories":[],"tools":[],"mcp_servers":[],"model":"m",
///     "permissionMode":"default","slash_commands":[],"output_style":"default","skills":[],"plugins":[],
///     "uuid":"u","session_id":"s"}"#;
/// let folders = SessionFolders::default();
/// folders.message(&claw_types::from_line::<Message>(line.as_bytes())?);
/// let mut request = CanUseTool::new("Bash", Json::null(), "toolu_1");
/// request.blocked_path = Some("/work/project/new.txt".to_owned());
/// let path = folders.asked_path(&request).unwrap();
/// assert_eq!(path.to_string(), "It needs the path /work/project/new.txt");
/// request.blocked_path = Some("/etc/hosts".to_owned());
/// let path = folders.asked_path(&request).unwrap();
/// assert_eq!(path.to_string(), "It needs a path outside of the session's folders: /etc/hosts");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SessionFolders(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    folders: Vec<PathBuf>,
    /// Whether `folders` contains all folders. Older CLIs do not report additional directories.
    is_whole: bool,
}

/// The path that a permission request of the CLI names as its reason. It can be outside of the session's folders or inside
/// them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskedPath {
    /// The path, as the CLI has sent it.
    pub path: String,
    /// Whether the path is known to be outside of the session's folders, after symbolic links were resolved.
    pub is_outside: bool,
}

impl AskedPath {
    /// Creates an `AskedPath`. `is_outside` must be true only if the path is known to be outside of the session's
    /// folders.
    pub fn new(path: impl Into<String>, is_outside: bool) -> Self {
        let path = path.into();
        Self { path, is_outside }
    }

    /// Returns the words that introduce the path for a person.
    pub fn words(&self) -> &'static str {
        if self.is_outside {
            "It needs a path outside of the session's folders: "
        } else {
            "It needs the path "
        }
    }
}

impl fmt::Display for AskedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.words(), self.path)
    }
}

impl SessionFolders {
    /// Adds the folders that a message reports. Call this method for each message of the session.
    pub fn message(&self, message: &Message) {
        let Message::SystemInit(init) = message else {
            return;
        };
        let own = init.original_cwd.iter().chain([&init.cwd]);
        let additional = init.additional_directories.iter().flatten();
        *self.known() = Known {
            folders: own.chain(additional).map(PathBuf::from).collect(),
            is_whole: init.additional_directories.is_some(),
        };
    }

    /// Adds the folders that an answer to a permission request adds. Call this method for each answer.
    pub fn answered(&self, result: &PermissionResult) {
        let PermissionResult::Allow(allow) = result else {
            return;
        };
        let mut known = self.known();
        for update in allow.updated_permissions.iter().flatten() {
            if let PermissionUpdate::AddDirectories(add) = update {
                known
                    .folders
                    .extend(add.directories.iter().map(PathBuf::from));
            }
        }
    }

    /// Returns the path because of which the CLI asks for permission. Returns `None` if the request contains no path.
    /// The call blocks while it reads folders.
    pub fn asked_path(&self, request: &CanUseTool) -> Option<AskedPath> {
        let path = request.blocked_path.clone()?;
        let is_outside = self.is_outside(Path::new(&path));
        Some(AskedPath { path, is_outside })
    }

    /// Whether a path is outside of all folders. Returns `false` if this is not known.
    fn is_outside(&self, path: &Path) -> bool {
        let folders = {
            let known = self.known();
            if !known.is_whole || !path.is_absolute() {
                return false;
            }
            known.folders.clone()
        };
        let Some(path) = real_or_missing(path) else {
            return false;
        };
        // A folder that cannot be resolved may contain the path, so the path does not count as outside of it.
        let is_without = |folder: &PathBuf| {
            real_or_missing(folder).is_some_and(|folder| !path.starts_with(folder))
        };
        !folders.is_empty() && folders.iter().all(is_without)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use claw_types::control::{AddDirectories, PermissionAllow, PermissionDestination};
    use claw_types::from_line;
    use serde_json::json;

    use super::*;

    /// Whether a request for this path is reported as outside of the folders.
    fn is_outside(folders: &SessionFolders, path: &Path) -> bool {
        let mut request = CanUseTool::new("Bash", claw_types::Json::null(), "t");
        request.blocked_path = Some(path.display().to_string());
        folders.asked_path(&request).unwrap().is_outside
    }

    fn begun(cwd: &Path, additional: Option<&[&Path]>) -> SessionFolders {
        let mut init = json!({"type": "system", "subtype": "init", "apiKeySource": "none", "claude_code_version": "2.1.330",
            "cwd": cwd, "original_cwd": cwd, "tools": [], "mcp_servers": [], "model": "m", "permissionMode": "default",
            "slash_commands": [], "output_style": "default", "skills": [], "plugins": [], "uuid": "u", "session_id": "s"});
        if let Some(additional) = additional {
            init["additional_directories"] = json!(additional);
        }
        let folders = SessionFolders::default();
        folders.message(&from_line(init.to_string().as_bytes()).unwrap());
        folders
    }

    #[test]
    fn a_path_is_outside_only_if_no_folder_of_the_session_has_it() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        let [work, more, other] = ["work", "more", "other"].map(|name| place.join(name));
        for folder in [&work, &more, &other] {
            std::fs::create_dir(folder).unwrap();
        }
        let folders = begun(&work, Some(&[&more]));
        for inside in ["work", "work/new", "work/a/b/c", "more/x"] {
            assert!(!is_outside(&folders, &place.join(inside)), "{inside}");
        }
        for outside in ["other/x", "work2", "workx/y", ""] {
            assert!(is_outside(&folders, &place.join(outside)), "{outside}");
        }
        let other_text = other.display().to_string();
        let add = AddDirectories::new([other_text], PermissionDestination::Session);
        let mut allow = PermissionAllow::new();
        allow.updated_permissions = Some(vec![add.into()]);
        folders.answered(&allow.into());
        assert!(!is_outside(&folders, &other.join("x")));
    }

    #[test]
    #[cfg(unix)]
    fn links_are_resolved_before_a_path_is_called_outside() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        std::fs::create_dir(place.join("real")).unwrap();
        std::fs::create_dir(place.join("other")).unwrap();
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(place.join(to), place.join(name)).unwrap();
        };
        link("real", "work");
        link("other", "real/out");
        link("nothing", "real/broken");
        let folders = begun(&place.join("work"), Some(&[]));
        assert!(!is_outside(&folders, &place.join("real/new")));
        assert!(is_outside(&folders, &place.join("work/out/new")));
        // The target of a broken link is unknown, so a path through the link is not reported as outside.
        assert!(!is_outside(&folders, &place.join("real/broken/new")));
    }

    #[test]
    fn nothing_is_called_outside_of_folders_that_are_not_known() {
        let unknown = SessionFolders::default();
        assert!(!is_outside(&unknown, Path::new("/etc/hosts")));
        let old = begun(Path::new("/work/project"), None);
        assert!(!is_outside(&old, Path::new("/etc/hosts")));
        let known = begun(Path::new("/work/project"), Some(&[]));
        assert!(!is_outside(&known, Path::new("etc/hosts")));
    }
}
