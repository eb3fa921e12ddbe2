//! Checks that comments contain few idioms. Comments should be short sentences in standard terms of the field.

use std::collections::BTreeMap;

use super::{Finding, Project, errors};

/// Idioms that hide who does what. Each is a sequence of words.
const IDIOMS: [&str; 27] = [
    "told",
    "tells",
    "whoever",
    "whatever",
    "anew",
    "goes on",
    "go on",
    "by now",
    "nobody",
    "anybody",
    "once more",
    "heard",
    "hears",
    "says so",
    "said so",
    "of theirs",
    "else s",
    "for good",
    "let go",
    "lets go",
    "in the place of",
    "is over",
    "at all",
    "has gone",
    "have gone",
    "somebody",
    "anyone s",
];

/// The maximum number of idioms in 1,000 lines of comments.
const MOST: usize = 15;

/// The comments of a crate.
#[derive(Default)]
struct Comments {
    lines: usize,
    /// Each found idiom, with its file and line.
    idioms: Vec<String>,
}

pub(super) fn check(project: &Project<'_>) -> Vec<Finding> {
    errors(findings(project.rust()))
}

fn findings<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<String> {
    let mut crates: BTreeMap<&str, Comments> = BTreeMap::new();
    for (path, text) in files {
        let Some(name) = crate_of(path) else { continue };
        let comments = crates.entry(name).or_default();
        // In a file of code, the tests come after all other code.
        let code = text.lines().take_while(|line| *line != "#[cfg(test)]");
        for (number, line) in code.enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                continue;
            };
            comments.lines += 1;
            let found = idioms(comment).map(|idiom| format!("{path}:{} {idiom}", number + 1));
            comments.idioms.extend(found);
        }
    }
    let many = crates
        .into_iter()
        .filter(|(_, comments)| comments.idioms.len() * 1000 > comments.lines * MOST);
    many.map(|(name, comments)| {
        format!(
            "{name} has {} idioms in {} lines of comments, over {MOST} in 1,000: {}",
            comments.idioms.len(),
            comments.lines,
            comments.idioms.join(", ")
        )
    })
    .collect()
}

/// Returns the name of the crate to which a file of code belongs. Returns `None` for tests.
fn crate_of(path: &str) -> Option<&str> {
    let is_test = path.contains("/tests/") || path.ends_with("tests.rs");
    let mut parts = path.split('/');
    let name = match parts.next()? {
        "crates" => parts.next()?,
        name => name,
    };
    (!is_test && path.contains("/src/")).then_some(name)
}

/// Returns the idioms that a comment contains.
fn idioms(comment: &str) -> impl Iterator<Item = &'static str> {
    let words = comment.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    let text = format!(" {words} ");
    IDIOMS.into_iter().flat_map(move |idiom| {
        let count = text.matches(&format!(" {idiom} ")).count();
        std::iter::repeat_n(idiom, count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idioms_are_found_as_words() {
        let found = |comment| idioms(comment).collect::<Vec<_>>();
        assert_eq!(
            found("/ Whoever is told, goes\ton."),
            ["told", "whoever", "goes on"]
        );
        assert_eq!(found(" Somebody else's."), ["else s", "somebody"]);
        assert!(found(" An untold number, goes one by one.").is_empty());
    }

    #[test]
    fn a_crate_may_have_few() {
        let many = "/// Told.\n//! Nobody.\nfn told() {}\n".to_owned();
        let few = "// Plain.\n".repeat(200) + &many;
        let tests = "fn a() {}\n#[cfg(test)]\nmod tests {\n// Told.\n}\n".to_owned();
        let files = [
            ("crates/a/src/lib.rs", &many),
            ("crates/b/src/lib.rs", &few),
            ("crates/c/src/lib.rs", &tests),
            ("crates/c/src/x/tests.rs", &many),
            ("crates/c/tests/it/x.rs", &many),
        ];
        let found = findings(files.iter().map(|(path, text)| (*path, text.as_str())));
        assert_eq!(
            found,
            [
                "a has 2 idioms in 2 lines of comments, over 15 in 1,000: crates/a/src/lib.rs:1 told, \
                 crates/a/src/lib.rs:2 nobody"
            ]
        );
    }
}
