//! Finds the directories of this machine that belong to projects of a store.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};

use claw_sessions::{Session, real_path, shared_project_name};

/// The maximum number of sessions of a folder that are read to find the folder's directory.
const SESSIONS: usize = 8;

/// The maximum number of entries of a directory that are compared with projects.
const ENTRIES: usize = 1000;

/// The maximum number of directories that are compared with projects.
const DIRECTORIES: usize = 10_000;

/// The directories of this machine that are compared with projects.
pub(super) struct Candidates {
    directories: BTreeSet<PathBuf>,
    /// The directories in which sessions ran. A directory can be inside a repository instead of being its top
    /// directory.
    known: BTreeSet<PathBuf>,
}

impl Candidates {
    /// Collects the directories to compare: the directories `given`, the directories in which sessions of this disk
    /// ran, and the directories inside and beside both. Hidden directories are left out. Blocks on the disk.
    pub(super) fn collect<'a>(
        given: &[PathBuf],
        sessions: impl IntoIterator<Item = &'a Session>,
    ) -> Self {
        let mut folders: BTreeMap<&Path, Vec<&Session>> = BTreeMap::new();
        for session in sessions {
            let folder = session.transcript().parent().unwrap_or(Path::new(""));
            let first = folders.entry(folder).or_default();
            if first.len() < SESSIONS {
                first.push(session);
            }
        }
        let mut known = BTreeSet::new();
        for sessions in folders.into_values() {
            let directories = sessions.iter().filter_map(|it| it.directory().ok()?);
            known.extend(directories.filter_map(|it| real_path(&it).ok()));
        }
        let given = given.iter().filter_map(|it| real_path(it).ok());
        let above: BTreeSet<PathBuf> = known
            .iter()
            .filter_map(|it| it.parent().map(Path::to_owned))
            .chain(given)
            .collect();
        let mut directories = known.clone();
        for above in above {
            let entries = fs::read_dir(&above).into_iter().flatten().flatten();
            let is_hidden =
                |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
            let entries = entries.take(ENTRIES).filter(|entry| !is_hidden(entry));
            directories.insert(above);
            directories.extend(entries.map(|entry| entry.path()));
            if directories.len() > DIRECTORIES {
                break;
            }
        }
        directories.retain(|directory| fs::symlink_metadata(directory).is_ok_and(|it| it.is_dir()));
        Self { directories, known }
    }

    /// Returns the directory of each project. If several directories belong to a project, or none, returns all
    /// directories that do. Starts git for the directories that may belong to a project.
    pub(super) fn find(
        &self,
        projects: BTreeSet<String>,
    ) -> HashMap<String, Result<PathBuf, Vec<PathBuf>>> {
        // A project may be a subdirectory of a repository. Its name then contains the path after `#`.
        let tops = projects
            .iter()
            .filter_map(|it| Some(it.rsplit_once('#')?.0));
        let names: BTreeSet<&str> = tops.chain(projects.iter().map(String::as_str)).collect();
        let mut found: HashMap<String, Vec<PathBuf>> = HashMap::new();
        for directory in &self.directories {
            let name = directory.file_name().unwrap_or_default().to_string_lossy();
            let may_be = directory.join(".git").exists()
                || names.contains(&*name)
                || self.known.contains(directory);
            if may_be {
                let name = shared_project_name(directory);
                if names.contains(&*name) {
                    found.entry(name).or_default().push(directory.clone());
                }
            }
        }
        let directories = projects.into_iter().map(|project| {
            let mut all = found.get(&project).cloned().unwrap_or_default();
            if let Some((top, below)) = project.rsplit_once('#')
                && all.is_empty()
                && is_below(below)
            {
                let tops = found.get(top).into_iter().flatten();
                all.extend(tops.map(|top| top.join(below)));
                all.retain(|path| path.is_dir() && shared_project_name(path) == project);
            }
            if all.len() > 1 {
                // Several directories belong to the project. If exactly one of them is the repository itself, and the
                // others are worktrees, that directory is returned.
                let is_own = |path: &PathBuf| path.join(".git").is_dir();
                let own: Vec<_> = all.iter().filter(|path| is_own(path)).cloned().collect();
                if own.len() == 1 {
                    all = own;
                }
            }
            let directory = match &*all {
                [only] => Ok(only.clone()),
                _ => Err(all),
            };
            (project, directory)
        });
        directories.collect()
    }
}

/// Whether a path is relative and does not contain `..`.
fn is_below(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_elsewhere_is_not_below() {
        assert!(is_below("docs/more"));
        for path in ["../x", "/etc", "a/../../x", "./x"] {
            assert!(!is_below(path), "{path}");
        }
    }
}
