//! Changes of files, as hunks of numbered lines.
//!
//! A [`FileDiff`] is made of what a tool is given ([`FileDiff::of_input`]), of what it gave
//! ([`FileDiff::of_output`], which knows the line numbers of the file), or of a text as `git diff`
//! prints it ([`git`]), of what `claude` says is changed in the repository ([`fn@workspace`]).

mod edit;
mod git;
mod lines;
mod workspace;

pub use git::git;
pub use workspace::workspace;

use crate::shown::shown;

shown! {
    /// How a file changes.
    pub struct FileDiff {
        /// The file; where it gets another name, the new one.
        pub path: String,
        /// The name that it had, where it gets another one.
        pub old_path: Option<String>,
        /// What becomes of the file.
        pub status: FileStatus,
        /// Lines that come.
        pub added: u64,
        /// Lines that go.
        pub removed: u64,
        /// Whether line numbers are those of the file. If not, they count from the first line of the
        /// passage that is changed: where that stands in the file is not known yet.
        pub numbered: bool,
        /// Whether the file holds no text; there are no hunks then.
        pub binary: bool,
        /// The passages that change, in order.
        pub hunks: Vec<Hunk>,
    }

    /// What becomes of a file.
    #[derive(Copy, Eq)]
    pub enum FileStatus {
        /// Its contents change.
        Modified,
        /// It is new.
        Added,
        /// It goes.
        Deleted,
        /// It gets another name; its contents may change as well.
        Renamed,
        /// It is the copy of another one.
        Copied,
    }

    /// A passage that changes, with lines around it.
    pub struct Hunk {
        /// Its first line in the file as it was, from 1; 0 where it has no lines there.
        pub old_start: u64,
        /// How many lines it was.
        pub old_lines: u64,
        /// Its first line in the file as it is, from 1; 0 where it has no lines there.
        pub new_start: u64,
        /// How many lines it is.
        pub new_lines: u64,
        /// Its lines.
        pub lines: Vec<DiffLine>,
    }

    /// A line of a hunk.
    pub struct DiffLine {
        /// Whether it comes, goes or stays.
        pub kind: LineKind,
        /// Its number in the file as it was; null where it was not there.
        pub old_line: Option<u64>,
        /// Its number in the file as it is; null where it is not there.
        pub new_line: Option<u64>,
        /// The line, without its end.
        pub text: String,
    }

    /// Whether a line comes, goes or stays.
    #[derive(Copy, Eq)]
    pub enum LineKind {
        /// It stays.
        Context,
        /// It goes.
        Removed,
        /// It comes.
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

    /// The change of a file that is not known yet.
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

    /// How many lines come and go, in words: `Added 16 lines, removed 2 lines`.
    pub fn summary(&self) -> String {
        summary(self.added, self.removed)
    }
}

impl LineKind {
    /// What stands before such a line in a diff: `+`, `-` or a space.
    pub fn sign(self) -> char {
        match self {
            Self::Context => ' ',
            Self::Removed => '-',
            Self::Added => '+',
        }
    }
}

/// How many lines come and go, in words.
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
