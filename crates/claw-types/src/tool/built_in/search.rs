//! `Glob` and `Grep`: find files and search their contents.

use crate::{Count, Number};

/// The input of the `Glob` tool.
#[wire]
pub struct GlobInput {
    /// The pattern that the paths of the files must match, such as `**/*.rs`.
    pub pattern: String,
    /// The directory to search. Absent means the working directory.
    pub path: Option<String>,
}

/// The output of the `Glob` tool.
#[wire(rename_all = "camelCase")]
pub struct GlobOutput {
    /// The duration of the search, in milliseconds.
    pub duration_ms: Number,
    /// The number of paths in `filenames`.
    pub num_files: Count,
    /// The paths of the matching files.
    pub filenames: Vec<String>,
    /// Whether there are more matches than `filenames` lists.
    pub truncated: bool,
    /// The total number of matches.
    pub total_matches: Option<Count>,
    /// Whether the total number of matches is exact. If `false`, there are at least that many matches.
    pub count_is_complete: Option<bool>,
    /// Whether the time limit ended the search before it was complete.
    pub timed_out: Option<bool>,
}

/// The input of the `Grep` tool.
#[wire]
pub struct GrepInput {
    /// The regular expression to search for.
    pub pattern: String,
    /// The file or directory to search. Absent means the working directory.
    pub path: Option<String>,
    /// The pattern that paths must match, such as `*.{ts,tsx}`. Absent means all files.
    pub glob: Option<String>,
    /// The kind of output. Absent means the files with matches.
    pub output_mode: Option<GrepMode>,
    /// The number of lines to show before each match. Absent means no lines. The fields for context lines (`-A`, `-B`,
    /// `-C` and `context`) are used only if `output_mode` is `content`.
    #[wire(rename = "-B")]
    pub before: Option<Count>,
    /// The number of lines to show after each match. Absent means no lines.
    #[wire(rename = "-A")]
    pub after: Option<Count>,
    /// Another name for `context`.
    #[wire(rename = "-C")]
    pub around: Option<Count>,
    /// The number of lines to show before and after each match. Absent means no lines.
    pub context: Option<Count>,
    /// Whether to show line numbers. Absent means `true`.
    #[wire(rename = "-n")]
    pub line_numbers: Option<bool>,
    /// Whether to ignore case. Absent means `false`.
    #[wire(rename = "-i")]
    pub ignore_case: Option<bool>,
    /// Whether to show only the matching parts of lines.
    #[wire(rename = "-o")]
    pub only_matching: Option<bool>,
    /// The type of files to search, such as `rust`. Absent means files of all types.
    #[wire(rename = "type")]
    pub file_type: Option<String>,
    /// The maximum number of lines or files to output; 0 means no limit. Absent means 250.
    pub head_limit: Option<Count>,
    /// The number of lines or files to skip first. Absent means 0.
    pub offset: Option<Count>,
    /// Whether a match may span several lines. Absent means `false`.
    pub multiline: Option<bool>,
}

/// The kind of output that `Grep` gives.
#[wire(open)]
pub enum GrepMode {
    /// The matching lines.
    Content = "content",
    /// The files with matches.
    FilesWithMatches = "files_with_matches",
    /// The number of matches in each file.
    Count = "count",
}

/// The output of the `Grep` tool.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(rename_all = "camelCase")]
pub struct GrepOutput {
    /// The number of files in `filenames`. 0 if the matching lines were requested.
    pub num_files: Count,
    /// The files with matches. Empty if the matching lines were requested.
    pub filenames: Vec<String>,
    /// The kind of output that was requested.
    pub mode: Option<GrepMode>,
    /// The matching lines, or the number of matches in each file.
    pub content: Option<String>,
    /// The number of lines in `content`.
    pub num_lines: Option<Count>,
    /// The number of matches in all files, if matches were counted.
    pub num_matches: Option<Count>,
    /// The total number of files with matches.
    pub total_files: Option<Count>,
    /// The total number of matching lines.
    pub total_lines: Option<Count>,
    /// The limit at which the output was truncated. Absent if the output is complete.
    pub applied_limit: Option<Count>,
    /// The number of lines or files that were skipped first.
    pub applied_offset: Option<Count>,
    /// Whether the time limit ended the search before it was complete.
    pub timed_out: Option<bool>,
}
