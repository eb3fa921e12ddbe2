//! Finds the sessions of directories that do not exist any more.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::home::transcripts;
use crate::info::directory_of;
use crate::slug::slug;
use crate::{Error, Sessions};

/// The maximum number of sessions of a project that are read to find the path of the project's directory.
const SESSIONS: usize = 8;

/// The maximum number of entries of a folder that are examined to find a directory.
const ENTRIES: usize = 1000;

/// A directory that has sessions and does not exist any more. Made by [`Sessions::missing_directories`].
#[derive(Debug)]
#[non_exhaustive]
pub struct MissingDirectory {
    /// The path of the directory.
    pub path: PathBuf,
    /// The number of sessions of the directory and of the directories below it.
    pub sessions: usize,
    /// Whether directories below this directory have sessions, too.
    pub has_below: bool,
    /// The configuration folders with these sessions, in their order.
    pub config_dirs: Vec<PathBuf>,
    /// The paths to which the directory may have been moved, sorted: directories of the same name that are near its old
    /// path. A directory of another name is not found.
    pub candidates: Vec<PathBuf>,
}

impl Sessions {
    /// Returns the directories that have sessions and do not exist any more, sorted by path. If such a directory was
    /// moved, a [`relocation`](Self::relocation) moves its sessions. A directory that is below another directory of the
    /// list is counted with that directory.
    ///
    /// A directory is looked for by its name: in the nearest existing folder above it, in the folder above that one,
    /// and in the folders in these two. The call reads one transcript of most projects, and the names in these folders.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the folder that contains all projects exists but cannot be read. A project that
    /// cannot be read is left out.
    pub fn missing_directories(&self) -> Result<Vec<MissingDirectory>, Error> {
        let folders = self.list().all_folders()?.folders;
        let mut found: Vec<_> = folders
            .iter()
            .filter_map(|folder| {
                let (path, sessions) = missing(&folder.path)?;
                Some((path, folder.number, sessions, folder.home.config_dir()))
            })
            .collect();
        found.sort();
        let mut directories: Vec<MissingDirectory> = Vec::new();
        for (path, _, sessions, config) in found {
            // A path is sorted before the paths below it.
            if let Some(above) = directories
                .last_mut()
                .filter(|it| path.starts_with(&it.path))
            {
                above.sessions += sessions;
                above.has_below |= path != above.path;
                if !above.config_dirs.iter().any(|known| known == config) {
                    above.config_dirs.push(config.to_owned());
                }
                continue;
            }
            directories.push(MissingDirectory {
                candidates: candidates(&path),
                path,
                sessions,
                has_below: false,
                config_dirs: vec![config.to_owned()],
            });
        }
        Ok(directories)
    }
}

/// Returns the directory of a project and the number of its sessions, if the directory does not exist.
fn missing(folder: &Path) -> Option<(PathBuf, usize)> {
    let transcripts = transcripts(folder).ok()?;
    let name = folder.file_name()?;
    let read = transcripts.iter().take(SESSIONS);
    let mut directories = read.filter_map(|found| directory_of(&found.entry.path()).ok()?);
    let path = directories.find(|path| *slug(Path::new(path)) == *name)?;
    let path = PathBuf::from(path);
    // After an error, the directory may exist, so it does not count as missing.
    let is_missing = path.is_absolute() && path.try_exists().is_ok_and(|exists| !exists);
    is_missing.then_some((path, transcripts.len()))
}

fn candidates(path: &Path) -> Vec<PathBuf> {
    let Some(above) = path.ancestors().find(|above| above.is_dir()) else {
        return Vec::new();
    };
    let Ok(rest) = path.strip_prefix(above) else {
        return Vec::new();
    };
    let Some(name) = path.file_name() else {
        return Vec::new();
    };
    let mut candidates = Vec::new();
    let mut add = |candidate: PathBuf| {
        if candidate.is_dir() && !candidates.contains(&candidate) {
            candidates.push(candidate);
        }
    };
    for near in above.ancestors().take(2) {
        // The root contains all paths, so a directory with this name in it is probably another one.
        if !near
            .components()
            .any(|part| matches!(part, Component::Normal(_)))
        {
            continue;
        }
        add(near.join(name));
        let entries = fs::read_dir(near).into_iter().flatten().flatten();
        for entry in entries.take(ENTRIES) {
            add(entry.path().join(name));
            // A folder above the directory may have been renamed. Then the rest of the path is below the new name.
            let mut below = rest.components();
            if below.next().is_some() && !below.as_path().as_os_str().is_empty() {
                add(entry.path().join(below.as_path()));
            }
        }
    }
    candidates.sort();
    candidates
}
