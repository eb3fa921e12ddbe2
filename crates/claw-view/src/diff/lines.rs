//! Compares two texts line by line.

use std::time::Instant;

use similar::{
    Algorithm, DiffOp, DiffTag, capture_diff_slices, capture_diff_slices_deadline, group_diff_ops,
};

use super::{DiffLine, Hunk, LineKind};
use crate::text::count;

/// The number of unchanged lines that are shown before and after a change.
const CONTEXT: usize = 3;
/// The maximum length of a passage that is compared, in lines. A comparison takes quadratic time, so longer passages
/// are treated as completely changed.
const COMPARED: usize = 2_000;

/// Returns the hunks that turn `old` into `new`.
pub(super) fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    hunks_until(old, new, None)
}

/// Compares the texts, and returns the hunks that turn `old` into `new`. Without a deadline, long passages are not
/// compared. With a deadline, passages of any length are compared until the deadline. A passage that was not compared
/// is treated as completely changed.
pub(super) fn hunks_until(old: &str, new: &str, until: Option<Instant>) -> Vec<Hunk> {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let operations = match until {
        Some(_) => capture_diff_slices_deadline(Algorithm::Myers, &old, &new, until),
        None => operations(&old, &new),
    };
    group_diff_ops(operations, CONTEXT)
        .iter()
        .map(|group| hunk(group, &old, &new))
        .collect()
}

fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let from_end = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = from_end.take_while(|(a, b)| a == b).count();
    let (old_len, new_len) = (old_rest.len() - tail, new_rest.len() - tail);
    if old_len + new_len <= COMPARED {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal = |old_index, new_index, len| DiffOp::Equal {
        old_index,
        new_index,
        len,
    };
    let replaced = DiffOp::Replace {
        old_index: head,
        old_len,
        new_index: head,
        new_len,
    };
    let operations = [
        equal(0, 0, head),
        replaced,
        equal(head + old_len, head + new_len, tail),
    ];
    operations
        .into_iter()
        .filter(|operation| !operation.old_range().is_empty() || !operation.new_range().is_empty())
        .collect()
}

fn hunk(group: &[DiffOp], old: &[&str], new: &[&str]) -> Hunk {
    let mut lines = Vec::new();
    for operation in group {
        let (old_range, new_range) = (operation.old_range(), operation.new_range());
        if operation.tag() == DiffTag::Equal {
            let both = old_range.zip(new_range);
            lines.extend(both.map(|(at, to)| line(LineKind::Context, Some(at), Some(to), old[at])));
            continue;
        }
        lines.extend(old_range.map(|at| line(LineKind::Removed, Some(at), None, old[at])));
        lines.extend(new_range.map(|to| line(LineKind::Added, None, Some(to), new[to])));
    }
    of_lines(lines)
}

fn line(kind: LineKind, old: Option<usize>, new: Option<usize>, text: &str) -> DiffLine {
    let number = |index: usize| count(index) + 1;
    DiffLine {
        kind,
        old_line: old.map(number),
        new_line: new.map(number),
        text: text.to_owned(),
    }
}

/// Creates a hunk from numbered lines.
pub(super) fn of_lines(lines: Vec<DiffLine>) -> Hunk {
    let old = || lines.iter().filter_map(|line| line.old_line);
    let new = || lines.iter().filter_map(|line| line.new_line);
    Hunk {
        old_start: old().next().unwrap_or_default(),
        old_lines: count(old().count()),
        new_start: new().next().unwrap_or_default(),
        new_lines: count(new().count()),
        lines,
    }
}

/// Creates a hunk from the lines of a unified diff. Each line begins with its sign.
pub(super) fn of_patch<'a>(
    old_start: u64,
    new_start: u64,
    patch: impl IntoIterator<Item = &'a str>,
) -> Hunk {
    let (mut old, mut new) = (old_start, new_start);
    let mut lines = Vec::new();
    for text in patch {
        let (kind, text) = match text.as_bytes().first() {
            Some(b'-') => (LineKind::Removed, &text[1..]),
            Some(b'+') => (LineKind::Added, &text[1..]),
            Some(b' ') => (LineKind::Context, &text[1..]),
            // This line is a remark, for example that the last line has no line ending. It is not
            // part of the file, so it is skipped.
            Some(b'\\') => continue,
            // The line is empty, because its leading space was removed.
            _ => (LineKind::Context, text),
        };
        let old_line = (kind != LineKind::Added).then_some(old);
        let new_line = (kind != LineKind::Removed).then_some(new);
        old = old.saturating_add(u64::from(old_line.is_some()));
        new = new.saturating_add(u64::from(new_line.is_some()));
        lines.push(DiffLine {
            kind,
            old_line,
            new_line,
            text: text.to_owned(),
        });
    }
    let counted = |of: fn(&DiffLine) -> bool| count(lines.iter().filter(|line| of(line)).count());
    Hunk {
        old_start,
        old_lines: counted(|line| line.old_line.is_some()),
        new_start,
        new_lines: counted(|line| line.new_line.is_some()),
        lines,
    }
}
