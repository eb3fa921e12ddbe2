//! `get_workspace_diff`: the changes in the repository. Not part of the official SDK's published
//! types.

use crate::Count;

/// To `claude`: get the changes in the workspace, as git reports them. Not part of the official SDK's published types.
#[wire(tag(subtype = "get_workspace_diff"), response = GetWorkspaceDiffResponse)]
pub struct GetWorkspaceDiff {
    /// Whether the response should contain `uncommittedHunks`. Only a session in Anthropic's cloud sends them. Absent
    /// means `false`.
    #[wire(since = "2.1.331")]
    pub uncommitted_hunks: Option<bool>,
}

/// The response to `get_workspace_diff`.
#[wire(rename_all = "camelCase")]
pub struct GetWorkspaceDiffResponse {
    /// The changes in the repository. Null if the changes are not known.
    #[wire(nullable)]
    pub diff: Option<WorkspaceDiff>,
    /// The reason why the changes are not known. Sent only if `diff` is null.
    pub no_diff_reason: Option<NoDiffReason>,
}

/// The reason why the changes in a workspace are not known.
#[wire(open)]
pub enum NoDiffReason {
    /// The CLI found no repository that it can use.
    NoRepository = "no-repository",
    /// The repository did not pass the CLI's safety checks.
    RepositoryRefused = "repository-refused",
    /// The repository is in the middle of another operation, such as a merge or a rebase.
    RepositoryBusy = "repository-busy",
    /// The git command failed.
    DiffFailed = "diff-failed",
    /// The session's repository changed to another one while the CLI was reading it.
    RootMoved = "root-moved",
}

/// The changes in a repository.
#[wire(rename_all = "camelCase")]
pub struct WorkspaceDiff {
    /// The total numbers of changed files and lines.
    pub stats: DiffStats,
    /// The changed files with their line counts, at most 50. A renamed file may have a second
    /// entry, which is not counted among the 50.
    pub per_file_stats: Vec<DiffFile>,
    /// The number of files that were left out.
    #[wire(since = "2.1.329")]
    pub omitted: Option<DiffOmitted>,
    /// The changed sections of each file.
    pub hunks: Vec<DiffFileHunks>,
    /// The paths of those files in `hunks` whose changes were cut off after 400 lines. The last section of such a file
    /// can be incomplete, although its line counts describe the whole section. Later sections are left out.
    #[wire(since = "2.1.332")]
    pub line_capped: Option<Vec<String>>,
    /// The differences of each file from the last commit. Sent only if the request asked for them and the files are
    /// compared with a base branch.
    #[wire(since = "2.1.331")]
    pub uncommitted_hunks: Option<Vec<UncommittedFile>>,
    /// The paths of files whose changes are too large for `hunks`. The line counts of these files are still reported.
    pub skipped_large: Vec<String>,
    /// The paths of files that must not be read. `hunks` leaves out the changes in these files, but their line counts
    /// are still reported.
    pub restricted: Vec<String>,
    /// The state with which the files are compared: the last commit or a base branch.
    pub source: DiffSource,
    /// An opaque value that stands for the directory to which the diff's paths are relative. Only the CLI process that
    /// created the value can use it.
    #[wire(since = "2.1.329")]
    pub root_id: Option<String>,
}

/// The total numbers of changed files and lines in a repository.
#[wire(rename_all = "camelCase")]
pub struct DiffStats {
    /// The number of changed files.
    pub files_count: Count,
    /// The number of added lines.
    pub lines_added: Count,
    /// The number of removed lines.
    pub lines_removed: Count,
}

/// A changed file in a repository.
#[wire(rename_all = "camelCase")]
pub struct DiffFile {
    /// The path of the file. For a renamed or copied file, it has the form in which git shows the change, such as
    /// `old => new`.
    pub path: String,
    /// The number of added lines.
    pub added: Count,
    /// The number of removed lines.
    pub removed: Count,
    /// Whether the file is binary, so that it has no lines to count.
    pub is_binary: bool,
    /// Whether git does not track the file yet.
    pub is_untracked: bool,
    /// The kind of change.
    pub status: Option<DiffStatus>,
    /// The path of the file before it was renamed or copied.
    pub previous_path: Option<String>,
    /// The new path of a renamed or copied file, or the plain path of a file whose path git has quoted. Absent for all
    /// other files.
    pub new_path: Option<String>,
    /// The difference of the file from the last commit, even if `status` compares the file with a base branch.
    #[wire(since = "2.1.331")]
    pub uncommitted_status: Option<DiffStatus>,
}

/// How a file was changed: added, modified, removed, renamed or copied.
#[wire(open)]
pub enum DiffStatus {
    /// The file was added.
    Added = "added",
    /// The file was modified.
    Modified = "modified",
    /// The file was removed.
    Removed = "removed",
    /// The file was renamed.
    Renamed = "renamed",
    /// The file was copied.
    Copied = "copied",
    /// The file is the same as in the last commit. Used only for `uncommitted_status`.
    Unchanged = "none",
}

/// The number of changed files that the response leaves out. If `exact` is false, the real number can be larger.
#[wire]
pub struct DiffOmitted {
    /// The number of changed files that the response leaves out. If `exact` is false, the real number can be larger.
    pub files: Count,
    /// Whether `files` is the exact number. If `false`, `files` is a minimum.
    pub exact: bool,
}

/// The changes in one file.
#[wire]
pub struct DiffFileHunks {
    /// The path of the file.
    pub path: String,
    /// The changed sections of the file.
    pub hunks: Vec<DiffHunk>,
}

/// The changes in one file since the last commit.
#[wire]
pub struct UncommittedFile {
    /// The path of the file.
    pub path: String,
    /// The number of added lines.
    pub added: Count,
    /// The number of removed lines.
    pub removed: Count,
    /// The changed sections of the file. Empty if no line differs or the text is not sent.
    pub hunks: Vec<DiffHunk>,
}

/// A changed section of a file, as in a unified diff.
#[wire(rename_all = "camelCase")]
pub struct DiffHunk {
    /// The line number at which the section begins before the change, counted from 1.
    pub old_start: Count,
    /// The number of lines that the section has before the change.
    pub old_lines: Count,
    /// The line number at which the section begins after the change, counted from 1.
    pub new_start: Count,
    /// The number of lines that the section has after the change.
    pub new_lines: Count,
    /// The lines of the section, each with the prefix ` `, `+` or `-`.
    pub lines: Vec<String>,
}

/// The state with which the files are compared: the last commit or a base branch.
#[wire]
pub enum DiffSource {
    /// The files are compared with the last commit.
    WorkingTree(DiffWorkingTree),
    /// The files are compared with the commit at which the current branch left its base branch.
    Branch(DiffBranch),
}

/// A comparison of the files with the last commit.
#[wire(tag(kind = "working-tree"))]
pub struct DiffWorkingTree {}

/// A comparison of the files with the commit at which the current branch left its base branch.
#[wire(tag(kind = "branch"), rename_all = "camelCase")]
pub struct DiffBranch {
    /// The name of the base branch.
    pub base_branch: String,
    /// The commit that the files are compared with: the last common commit (merge base) of the base branch and the
    /// current branch.
    pub base_ref: String,
}
