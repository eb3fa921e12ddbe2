//! A configuration folder, and the folders of projects in it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use claw_types::SessionId;

use crate::info::directory_of;
use crate::slug::{MOST, sanitized, slug};
use crate::{Error, real_path};

/// The variable that names the configuration folder.
pub(crate) const CONFIG_VARIABLE: &str = "CLAUDE_CONFIG_DIR";

/// The variable that names the projects' folder.
pub(crate) const PROJECT_NAME_VARIABLE: &str = "CLAUDE_CODE_PROJECT_DIR_NAME";

/// The sessions of a configuration folder: `CLAUDE_CONFIG_DIR`, or the user's `~/.claude`. A value made by
/// [`Sessions::of_config_dirs`] has the sessions of several configuration folders. With such a value, a call that needs
/// a single folder uses the first one.
///
/// This value holds no file open and caches nothing. Every call reads the disk.
#[derive(Debug, Clone)]
pub struct Sessions {
    pub(crate) home: Arc<Home>,
    /// All folders in their order, if there are several. `home` is the first one.
    pub(crate) all: Option<Arc<[Arc<Home>]>>,
}

/// A configuration folder.
#[derive(Debug)]
pub(crate) struct Home {
    pub(crate) config: PathBuf,
    /// The name of the projects' folder, if the same name is set for all projects.
    project_name: Option<String>,
    /// The environment of a `claude` that uses the folder. `None` if no program has named the folder.
    pub(crate) named: Option<Named>,
}

/// The environment of a `claude` that uses a named folder: the value of `CLAUDE_CONFIG_DIR`, or `None` if the `claude`
/// uses the folder without that variable.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) variable: Option<String>,
}

impl Home {
    /// Creates a folder that a program has named.
    pub(crate) fn named(config: PathBuf, named: Named, project_name: Option<OsString>) -> Self {
        let mut home = Self {
            config,
            project_name: None,
            named: Some(named),
        };
        // The CLI uses this name only if `CLAUDE_CONFIG_DIR` is set too.
        if home
            .named
            .as_ref()
            .is_some_and(|named| named.variable.is_some())
        {
            home.set_project_name(project_name);
        }
        home
    }

    fn set_project_name(&mut self, name: Option<OsString>) {
        let name = name.and_then(|name| name.into_string().ok());
        self.project_name = name.filter(|name| is_project_name(name));
    }
}

impl Sessions {
    /// Gives access to the sessions in this configuration folder.
    pub fn new(config: impl Into<PathBuf>) -> Self {
        Self::of_home(Home {
            config: config.into(),
            project_name: None,
            named: None,
        })
    }

    pub(crate) fn of_home(home: impl Into<Arc<Home>>) -> Self {
        Self {
            home: home.into(),
            all: None,
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
        let Some(config) = set(CONFIG_VARIABLE) else {
            let config = usual_config(&variable).ok_or(Error::NoHome)?;
            return Ok(Self::new(config));
        };
        // The CLI uses this variable only if `CLAUDE_CONFIG_DIR` is set too.
        let mut home = Home {
            config: config.into(),
            project_name: None,
            named: None,
        };
        home.set_project_name(set(PROJECT_NAME_VARIABLE));
        Ok(Self::of_home(home))
    }

    /// Returns the folder that contains a folder for each project, in the first configuration folder.
    pub fn projects(&self) -> PathBuf {
        self.home.config.join("projects")
    }

    /// Returns the folders of all projects, in the first configuration folder. A symbolic link is not the folder of a
    /// project, because it may lead to the sessions of another configuration folder.
    pub(crate) fn project_folders(&self) -> io::Result<Vec<PathBuf>> {
        let projects = self.projects();
        let folders = names(&projects)?.into_iter();
        let folders = folders.map(|name| projects.join(name));
        let is_folder =
            |folder: &PathBuf| folder.symlink_metadata().is_ok_and(|stat| stat.is_dir());
        Ok(folders.filter(is_folder).collect())
    }

    /// Returns the folder to which the CLI writes the transcripts of new sessions of this directory. It need not exist.
    pub fn folder_of(&self, directory: &Path) -> PathBuf {
        let mut folders = self.folders_of(directory).into_iter();
        folders.next().unwrap_or_else(|| self.projects())
    }

    /// Returns the configuration folder, or the first one of several.
    pub fn config_dir(&self) -> &Path {
        &self.home.config
    }

    /// Returns the folders of the first configuration folder that may contain sessions of this directory, the most
    /// likely one first. They need not exist.
    pub(crate) fn folders_of(&self, directory: &Path) -> Vec<PathBuf> {
        let projects = self.projects();
        let directory = real_path(directory).unwrap_or_else(|_| directory.into());
        let set = self.home.project_name.iter().map(|set| projects.join(set));
        let mut folders: Vec<PathBuf> = set.collect();
        folders.extend(named_folders(&projects, &directory));
        folders.dedup();
        folders
    }
}

/// Returns the configuration folder that a `claude` uses without a variable that names one.
pub(crate) fn usual_config(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let home = variable(home).filter(|value| !value.is_empty())?;
    Some(Path::new(&home).join(".claude"))
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
