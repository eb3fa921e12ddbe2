//! Commits the changes of a worktree, and rebases or merges its branch.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use claw_sessions::on_pool;

use super::git::{self, Git, Output};
use super::problem::{Problem, plain};
use super::tree::{HEADS, Tree, locked};

/// Maximum number of conflicting files that are named.
pub(crate) const MOST_FILES: usize = 100;

/// The outcome of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finished {
    /// The operation was carried out. The text describes it.
    Done(String),
    /// There are conflicts, because both branches have changed these files. The worktree and the base branch are
    /// unchanged.
    Conflict(Vec<String>),
}

impl Tree {
    /// Checks that git can commit in the worktree.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if git has no name and email address for commits.
    pub(crate) async fn check_identity(&self) -> Result<(), Problem> {
        let identity = self.git.read(&["var", "GIT_COMMITTER_IDENT"]).await?;
        if identity.is_success {
            return Ok(());
        }
        let text = "git has no name and email address for commits: set them with `git config --global user.name NAME` and `git config --global user.email ADDRESS`";
        Err(Problem::new("identity", text))
    }

    /// Checks that the project's folder has no uncommitted changes of files that git tracks.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] that contains the number of changed files.
    pub(crate) async fn check_main(&self) -> Result<(), Problem> {
        let changed = self.uncommitted_in_main().await?;
        if changed == 0 {
            return Ok(());
        }
        let text = format!(
            "the project's folder has changes in {} that are not committed: commit or stash them in {}",
            files(changed),
            self.main_folder.display()
        );
        Err(Problem::new("dirty", text))
    }

    /// Checks that the worktree has no uncommitted changes. They are allowed if there is a message with which they can
    /// be committed.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] that contains the number of changed files.
    pub(crate) async fn check_committed(&self, message: Option<&str>) -> Result<(), Problem> {
        let changed = self.uncommitted().await?;
        if changed == 0 || message.is_some() {
            return Ok(());
        }
        let text = format!(
            "the worktree has changes in {} that are not committed: commit them first, or send a message for the commit",
            files(changed)
        );
        Err(Problem::new("uncommitted", text))
    }

    /// Commits all changes of the worktree, including new files that git does not ignore. The hooks of the repository
    /// run.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if there is nothing to commit, or if git or a hook refuses the commit.
    pub(crate) async fn commit(&self, message: &str) -> Result<String, Problem> {
        let branch = self.ready()?;
        let changed = self.uncommitted().await?;
        if changed == 0 {
            let text = "the worktree has no changes that are not committed";
            return Err(Problem::new("nothing", text));
        }
        self.check_untracked().await?;
        let added = self.git.change(&["add", "--all"], None).await?;
        check(&added, "git add")?;
        let arguments = ["commit", "--quiet", "--file=-"];
        let committed = self.git.change(&arguments, Some(message)).await?;
        check(&committed, "the commit")?;
        Ok(format!("{} committed on {branch}", are(changed)))
    }

    /// Commits as [`commit`](Self::commit) does, if there is a message and the worktree has uncommitted changes.
    /// Otherwise returns `None`.
    pub(crate) async fn commit_rest(
        &self,
        message: Option<&str>,
    ) -> Result<Option<String>, Problem> {
        match message {
            Some(message) if self.uncommitted().await? > 0 => self.commit(message).await.map(Some),
            _ => Ok(None),
        }
    }

    /// Rebases the worktree's branch onto the base branch. If there are conflicts, aborts the rebase and returns the
    /// conflicting files.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if the rebase would drop merge commits or replace a file, or if git or a hook refuses
    /// the rebase.
    pub(crate) async fn rebase(&self) -> Result<Finished, Problem> {
        let (branch, base) = (self.ready()?, self.ready_base()?);
        let onto = format!("{HEADS}{base}");
        if matches!(self.distance(&onto).await?, Some((0, _))) {
            let text = format!("{branch} has all commits of {base} already");
            return Ok(Finished::Done(text));
        }
        self.check_no_merges(&onto).await?;
        check_overwritten(&self.git, &self.folder, &onto).await?;
        let rebased = match self
            .git
            .change(&["rebase", "--no-autostash", &onto], None)
            .await
        {
            Ok(rebased) => rebased,
            Err(problem) => {
                self.abort_rebase().await?;
                return Err(problem);
            }
        };
        if rebased.is_success {
            return Ok(Finished::Done(format!("{branch} is on top of {base}")));
        }
        let conflicts = unmerged(&self.git).await?;
        self.abort_rebase().await?;
        if conflicts.is_empty() {
            return Err(refused(&rebased, "the rebase"));
        }
        Ok(Finished::Conflict(conflicts))
    }

    /// Checks that the branch has no merge commits. A rebase drops merge commits, and the changes that were made in
    /// them.
    async fn check_no_merges(&self, onto: &str) -> Result<(), Problem> {
        let range = format!("{onto}..HEAD");
        let count = ["rev-list", "--merges", "--count", "--end-of-options"];
        let count = self
            .git
            .read(&[&count[..], &[&*range, "--"]].concat())
            .await?;
        if count.line().is_some_and(|count| count == "0") {
            return Ok(());
        }
        let text = "the branch has merge commits, and a rebase would drop what was changed in them: merge it instead, or rebase it by hand";
        Err(Problem::new("merges", text))
    }

    async fn abort_rebase(&self) -> Result<(), Problem> {
        let is_begun = |name: &str| self.own_git_dir().join(name).exists();
        if !is_begun("rebase-merge") && !is_begun("rebase-apply") {
            return Ok(());
        }
        let aborted = self.git.change(&["rebase", "--abort"], None).await?;
        left(&aborted, "rebase", &self.folder.display().to_string())
    }

    /// Merges the worktree's branch into the base branch, in the project's folder. If there are conflicts, leaves the
    /// folder unchanged and returns the conflicting files.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if the merge would replace a file that git does not track, or if git or a hook refuses
    /// the merge.
    pub(crate) async fn merge(&self) -> Result<Finished, Problem> {
        let (branch, base) = (self.ready()?, self.ready_base()?);
        let from = format!("{HEADS}{branch}");
        // This command computes the merge without changing a folder. Older versions of git do not have the command.
        // With them, the merge itself finds the conflicts.
        let tried = [
            "merge-tree",
            "--write-tree",
            "--name-only",
            "--no-messages",
            "-z",
            "HEAD",
            &from,
        ];
        let tried = self.main.read(&tried).await?;
        if tried.code == Some(1) {
            // The first part of the output is the ID of the merged tree. The other parts are the conflicting files.
            let files = tried.parts().skip(1).map(path).take(MOST_FILES);
            return Ok(Finished::Conflict(files.collect()));
        }
        // If there are no conflicts, the first part is the ID of the merged tree.
        let tree = tried.parts().next().filter(|_| tried.is_success).map(path);
        check_overwritten(
            &self.main,
            &self.main_folder,
            tree.as_deref().unwrap_or(&from),
        )
        .await?;
        let before = head(&self.main).await?;
        let message = format!("Merge branch '{branch}'");
        let arguments = [
            "merge",
            "--quiet",
            "--no-edit",
            "--no-autostash",
            // These options override the configuration of the branch.
            "--commit",
            "--no-squash",
            "-m",
            &message,
            &from,
        ];
        let merged = match self.main.change(&arguments, None).await {
            Ok(merged) => merged,
            Err(problem) => {
                self.abort_merge().await?;
                return Err(problem);
            }
        };
        if merged.is_success {
            let text = if head(&self.main).await? == before {
                format!("{base} has all commits of {branch} already")
            } else {
                format!("{branch} is merged into {base}")
            };
            return Ok(Finished::Done(text));
        }
        let conflicts = unmerged(&self.main).await?;
        self.abort_merge().await?;
        if conflicts.is_empty() {
            return Err(refused(&merged, "the merge"));
        }
        Ok(Finished::Conflict(conflicts))
    }

    async fn abort_merge(&self) -> Result<(), Problem> {
        if !self.main_git_dir().join("MERGE_HEAD").exists() {
            return Ok(());
        }
        let aborted = self.main.change(&["merge", "--abort"], None).await?;
        left(&aborted, "merge", &self.main_folder.display().to_string())
    }
}

/// Checks that a merge or rebase replaces no file that git does not track. Git replaces ignored files without a
/// warning.
///
/// # Errors
///
/// Fails with a [`Problem`] that names a file that `to` adds to the checked-out commit, and that already exists in the
/// folder.
async fn check_overwritten(git: &Git, folder: &Path, to: &str) -> Result<(), Problem> {
    let arguments = [
        "diff",
        "--name-status",
        "--no-renames",
        "--diff-filter=AD",
        "-z",
        "HEAD",
        to,
        "--",
    ];
    let added = git.read(&arguments).await?;
    if !added.is_success {
        return Err(Problem::failed("git diff", &added.errors()));
    }
    // The output contains a status and a path for each file.
    let parts: Vec<_> = added.parts().collect();
    if (parts.len() as u64) < added.count() {
        let text = "so many files are added that they cannot be compared with those of the folder: merge or rebase by hand";
        return Err(Problem::new("tooMany", text));
    }
    let of = |status: &'static [u8]| {
        let pairs = parts.chunks_exact(2).filter(move |pair| pair[0] == status);
        pairs.map(|pair| git::path(pair[1]))
    };
    let removed: HashSet<_> = of(b"D").collect();
    // If a tracked file becomes a folder, the files in the new folder replace only the tracked file.
    let is_in_removed = |file: &Path| file.ancestors().skip(1).any(|it| removed.contains(it));
    let files: Vec<_> = of(b"A").filter(|file| !is_in_removed(file)).collect();
    let within = folder.to_owned();
    let existing = on_pool::run(move || {
        // If a file is at the path of a folder that `to` adds, the error is not `NotFound`. Such a file also counts as
        // existing, because it would be replaced.
        let is_absent = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
        let exists = |file: &PathBuf| !within.join(file).symlink_metadata().is_err_and(is_absent);
        files.into_iter().find(exists)
    });
    let Some(file) = existing.await else {
        return Ok(());
    };
    let text = format!(
        "{} in {} is in the way and would be replaced, and git does not track it or all in it: move or remove it",
        plain(&file.display().to_string()),
        folder.display()
    );
    Err(Problem::new("overwrites", text))
}

/// Returns the commit that is checked out.
async fn head(git: &Git) -> Result<Option<String>, Problem> {
    let arguments = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
    Ok(git.read(&arguments).await?.line())
}

/// Returns the files with conflicts.
async fn unmerged(git: &Git) -> Result<Vec<String>, Problem> {
    let arguments = ["diff", "--name-only", "--diff-filter=U", "-z"];
    let files = git.read(&arguments).await?;
    Ok(files.parts().map(path).take(MOST_FILES).collect())
}

fn path(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Fails if git could not abort an operation.
fn left(aborted: &Output, operation: &str, folder: &str) -> Result<(), Problem> {
    if aborted.is_success {
        return Ok(());
    }
    let errors = plain(&aborted.errors());
    let text = format!(
        "the {operation} failed and could not be aborted: run `git {operation} --abort` in {folder}. {errors}"
    );
    Err(Problem::new("failed", text))
}

/// Fails if git has failed.
pub(super) fn check(output: &Output, what: &str) -> Result<(), Problem> {
    if output.is_success {
        return Ok(());
    }
    Err(refused(output, what))
}

/// Returns the reason why git has refused a command.
fn refused(output: &Output, what: &str) -> Problem {
    let errors = output.errors();
    let lock = errors.lines().find_map(|line| {
        let (_, rest) = line.split_once("Unable to create '")?;
        let (file, rest) = rest.split_once(".lock'")?;
        rest.contains("File exists").then(|| format!("{file}.lock"))
    });
    if let Some(lock) = lock {
        return locked(&plain(&lock));
    }
    // Some hooks write their messages to the standard output, so both outputs are shown.
    let all = [errors.trim(), output.text().trim()].join("\n");
    Problem::failed(what, &all)
}

/// Writes a number of files in words.
pub(crate) fn files(count: u64) -> String {
    match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}

fn are(count: u64) -> String {
    let is = if count == 1 { "is" } else { "are" };
    format!("{} {is}", files(count))
}
