//! Changes of files. A diff of version 1 contains the texts before and after a change. A diff of version 2 contains a
//! patch.

use std::fmt::Write as _;
use std::path::Path;

use agent_client_protocol::v1::schema::Diff as TextDiff;
use agent_client_protocol::v1::schema::Meta;
use agent_client_protocol::v2::schema::{
    Diff, DiffChange, DiffChangeOperation, DiffFileType, DiffPatch, DiffPathChange,
    DiffPathPairChange,
};
use claw_view::diff::{FileDiff, FileStatus, LineKind};
use serde_json::json;

/// The members of `_meta` in which [`carry`] stores a change for [`unpack`].
const PATCH: &str = "patch";
const STATUS: &str = "status";
const OLD_PATH: &str = "oldPath";

/// Returns the change of a file as a diff of version 1, which [`unpack`] converts to a diff of version 2.
pub(crate) fn carry(diff: &FileDiff) -> TextDiff {
    let mut meta = Meta::new();
    meta.insert(PATCH.to_owned(), json!(patch(diff)));
    meta.insert(STATUS.to_owned(), json!(status(diff.status)));
    if let Some(old) = &diff.old_path {
        meta.insert(OLD_PATH.to_owned(), json!(old));
    }
    TextDiff::new(&diff.path, "").meta(meta)
}

/// Returns the diff of version 2 that [`carry`] stored in a diff of version 1. Returns `None` if a path is not
/// absolute.
pub(super) fn unpack(diff: &TextDiff) -> Option<Diff> {
    let meta = diff.meta.as_ref()?;
    let text = |name: &str| meta.get(name)?.as_str();
    let is_absolute = |path: &Path| path.is_absolute();
    let path = Some(&*diff.path).filter(|path| is_absolute(path))?;
    let one = || DiffPathChange::new(path);
    let old = text(OLD_PATH).map(Path::new);
    let operation = match (text(STATUS)?, old) {
        ("added", _) => DiffChangeOperation::Add(one()),
        ("deleted", _) => DiffChangeOperation::Delete(one()),
        ("renamed", Some(old)) if is_absolute(old) => {
            DiffChangeOperation::Move(DiffPathPairChange::new(old, path))
        }
        ("copied", Some(old)) if is_absolute(old) => {
            DiffChangeOperation::Copy(DiffPathPairChange::new(old, path))
        }
        _ => DiffChangeOperation::Modify(one()),
    };
    let change = DiffChange::new(operation).file_type(DiffFileType::Text);
    Some(Diff::new(vec![change]).with_patch(DiffPatch::new(text(PATCH)?)))
}

fn status(status: FileStatus) -> &'static str {
    match status {
        FileStatus::Added => "added",
        FileStatus::Deleted => "deleted",
        FileStatus::Renamed => "renamed",
        FileStatus::Copied => "copied",
        _ => "modified",
    }
}

/// Returns a change as a patch in the form of git. If the position of a passage in the file is unknown, the line
/// numbers count from the start of the passage.
fn patch(diff: &FileDiff) -> String {
    let old = diff.old_path.as_deref().unwrap_or(&diff.path);
    let (old, new) = (name("a", old), name("b", &diff.path));
    let mut text = format!("diff --git {old} {new}\n");
    match diff.status {
        FileStatus::Added => text.push_str("new file mode 100644\n"),
        FileStatus::Deleted => text.push_str("deleted file mode 100644\n"),
        _ => {}
    }
    let is = |status| diff.status == status;
    let old = if is(FileStatus::Added) {
        "/dev/null"
    } else {
        &old
    };
    let new = if is(FileStatus::Deleted) {
        "/dev/null"
    } else {
        &new
    };
    if !diff.hunks.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "--- {old}\n+++ {new}");
    }
    for hunk in &diff.hunks {
        let count = |other| hunk.lines.iter().filter(|line| line.kind != other).count();
        let start = |start: u64, count: usize| if count == 0 { 0 } else { start.max(1) };
        let (before, after) = (count(LineKind::Added), count(LineKind::Removed));
        let (from, to) = (start(hunk.old_start, before), start(hunk.new_start, after));
        let _ = writeln!(text, "@@ -{from},{before} +{to},{after} @@");
        for line in &hunk.lines {
            let sign = match line.kind {
                LineKind::Added => '+',
                LineKind::Removed => '-',
                _ => ' ',
            };
            text.push(sign);
            text.push_str(&line.text);
            text.push('\n');
        }
    }
    text
}

/// Returns a path below `a` or `b`, in quotes where git needs them.
fn name(side: &str, path: &str) -> String {
    let slash = if path.starts_with('/') { "" } else { "/" };
    let plain = format!("{side}{slash}{path}");
    let is_special = |letter: char| letter.is_control() || matches!(letter, '"' | '\\');
    if !plain.contains(is_special) {
        return plain;
    }
    let mut quoted = String::from("\"");
    for letter in plain.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            letter if letter.is_control() => {
                for byte in letter.to_string().bytes() {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use claw_view::diff::git;

    use super::*;

    #[test]
    fn a_patch_is_read_again_by_gits_reader() {
        for text in [
            "diff --git a/w/a.rs b/w/a.rs\n--- a/w/a.rs\n+++ b/w/a.rs\n@@ -7,3 +7,4 @@\n one\n-two\n+2\n+3\n three\n",
            "diff --git a/w/n b/w/n\nnew file mode 100644\n--- /dev/null\n+++ b/w/n\n@@ -0,0 +1,1 @@\n+one\n",
            "diff --git a/w/n b/w/n\ndeleted file mode 100644\n--- a/w/n\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-one\n",
        ] {
            let [diff] = &git(text)[..] else {
                panic!("{text}");
            };
            assert_eq!(patch(diff), text);
        }
    }

    #[test]
    fn a_name_with_a_line_end_stays_in_its_line() {
        assert_eq!(name("a", "/w/a b"), "a/w/a b");
        assert_eq!(name("b", "/w/a\n\"\u{1b}"), "\"b/w/a\\n\\\"\\033\"");
    }

    #[test]
    fn a_change_of_a_relative_path_is_no_diff() {
        let [mut diff] = <[_; 1]>::try_from(git(
            "diff --git a/n b/n\n--- a/n\n+++ b/n\n@@ -1,1 +1,1 @@\n-a\n+b\n",
        ))
        .unwrap();
        assert!(unpack(&carry(&diff)).is_none());
        diff.path = "/w/n".to_owned();
        assert!(unpack(&carry(&diff)).is_some());
    }
}
