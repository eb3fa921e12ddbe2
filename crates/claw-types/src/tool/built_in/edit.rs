//! `Edit`, `MultiEdit` and `Write`: change files.

use crate::{Count, Tri};

/// The input of the `Edit` tool.
#[wire]
pub struct FileEditInput {
    /// The absolute path of the file.
    pub file_path: String,
    /// The text to replace.
    pub old_string: String,
    /// The text to put in place of the old text.
    pub new_string: String,
    /// Whether every occurrence is replaced. If absent or `false`, the text must occur exactly once.
    pub replace_all: Option<bool>,
}

/// The output of the `Edit` tool.
#[wire(rename_all = "camelCase")]
pub struct FileEditOutput {
    /// The absolute path of the file.
    pub file_path: String,
    /// The text that was replaced.
    pub old_string: String,
    /// The text that was put in place of the old text.
    pub new_string: String,
    /// The content of the file before the change. Null if the content was too long.
    #[wire(nullable)]
    pub original_file: Option<String>,
    /// The change, as hunks of a unified diff.
    pub structured_patch: Vec<PatchHunk>,
    /// Whether the user modified the proposed change before accepting it.
    pub user_modified: bool,
    /// Whether every occurrence was replaced.
    pub replace_all: bool,
    /// The difference between the file and its version in git.
    pub git_diff: Option<GitDiff>,
    /// Whether the change was held back until the owner of the machine reviews it. If `true`, the file is unchanged.
    pub staged: Option<bool>,
}

/// The input of the `MultiEdit` tool of earlier CLIs: several changes to one file.
#[wire]
pub struct MultiEditInput {
    /// The absolute path of the file.
    pub file_path: String,
    /// The changes, in order. Each change applies to the result of the previous changes.
    pub edits: Vec<EditStep>,
}

/// A change to a file, one of several.
#[wire]
pub struct EditStep {
    /// The text to replace.
    pub old_string: String,
    /// The text to put in place of the old text.
    pub new_string: String,
    /// Whether every occurrence is replaced. Absent means `false`.
    pub replace_all: Option<bool>,
}

/// The output of the `MultiEdit` tool.
#[wire(rename_all = "camelCase")]
pub struct MultiEditOutput {
    /// The absolute path of the file.
    pub file_path: String,
    /// The changes that were made.
    pub edits: Vec<EditStep>,
    /// The content of the file before the changes.
    pub original_file_contents: Tri<String>,
    /// The changes, as hunks of a unified diff.
    pub structured_patch: Option<Vec<PatchHunk>>,
    /// Whether the user modified the proposed changes before accepting them.
    pub user_modified: Option<bool>,
}

/// The input of the `Write` tool.
#[wire]
pub struct FileWriteInput {
    /// The absolute path of the file.
    pub file_path: String,
    /// The complete new content of the file.
    pub content: String,
}

/// The output of the `Write` tool.
#[wire(rename_all = "camelCase")]
pub struct FileWriteOutput {
    /// Whether the file was created or overwritten.
    #[wire(rename = "type")]
    pub kind: FileWriteKind,
    /// The absolute path of the file.
    pub file_path: String,
    /// The new content of the file.
    pub content: String,
    /// The change, as hunks of a unified diff. Empty for a new file, for an unchanged file and for a change that is too
    /// large.
    pub structured_patch: Vec<PatchHunk>,
    /// The content of the file before the change. Null if the file is new or its content was too long.
    #[wire(nullable)]
    pub original_file: Option<String>,
    /// The difference between the file and its version in git.
    pub git_diff: Option<GitDiff>,
    /// Whether the user modified the proposed content before accepting it.
    pub user_modified: Option<bool>,
    /// Whether the change was held back until the owner of the machine reviews it. If `true`, the file is unchanged.
    pub staged: Option<bool>,
}

/// Whether `Write` created or overwrote a file.
#[wire(open)]
pub enum FileWriteKind {
    /// The file was created.
    Create = "create",
    /// An existing file was overwritten.
    Update = "update",
}

/// A hunk of a unified diff: a passage of a file that has changed.
#[wire(rename_all = "camelCase")]
pub struct PatchHunk {
    /// The hunk's first line in the old file, counted from 1.
    pub old_start: Count,
    /// The number of lines that the hunk covers in the old file.
    pub old_lines: Count,
    /// The hunk's first line in the new file, counted from 1.
    pub new_start: Count,
    /// The number of lines that the hunk covers in the new file.
    pub new_lines: Count,
    /// The lines of the hunk, each prefixed with a space (unchanged), `-` (removed) or `+` (added).
    pub lines: Vec<String>,
}

/// The difference between a file and its version in git.
#[wire]
pub struct GitDiff {
    /// The path of the file.
    pub filename: String,
    /// Whether git already tracks the file.
    pub status: GitDiffStatus,
    /// The number of added lines.
    pub additions: Count,
    /// The number of removed lines.
    pub deletions: Count,
    /// The sum of added and removed lines.
    pub changes: Count,
    /// The patch, as `git diff` prints it.
    pub patch: String,
    /// The repository on GitHub, as `owner/name`. Null or absent if there is none.
    pub repository: Tri<String>,
}

/// The status of a file in git: tracked or not yet tracked.
#[wire(open)]
pub enum GitDiffStatus {
    /// Git tracks the file.
    Modified = "modified",
    /// Git does not track the file yet.
    Added = "added",
}
