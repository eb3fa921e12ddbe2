//! Removes a worktree and its branch.

use serde::{Deserialize, Serialize};

use super::Worktree;
use super::finish::check;
use super::problem::Problem;
use super::tree::{HEADS, Tree};

/// What is lost for good if a worktree and its branch are removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct WorktreeLoss {
    /// The number of commits that no other branch, no branch of a remote and no tag has.
    pub commits: u64,
    /// The number of files with changes that are not committed, including files that git does not track and does not
    /// ignore. Files that git ignores are removed as well, and are not counted.
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
            files: self.uncommitted().await?,
        })
    }

    /// Checks that the branch that was created for the worktree is checked out in it.
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

    /// Removes the worktree's folder with all files, and then its branch. No process may run in the folder.
    ///
    /// # Errors
    ///
    /// Fails with a [`Problem`] if git refuses to remove the folder or the branch.
    pub(crate) async fn discard(&self) -> Result<String, Problem> {
        let branch = self.ready()?;
        let folder = self.folder.to_str().unwrap_or_default();
        // The CLI locks its worktrees. An error means that this one is not locked.
        self.main
            .change(&["worktree", "unlock", folder], None)
            .await?;
        let arguments = ["worktree", "remove", "--force", folder];
        check(
            &self.main.change(&arguments, None).await?,
            "git worktree remove",
        )?;
        let full = format!("{HEADS}{branch}");
        let is_there = ["show-ref", "--verify", "--quiet", &full];
        if self.main.read(&is_there).await?.is_success {
            let arguments = ["branch", "--quiet", "-D", "--", branch];
            check(&self.main.change(&arguments, None).await?, "git branch -D")?;
        }
        Ok(format!("the worktree and its branch {branch} are removed"))
    }
}
