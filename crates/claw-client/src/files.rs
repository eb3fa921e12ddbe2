//! Completion of file names: searches the files of a project for a name that a person is typing.
//!
//! A host that lets a person mention files, as `@src/main.rs` in a prompt, completes their names with [`search`].

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool};
use std::time::{Duration, Instant};

use ignore::{DirEntry, WalkBuilder};
use serde::{Deserialize, Serialize};

/// Files and folders of a project that match a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileMatches {
    /// The names of the files and folders, relative to the project's folder, the best match first. The name of a folder
    /// ends with `/`.
    pub files: Vec<String>,
    /// Whether the whole project was searched. If not, the project has more files than [`Bounds::entries`], the search
    /// took longer than [`Bounds::time`], or [`Bounds::end`] ended it.
    pub whole: bool,
}

/// The bounds of a search. Create a value with [`Bounds::default`], and change its fields.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Bounds {
    /// The maximum number of files and folders that the search visits.
    pub entries: usize,
    /// The maximum duration of the search.
    pub time: Duration,
    /// The maximum number of results.
    pub results: usize,
    /// Ends the search once this flag is true. It is read before each file and folder.
    pub end: Arc<AtomicBool>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            entries: 50_000,
            time: Duration::from_millis(500),
            results: 30,
            end: Arc::default(),
        }
    }
}

/// A name with its rank as a match. The smallest value is the best match.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    class: u8,
    depth: usize,
    length: usize,
    name: String,
}

/// Searches the files of a project for names that match a text. Files that git ignores are left out; hidden files are
/// included. Symbolic links are not followed, and links that lead out of the project are left out. The text is only
/// compared with names of files in the project; it is never used as a path. The call blocks the thread.
pub fn search(folder: &Path, text: &str, bounds: &Bounds) -> FileMatches {
    let begin = Instant::now();
    let text = text.to_lowercase();
    let mut best = BinaryHeap::new();
    let mut whole = true;
    let walk = WalkBuilder::new(folder)
        .standard_filters(false)
        .parents(true)
        .git_ignore(true)
        .git_global(true)
        .git_exclude(true)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    // The first entry is the folder itself. Unreadable entries are skipped.
    for (count, entry) in walk.skip(1).enumerate() {
        let is_ended = bounds.end.load(atomic::Ordering::Relaxed);
        if is_ended || count >= bounds.entries || begin.elapsed() >= bounds.time {
            whole = false;
            break;
        }
        let Ok(entry) = entry else { continue };
        let Some(ranked) = name(folder, &entry).and_then(|name| rank(name, &text)) else {
            continue;
        };
        best.push(ranked);
        if best.len() > bounds.results {
            best.pop();
        }
    }
    let files = best.into_sorted_vec().into_iter().map(|it| it.name);
    FileMatches {
        files: files.collect(),
        whole,
    }
}

/// Returns the name of an entry as it is written after `@`.
fn name(folder: &Path, entry: &DirEntry) -> Option<String> {
    let kind = entry.file_type()?;
    let is_folder = if kind.is_symlink() {
        let real = entry.path().canonicalize().ok()?;
        if !real.starts_with(folder) {
            return None;
        }
        real.is_dir()
    } else {
        kind.is_dir()
    };
    if !(is_folder || kind.is_file() || kind.is_symlink()) {
        return None;
    }
    let parts = entry.path().strip_prefix(folder).ok()?;
    let parts: Option<Vec<_>> = parts.iter().map(|part| part.to_str()).collect();
    let mut name = parts?.join("/");
    if is_folder {
        name.push('/');
    }
    // A person cannot type such a name, and the CLI would not read it, so it is left out.
    (!name
        .chars()
        .any(|letter| letter.is_control() || letter == '"'))
    .then_some(name)
}

/// Ranks a name as a match for the text. `None` if it does not match.
fn rank(name: String, text: &str) -> Option<Ranked> {
    let lower = name.to_lowercase();
    let whole = lower.trim_end_matches('/');
    let last = whole.rsplit('/').next().unwrap_or(whole);
    let class = match () {
        () if text.is_empty() || whole == text || lower == text => 0,
        () if last == text => 1,
        () if last.starts_with(text) => 2,
        () if lower.starts_with(text) => 3,
        () if last.contains(text) => 4,
        () if lower.contains(text) => 5,
        () if has_subsequence(last, text) => 6,
        () if has_subsequence(&lower, text) => 7,
        () => return None,
    };
    Some(Ranked {
        class,
        depth: whole.matches('/').count(),
        length: if text.is_empty() { 0 } else { name.len() },
        name,
    })
}

/// Whether a name contains the letters of a text, in this order.
fn has_subsequence(name: &str, text: &str) -> bool {
    let mut letters = name.chars();
    text.chars().all(|letter| {
        letters
            .by_ref()
            .any(|other| other.cmp(&letter) == Ordering::Equal)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(folder: &Path, text: &str) -> Vec<String> {
        search(folder, text, &Bounds::default()).files
    }

    fn project() -> (tempfile::TempDir, std::path::PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().canonicalize().unwrap().join("shop");
        for name in ["src/deep", ".git", ".github", "target"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        for name in [
            "src/main.rs",
            "src/deep/domain.rs",
            "src/deep/mail.rs",
            ".github/ci.yml",
            ".git/config",
            "target/main.o",
            "secret.key",
            "a b.txt",
            "README.md",
        ] {
            fs::write(folder.join(name), "").unwrap();
        }
        fs::write(folder.join(".gitignore"), "target/\n*.key\n").unwrap();
        (root, folder)
    }

    #[test]
    fn names_are_those_in_git_and_the_best_match_is_first() {
        let (_root, folder) = project();
        assert_eq!(
            found(&folder, ""),
            [
                ".github/",
                ".gitignore",
                "README.md",
                "a b.txt",
                "src/",
                ".github/ci.yml",
                "src/deep/",
                "src/main.rs",
                "src/deep/domain.rs",
                "src/deep/mail.rs"
            ]
        );
        assert_eq!(
            found(&folder, "mai"),
            ["src/main.rs", "src/deep/mail.rs", "src/deep/domain.rs"]
        );
        assert_eq!(found(&folder, "SRC/d")[0], "src/deep/");
        assert_eq!(found(&folder, "rdme"), ["README.md"]);
        assert!(found(&folder, "config").is_empty() && found(&folder, "secret").is_empty());
    }

    #[test]
    fn no_text_leads_out_of_the_project() {
        let (root, folder) = project();
        fs::create_dir(root.path().join("other")).unwrap();
        fs::write(root.path().join("other/password"), "").unwrap();
        let absolute = root.path().join("other/password").display().to_string();
        for text in [
            "..",
            "../",
            "../other",
            "../other/password",
            "/",
            "/etc/passwd",
            &absolute,
            "\0",
        ] {
            assert!(
                found(&folder, text)
                    .iter()
                    .all(|name| !name.contains("password")),
                "{text:?}"
            );
        }
        for text in ["../", "/etc/passwd", &absolute] {
            assert!(found(&folder, text).is_empty(), "{text:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_those_that_lead_out_are_not_named() {
        use std::os::unix::fs::symlink;
        let (root, folder) = project();
        fs::create_dir(root.path().join("other")).unwrap();
        fs::write(root.path().join("other/password"), "").unwrap();
        symlink(root.path().join("other"), folder.join("out")).unwrap();
        symlink(root.path().join("other/password"), folder.join("password")).unwrap();
        symlink("../other", folder.join("up")).unwrap();
        symlink(&folder, folder.join("src/again")).unwrap();
        symlink("main.rs", folder.join("src/link.rs")).unwrap();
        symlink("nowhere", folder.join("broken")).unwrap();
        let all = found(&folder, "");
        for name in ["out", "password", "up", "broken"] {
            assert!(
                !all.iter().any(|it| it.starts_with(name)),
                "{name} in {all:?}"
            );
        }
        assert!(all.contains(&"src/link.rs".to_owned()) && all.contains(&"src/again/".to_owned()));
        assert!(!all.iter().any(|name| name.starts_with("src/again/s")));
    }

    #[test]
    fn a_search_is_bounded_and_reports_that() {
        let (_root, folder) = project();
        let few = Bounds {
            entries: 3,
            ..Bounds::default()
        };
        let cut = search(&folder, "", &few);
        assert!(!cut.whole && cut.files.len() <= 3);
        let soon = Bounds {
            time: Duration::ZERO,
            ..Bounds::default()
        };
        assert_eq!(search(&folder, "", &soon), FileMatches::default());
        let two = Bounds {
            results: 2,
            ..Bounds::default()
        };
        let best = search(&folder, "", &two);
        assert_eq!((best.files.len(), best.whole), (2, true));
        let ended = Bounds {
            end: Arc::new(AtomicBool::new(true)),
            ..Bounds::default()
        };
        assert_eq!(search(&folder, "", &ended), FileMatches::default());
    }
}
