//! Removes a worktree and its branch.

use std::io;

use serde::{Deserialize, Serialize};

use super::Worktree;
use super::finish::check;
use super::problem::{Problem, plain};
use super::tree::{HEADS, Tree};

/// The beginning of the reason that the CLI writes when it locks its worktrees.
const OF_CLAUDE: &str = "claude ";

/// What is lost for good if a worktree and its branch are removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct WorktreeLoss {
    /// The number of commits that no other branch, no branch of a remote and no tag has.
    pub commits: u64,
    /// The number of files with changes that are not committed, including files that git does not track and does not
    /// ignore, and files that git does not compare because it was configured so for them. Files that git ignores are
    /// removed as well, and are not counted.
    pub files: u64,
}

impl Tree {
    /// Returns what is lost if the worktree and its branch are removed.
    pub(crate) async fn loss(&self) -> Result<WorktreeLoss, Problem> {
        let exclude;
        let mut arguments = vec!["rev-list", "--count", "HEAD", "--not"];
        if let Some(branch) = &self.branch {
            exclude = format!("--exclude={branch}");
            arguments.push(&exclude);
        }
        arguments.extend(["--branches", "--remotes", "--tags", "--"]);
        let count = self.git.read(&arguments).await?;
        let commits = count.line().and_then(|count| count.parse().ok());
        let commits = commits.ok_or_else(|| Problem::failed("git rev-list", &count.errors()))?;
        Ok(WorktreeLoss {
            commits,
            files: self.uncommitted().await? + self.uncompared().await?,
        })
    }

    /// Checks that the branch that was created for the worktree is checked out in the worktree.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if another branch is checked out.
    pub(crate) fn check_branch(&self, worktree: &Worktree) -> Result<(), Problem> {
        let branch = self.ready()?;
        if branch == worktree.branch {
            return Ok(());
        }
        let text = format!(
            "the worktree has the branch {branch} checked out, and {} was made for it: remove the worktree with `git worktree remove` and the branches with `git branch -D`",
            worktree.branch
        );
        Err(Problem::new("otherBranch", text))
    }

    /// Checks that no lock prevents the removal of the worktree. A lock of the CLI is allowed, because the CLI locks
    /// its worktrees and does not unlock them.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] that contains the reason of the lock.
    pub(crate) fn check_unlocked(&self) -> Result<(), Problem> {
        let reason = match std::fs::read_to_string(self.own_git_dir().join("locked")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Ok(reason) if reason.starts_with(OF_CLAUDE) => return Ok(()),
            Ok(reason) => plain(&reason),
            Err(error) => error.to_string(),
        };
        let text = format!(
            "the worktree is locked ({reason}): use `git worktree unlock` in {}",
            self.main_folder.display()
        );
        Err(Problem::new("lockedWorktree", text))
    }

    /// Removes the worktree's folder with all files, and then its branch. No process may run in the folder.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if git refuses to remove the folder or the branch.
    pub(crate) async fn discard(&self) -> Result<String, Problem> {
        let branch = self.ready()?;
        let folder = self.folder.to_str().unwrap_or_default();
        // The CLI locks its worktrees, so the worktree is unlocked first. If git fails, the worktree is not locked, so the exit
        // status is ignored.
        self.main
            .change(&["worktree", "unlock", folder], None)
            .await?;
        let arguments = ["worktree", "remove", "--force", folder];
        let removed = self.main.change(&arguments, None).await?;
        check(&removed, "git worktree remove").map_err(|mut problem| {
            if self.folder.exists() {
                let folder = self.folder.display();
                problem.text = format!(
                    "{}\nThe branch {branch} is kept, and so is what is left of {folder}: remove both by hand.",
                    problem.text
                );
            }
            problem
        })?;
        let full = format!("{HEADS}{branch}");
        let is_there = ["show-ref", "--verify", "--quiet", &full];
        if self.main.read(&is_there).await?.is_success {
            let arguments = ["branch", "--quiet", "-D", "--", branch];
            check(&self.main.change(&arguments, None).await?, "git branch -D")?;
        }
        Ok(format!("the worktree and its branch {branch} are removed"))
    }
}
