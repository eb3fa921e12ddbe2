//! The changes in a repository, as `claude` reports them.

use std::collections::HashMap;

use claw_types::control::{DiffStatus, WorkspaceDiff};

use super::lines::of_patch;
use super::{FileDiff, FileStatus, Hunk};

/// Returns the changed files that the response to `get_workspace_diff` lists, in the same order. Files that are binary,
/// too large or unreadable have no hunks.
pub fn workspace(diff: &WorkspaceDiff) -> Vec<FileDiff> {
    let mut hunks: HashMap<&str, Vec<Hunk>> = HashMap::new();
    for file in &diff.hunks {
        let of_file = hunks.entry(&file.path).or_default();
        of_file.extend(file.hunks.iter().map(|hunk| {
            let lines = hunk.lines.iter().map(String::as_str);
            of_patch(hunk.old_start.get(), hunk.new_start.get(), lines)
        }));
    }
    let mut files: Vec<_> = diff
        .per_file_stats
        .iter()
        .map(|file| {
            let status = match &file.status {
                Some(DiffStatus::Added) => FileStatus::Added,
                Some(DiffStatus::Removed) => FileStatus::Deleted,
                Some(DiffStatus::Renamed) => FileStatus::Renamed,
                Some(DiffStatus::Copied) => FileStatus::Copied,
                _ if file.is_untracked => FileStatus::Added,
                _ => FileStatus::Modified,
            };
            let of_file = hunks.remove(file.path.as_str()).unwrap_or_default();
            let path = file.new_path.as_ref().unwrap_or(&file.path);
            FileDiff {
                old_path: file.previous_path.clone(),
                // These counts come from the CLI. They also count lines that are missing from the
                // hunks, so they replace the counts of the hunks.
                added: file.added.get(),
                removed: file.removed.get(),
                binary: file.is_binary,
                ..FileDiff::new(path, status, of_file)
            }
        })
        .collect();
    // Adds the files for which the response contains hunks, but no counts.
    for file in &diff.hunks {
        if let Some(of_file) = hunks.remove(file.path.as_str()) {
            files.push(FileDiff::new(&file.path, FileStatus::Modified, of_file));
        }
    }
    files
}
