//! A configuration folder, and the folders of projects in it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};

use claw_types::SessionId;

use crate::info::directory_of;
use crate::slug::{MOST, sanitized, slug};
use crate::{Error, real_path};

/// The sessions of a configuration folder: `CLAUDE_CONFIG_DIR`, or the user's `~/.claude`.
///
/// This value holds no file open and caches nothing. Every call reads the disk.
#[derive(Debug, Clone)]
pub struct Sessions {
    config: PathBuf,
    /// The name of the projects' folder, if the same name is set for all projects.
    project_name: Option<String>,
}

impl Sessions {
    /// Gives access to the sessions in this configuration folder.
    pub fn new(config: impl Into<PathBuf>) -> Self {
        Self {
            config: config.into(),
            project_name: None,
        }
    }

    /// Gives access to the sessions in the configuration folder of the current user: `CLAUDE_CONFIG_DIR`, or else
    /// `~/.claude`.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NoHome`] if neither `CLAUDE_CONFIG_DIR` nor a home folder is set.
    pub fn of_user() -> Result<Self, Error> {
        Self::of_environment(|name| std::env::var_os(name))
    }

    /// Gives access to the sessions in the configuration folder that a `claude` with this environment uses. `variable`
    /// returns the value of an environment variable.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NoHome`] if neither `CLAUDE_CONFIG_DIR` nor a home folder is set.
    pub fn of_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, Error> {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let Some(config) = set("CLAUDE_CONFIG_DIR") else {
            let home = set(home).ok_or(Error::NoHome)?;
            return Ok(Self::new(Path::new(&home).join(".claude")));
        };
        // This variable has an effect only together with a configuration folder.
        let name = set("CLAUDE_CODE_PROJECT_DIR_NAME").and_then(|name| name.into_string().ok());
        Ok(Self {
            config: config.into(),
            project_name: name.filter(|name| is_project_name(name)),
        })
    }

    /// Returns the folder that contains a folder for each project.
    pub fn projects(&self) -> PathBuf {
        self.config.join("projects")
    }

    /// Returns the folder to which the CLI writes the transcripts of new sessions of this directory. It need not exist.
    pub fn folder_of(&self, directory: &Path) -> PathBuf {
        let mut folders = self.folders_of(directory).into_iter();
        folders.next().unwrap_or_else(|| self.projects())
    }

    /// Returns the configuration folder.
    pub(crate) fn config(&self) -> &Path {
        &self.config
    }

    /// Returns the folders that may contain sessions of this directory, the most likely one first. They need not exist.
    pub(crate) fn folders_of(&self, directory: &Path) -> Vec<PathBuf> {
        let projects = self.projects();
        let directory = real_path(directory).unwrap_or_else(|_| directory.into());
        let set = self.project_name.iter().map(|set| projects.join(set));
        let mut folders: Vec<PathBuf> = set.collect();
        folders.extend(named_folders(&projects, &directory));
        folders.dedup();
        folders
    }
}

/// Returns the folders that are named after a directory. There are several only for long names. They need not exist.
pub(crate) fn named_folders(projects: &Path, directory: &Path) -> Vec<PathBuf> {
    let name = slug(directory);
    let exact = projects.join(&name);
    if name.len() > MOST && !exact.is_dir() {
        older_folders(projects, directory, &name)
    } else {
        vec![exact]
    }
}

/// Returns the folders whose long names end with another hash, because older CLIs used another hash function. The
/// beginning of the name is not sufficient: a session in the folder must belong to this directory.
fn older_folders(projects: &Path, directory: &Path, name: &str) -> Vec<PathBuf> {
    let begins = &name[..=MOST];
    let full = sanitized(&directory.to_string_lossy());
    let Ok(all) = names(projects) else {
        return Vec::new();
    };
    let alike = all.into_iter().filter(|name| name.starts_with(begins));
    let folders = alike.map(|name| projects.join(name));
    folders
        .filter(|folder| {
            let transcripts = transcripts(folder).unwrap_or_default();
            transcripts.iter().any(|transcript| {
                let directory = directory_of(&transcript.entry.path());
                matches!(directory, Ok(Some(directory)) if sanitized(&directory) == full)
            })
        })
        .collect()
}

/// A transcript in the folder of a project.
pub(crate) struct Transcript {
    pub(crate) id: SessionId,
    /// The directory entry. It provides the size and the time without another path lookup, which would take most of the
    /// time of a short list.
    pub(crate) entry: DirEntry,
    /// Whether the session has a folder beside its transcript.
    pub(crate) has_folder: bool,
}

/// Returns the transcripts in the folder of a project.
pub(crate) fn transcripts(folder: &Path) -> io::Result<Vec<Transcript>> {
    let mut found = Vec::new();
    let mut folders = HashSet::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        match name.strip_suffix(".jsonl") {
            Some(id) if is_session_id(id) => found.push(Transcript {
                id: SessionId::from(id),
                entry,
                has_folder: false,
            }),
            None if is_session_id(name) => {
                folders.insert(name.to_owned());
            }
            _ => {}
        }
    }
    for transcript in &mut found {
        transcript.has_folder = folders.contains(transcript.id.as_str());
    }
    Ok(found)
}

/// Returns the names in a folder that are valid text, as all names from the CLI are.
pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    Ok(names)
}

/// Whether the text is a UUID, of any version.
pub(crate) fn is_session_id(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn is_project_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(is_plain) && !is_device(name)
}

/// Whether Windows reserves the name for a device.
fn is_device(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let numbered = |start| {
        name.strip_prefix(start).is_some_and(|rest: &str| {
            rest.len() == 1 && rest != "0" && rest.bytes().all(|b| b.is_ascii_digit())
        })
    };
    matches!(&*name, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}
