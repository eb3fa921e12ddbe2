//! `get_workspace_diff`: what is changed in the repository. In no published type.

use crate::Count;

/// To `claude`: what is changed here, as git sees it? In no published type.
#[wire(tag(subtype = "get_workspace_diff"), response = GetWorkspaceDiffResponse)]
pub struct GetWorkspaceDiff {}

/// The answer to `get_workspace_diff`.
#[wire(rename_all = "camelCase")]
pub struct GetWorkspaceDiffResponse {
    /// The changes; null where they are not known.
    #[wire(nullable)]
    pub diff: Option<WorkspaceDiff>,
    /// Why they are not.
    pub no_diff_reason: Option<NoDiffReason>,
}

/// Why the changes are not known.
#[wire(open)]
pub enum NoDiffReason {
    /// There is no repository.
    NoRepository = "no-repository",
    /// The repository is not to be trusted.
    RepositoryRefused = "repository-refused",
    /// Somebody else is at work in it.
    RepositoryBusy = "repository-busy",
    /// git failed.
    DiffFailed = "diff-failed",
    /// The repository is elsewhere by now.
    RootMoved = "root-moved",
}

/// What is changed in a repository.
#[wire(rename_all = "camelCase")]
pub struct WorkspaceDiff {
    /// How much.
    pub stats: DiffStats,
    /// The files: 50 at most, and the new ends of renames.
    pub per_file_stats: Vec<DiffFile>,
    /// Files that are left out.
    #[wire(since = "2.1.329")]
    pub omitted: Option<DiffOmitted>,
    /// The changes, by file.
    pub hunks: Vec<DiffFileHunks>,
    /// Files that are too large.
    pub skipped_large: Vec<String>,
    /// Files that may not be read.
    pub restricted: Vec<String>,
    /// What it was compared with.
    pub source: DiffSource,
    /// Names the repository.
    #[wire(since = "2.1.329")]
    pub root_id: Option<String>,
}

/// How much is changed.
#[wire(rename_all = "camelCase")]
pub struct DiffStats {
    /// Files.
    pub files_count: Count,
    /// Lines that came.
    pub lines_added: Count,
    /// Lines that went.
    pub lines_removed: Count,
}

/// A file that is changed.
#[wire(rename_all = "camelCase")]
pub struct DiffFile {
    /// The file.
    pub path: String,
    /// Lines that came.
    pub added: Count,
    /// Lines that went.
    pub removed: Count,
    /// It is no text.
    pub is_binary: bool,
    /// git does not know it.
    pub is_untracked: bool,
    /// What became of it.
    pub status: Option<DiffStatus>,
    /// Where it was.
    pub previous_path: Option<String>,
    /// Where it is.
    pub new_path: Option<String>,
}

/// What became of a file.
#[wire(open)]
pub enum DiffStatus {
    /// It is new.
    Added = "added",
    /// It is another.
    Modified = "modified",
    /// It is gone.
    Removed = "removed",
    /// It is elsewhere.
    Renamed = "renamed",
    /// It is there twice.
    Copied = "copied",
}

/// Files that are left out of the changes.
#[wire]
pub struct DiffOmitted {
    /// How many.
    pub files: Count,
    /// Whether it are just so many, not at least.
    pub exact: bool,
}

/// The changes of a file.
#[wire]
pub struct DiffFileHunks {
    /// The file.
    pub path: String,
    /// Each of them.
    pub hunks: Vec<DiffHunk>,
}

/// A change of a file, as of a unified diff.
#[wire(rename_all = "camelCase")]
pub struct DiffHunk {
    /// The line that it begins at, before.
    pub old_start: Count,
    /// How many lines it had.
    pub old_lines: Count,
    /// The line that it begins at, now.
    pub new_start: Count,
    /// How many lines it has.
    pub new_lines: Count,
    /// The lines, after ` `, `+` or `-`.
    pub lines: Vec<String>,
}

/// What the changes were found by.
#[wire]
pub enum DiffSource {
    /// Files beside the last commit.
    WorkingTree(DiffWorkingTree),
    /// Files beside the branch that this one comes from.
    Branch(DiffBranch),
}

/// The changes of files beside the last commit.
#[wire(tag(kind = "working-tree"))]
pub struct DiffWorkingTree {}

/// The changes of files beside the branch that this one comes from.
#[wire(tag(kind = "branch"), rename_all = "camelCase")]
pub struct DiffBranch {
    /// The branch.
    pub base_branch: String,
    /// The commit.
    pub base_ref: String,
}
