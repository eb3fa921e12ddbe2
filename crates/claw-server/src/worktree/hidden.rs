//! The contents of a worktree that are not in its state: other repositories, and files that git does not compare.

use std::path::{Path, PathBuf};

use claw_sessions::on_pool;

use super::git::path;
use super::problem::{Problem, plain};
use super::tree::{Tree, real};

/// An entry of git's index. Either git does not compare it with the file, or it contains a commit of another repository
/// and not a file.
struct Hidden {
    /// Whether the entry contains a commit of another repository.
    is_link: bool,
    /// The path of the entry, relative to the worktree's folder.
    path: PathBuf,
}

impl Hidden {
    /// Reads an entry in the form of `git ls-files -v --stage`: `TAG MODE OBJECT STAGE<tab>PATH`. Returns `None` if git
    /// compares the entry with its file.
    fn read(entry: &[u8]) -> Option<Self> {
        let (tag, rest) = (entry.first()?, entry.get(2..)?);
        let is_link = rest.starts_with(b"160000 ");
        // A lower-case letter means that the bit "assume unchanged" is set. `S` means that the bit "skip worktree" is
        // set.
        if !is_link && !tag.is_ascii_lowercase() && *tag != b'S' {
            return None;
        }
        let tab = rest.iter().position(|byte| *byte == b'\t')?;
        let path = path(&rest[tab + 1..]);
        Some(Self { is_link, path })
    }
}

fn is_hidden(entry: &[u8]) -> bool {
    Hidden::read(entry).is_some()
}

/// Whether a line of `git status` contains an untracked folder. Such a folder is another repository, because git was asked
/// to list all untracked files, and then lists only repositories as folders.
fn is_untracked_folder(line: &[u8]) -> bool {
    line.starts_with(b"?? ") && line.ends_with(b"/\0")
}

impl Tree {
    /// Checks that the worktree contains no repository that git does not track. A commit would contain only the ID of
    /// that repository's commit, and not its files.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] that contains the folder of the repository.
    pub(crate) async fn check_untracked(&self) -> Result<(), Problem> {
        let Some(folder) = self.untracked_repository().await? else {
            return Ok(());
        };
        let text = format!(
            "{} is a git repository of its own, and a commit would not contain its files: move it out of the worktree, add it as a submodule, or have git ignore it",
            shown(&folder)
        );
        Err(Problem::new("repository", text))
    }

    async fn untracked_repository(&self) -> Result<Option<PathBuf>, Problem> {
        let arguments = ["status", "--porcelain", "-z", "--untracked-files=all"];
        let found = self.git.find(&arguments, is_untracked_folder).await?;
        if !found.is_success {
            return Err(Problem::failed("git status", &found.errors()));
        }
        Ok(found.parts().next().map(|line| path(&line[3..])))
    }

    /// Checks that the worktree contains no other repository. Other repositories are submodules, other worktrees, and
    /// repositories that git does not track. Their commits and files are not counted, and would be removed with the
    /// worktree.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] that contains the folder of the repository.
    pub(crate) async fn check_repositories(&self) -> Result<(), Problem> {
        let Some(folder) = self.other_repository().await? else {
            return Ok(());
        };
        let text = format!(
            "{} in the worktree is a git repository of its own, whose commits and files would be lost: move it away, or use `git worktree remove --force` in {}",
            shown(&folder),
            self.main_folder.display()
        );
        Err(Problem::new("repository", text))
    }

    async fn other_repository(&self) -> Result<Option<PathBuf>, Problem> {
        if let Some(folder) = self.untracked_repository().await? {
            return Ok(Some(folder));
        }
        let folder = self.folder.clone();
        let hidden = self.hidden().await?;
        let checked_out = on_pool::run(move || {
            let has_git = |path: &PathBuf| folder.join(path).join(".git").exists();
            let links = hidden.into_iter().filter(|entry| entry.is_link);
            links.map(|entry| entry.path).find(has_git)
        });
        if let Some(link) = checked_out.await {
            return Ok(Some(link));
        }
        // This folder contains the repositories of submodules, even if the submodules are no longer checked out. They would be
        // removed with the worktree.
        let modules = self.own_git_dir().join("modules");
        if modules.exists() {
            return Ok(Some(modules));
        }
        let list = self.main.read(&["worktree", "list", "--porcelain"]).await?;
        let list = list.text();
        let paths = list
            .lines()
            .filter_map(|line| line.strip_prefix("worktree "));
        let mut others = paths.map(real).filter(|path| path != &self.folder);
        let other = others.find(|path| path.starts_with(&self.folder));
        Ok(other.map(|path| path.strip_prefix(&self.folder).unwrap_or(&path).to_owned()))
    }

    /// Returns the number of files that git does not compare with its index. A bit in the index tells git to skip these
    /// files. They may have changes that git does not report.
    pub(super) async fn uncompared(&self) -> Result<u64, Problem> {
        let folder = self.folder.clone();
        let hidden = self.hidden().await?;
        let count = on_pool::run(move || {
            let files = hidden.iter().filter(|entry| !entry.is_link);
            files
                .filter(|entry| folder.join(&entry.path).symlink_metadata().is_ok())
                .count()
        });
        Ok(count.await as u64)
    }

    async fn hidden(&self) -> Result<Vec<Hidden>, Problem> {
        // In a sparse checkout, git sets the bit "skip worktree" for all files outside of the checkout, and removes the bit
        // from files that exist. So entries with this bit have no files, and are skipped.
        let sparse = ["config", "--type=bool", "--get", "core.sparseCheckout"];
        let is_sparse = self.git.read(&sparse).await?.line();
        let keep: fn(&[u8]) -> bool = match is_sparse.as_deref() {
            Some("true") => |entry| is_hidden(entry) && !entry.starts_with(b"S"),
            _ => is_hidden,
        };
        let arguments = ["ls-files", "-v", "--stage", "-z"];
        let entries = self.git.find(&arguments, keep).await?;
        if !entries.is_success {
            return Err(Problem::failed("git ls-files", &entries.errors()));
        }
        let hidden: Vec<_> = entries.parts().filter_map(Hidden::read).collect();
        if (hidden.len() as u64) < entries.count() {
            let text = format!(
                "git does not compare {} files of the worktree, which are too many to look for changes: use `git worktree remove` in {}",
                entries.count(),
                self.main_folder.display()
            );
            return Err(Problem::new("tooMany", text));
        }
        Ok(hidden)
    }
}

/// Returns a path as it is shown in an error text.
fn shown(path: &Path) -> String {
    plain(&path.display().to_string())
}
