//! Makes the list of changed files from the edits of tools, the current files and the CLI's report about the
//! repository.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use claw_types::control::{DiffSource, GetWorkspaceDiffResponse, WorkspaceDiff};
use claw_view::diff::{FileDiff, workspace};

use super::{ChangeSource, ChangedFile, Changes, Edits, Place, Workspace};
use crate::worktree;

/// Maximum size of a file's hunks in a list, in bytes.
const FILE: usize = 128 << 10;
/// Maximum size of all hunks in a list, in bytes.
const LIST: usize = 1 << 20;
/// Maximum size of the hunks if one file is requested, in bytes.
const ONE_FILE: usize = 2 << 20;
/// Maximum time to compare one file with its earlier contents.
const COMPARE_FILE: Duration = Duration::from_millis(200);
/// Maximum time to compare all files of a list with their earlier contents.
const COMPARE_LIST: Duration = Duration::from_secs(2);

/// The requested part of the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All files with their hunks. The size of the hunks is limited.
    List,
    /// The files that tools have edited, without hunks.
    Summary,
    /// The file of this name in the list.
    File(String),
}

/// Returns the changes of a session. `reported` is the CLI's report, if it was requested. Blocks, because it reads the
/// edited files.
pub(crate) fn report(
    edits: &Edits,
    place: &Place,
    reported: Option<GetWorkspaceDiffResponse>,
    scope: &Scope,
) -> Changes {
    let mut changes = edited(edits, place, scope);
    changes.whole = !edits.is_cut();
    if let Some(reported) = reported {
        add_workspace(&mut changes, edits, place, reported);
    }
    if let Scope::File(name) = scope {
        changes.files.retain(|file| file.diff.path == *name);
    }
    bound(&mut changes.files, scope);
    changes
}

fn edited(edits: &Edits, place: &Place, scope: &Scope) -> Changes {
    let begin = Instant::now();
    let mut files = Vec::new();
    for (path, edits) in edits.files() {
        let name = place.name(path);
        if !place.contains(path) && is_plan(path) {
            continue;
        }
        if matches!(scope, Scope::File(one) if *one != name) {
            continue;
        }
        let until = (Instant::now() + COMPARE_FILE).min(begin + COMPARE_LIST);
        if let Some(combined) = edits.diff(&name, &place.now(path), Some(until)) {
            files.push(ChangedFile {
                diff: combined.diff,
                source: ChangeSource::Edits,
                edits: edits.edits(),
                inside: place.contains(path),
                combined: combined.is_combined,
                truncated: combined.is_cut,
            });
        }
    }
    files.sort_by(|one, other| one.diff.path.cmp(&other.diff.path));
    Changes {
        files,
        ..Changes::default()
    }
}

/// Adds the files that the CLI reports and that no tool has edited.
fn add_workspace(
    changes: &mut Changes,
    edits: &Edits,
    place: &Place,
    reported: GetWorkspaceDiffResponse,
) {
    let mut about = Workspace::default();
    match reported.diff {
        None => {
            let reason = reported.no_diff_reason.as_ref();
            let reason = reason.map_or("unknown", |reason| reason.as_str());
            about.problem = Some(reason.to_owned());
        }
        Some(diff) => {
            if let DiffSource::Branch(branch) = &diff.source {
                about.base_branch = Some(branch.base_branch.clone());
            }
            let is_omitted = diff.omitted.as_ref().is_some_and(|it| it.files.get() > 0);
            changes.whole &= !is_omitted;
            let edited: HashSet<_> = edits.files().map(|(path, _)| path).collect();
            changes.files.extend(of_workspace(&diff, place, &edited));
        }
    }
    changes.workspace = Some(about);
}

fn of_workspace(diff: &WorkspaceDiff, place: &Place, edited: &HashSet<&Path>) -> Vec<ChangedFile> {
    let root = repository(place.folder());
    let without_hunks: HashSet<_> = diff.skipped_large.iter().chain(&diff.restricted).collect();
    let mut files = Vec::new();
    for mut file in workspace(diff) {
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        // The paths are relative to the repository. Files in the worktrees of other sessions are not changes of this
        // session, so they are left out.
        if !Path::new(&file.path).components().all(is_plain) || worktree::is_below(&file.path) {
            continue;
        }
        if is_compiled(&file.path, file.added + file.removed) {
            continue;
        }
        let path = root.join(&file.path);
        if edited.contains(&*path) {
            continue;
        }
        let inside = place.contains(&path);
        let mut truncated = without_hunks.contains(&file.path);
        if !inside && !file.hunks.is_empty() {
            file.hunks.clear();
            truncated = true;
        }
        file.old_path = file.old_path.map(|old| place.name(&root.join(old)));
        file.path = place.name(&path);
        files.push(ChangedFile {
            diff: file,
            source: ChangeSource::Workspace,
            edits: 0,
            inside,
            combined: true,
            truncated,
        });
    }
    files.sort_by(|one, other| one.diff.path.cmp(&other.diff.path));
    files
}

/// Whether a file is a plan of the CLI, in the folder `plans` of a configuration folder. A plan belongs to the
/// conversation and is not listed as a change.
fn is_plan(path: &Path) -> bool {
    let folder = path.parent();
    let config_dir = folder.filter(|folder| folder.ends_with("plans"));
    path.extension().is_some_and(|extension| extension == "md")
        && config_dir
            .and_then(Path::parent)
            .is_some_and(|config_dir| config_dir.join("projects").is_dir())
}

/// The extensions of files that compilers write.
const COMPILED: [&str; 11] = [
    "pyc", "pyo", "class", "o", "obj", "a", "so", "dylib", "dll", "exe", "wasm",
];

/// Whether a file is the output of a compiler. `lines` is the number of its changed lines, which is 0 for a binary
/// file.
fn is_compiled(path: &str, lines: u64) -> bool {
    let extension = Path::new(path).extension();
    let is_known =
        |it: &std::ffi::OsStr| COMPILED.iter().any(|known| it.eq_ignore_ascii_case(known));
    lines == 0 && extension.is_some_and(is_known)
}

/// Returns the folder of the repository that contains a folder. Returns the folder itself if there is no repository.
fn repository(folder: &Path) -> PathBuf {
    let mut above = folder.ancestors();
    let root = above.find(|folder| folder.join(".git").exists());
    root.unwrap_or(folder).to_owned()
}

/// Removes the hunks that exceed the size limits.
fn bound(files: &mut [ChangedFile], scope: &Scope) {
    let (mut left, each) = match scope {
        Scope::Summary => (0, 0),
        Scope::List => (LIST, FILE),
        Scope::File(_) => (ONE_FILE, ONE_FILE),
    };
    for file in files {
        file.truncated |= file.diff.truncate(each.min(left));
        left -= bytes(&file.diff).min(left);
    }
}

/// Returns the size of the hunks' text, in bytes.
fn bytes(diff: &FileDiff) -> usize {
    let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    lines.map(|line| line.text.len() + 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_and_compiled_files_are_no_changes() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        std::fs::create_dir_all(at("config/projects")).unwrap();
        assert!(is_plan(&at("config/plans/calm-river.md")));
        for path in ["config/plans/a.rs", "config/a.md", "shop/plans/a.md"] {
            assert!(!is_plan(&at(path)), "{path}");
        }
        for (path, lines, expected) in [
            ("src/__pycache__/a.pyc", 0, true),
            ("A.CLASS", 0, true),
            ("a.pyc", 2, false),
            ("__init__.py", 0, false),
        ] {
            assert_eq!(is_compiled(path, lines), expected, "{path}");
        }
    }
}
