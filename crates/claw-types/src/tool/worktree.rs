//! `EnterWorktree` and `ExitWorktree`: working in a git worktree of one's own.

use crate::Count;

/// What `EnterWorktree` is given: a new worktree's name, or an old one's path, but not both.
#[wire]
pub struct EnterWorktreeInput {
    /// The name of a new one: letters, digits, dots, underscores, dashes, and slashes between
    /// parts; 64 characters at most. Absent: one is made up.
    pub name: Option<String>,
    /// The path of one that is there already, and that git knows.
    pub path: Option<String>,
}

/// What `EnterWorktree` gives.
#[wire(rename_all = "camelCase")]
pub struct EnterWorktreeOutput {
    /// Where the worktree is: the working directory from now on.
    pub worktree_path: String,
    /// Its branch.
    pub worktree_branch: Option<String>,
    /// What the model reads.
    pub message: String,
}

/// What becomes of a worktree that is left.
#[wire(open)]
pub enum WorktreeExit {
    /// It stays, with its branch.
    Keep = "keep",
    /// It is deleted, and its branch with it where git lets it.
    Remove = "remove",
}

/// What `ExitWorktree` is given.
#[wire]
pub struct ExitWorktreeInput {
    /// What becomes of the worktree.
    pub action: WorktreeExit,
    /// Delete it also where that loses work: files that are not committed, commits that are merged
    /// nowhere. Without it the tool refuses, and says what would be lost.
    pub discard_changes: Option<bool>,
}

/// What `ExitWorktree` gives.
#[wire(rename_all = "camelCase")]
pub struct ExitWorktreeOutput {
    /// What became of the worktree.
    pub action: WorktreeExit,
    /// The working directory from before, which is it again if it is still there.
    pub original_cwd: String,
    /// Where the worktree is, or was.
    pub worktree_path: String,
    /// Its branch.
    pub worktree_branch: Option<String>,
    /// The tmux session that went with it.
    pub tmux_session_name: Option<String>,
    /// How many files that were not committed were lost.
    pub discarded_files: Option<Count>,
    /// How many commits were lost.
    pub discarded_commits: Option<Count>,
    /// The directory that it works in now.
    pub restored_cwd: Option<String>,
    /// The directory from before is there no more.
    pub original_cwd_missing: Option<bool>,
    /// What the model reads.
    pub message: String,
}

#[cfg(test)]
mod tests;
