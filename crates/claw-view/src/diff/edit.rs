//! The changes that file-editing tools make.

use claw_types::tool::{
    EditStep, FileWriteKind, NotebookEditMode, PatchHunk, ToolInput, ToolOutput,
};

use super::lines::{hunks, of_patch};
use super::{FileDiff, FileStatus, Hunk};

impl FileDiff {
    /// The change that a tool is asked to make, for `Edit`, `MultiEdit`, `Write` and `NotebookEdit`. `None` for any
    /// other tool. Its line numbers are those of the passage.
    ///
    /// For `Write` it consists of the new contents, because the old contents are unknown.
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
        diff.numbered = false;
        Some(diff)
    }

    /// The change that a tool has made, with the line numbers of the file. `None` for tools that change no file, and if
    /// the output has no more information than the input.
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
                    edit.original_file_contents.value().map(|old| {
                        let new = edit.edits.iter().fold(old.clone(), |file, step| {
                            let all = step.replace_all == Some(true);
                            replaced(&file, &step.old_string, &step.new_string, all)
                        });
                        (old.as_str(), new)
                    })
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
                // Line numbers of a cell are not those of the file.
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

/// The change by the patch, or by the contents before and after.
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

/// The contents with a text replaced, once or everywhere.
fn replaced(file: &str, old: &str, new: &str, all: bool) -> String {
    if old.is_empty() {
        new.to_owned()
    } else if all {
        file.replace(old, new)
    } else {
        file.replacen(old, new, 1)
    }
}
