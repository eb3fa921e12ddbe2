//! `Bash`: runs a command.

use crate::{Count, Json, True};

/// What `Bash` is given.
#[wire]
pub struct BashInput {
    /// The command, for the shell.
    pub command: String,
    /// How long it may take, in milliseconds. In the foreground at most 600000; in the background
    /// 1800000 where it is absent, and at most 7200000.
    pub timeout: Option<Count>,
    /// What the command is for, in the model's words: for people to read.
    pub description: Option<String>,
    /// The turn goes on without waiting for it.
    pub run_in_background: Option<bool>,
    /// Runs it outside the sandbox. Whether it may is a question of permissions.
    #[wire(rename = "dangerouslyDisableSandbox")]
    pub dangerously_disable_sandbox: Option<bool>,
}

/// What `Bash` gives.
#[wire(rename_all = "camelCase")]
pub struct BashOutput {
    /// What the command wrote; both of its streams, as the CLI runs it.
    pub stdout: String,
    /// What the CLI has to say besides, such as that the working directory was put back.
    pub stderr: String,
    /// It was interrupted.
    pub interrupted: bool,
    /// The file with the raw output of a large MCP result.
    pub raw_output_path: Option<String>,
    /// What it wrote is a picture, as a `data:` URL.
    pub is_image: Option<bool>,
    /// The task that it goes on as in the background.
    pub background_task_id: Option<String>,
    /// A person sent it to the background.
    pub backgrounded_by_user: Option<bool>,
    /// It took longer than it might, these milliseconds, and went to the background.
    pub timed_out_after_ms: Option<Count>,
    /// Tells the model that a change of the directory in the background does not count for the
    /// session.
    pub background_cwd_hint: Option<String>,
    /// In the background it ends with the caller's last answer: nobody will be told of its end.
    pub background_ends_with_final_response: Option<True>,
    /// The sub-agent that started it waits for its end and is woken by it.
    pub background_wakes_owner: Option<True>,
    /// It ran outside the sandbox.
    pub dangerously_disable_sandbox: Option<bool>,
    /// What an exit code means that is no failure, in words.
    pub return_code_interpretation: Option<String>,
    /// It is a command that writes nothing when all is well.
    pub no_output_expected: Option<bool>,
    /// Content blocks.
    pub structured_content: Option<Vec<Json>>,
    /// The file that holds all that it wrote, where `stdout` is but the beginning.
    pub persisted_output_path: Option<String>,
    /// How long that file is, in bytes.
    pub persisted_output_size: Option<Count>,
    /// Tells the model which files that it has read the command has changed.
    pub stale_read_file_state_hint: Option<String>,
    /// Tells the model that GitHub allows no more requests for a while.
    pub gh_rate_limit_hint: Option<String>,
    /// What it did with git or GitHub, as far as the CLI has seen it.
    pub git_operation: Option<GitOperation>,
}

/// What a command did with git or GitHub.
#[wire]
pub struct GitOperation {
    /// It made a commit.
    pub commit: Option<GitCommit>,
    /// It pushed.
    pub push: Option<GitPush>,
    /// It merged or rebased.
    pub branch: Option<GitBranch>,
    /// It did something to a pull request.
    pub pr: Option<GitPullRequest>,
}

/// A commit that a command made.
#[wire]
pub struct GitCommit {
    /// Its name; may be short.
    pub sha: String,
    /// How it was made.
    pub kind: GitCommitKind,
    /// The branch that it is on.
    pub branch: Option<String>,
}

/// How a commit was made.
#[wire(open)]
pub enum GitCommitKind {
    /// Anew.
    Committed = "committed",
    /// In the place of the last one.
    Amended = "amended",
    /// From another branch's.
    CherryPicked = "cherry-picked",
}

/// A push.
#[wire]
pub struct GitPush {
    /// The branch.
    pub branch: String,
}

/// A merge or a rebase.
#[wire]
pub struct GitBranch {
    /// What was merged, or rebased on.
    #[wire(rename = "ref")]
    pub reference: String,
    /// Which of both.
    pub action: GitBranchAction,
}

/// What was done with another branch.
#[wire(open)]
pub enum GitBranchAction {
    /// Merged.
    Merged = "merged",
    /// Rebased on.
    Rebased = "rebased",
}

/// What was done to a pull request.
#[wire]
pub struct GitPullRequest {
    /// Its number.
    pub number: Count,
    /// What was done.
    pub action: GitPullRequestAction,
    /// Where it is.
    pub url: Option<String>,
}

/// What was done to a pull request.
#[wire(open)]
pub enum GitPullRequestAction {
    /// It was opened.
    Created = "created",
    /// Its text was changed.
    Edited = "edited",
    /// It was merged.
    Merged = "merged",
    /// Something was said about it.
    Commented = "commented",
    /// It was closed.
    Closed = "closed",
    /// It was opened again.
    Reopened = "reopened",
    /// It is no longer a draft.
    Ready = "ready",
    /// It is a draft again.
    Draft = "draft",
    /// It will be merged when its checks have passed.
    AutoMergeEnabled = "auto-merge-enabled",
    /// It will not be merged by itself.
    AutoMergeDisabled = "auto-merge-disabled",
}
