//! `Glob` and `Grep`: find files, and what stands in them.

use crate::{Count, Number};

/// What `Glob` is given.
#[wire]
pub struct GlobInput {
    /// What the paths look like, such as `**/*.rs`.
    pub pattern: String,
    /// Where to look. Absent: the working directory.
    pub path: Option<String>,
}

/// What `Glob` gives.
#[wire(rename_all = "camelCase")]
pub struct GlobOutput {
    /// How long it took, in milliseconds.
    pub duration_ms: Number,
    /// How many paths there are here.
    pub num_files: Count,
    /// The paths.
    pub filenames: Vec<String>,
    /// There are more than are here.
    pub truncated: bool,
    /// How many there are in all.
    pub total_matches: Option<Count>,
    /// `false`: there are at least so many.
    pub count_is_complete: Option<bool>,
    /// The time was over before all was looked at.
    pub timed_out: Option<bool>,
}

/// What `Grep` is given.
#[wire]
pub struct GrepInput {
    /// What is looked for: a regular expression.
    pub pattern: String,
    /// The file or directory to look in. Absent: the working directory.
    pub path: Option<String>,
    /// What the paths look like, such as `*.{ts,tsx}`.
    pub glob: Option<String>,
    /// What is asked for. Absent: the files.
    pub output_mode: Option<GrepMode>,
    /// Lines to show before a match. Counts for [`GrepMode::Content`] alone, as do all lines to show.
    #[wire(rename = "-B")]
    pub before: Option<Count>,
    /// Lines to show after it.
    #[wire(rename = "-A")]
    pub after: Option<Count>,
    /// Another name of `context`.
    #[wire(rename = "-C")]
    pub around: Option<Count>,
    /// Lines to show on both sides of it.
    pub context: Option<Count>,
    /// Show the numbers of lines. Absent: `true`.
    #[wire(rename = "-n")]
    pub line_numbers: Option<bool>,
    /// Capital letters are as small ones.
    #[wire(rename = "-i")]
    pub ignore_case: Option<bool>,
    /// Show what matched, and not the line.
    #[wire(rename = "-o")]
    pub only_matching: Option<bool>,
    /// The type of files, such as `rust`.
    #[wire(rename = "type")]
    pub file_type: Option<String>,
    /// How many lines or files to give; 0 for all. Absent: 250.
    pub head_limit: Option<Count>,
    /// How many to leave out before.
    pub offset: Option<Count>,
    /// A match may run over several lines.
    pub multiline: Option<bool>,
}

/// What is asked for of matches.
#[wire(open)]
pub enum GrepMode {
    /// The lines.
    Content = "content",
    /// The files.
    FilesWithMatches = "files_with_matches",
    /// How many there are in each file.
    Count = "count",
}

/// What `Grep` gives.
#[wire(rename_all = "camelCase")]
pub struct GrepOutput {
    /// How many files there are here; 0 where the lines were asked for.
    pub num_files: Count,
    /// The files; none where the lines were asked for.
    pub filenames: Vec<String>,
    /// What was asked for.
    pub mode: Option<GrepMode>,
    /// The lines, or the counts.
    pub content: Option<String>,
    /// How many lines there are here.
    pub num_lines: Option<Count>,
    /// How many matches were counted.
    pub num_matches: Option<Count>,
    /// How many files there are in all.
    pub total_files: Option<Count>,
    /// How many lines there are in all.
    pub total_lines: Option<Count>,
    /// There are more; this many were given.
    pub applied_limit: Option<Count>,
    /// This many were left out before.
    pub applied_offset: Option<Count>,
    /// The time was over before all was looked at.
    pub timed_out: Option<bool>,
}
