//! `get_workspace_diff`: the changes in the repository. Not part of the official SDK's published
//! types.

use crate::Count;

/// To `claude`: get the changes of the workspace, as git reports them. Not part of the official
/// SDK's published types.
#[wire(tag(subtype = "get_workspace_diff"), response = GetWorkspaceDiffResponse)]
pub struct GetWorkspaceDiff {}

/// The response to `get_workspace_diff`.
#[wire(rename_all = "camelCase")]
pub struct GetWorkspaceDiffResponse {
    /// The changes. Null if they are not known.
    #[wire(nullable)]
    pub diff: Option<WorkspaceDiff>,
    /// The reason why the changes are not known.
    pub no_diff_reason: Option<NoDiffReason>,
}

/// The reason why the changes of a workspace are not known.
#[wire(open)]
pub enum NoDiffReason {
    /// The workspace is not in a repository.
    NoRepository = "no-repository",
    /// The repository is not trusted.
    RepositoryRefused = "repository-refused",
    /// Another program is using the repository.
    RepositoryBusy = "repository-busy",
    /// The git command failed.
    DiffFailed = "diff-failed",
    /// The repository has moved in the meantime.
    RootMoved = "root-moved",
}

/// The changes in a repository.
#[wire(rename_all = "camelCase")]
pub struct WorkspaceDiff {
    /// The total of the changes.
    pub stats: DiffStats,
    /// The changed files: at most 50, and the new paths of renamed files.
    pub per_file_stats: Vec<DiffFile>,
    /// The number of files that were left out.
    #[wire(since = "2.1.329")]
    pub omitted: Option<DiffOmitted>,
    /// The changes, by file.
    pub hunks: Vec<DiffFileHunks>,
    /// The paths of files that are too large to compare.
    pub skipped_large: Vec<String>,
    /// The paths of files that may not be read.
    pub restricted: Vec<String>,
    /// What the files are compared with.
    pub source: DiffSource,
    /// An identifier of the repository.
    #[wire(since = "2.1.329")]
    pub root_id: Option<String>,
}

/// The total of the changes in a repository.
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
    /// The path of the file.
    pub path: String,
    /// The number of added lines.
    pub added: Count,
    /// The number of removed lines.
    pub removed: Count,
    /// Whether the file is binary.
    pub is_binary: bool,
    /// Whether git does not track the file.
    pub is_untracked: bool,
    /// The kind of change.
    pub status: Option<DiffStatus>,
    /// The previous path of the file.
    pub previous_path: Option<String>,
    /// The new path of the file.
    pub new_path: Option<String>,
}

/// The kind of a change of a file.
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
}

/// The files that were left out of the changes.
#[wire]
pub struct DiffOmitted {
    /// The number of files that were left out.
    pub files: Count,
    /// Whether the number is exact. Otherwise it is a minimum.
    pub exact: bool,
}

/// The changes of one file.
#[wire]
pub struct DiffFileHunks {
    /// The path of the file.
    pub path: String,
    /// The changed sections of the file.
    pub hunks: Vec<DiffHunk>,
}

/// A changed section of a file, as in a unified diff.
#[wire(rename_all = "camelCase")]
pub struct DiffHunk {
    /// The number of the section's first line before the change, counted from 1.
    pub old_start: Count,
    /// The number of lines before the change.
    pub old_lines: Count,
    /// The number of the section's first line after the change, counted from 1.
    pub new_start: Count,
    /// The number of lines after the change.
    pub new_lines: Count,
    /// The lines of the section, each with the prefix ` `, `+` or `-`.
    pub lines: Vec<String>,
}

/// What the files are compared with.
#[wire]
pub enum DiffSource {
    /// The files are compared with the last commit.
    WorkingTree(DiffWorkingTree),
    /// The files are compared with the branch from which the current branch started.
    Branch(DiffBranch),
}

/// A comparison of the files with the last commit.
#[wire(tag(kind = "working-tree"))]
pub struct DiffWorkingTree {}

/// A comparison of the files with the branch from which the current branch started.
#[wire(tag(kind = "branch"), rename_all = "camelCase")]
pub struct DiffBranch {
    /// The name of the base branch.
    pub base_branch: String,
    /// The commit of the base branch.
    pub base_ref: String,
}
