//! The changes that file-editing tools make.

use claw_types::tool::{
    EditStep, FileWriteKind, NotebookEditMode, PatchHunk, ToolInput, ToolOutput,
};

use super::lines::{hunks, of_patch};
use super::{FileDiff, FileStatus, Hunk};

/// The maximum size of a file that is read to determine line numbers, in bytes.
const LARGEST_READ: u64 = 4 << 20;

impl FileDiff {
    /// Returns the change that the model asks a tool to make. Returns `None` for tools other than `Edit`, `MultiEdit`,
    /// `Write` and `NotebookEdit`. The line numbers count from the start of the changed passage; for `Write`, they
    /// count from the start of the file.
    ///
    /// For `Write`, the change only adds the new contents of the file, because the old contents are unknown.
    pub fn of_input(input: &ToolInput) -> Option<Self> {
        let mut diff = match input {
            ToolInput::Edit(edit) => Self::new(
                &edit.file_path,
                FileStatus::Modified,
                hunks(&edit.old_string, &edit.new_string),
            ),
            ToolInput::MultiEdit(edit) => Self::new(
                &edit.file_path,
                FileStatus::Modified,
                edit.edits.iter().flat_map(step).collect(),
            ),
            ToolInput::Write(write) => Self::new(
                &write.file_path,
                FileStatus::Modified,
                hunks("", &write.content),
            ),
            ToolInput::NotebookEdit(edit) => {
                let hunks = match edit.edit_mode {
                    Some(NotebookEditMode::Delete) => Vec::new(),
                    _ => hunks("", &edit.new_source),
                };
                Self::new(&edit.notebook_path, FileStatus::Modified, hunks)
            }
            _ => return None,
        };
        // `Write` replaces the whole file, so the line numbers are those of the file.
        diff.numbered = matches!(input, ToolInput::Write(_));
        Some(diff)
    }

    /// Returns the change that the model asks a tool to make, with the line numbers of the file. `contents` is the text
    /// of the file before the change. If `contents` does not contain the text to replace, the result is the same as for
    /// [`of_input`](Self::of_input).
    pub fn of_input_in(input: &ToolInput, contents: &str) -> Option<Self> {
        let (path, changed) = match input {
            ToolInput::Edit(edit) => (&edit.file_path, {
                let all = edit.replace_all == Some(true);
                replaced_once(contents, &edit.old_string, &edit.new_string, all)
            }),
            ToolInput::MultiEdit(edit) => (
                &edit.file_path,
                edit.edits
                    .iter()
                    .try_fold(contents.to_owned(), |file, step| {
                        let all = step.replace_all == Some(true);
                        replaced_once(&file, &step.old_string, &step.new_string, all)
                    }),
            ),
            ToolInput::Write(write) => (&write.file_path, Some(write.content.clone())),
            _ => return Self::of_input(input),
        };
        match changed {
            Some(changed) => Some(Self::new(
                path,
                FileStatus::Modified,
                hunks(contents, &changed),
            )),
            None => Self::of_input(input),
        }
    }

    /// Returns the change that the model asks a tool to make, with the line numbers of the file on this machine's disk.
    /// Use this method to show the change to a person who is asked for permission. If the file cannot be read, is
    /// larger than 4 MiB, or does not contain the text to replace, the result is the same as for
    /// [`of_input`](Self::of_input). The method blocks while it reads the file.
    pub fn on_disk(input: &ToolInput) -> Option<Self> {
        let path = match input {
            ToolInput::Edit(edit) => &edit.file_path,
            ToolInput::MultiEdit(edit) => &edit.file_path,
            ToolInput::Write(write) => &write.file_path,
            _ => return Self::of_input(input),
        };
        // Devices and pipes are not read, because they may have no end.
        let is_read =
            std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST_READ);
        let contents = is_read.then(|| std::fs::read_to_string(path).ok());
        match contents.flatten() {
            Some(contents) => Self::of_input_in(input, &contents),
            None => Self::of_input(input),
        }
    }

    /// Returns the change that a tool has made, with the line numbers of the file. Returns `None` for tools that change
    /// no file. Also returns `None` if the tool's output says no more about the change than its input.
    pub fn of_output(output: &ToolOutput) -> Option<Self> {
        match output {
            ToolOutput::Edit(edit) => {
                let changed = || {
                    edit.original_file.as_ref().map(|old| {
                        let all = edit.replace_all;
                        (
                            old.as_str(),
                            replaced(old, &edit.old_string, &edit.new_string, all),
                        )
                    })
                };
                of_file(&edit.file_path, Some(&edit.structured_patch), changed)
            }
            ToolOutput::MultiEdit(edit) => {
                let changed = || {
                    edit.original_file_contents
                        .value()
                        .map(|old| (old.as_str(), steps_applied(old, &edit.edits)))
                };
                of_file(&edit.file_path, edit.structured_patch.as_deref(), changed)
            }
            ToolOutput::Write(write) => {
                let old = match write.kind {
                    FileWriteKind::Create => Some(""),
                    _ => write.original_file.as_deref(),
                };
                let changed = || old.map(|old| (old, write.content.clone()));
                let mut diff = of_file(&write.file_path, Some(&write.structured_patch), changed)?;
                if write.kind == FileWriteKind::Create {
                    diff.status = FileStatus::Added;
                }
                Some(diff)
            }
            ToolOutput::NotebookEdit(edit) => {
                let new = match edit.edit_mode {
                    NotebookEditMode::Delete => "",
                    _ => &edit.new_source,
                };
                let old = edit.old_source.as_deref().unwrap_or_default();
                let mut diff =
                    Self::new(&edit.notebook_path, FileStatus::Modified, hunks(old, new));
                // The lines are counted from the start of the cell, not of the file.
                diff.numbered = false;
                Some(diff)
            }
            _ => None,
        }
    }
}

fn step(step: &EditStep) -> Vec<Hunk> {
    hunks(&step.old_string, &step.new_string)
}

/// Returns the change that the patch describes. If there is no patch, compares the contents before the change with
/// those after it.
fn of_file<'a>(
    file: &str,
    patch: Option<&[PatchHunk]>,
    changed: impl FnOnce() -> Option<(&'a str, String)>,
) -> Option<FileDiff> {
    let hunks = match patch {
        Some(patch) if !patch.is_empty() => patch.iter().map(of_hunk).collect(),
        _ => changed().map(|(old, new)| hunks(old, &new))?,
    };
    Some(FileDiff::new(file, FileStatus::Modified, hunks))
}

fn of_hunk(hunk: &PatchHunk) -> Hunk {
    let lines = hunk.lines.iter().map(String::as_str);
    of_patch(hunk.old_start.get(), hunk.new_start.get(), lines)
}

/// Returns the contents after a replacement that follows the rules of the tools. With `all`, every match is replaced.
/// Otherwise, the text must have exactly one match. Returns `None` if the tools would refuse the replacement.
fn replaced_once(file: &str, old: &str, new: &str, all: bool) -> Option<String> {
    let is_found = match file.matches(old).take(2).count() {
        _ if old.is_empty() => file.is_empty(),
        0 => false,
        1 => true,
        _ => all,
    };
    is_found.then(|| replaced(file, old, new, all))
}

/// Returns the contents after several consecutive replacements.
pub(super) fn steps_applied(file: &str, steps: &[EditStep]) -> String {
    steps.iter().fold(file.to_owned(), |file, step| {
        let all = step.replace_all == Some(true);
        replaced(&file, &step.old_string, &step.new_string, all)
    })
}

/// Returns the contents after a replacement of the first match or of all matches.
pub(super) fn replaced(file: &str, old: &str, new: &str, all: bool) -> String {
    if old.is_empty() {
        new.to_owned()
    } else if all {
        file.replace(old, new)
    } else {
        file.replacen(old, new, 1)
    }
}
