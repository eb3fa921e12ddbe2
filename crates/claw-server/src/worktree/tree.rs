//! Reads a worktree with git, and compares it with the base branch.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Worktree;
use super::git::Git;
use super::problem::Problem;
use crate::Project;

/// The state of a worktree against its base: the branch that is checked out in the project's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorktreeState {
    /// The base branch: the branch that is checked out in the project's folder. Null if no branch is.
    pub base: Option<String>,
    /// The number of commits that the worktree has and the base branch does not. Null if there is no base branch.
    pub ahead: Option<u64>,
    /// The number of commits that the base branch has and the worktree does not. Null if there is no base branch.
    pub behind: Option<u64>,
    /// The number of files in the worktree with changes that are not committed, including files that git does not track
    /// and does not ignore.
    pub uncommitted: u64,
}

/// The start of the full name of a branch.
pub(super) const HEADS: &str = "refs/heads/";
/// The files and folders that git creates in its folder while an operation is in progress.
const OPERATIONS: [(&str, &str); 5] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
];

/// A git worktree of the project's repository. The base branch is the branch that is checked out in the project's
/// folder.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(super) git: Git,
    /// Runs git in the project's folder.
    pub(super) main: Git,
    pub(super) folder: PathBuf,
    pub(super) main_folder: PathBuf,
    /// The branch that is checked out in the worktree. `None` if no branch is checked out.
    pub(super) branch: Option<String>,
    pub(super) base: Option<String>,
    /// The folder in which git stores the state of the worktree.
    git_dir: PathBuf,
    main_git_dir: PathBuf,
}

impl Tree {
    /// Finds a worktree.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if the project's repository has no such worktree, or if git fails.
    pub(crate) async fn open(project: &Project, worktree: &Worktree) -> Result<Self, Problem> {
        if project.wall.is_some() {
            return Err(Problem::new(
                "wall",
                "the sessions of the project run behind a wall, and the server's git would run outside of it: use git behind the wall",
            ));
        }
        if !worktree.exists() {
            return Err(Problem::new("noWorktree", worktree.missing()));
        }
        let foreign = || {
            let text =
                "the folder of the session's worktree is no worktree of the project's repository";
            Problem::new("noWorktree", text)
        };
        let git = Git::of(&worktree.folder);
        let places = ["--show-toplevel", "--git-dir", "--git-common-dir"];
        let places = git
            .read(&[&["rev-parse", "--path-format=absolute"][..], &places].concat())
            .await?;
        let lines = places.line().ok_or_else(foreign)?;
        let mut lines = lines.lines().map(real);
        let (top, git_dir, common) = (lines.next(), lines.next(), lines.next());
        let main_folder = real(project.folder.to_str().unwrap_or_default());
        let folder = real(worktree.folder.to_str().unwrap_or_default());
        let main_git_dir = main_folder.join(".git");
        let (Some(top), Some(git_dir), Some(common)) = (top, git_dir, common) else {
            return Err(foreign());
        };
        let is_own = top == folder && common == main_git_dir && git_dir != common;
        if !is_own || !folder.starts_with(&main_folder) {
            return Err(foreign());
        }
        let main = Git::of(&main_folder);
        Ok(Self {
            branch: branch(&git).await?,
            base: branch(&main).await?,
            git,
            main,
            folder,
            main_folder,
            git_dir,
            main_git_dir,
        })
    }

    /// Returns the state of the worktree against the base branch.
    pub(crate) async fn state(&self) -> Result<WorktreeState, Problem> {
        let uncommitted = self.uncommitted().await?;
        let counts = match &self.base {
            Some(base) => self.distance(&format!("{HEADS}{base}")).await?,
            None => None,
        };
        let (behind, ahead) = counts.unzip();
        Ok(WorktreeState {
            base: self.base.clone(),
            ahead,
            behind,
            uncommitted,
        })
    }

    /// Compares the worktree with another commit. Returns the number of commits that only `other` has, and the number
    /// of commits that only the worktree has. Returns `None` if `other` does not exist.
    pub(super) async fn distance(&self, other: &str) -> Result<Option<(u64, u64)>, Problem> {
        let range = format!("{other}...HEAD");
        let counts = ["rev-list", "--left-right", "--count", "--end-of-options"];
        let counts = self
            .git
            .read(&[&counts[..], &[&*range, "--"]].concat())
            .await?;
        let counts = counts.line().unwrap_or_default();
        let mut counts = counts.split('\t').map(|count| count.parse().ok());
        Ok(counts.next().flatten().zip(counts.next().flatten()))
    }

    /// Returns the number of files in the worktree with uncommitted changes.
    pub(super) async fn uncommitted(&self) -> Result<u64, Problem> {
        let arguments = [
            "status",
            "--porcelain",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=none",
        ];
        count(&self.git, &arguments).await
    }

    /// Returns the number of tracked files in the project's folder that have changes. Untracked files are not counted,
    /// because they do not prevent a merge. If a merge would overwrite them, git refuses the merge.
    pub(super) async fn uncommitted_in_main(&self) -> Result<u64, Problem> {
        let arguments = [
            "status",
            "--porcelain",
            "-z",
            "--no-renames",
            "--untracked-files=no",
        ];
        count(&self.main, &arguments).await
    }

    /// Checks that operations on the worktree are possible, and returns its branch.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if an operation is in progress in the worktree, if another git process uses it, or if
    /// no branch is checked out.
    pub(crate) fn ready(&self) -> Result<&str, Problem> {
        free(&self.git_dir, "the worktree", &self.folder)?;
        self.branch.as_deref().ok_or_else(|| {
            let text = format!(
                "no branch is checked out in the worktree: make one with `git switch -c NAME` in {}",
                self.folder.display()
            );
            Problem::new("detached", text)
        })
    }

    /// Checks the project's folder as [`ready`](Self::ready) checks the worktree, and returns the base branch.
    pub(crate) fn ready_base(&self) -> Result<&str, Problem> {
        free(
            &self.main_git_dir,
            "the project's folder",
            &self.main_folder,
        )?;
        self.base.as_deref().ok_or_else(|| {
            let text = "no branch is checked out in the project's folder, so there is no base branch: check one out there";
            Problem::new("noBase", text)
        })
    }

    /// Returns the folder in which git stores the state of the worktree.
    pub(super) fn own_git_dir(&self) -> &Path {
        &self.git_dir
    }

    pub(super) fn main_git_dir(&self) -> &Path {
        &self.main_git_dir
    }

    pub(crate) fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    pub(crate) fn branch(&self) -> Option<&str> {
        self.branch.as_deref()
    }
}

pub(super) fn real(path: &str) -> PathBuf {
    let path = PathBuf::from(path);
    path.canonicalize().unwrap_or(path)
}

/// Returns the branch that is checked out, without the start of its full name.
async fn branch(git: &Git) -> Result<Option<String>, Problem> {
    let head = git.read(&["symbolic-ref", "--quiet", "HEAD"]).await?;
    let head = head.line();
    let branch = head.as_deref().and_then(|head| head.strip_prefix(HEADS));
    // The name must not begin with `-`, because a later command has it as an argument, and git would read it as an
    // option.
    Ok(branch
        .filter(|name| !name.starts_with('-'))
        .map(str::to_owned))
}

async fn count(git: &Git, arguments: &[&str]) -> Result<u64, Problem> {
    let status = git.read(arguments).await?;
    if !status.is_success {
        return Err(Problem::failed("git status", &status.errors()));
    }
    Ok(status.count())
}

/// Checks that no git operation is in progress, and that no other git process uses the folder.
fn free(git_dir: &Path, what: &str, folder: &Path) -> Result<(), Problem> {
    let begun = OPERATIONS
        .iter()
        .find(|(name, _)| git_dir.join(name).exists());
    if let Some((_, operation)) = begun {
        let folder = folder.display();
        let text = format!(
            "{operation} has begun in {what} and has not ended: end or abort it in {folder}"
        );
        return Err(Problem::new("inProgress", text));
    }
    let lock = git_dir.join("index.lock");
    if lock.exists() {
        return Err(locked(&lock.display().to_string()));
    }
    Ok(())
}

/// Creates the problem that a lock file of git exists. Another git process uses the repository, or has ended without
/// removing this file.
pub(super) fn locked(file: &str) -> Problem {
    let text = format!(
        "another git uses the repository, or has ended without removing its lock: wait, or remove {file} if no git runs"
    );
    Problem::new("locked", text)
}
