//! `Bash`: runs a shell command.

use crate::{Count, Json, True};

/// The input of the `Bash` tool.
#[wire]
pub struct BashInput {
    /// The command line for the shell.
    pub command: String,
    /// The timeout of the command, in milliseconds. The maximum is 600000 in the foreground and 7200000 in the
    /// background. If this field is absent, the timeout in the background is 1800000. The timeout in the foreground is
    /// then the value of the environment variable `BASH_DEFAULT_TIMEOUT_MS`, or else the CLI's default.
    pub timeout: Option<Count>,
    /// The command's purpose in the model's words, for people to read.
    pub description: Option<String>,
    /// Whether the command runs in the background, so that the turn continues without waiting for it.
    pub run_in_background: Option<bool>,
    /// Whether the command runs outside the sandbox. The permission rules decide whether this is allowed. Absent means
    /// `false`.
    #[wire(rename = "dangerouslyDisableSandbox")]
    pub dangerously_disable_sandbox: Option<bool>,
}

/// The output of the `Bash` tool.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct BashOutput {
    /// The output of the command. The CLI merges the command's stderr into it.
    pub stdout: String,
    /// Remarks from the CLI itself, for example that it reset the working directory. The stderr of the command is in
    /// `stdout`.
    pub stderr: String,
    /// Whether the command was interrupted.
    pub interrupted: bool,
    /// The path of the file with the raw output. The official SDK says that this field is for large outputs of MCP
    /// tools.
    pub raw_output_path: Option<String>,
    /// Whether the output is an image, as a `data:` URL in `stdout`.
    pub is_image: Option<bool>,
    /// The ID of the background task in which the command continues. Absent if the command has ended.
    pub background_task_id: Option<String>,
    /// Whether the user moved the command to the background.
    pub backgrounded_by_user: Option<bool>,
    /// The timeout that the command exceeded, in milliseconds. When this happened, the command was moved to the
    /// background.
    pub timed_out_after_ms: Option<Count>,
    /// A note to the model. It says that a change of directory by the background command does not affect the session.
    pub background_cwd_hint: Option<String>,
    /// Present if the background command ends together with the caller's final response. In this case, nobody is
    /// notified when the command ends.
    pub background_ends_with_final_response: Option<True>,
    /// Present if the sub-agent that started the background command is woken when the command ends.
    pub background_wakes_owner: Option<True>,
    /// Whether the command ran outside the sandbox.
    pub dangerously_disable_sandbox: Option<bool>,
    /// An explanation of a non-zero exit code that does not mean a failure.
    pub return_code_interpretation: Option<String>,
    /// Whether the command is known to print nothing on success.
    pub no_output_expected: Option<bool>,
    /// The output as content blocks.
    pub structured_content: Option<Vec<Json>>,
    /// The path of the file with the complete output. Present if `stdout` holds only the beginning of the output.
    pub persisted_output_path: Option<String>,
    /// The size of the file with the complete output, in bytes.
    pub persisted_output_size: Option<Count>,
    /// A note to the model about files that it has read and that the command has changed.
    pub stale_read_file_state_hint: Option<String>,
    /// A note to the model that the GitHub rate limit is exhausted.
    pub gh_rate_limit_hint: Option<String>,
    /// The git or GitHub operation that the CLI recognised in the command.
    pub git_operation: Option<GitOperation>,
}

/// A git or GitHub operation that a command performed.
#[wire]
pub struct GitOperation {
    /// The commit that the command made.
    pub commit: Option<GitCommit>,
    /// The push that the command made.
    pub push: Option<GitPush>,
    /// The merge or rebase that the command made.
    pub branch: Option<GitBranch>,
    /// The operation that the command performed on a pull request.
    pub pr: Option<GitPullRequest>,
}

/// A commit that a command made.
#[wire]
pub struct GitCommit {
    /// The hash of the commit, possibly abbreviated.
    pub sha: String,
    /// The way in which the commit was made.
    pub kind: GitCommitKind,
    /// The branch of the commit. Absent if it is not known.
    pub branch: Option<String>,
}

/// The way in which a commit was made.
#[wire(open)]
pub enum GitCommitKind {
    /// A new commit (`git commit`).
    Committed = "committed",
    /// A replacement of the last commit (`git commit --amend`).
    Amended = "amended",
    /// A copy of a commit from another branch (`git cherry-pick`).
    CherryPicked = "cherry-picked",
}

/// A push that a command made.
#[wire]
pub struct GitPush {
    /// The name of the pushed branch.
    pub branch: String,
}

/// A merge or a rebase that a command made.
#[wire]
pub struct GitBranch {
    /// The git reference that was merged into the current branch, or onto which the current branch was rebased.
    #[wire(rename = "ref")]
    pub reference: String,
    /// Whether the operation was a merge or a rebase.
    pub action: GitBranchAction,
}

/// The operation that a command performed with another branch: a merge or a rebase.
#[wire(open)]
pub enum GitBranchAction {
    /// The other branch was merged into the current branch.
    Merged = "merged",
    /// The current branch was rebased onto the other branch.
    Rebased = "rebased",
}

/// An operation that a command performed on a pull request.
#[wire]
pub struct GitPullRequest {
    /// The number of the pull request.
    pub number: Count,
    /// The operation that was performed.
    pub action: GitPullRequestAction,
    /// The URL of the pull request. Absent if it is not known.
    pub url: Option<String>,
}

/// An operation on a pull request.
#[wire(open)]
pub enum GitPullRequestAction {
    /// The pull request was opened.
    Created = "created",
    /// The title or text of the pull request was edited.
    Edited = "edited",
    /// The pull request was merged.
    Merged = "merged",
    /// A comment was added to the pull request.
    Commented = "commented",
    /// The pull request was closed.
    Closed = "closed",
    /// The pull request was reopened.
    Reopened = "reopened",
    /// The pull request was marked as ready for review.
    Ready = "ready",
    /// The pull request was converted back to a draft.
    Draft = "draft",
    /// Auto-merge was enabled: the pull request will be merged when its checks have passed.
    AutoMergeEnabled = "auto-merge-enabled",
    /// Auto-merge was disabled for the pull request.
    AutoMergeDisabled = "auto-merge-disabled",
}
