//! Combines the changes that tools have made to a file into one change.

use std::time::Instant;

use claw_types::tool::{FileWriteKind, NotebookEditMode, ToolInput, ToolOutput};

use super::edit::{replaced, steps_applied};
use super::lines::hunks_until;
use super::{FileDiff, FileStatus, Hunk};

/// The maximum size of the stored contents of a file, in bytes.
const LONGEST_TEXT: usize = 4 << 20;
/// The maximum total size of the hunks of single edits that are stored, in bytes.
const LONGEST_HUNKS: usize = 256 << 10;

/// The edits that tools have made to one file. The method [`diff`](Self::diff) combines them into one diff from the
/// contents of the file before the first edit to its current contents.
///
/// A `CombinedEdits` stores the contents before the first edit and after the last edit, at most 4 MiB each, and at most
/// 256 KiB of the hunks of the single edits. Its memory use does not grow with the number of edits beyond these limits.
#[derive(Debug, Clone, Default)]
pub struct CombinedEdits {
    first: Option<(String, Contents)>,
    last: Option<(String, Contents)>,
    edits: u64,
    added: u64,
    removed: u64,
    hunks: Vec<Hunk>,
    hunk_bytes: usize,
    is_cut: bool,
    /// Whether the line numbers of some hunks are not those of the file.
    is_unnumbered: bool,
}

/// The contents of a file before or after an edit, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Contents {
    /// The contents are unknown: no tool reported them, or they are too long.
    Unknown,
    /// The file did not exist.
    Missing,
    /// The file had this text.
    Text(String),
}

/// All edits of a file, combined into one change.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CombinedDiff {
    /// The change to the file, as a diff.
    pub diff: FileDiff,
    /// Whether `diff` compares the file before the first edit with the current file. If `false`, the contents before
    /// the first edit are unknown, and `diff` lists the hunks of the single edits one after the other.
    pub is_combined: bool,
    /// Whether hunks are missing from `diff` because they exceeded the size limit.
    pub is_cut: bool,
}

impl Contents {
    /// Creates contents from a text. If the text is longer than 4 MiB, the result is [`Contents::Unknown`].
    pub fn of(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.len() > LONGEST_TEXT {
            Self::Unknown
        } else {
            Self::Text(text)
        }
    }

    /// Returns the text of a file, which is empty if the file did not exist. Returns `None` if the text is unknown.
    fn text(&self) -> Option<&str> {
        match self {
            Self::Unknown => None,
            Self::Missing => Some(""),
            Self::Text(text) => Some(text),
        }
    }

    fn bytes(&self) -> usize {
        self.text().map_or(0, str::len)
    }
}

/// Returns the path of the file that a tool has changed, according to the tool's output. Returns `None` for tools that
/// change no file, for changes that failed, and for changes that a person must review before they are made.
pub fn changed_path(output: &ToolOutput) -> Option<&str> {
    match output {
        ToolOutput::Edit(edit) if edit.staged != Some(true) => Some(&edit.file_path),
        ToolOutput::MultiEdit(edit) => Some(&edit.file_path),
        ToolOutput::Write(write) if write.staged != Some(true) => Some(&write.file_path),
        ToolOutput::NotebookEdit(edit) if edit.error.as_deref().unwrap_or_default().is_empty() => {
            Some(&edit.notebook_path)
        }
        _ => None,
    }
}

/// Returns the path of the file that the model asks a tool to change. Returns `None` for tools that change no file.
pub fn path_to_change(input: &ToolInput) -> Option<&str> {
    match input {
        ToolInput::Edit(edit) => Some(&edit.file_path),
        ToolInput::MultiEdit(edit) => Some(&edit.file_path),
        ToolInput::Write(write) => Some(&write.file_path),
        ToolInput::NotebookEdit(edit) => Some(&edit.notebook_path),
        _ => None,
    }
}

impl CombinedEdits {
    /// Adds an edit. `at` is the time of the edit in ISO 8601. Edits may be added in any order. An output that changes
    /// no file is ignored.
    pub fn push(&mut self, at: &str, output: &ToolOutput) {
        if changed_path(output).is_none() {
            return;
        }
        self.add(at, FileDiff::of_output(output), |is_last| {
            contents(output, is_last)
        });
    }

    /// Adds an edit of which only the input is known. In the transcripts of sub-agents, for example, outputs are
    /// missing. `is_new` is true if the edit has created the file. `at` is the time of the edit in ISO 8601. An input
    /// that changes no file is ignored.
    pub fn push_input(&mut self, at: &str, input: &ToolInput, is_new: bool) {
        let Some(diff) = FileDiff::of_input(input) else {
            return;
        };
        self.add(at, Some(diff), |_| {
            let before = if is_new {
                Contents::Missing
            } else {
                Contents::Unknown
            };
            let after = match input {
                ToolInput::Write(write) => Contents::of(&*write.content),
                _ => Contents::Unknown,
            };
            (before, after)
        });
    }

    /// Adds an edit. `contents` returns the contents before and after the edit. Its argument is true if the contents
    /// after the edit are needed.
    fn add(
        &mut self,
        at: &str,
        diff: Option<FileDiff>,
        contents: impl FnOnce(bool) -> (Contents, Contents),
    ) {
        self.edits += 1;
        let is_first = self.first.as_ref().is_none_or(|(first, _)| at < &**first);
        let is_last = self.last.as_ref().is_none_or(|(last, _)| at >= &**last);
        if is_first || is_last {
            let (before, after) = contents(is_last);
            if is_first {
                self.first = Some((at.to_owned(), before));
            }
            if is_last {
                self.last = Some((at.to_owned(), after));
            }
        }
        if let Some(diff) = diff {
            self.added += diff.added;
            self.removed += diff.removed;
            self.is_unnumbered |= !diff.numbered;
            for hunk in diff.hunks {
                self.add_hunk(hunk);
            }
        }
    }

    fn add_hunk(&mut self, hunk: Hunk) {
        let bytes: usize = hunk.lines.iter().map(|line| line.text.len() + 1).sum();
        if self.is_cut || self.hunk_bytes + bytes > LONGEST_HUNKS {
            self.is_cut = true;
            return;
        }
        self.hunk_bytes += bytes;
        self.hunks.push(hunk);
    }

    /// Returns the number of edits.
    pub fn edits(&self) -> u64 {
        self.edits
    }

    /// Returns the size of the stored texts, in bytes.
    pub fn bytes(&self) -> usize {
        let of = |kept: &Option<(String, Contents)>| kept.as_ref().map_or(0, |(_, it)| it.bytes());
        of(&self.first) + of(&self.last) + self.hunk_bytes
    }

    /// Drops the stored texts to free their memory. The numbers of edits and of changed lines remain available.
    pub fn forget_texts(&mut self) {
        for (_, contents) in [&mut self.first, &mut self.last].into_iter().flatten() {
            *contents = Contents::Unknown;
        }
        self.is_cut |= !self.hunks.is_empty();
        self.hunks = Vec::new();
        self.hunk_bytes = 0;
    }

    /// Returns all edits of the file at `path` as one change. `now` is the current contents of the file. If `now` is
    /// [`Contents::Unknown`], the contents after the last edit are used. Returns `None` if the file is the same as
    /// before the first edit. The comparison stops at the time `until`. Passages that were not compared by then are
    /// reported as completely changed.
    pub fn diff(&self, path: &str, now: &Contents, until: Option<Instant>) -> Option<CombinedDiff> {
        let before = self.first.as_ref().map(|(_, contents)| contents);
        let before = before.unwrap_or(&Contents::Unknown);
        let after = self.last.as_ref().map(|(_, contents)| contents);
        let now = match now {
            Contents::Unknown => after.unwrap_or(&Contents::Unknown),
            known => known,
        };
        let status = match (before, now) {
            (Contents::Missing, Contents::Missing) => return None,
            (Contents::Missing, _) => FileStatus::Added,
            (_, Contents::Missing) => FileStatus::Deleted,
            _ => FileStatus::Modified,
        };
        let (Some(old), Some(new)) = (before.text(), now.text()) else {
            let mut diff = FileDiff::new(path, status, self.hunks.clone());
            (diff.added, diff.removed) = (self.added, self.removed);
            diff.numbered = !self.is_unnumbered;
            return Some(CombinedDiff {
                diff,
                is_combined: false,
                is_cut: self.is_cut,
            });
        };
        if status == FileStatus::Modified && old == new {
            return None;
        }
        Some(CombinedDiff {
            diff: FileDiff::new(path, status, hunks_until(old, new, until)),
            is_combined: true,
            is_cut: false,
        })
    }
}

/// Returns the contents before and after an edit. The contents after the edit are computed only if `is_last` is true.
fn contents(output: &ToolOutput, is_last: bool) -> (Contents, Contents) {
    let known = |text: Option<&String>| text.map_or(Contents::Unknown, Contents::of);
    let made = |text: &dyn Fn() -> Option<String>| {
        let text = if is_last { text() } else { None };
        text.map_or(Contents::Unknown, Contents::of)
    };
    match output {
        ToolOutput::Edit(edit) => {
            let old = edit.original_file.as_ref();
            let after = made(&|| {
                // If a person has changed the proposal, the strings of this edit are not what was written. So the
                // contents after the edit are unknown.
                let old = old.filter(|_| !edit.user_modified)?;
                let all = edit.replace_all;
                Some(replaced(old, &edit.old_string, &edit.new_string, all))
            });
            (known(old), after)
        }
        ToolOutput::MultiEdit(edit) => {
            let old = edit.original_file_contents.value();
            let after = made(&|| {
                let old = old.filter(|_| edit.user_modified != Some(true))?;
                Some(steps_applied(old, &edit.edits))
            });
            (known(old), after)
        }
        ToolOutput::Write(write) => {
            let before = match write.kind {
                FileWriteKind::Create => Contents::Missing,
                _ => known(write.original_file.as_ref()),
            };
            (before, made(&|| Some(write.content.clone())))
        }
        ToolOutput::NotebookEdit(edit) => {
            let is_new =
                edit.original_file.is_empty() && edit.edit_mode == NotebookEditMode::Insert;
            let before = if is_new {
                Contents::Missing
            } else {
                Contents::of(&*edit.original_file)
            };
            (before, made(&|| Some(edit.updated_file.clone())))
        }
        _ => (Contents::Unknown, Contents::Unknown),
    }
}
