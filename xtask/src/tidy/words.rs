//! Checks for words that must not occur in the project.

use super::{Finding, Project, errors};
use xtask::paths;
use xtask::workspace::has_extension;

/// A pattern, and the reason why it must not occur.
type Word = (&'static str, &'static str);

/// Patterns that must not occur in any file. They are split here, because the rule would otherwise find them in this
/// file.
const ANYWHERE: [Word; 5] = [
    (concat!("../", "shared"), "it lies outside the project"),
    (
        concat!("crates", ".io"),
        "the project does not care where packages come from",
    ),
    (
        concat!("npm", "js."),
        "the project does not care where packages come from",
    ),
    (
        concat!("pypi", ".org"),
        "the project does not care where packages come from",
    ),
    (
        concat!("python", "hosted"),
        "the project does not care where packages come from",
    ),
];

/// Patterns that must not occur in Rust code.
const IN_CODE: [Word; 3] = [
    (concat!("#[", "ignore"), "a test runs or goes"),
    (concat!("to", "do!"), "what is not done is not there"),
    (
        concat!("un", "implemented!"),
        "what is not done is not there",
    ),
];

/// Words that must not occur in comments of Rust code, because they announce later work. They may occur in data.
const IN_COMMENTS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

/// Files that this rule skips, each with the reason for the exemption.
const EXEMPT: [(&str, &str); 9] = [
    ("Cargo.lock", "cargo writes it"),
    ("bench/Cargo.lock", "cargo writes it"),
    ("conformance/testees/rust/Cargo.lock", "cargo writes it"),
    ("fuzz/Cargo.lock", "cargo writes it"),
    (
        "crates/claw-view/tests/it/progress/labels/",
        "what other tools print",
    ),
    ("schemas/downstream/rust/Cargo.lock", "cargo writes it"),
    ("xtask/src/paths.rs", "names what it looks for"),
    ("xtask/src/paths/tests.rs", "names what is looked for"),
    (
        "xtask/checks/src/fixtures/",
        "names what recordings are cleaned of",
    ),
];

/// Checks that no file contains a path of a particular machine, the host of a package registry, or a note about
/// postponed work.
pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    let texts = project.texts.iter().filter(|(path, _)| {
        !EXEMPT
            .iter()
            .any(|(exempt, _)| match exempt.strip_suffix('/') {
                Some(folder) => path.starts_with(folder),
                None => path == exempt,
            })
    });
    // Most files contain none of the patterns and need not be split into lines.
    let texts = texts.filter(|(_, text)| may_be_wrong(text));
    errors(texts.flat_map(|(path, text)| {
        text.lines().enumerate().flat_map(move |(index, line)| {
            wrong(path, line)
                .into_iter()
                .map(move |what| format!("{path}:{}: {what}", index + 1))
        })
    }))
}

/// Whether a text may contain a violation.
fn may_be_wrong(text: &str) -> bool {
    let mut words = ANYWHERE.iter().chain(&IN_CODE).map(|(word, _)| word);
    words.any(|word| paths::has(text, word))
        || IN_COMMENTS.iter().any(|word| paths::has(text, word))
        || paths::may_have_path(text)
}

/// Returns the violations in one line of a file.
fn wrong(path: &str, line: &str) -> Vec<String> {
    if !may_be_wrong(line) {
        return Vec::new();
    }
    let code = has_extension(path, "rs");
    let named = |&(word, why): &Word| line.contains(word).then(|| format!("`{word}`: {why}"));
    let mut found: Vec<_> = ANYWHERE.iter().filter_map(named).collect();
    if let Some(path) = paths::machine_path(line) {
        found.push(format!(
            "`{path}`: a folder of one machine (/home/user and /work/project are fixed names)"
        ));
    }
    if code {
        found.extend(IN_CODE.iter().filter_map(named));
        if let Some(comment) = line.find("//").map(|at| &line[at..]) {
            let mut words = comment.split(|c: char| !c.is_ascii_alphanumeric());
            found.extend(
                words
                    .find(|word| IN_COMMENTS.contains(word))
                    .map(|word| format!("`{word}`: an issue keeps it better than a comment")),
            );
        }
    } else if let Some(path) = paths::temporary_path(line) {
        found.push(format!("`{path}`: a temporary path, outside of code"));
    }
    found
}

#[cfg(test)]
mod tests;
