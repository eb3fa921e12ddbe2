//! `Edit`, `MultiEdit` and `Write`: change files.

use crate::{Count, Tri};

/// What `Edit` is given.
#[wire]
pub struct FileEditInput {
    /// The file: an absolute path.
    pub file_path: String,
    /// The text that goes.
    pub old_string: String,
    /// The text that comes in its place.
    pub new_string: String,
    /// Everywhere in the file. Absent: `false`, and the text must stand there once.
    pub replace_all: Option<bool>,
}

/// What `Edit` gives.
#[wire(rename_all = "camelCase")]
pub struct FileEditOutput {
    /// The file.
    pub file_path: String,
    /// The text that went.
    pub old_string: String,
    /// The text that came in its place.
    pub new_string: String,
    /// The file as it was; null where it was too long.
    #[wire(nullable)]
    pub original_file: Option<String>,
    /// What has changed.
    pub structured_patch: Vec<PatchHunk>,
    /// A person has changed what the model wanted to write.
    pub user_modified: bool,
    /// It was done everywhere in the file.
    pub replace_all: bool,
    /// What git says has changed.
    pub git_diff: Option<GitDiff>,
    /// The file is as it was: the machine's owner is to look at the change first.
    pub staged: Option<bool>,
}

/// What `MultiEdit` is given: several changes of one file. A tool of earlier CLIs.
#[wire]
pub struct MultiEditInput {
    /// The file: an absolute path.
    pub file_path: String,
    /// The changes, in order; each sees what those before it have made.
    pub edits: Vec<EditStep>,
}

/// One of several changes of a file.
#[wire]
pub struct EditStep {
    /// The text that goes.
    pub old_string: String,
    /// The text that comes in its place.
    pub new_string: String,
    /// Everywhere in the file. Absent: `false`.
    pub replace_all: Option<bool>,
}

/// What `MultiEdit` gives.
#[wire(rename_all = "camelCase")]
pub struct MultiEditOutput {
    /// The file.
    pub file_path: String,
    /// The changes.
    pub edits: Vec<EditStep>,
    /// The file as it was.
    pub original_file_contents: Tri<String>,
    /// What has changed.
    pub structured_patch: Option<Vec<PatchHunk>>,
    /// A person has changed what the model wanted to write.
    pub user_modified: Option<bool>,
}

/// What `Write` is given.
#[wire]
pub struct FileWriteInput {
    /// The file: an absolute path.
    pub file_path: String,
    /// All that it will hold.
    pub content: String,
}

/// What `Write` gives.
#[wire(rename_all = "camelCase")]
pub struct FileWriteOutput {
    /// Whether the file is new.
    #[wire(rename = "type")]
    pub kind: FileWriteKind,
    /// The file.
    pub file_path: String,
    /// What it holds now.
    pub content: String,
    /// What has changed. Empty for a new file, where nothing has, and where that is too much to say.
    pub structured_patch: Vec<PatchHunk>,
    /// The file as it was; null where it is new, or was too long.
    #[wire(nullable)]
    pub original_file: Option<String>,
    /// What git says has changed.
    pub git_diff: Option<GitDiff>,
    /// A person has changed what the model wanted to write.
    pub user_modified: Option<bool>,
    /// The file is as it was: the machine's owner is to look at the change first.
    pub staged: Option<bool>,
}

/// Whether a file that was written is new.
#[wire(open)]
pub enum FileWriteKind {
    /// It is.
    Create = "create",
    /// It was there before.
    Update = "update",
}

/// A passage of a file that has changed, as in a unified diff.
#[wire(rename_all = "camelCase")]
pub struct PatchHunk {
    /// Its first line in the file as it was, from 1.
    pub old_start: Count,
    /// How many lines it was.
    pub old_lines: Count,
    /// Its first line in the file as it is, from 1.
    pub new_start: Count,
    /// How many lines it is.
    pub new_lines: Count,
    /// The lines, each behind a space (as it was), `-` (gone) or `+` (new).
    pub lines: Vec<String>,
}

/// How a file differs from what git has of it.
#[wire]
pub struct GitDiff {
    /// The file.
    pub filename: String,
    /// Whether git knows the file.
    pub status: GitDiffStatus,
    /// Lines added.
    pub additions: Count,
    /// Lines taken out.
    pub deletions: Count,
    /// Both, put together.
    pub changes: Count,
    /// The difference, as `git diff` prints it.
    pub patch: String,
    /// The repository at GitHub: `owner/name`. Null or absent where it has none.
    pub repository: Tri<String>,
}

/// Whether git knows a file.
#[wire(open)]
pub enum GitDiffStatus {
    /// It does.
    Modified = "modified",
    /// It does not.
    Added = "added",
}
