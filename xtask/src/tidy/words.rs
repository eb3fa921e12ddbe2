//! Words that stand nowhere in the project.

use super::{Finding, Project, errors};
use xtask::paths;
use xtask::workspace::has_extension;

/// A pattern, and why it does not belong.
type Word = (&'static str, &'static str);

/// Wrong in any file. (Here they are spelled in halves, lest the rule find itself.)
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

/// Wrong in Rust.
const IN_CODE: [Word; 3] = [
    (concat!("#[", "ignore"), "a test runs or goes"),
    (concat!("to", "do!"), "what is not done is not there"),
    (
        concat!("un", "implemented!"),
        "what is not done is not there",
    ),
];

/// Wrong in the comments of Rust, where they would be promises. (As data they may stand.)
const IN_COMMENTS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

/// Files that this rule leaves alone, and why.
const EXEMPT: [(&str, &str); 8] = [
    ("Cargo.lock", "cargo writes it"),
    ("bench/Cargo.lock", "cargo writes it"),
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

/// No path of one machine, no host of a package registry, no put-off work.
pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    let texts = project.texts.iter().filter(|(path, _)| {
        !EXEMPT
            .iter()
            .any(|(exempt, _)| match exempt.strip_suffix('/') {
                Some(folder) => path.starts_with(folder),
                None => path == exempt,
            })
    });
    // Most files have none of what is looked for, and need not be taken apart.
    let texts = texts.filter(|(_, text)| may_be_wrong(text));
    errors(texts.flat_map(|(path, text)| {
        text.lines().enumerate().flat_map(move |(index, line)| {
            wrong(path, line)
                .into_iter()
                .map(move |what| format!("{path}:{}: {what}", index + 1))
        })
    }))
}

/// Whether a text has anything that may be wrong.
fn may_be_wrong(text: &str) -> bool {
    let mut words = ANYWHERE.iter().chain(&IN_CODE).map(|(word, _)| word);
    words.any(|word| paths::has(text, word))
        || IN_COMMENTS.iter().any(|word| paths::has(text, word))
        || paths::may_have_path(text)
}

/// What is wrong with one line of a file.
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
