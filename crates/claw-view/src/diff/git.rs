//! Diffs as git prints them.

use super::lines::of_patch;
use super::{FileDiff, FileStatus};

/// Reads the output of `git diff`, or any unified diff, file by file. Text before the first file and between hunks is
/// ignored. If the text is not a diff, the list is empty.
///
/// ```
/// let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n";
/// let files = claw_view::diff::git(diff);
/// assert_eq!(files[0].path, "x");
/// assert_eq!(files[0].summary(), "Added 2 lines, removed 1 line");
/// ```
pub fn git(text: &str) -> Vec<FileDiff> {
    let mut files = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            let (old, new) = both_names(names);
            let mut file = FileDiff::new(new, FileStatus::Modified, Vec::new());
            file.old_path = Some(old);
            files.push(file);
        } else if let Some(hunk) = line.strip_prefix("@@ ").and_then(header) {
            let Some(file) = files.last_mut() else {
                continue;
            };
            let (mut old, mut new) = (hunk.old_lines, hunk.new_lines);
            let body = std::iter::from_fn(|| {
                // The header of a hunk contains the number of its lines. So lines inside the hunk are its content, even
                // if they look like a header.
                let (old_left, new_left) = match lines.peek()?.as_bytes().first() {
                    Some(b'-') => (old.checked_sub(1)?, new),
                    Some(b'+') => (old, new.checked_sub(1)?),
                    Some(b'\\') => (old, new),
                    Some(b' ') | None => (old.checked_sub(1)?, new.checked_sub(1)?),
                    _ => return None,
                };
                (old, new) = (old_left, new_left);
                lines.next()
            });
            file.hunks
                .push(of_patch(hunk.old_start, hunk.new_start, body));
        } else if let (Some(name), Some(new)) = (
            line.strip_prefix("--- "),
            lines.peek().and_then(|next| next.strip_prefix("+++ ")),
        ) {
            let (old, new) = (one_name(name), one_name(new));
            lines.next();
            if files.last().is_none_or(|file| !file.hunks.is_empty()) {
                // No `diff --git` line precedes this file, because the diff is not from git.
                files.push(FileDiff::new("", FileStatus::Modified, Vec::new()));
            }
            let Some(file) = files.last_mut() else {
                continue;
            };
            match (old, new) {
                (None, Some(new)) => {
                    file.status = FileStatus::Added;
                    file.path = new;
                }
                (Some(old), None) => {
                    file.status = FileStatus::Deleted;
                    file.path = old;
                }
                (Some(old), Some(new)) => {
                    file.old_path = Some(old);
                    file.path = new;
                }
                (None, None) => {}
            }
        } else if let Some(file) = files.last_mut() {
            mark(file, line);
        }
    }
    for file in &mut files {
        file.count();
        if file.old_path.as_ref() == Some(&file.path)
            || matches!(file.status, FileStatus::Added | FileStatus::Deleted)
        {
            file.old_path = None;
        }
    }
    files
}

/// Applies a line of git's extended header to a file.
fn mark(file: &mut FileDiff, line: &str) {
    let name = |prefix| line.strip_prefix(prefix).map(unquoted);
    if line.starts_with("new file mode ") {
        file.status = FileStatus::Added;
    } else if line.starts_with("deleted file mode ") {
        file.status = FileStatus::Deleted;
    } else if let Some(old) = name("rename from ") {
        (file.status, file.old_path) = (FileStatus::Renamed, Some(old));
    } else if let Some(old) = name("copy from ") {
        (file.status, file.old_path) = (FileStatus::Copied, Some(old));
    } else if let Some(new) = name("rename to ").or_else(|| name("copy to ")) {
        file.path = new;
    } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
        file.binary = true;
    }
}

struct Header {
    old_start: u64,
    old_lines: u64,
    new_start: u64,
    new_lines: u64,
}

/// Parses a hunk header, such as `-1,7 +1,8 @@ …`.
fn header(text: &str) -> Option<Header> {
    let (ranges, _) = text.split_once(" @@")?;
    let (old, new) = ranges.split_once(' ')?;
    let range = |text: &str| {
        let (start, lines) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, lines.parse().ok()?))
    };
    let (old_start, old_lines) = range(old.strip_prefix('-')?)?;
    let (new_start, new_lines) = range(new.strip_prefix('+')?)?;
    Some(Header {
        old_start,
        old_lines,
        new_start,
        new_lines,
    })
}

/// Returns the name on a `---` or `+++` line. Returns `None` if the file does not exist on that side of the diff.
fn one_name(text: &str) -> Option<String> {
    // A tab and a time may follow the name. They are removed.
    let text = text.split('\t').next().unwrap_or(text);
    let name = unquoted(text);
    (name != "/dev/null").then(|| without_side(&name).to_owned())
}

/// Returns the two names in a text such as `a/old b/new`. If a name contains a space, the result may be wrong. Later
/// lines of the diff then correct it.
fn both_names(text: &str) -> (String, String) {
    let split = if text.starts_with('"') {
        text.find("\" ").map(|at| at + 1)
    } else {
        let ends: Vec<_> = text.match_indices(" b/").map(|(at, _)| at).collect();
        let same = |at: &usize| without_side(&text[..*at]) == without_side(&text[at + 1..]);
        let same = ends.iter().copied().find(same);
        same.or_else(|| ends.first().copied())
            .or_else(|| text.find(' '))
    };
    let (old, new) = match split {
        Some(at) => (&text[..at], text[at..].trim_start()),
        None => (text, text),
    };
    let name = |text| without_side(&unquoted(text)).to_owned();
    (name(old), name(new))
}

fn without_side(name: &str) -> &str {
    let sides = ["a/", "b/"];
    let side = sides.iter().find_map(|side| name.strip_prefix(side));
    side.unwrap_or(name)
}

/// Returns a name without git's quotes and escapes.
fn unquoted(text: &str) -> String {
    let Some(inside) = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
    else {
        return text.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inside.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(first @ b'0'..=b'3') => {
                let digits = [Some(first), rest.next(), rest.next()];
                let value = digits.into_iter().flatten().fold(0_u8, |value, digit| {
                    value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'))
                });
                bytes.push(value);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
