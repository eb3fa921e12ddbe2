//! `EnterWorktree` and `ExitWorktree`: working in a separate git worktree.

use crate::Count;

/// The input of the `EnterWorktree` tool: the name of a new worktree or the path of an existing one, but not both.
#[wire]
pub struct EnterWorktreeInput {
    /// The name of a new worktree: letters, digits, dots, underscores and dashes, with slashes between parts. At most
    /// 64 characters. If absent, a name is generated.
    pub name: Option<String>,
    /// The path of an existing worktree that git knows.
    pub path: Option<String>,
}

/// The output of the `EnterWorktree` tool.
#[wire(rename_all = "camelCase")]
pub struct EnterWorktreeOutput {
    /// The path of the worktree, which is the new working directory.
    pub worktree_path: String,
    /// The branch of the worktree.
    pub worktree_branch: Option<String>,
    /// The text that the model reads.
    pub message: String,
}

/// Whether the worktree that the session leaves is kept or removed.
#[wire(open)]
pub enum WorktreeExit {
    /// The worktree and its branch are kept.
    Keep = "keep",
    /// The worktree is deleted. Its branch is deleted too if git allows this.
    Remove = "remove",
}

/// The input of the `ExitWorktree` tool.
#[wire]
pub struct ExitWorktreeInput {
    /// Whether the worktree is kept or removed.
    pub action: WorktreeExit,
    /// Whether the worktree is deleted even if that loses work: uncommitted files or unmerged commits. If absent or
    /// `false`, the tool refuses to delete a worktree with such work, and lists the work that would be lost.
    pub discard_changes: Option<bool>,
}

/// The output of the `ExitWorktree` tool.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct ExitWorktreeOutput {
    /// Whether the worktree is kept or removed.
    pub action: WorktreeExit,
    /// The working directory before the session entered the worktree. The session returns to this directory if it still
    /// exists.
    pub original_cwd: String,
    /// The path of the worktree.
    pub worktree_path: String,
    /// The branch of the worktree.
    pub worktree_branch: Option<String>,
    /// The name of the tmux session that belonged to the worktree.
    pub tmux_session_name: Option<String>,
    /// The number of files whose uncommitted changes were lost.
    pub discarded_files: Option<Count>,
    /// The number of commits that were lost.
    pub discarded_commits: Option<Count>,
    /// The working directory after leaving the worktree.
    pub restored_cwd: Option<String>,
    /// Whether the working directory in `original_cwd` no longer exists.
    pub original_cwd_missing: Option<bool>,
    /// The text that the model reads.
    pub message: String,
}

#[cfg(test)]
mod tests;
