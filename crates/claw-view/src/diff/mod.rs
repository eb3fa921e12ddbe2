//! Changes to files, as hunks of numbered lines.
//!
//! There are several ways to create a [`FileDiff`]. [`FileDiff::of_input`] uses a tool's input. [`FileDiff::on_disk`]
//! also reads the file to get its line numbers. [`FileDiff::of_output`] uses a tool's output, which contains the line
//! numbers of the file. [`git`] parses the output of `git diff`. [`fn@workspace`] converts the CLI's report of the
//! changes in the repository.

mod combined;
mod edit;
mod git;
mod lines;
mod workspace;

pub use combined::{CombinedDiff, CombinedEdits, Contents, changed_path, path_to_change};
pub use git::git;
pub use workspace::workspace;

use crate::shown::shown;

shown! {
    /// The change to one file, as numbered lines.
    pub struct FileDiff {
        /// The path of the file. For a renamed file, its new path.
        pub path: String,
        /// The old path of a renamed or copied file. Null otherwise.
        pub old_path: Option<String>,
        /// The kind of change.
        pub status: FileStatus,
        /// The number of lines that the change adds.
        pub added: u64,
        /// The number of lines that the change removes.
        pub removed: u64,
        /// Whether the line numbers in the hunks are those of the file. If `false`, they count from the start of the
        /// changed passage, because its place in the file is unknown.
        pub numbered: bool,
        /// Whether the file is binary. A binary file has no hunks.
        pub binary: bool,
        /// The changed passages, in order.
        pub hunks: Vec<Hunk>,
    }

    /// What happens to a file in a diff.
    #[derive(Copy, Eq)]
    pub enum FileStatus {
        /// The contents of the file are changed.
        Modified,
        /// The file is new.
        Added,
        /// The file is deleted.
        Deleted,
        /// The file is renamed. Its contents may be changed as well.
        Renamed,
        /// The file is new, as a copy of another file.
        Copied,
    }

    /// A hunk: a changed passage, and the unchanged lines around it.
    pub struct Hunk {
        /// The number of the hunk's first line in the old file, counted from 1. 0 if the hunk has no lines in the old
        /// file.
        pub old_start: u64,
        /// The number of lines that the hunk covers in the old file.
        pub old_lines: u64,
        /// The number of the hunk's first line in the new file, counted from 1. 0 if the hunk has no lines in the new
        /// file.
        pub new_start: u64,
        /// The number of lines that the hunk covers in the new file.
        pub new_lines: u64,
        /// The lines of the hunk.
        pub lines: Vec<DiffLine>,
    }

    /// A line of a hunk.
    pub struct DiffLine {
        /// Whether the line is added, removed or unchanged.
        pub kind: LineKind,
        /// The number of the line in the old file. Null for an added line.
        pub old_line: Option<u64>,
        /// The number of the line in the new file. Null for a removed line.
        pub new_line: Option<u64>,
        /// The text of the line, without its line ending.
        pub text: String,
    }

    /// Whether a line is added, removed or unchanged.
    #[derive(Copy, Eq)]
    pub enum LineKind {
        /// The line is unchanged.
        Context,
        /// The line is removed.
        Removed,
        /// The line is added.
        Added,
    }
}

impl FileDiff {
    fn new(path: impl Into<String>, status: FileStatus, hunks: Vec<Hunk>) -> Self {
        let mut diff = Self {
            path: path.into(),
            old_path: None,
            status,
            added: 0,
            removed: 0,
            numbered: true,
            binary: false,
            hunks,
        };
        diff.count();
        diff
    }

    /// Creates an empty change of an unknown file.
    pub(crate) fn unknown() -> Self {
        let mut diff = Self::new("", FileStatus::Modified, Vec::new());
        diff.numbered = false;
        diff
    }

    fn count(&mut self) {
        let lines = || self.hunks.iter().flat_map(|hunk| &hunk.lines);
        let of = |kind| crate::text::count(lines().filter(|line| line.kind == kind).count());
        (self.added, self.removed) = (of(LineKind::Added), of(LineKind::Removed));
    }

    /// Keeps the first lines of the diff, whose texts have at most `bytes` bytes together. Returns whether lines were
    /// removed. The fields [`added`](Self::added) and [`removed`](Self::removed) still count the lines of the whole
    /// change.
    pub fn truncate(&mut self, bytes: usize) -> bool {
        let mut left = bytes;
        for at in 0..self.hunks.len() {
            let lines = &mut self.hunks[at].lines;
            let fits = lines.iter().take_while(|line| {
                let length = line.text.len() + 1;
                let is_in = length <= left;
                left = if is_in { left - length } else { 0 };
                is_in
            });
            let fits = fits.count();
            if fits < lines.len() {
                lines.truncate(fits);
                let rest = if fits == 0 { at } else { at + 1 };
                self.hunks.truncate(rest);
                return true;
            }
        }
        false
    }

    /// Returns the number of added and removed lines in words, such as `Added 16 lines, removed 2 lines`.
    pub fn summary(&self) -> String {
        summary(self.added, self.removed)
    }
}

impl LineKind {
    /// Returns the sign that a diff shows before a line of this kind: `+`, `-` or a space.
    pub fn sign(self) -> char {
        match self {
            Self::Context => ' ',
            Self::Removed => '-',
            Self::Added => '+',
        }
    }
}

/// Returns the number of added and removed lines in words.
pub(crate) fn summary(added: u64, removed: u64) -> String {
    let lines = |count: u64| format!("{count} line{}", if count == 1 { "" } else { "s" });
    match (added, removed) {
        (0, 0) => "No changes".to_owned(),
        (added, 0) => format!("Added {}", lines(added)),
        (0, removed) => format!("Removed {}", lines(removed)),
        (added, removed) => format!("Added {}, removed {}", lines(added), lines(removed)),
    }
}

#[cfg(test)]
mod tests;
